#pragma once

#include <optional>
#include <vector>

#include "answer_writer.hpp"
#include "stkr/inference/inference.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr::app {

// Standard deviations of scores, and jackknife+ intervals, from the system of a repeated fit.
class Certainty {
 public:
  // `coverage` of the intervals; none: no intervals. Throws ValueError if labels are too few to
  // tell, or if the system cannot answer. The system and the decision, that of the model, must
  // outlive this.
  Certainty(const FittedSystem& system, const Decision& decision, bool deviations,
            std::optional<double> coverage, const Context& context);

  // For fitted samples, in any order: asked once, for then a choice between exact and estimated
  // variances is made once.
  void prepare(const std::vector<Index>& samples);
  // Of `count` fitted samples from `first` on; rows that were not prepared are zero.
  CertaintyRows of_known(Index first, const Matrix& scores) const;
  // Many new samples at once, in problems where their variances take long, get estimates, and so do
  // all after them.
  CertaintyRows of_new(const NewSamples& samples, const Matrix& scores);

  // The standard error of the deviations, relative to them; 0: exact.
  double relative_error() const { return relative_error_; }

 private:
  Matrix new_deviations(const NewSamples& samples);
  CertaintyRows in_units_of(const Matrix& scores, CertaintyRows rows) const;

  const FittedSystem& system_;
  const Decision& decision_;
  bool deviations_;
  std::optional<double> coverage_;
  Context context_;
  CertaintyRows known_;
  std::optional<PreparedPosterior> estimates_;  // of new samples
  double relative_error_ = 0.0;
};

}  // namespace stkr::app
