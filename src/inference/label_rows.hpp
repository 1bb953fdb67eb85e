#pragma once

#include <memory>
#include <optional>
#include <span>

#include "inference/term_system.hpp"

namespace stkr {

// K̂_s(x, x_i) between some samples, known or new, and the labels. A new sample equal to known ones
// has their rows (the mean, if they differ). New samples are placed once for all terms; system and
// samples must outlive this.
class LabelRows {
 public:
  LabelRows(const FittedSystem& system, std::span<const Index> samples);
  LabelRows(const FittedSystem& system, const NewSamples& samples);

  Index count() const { return count_; }
  Matrix operator()(const TermSystem& term) const;  // M × n
  // For new samples, else null.
  const PlacedSamples* placed() const { return placed_.get(); }
  const std::optional<Twins>& twins() const { return twins_; }

 private:
  Index count_ = 0;
  std::vector<Index> known_;
  std::unique_ptr<CrossKernel> cross_;
  std::unique_ptr<PlacedSamples> placed_;
  std::optional<Twins> twins_;
};

}  // namespace stkr
