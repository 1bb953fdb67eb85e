#include "prediction_writer.hpp"

#include <algorithm>
#include <numeric>

namespace stkr::app {
namespace {

// The predictions of some rows.
Predictions chosen_rows(const Predictions& all, const std::vector<Index>& rows) {
  Predictions some;
  some.scores = all.scores(rows, Eigen::all);
  for (const Index i : rows) {
    some.evidence.push_back(all.evidence[i]);
    if (!all.class_index.empty()) some.class_index.push_back(all.class_index[i]);
    if (!all.tied.empty()) some.tied.push_back(all.tied[i]);
  }
  return some;
}

CertaintyRows chosen_rows(const CertaintyRows& all, const std::vector<Index>& rows) {
  const auto some = [&](const Matrix& values) -> Matrix {
    return values.size() == 0 ? Matrix() : Matrix(values(rows, Eigen::all));
  };
  return {some(all.deviation), some(all.lower), some(all.upper)};
}

}  // namespace

void PredictionWriter::write(const Predictions& part, std::span<const std::string> names,
                             std::span<const char> wanted, const CertaintyRows& certainty) {
  std::vector<Index> rows;
  for (Index i = 0; i < part.scores.rows(); ++i) {
    if (wanted.empty() || wanted[static_cast<std::size_t>(i)]) rows.push_back(i);
  }
  std::vector<Index> index = rows;
  std::vector<std::string> chosen_names;
  for (Index& i : index) {
    if (!names.empty()) chosen_names.push_back(names[static_cast<std::size_t>(i)]);
    i += next_;
  }
  next_ += part.scores.rows();
  Predictions chosen;
  CertaintyRows chosen_certainty;
  if (!wanted.empty()) {
    chosen = chosen_rows(part, rows);
    chosen_certainty = chosen_rows(certainty, rows);
  }
  const Predictions& some = wanted.empty() ? part : chosen;
  answers_.write({index, chosen_names, some, wanted.empty() ? certainty : chosen_certainty});
  written_.rows += static_cast<Index>(rows.size());
  written_.tally.add(some);
  written_.without_evidence += std::count(some.evidence.begin(), some.evidence.end(), 0);
  written_.tied += std::count(some.tied.begin(), some.tied.end(), 1);
  if (!keep_unreached_) return;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (some.evidence[k]) continue;
    written_.unreached.push_back(index[k]);
    if (!names.empty()) written_.unreached_names.push_back(chosen_names[k]);
  }
}

}  // namespace stkr::app
