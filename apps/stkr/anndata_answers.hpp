#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "answer_writer.hpp"

namespace stkr::app {

// Writes predictions as columns of obs in a copy of an AnnData file: stkr_prediction (a
// categorical, or numbers), for classes stkr_probability, of the predicted class, and
// stkr_evidence, and stkr_deviation if asked for, likewise of the predicted class. Cells without a
// prediction have missing values. Everything is held in memory until the end.
class AnnDataAnswers final : public AnswerWriter {
 public:
  // Throws DataError unless `source` is AnnData.
  AnnDataAnswers(const Decision& decision, std::string source, bool deviations);

  // Throws DataError if the cells have other names than the samples.
  void write(const AnswerPart& part) override;
  void finish(const std::string& path) const;

 private:
  const Decision& decision_;
  std::string source_;
  std::vector<std::string> cells_;
  std::vector<std::int32_t> codes_;              // of classes
  std::vector<double> probability_;              // likewise
  std::vector<std::vector<double>> targets_;     // of a regression, one per target
  std::vector<std::vector<double>> deviations_;  // one for classes, else one per target
  std::vector<char> evidence_;
};

}  // namespace stkr::app
