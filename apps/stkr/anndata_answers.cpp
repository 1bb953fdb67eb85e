#include "anndata_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dataset/anndata.hpp"
#include "dataset/anndata_copy.hpp"
#include "format/utf8.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/decision.hpp"

namespace stkr::app {

AnnDataAnswers::AnnDataAnswers(const Decision& decision, std::string source, bool deviations)
    : decision_(decision), source_(std::move(source)), cells_(AnnDataFile(source_).names()) {
  const std::size_t count = cells_.size();
  evidence_.assign(count, 0);
  if (std::holds_alternative<ClassDecision>(decision)) {
    codes_.assign(count, -1);
    probability_.assign(count, std::nan(""));
  } else {
    targets_.assign(output_names(decision).size(), std::vector<double>(count, std::nan("")));
  }
  if (deviations) {
    deviations_.assign(std::max<std::size_t>(1, targets_.size()),
                       std::vector<double>(count, std::nan("")));
  }
}

void AnnDataAnswers::write(const AnswerPart& part) {
  const auto& [index, names, all, certainty] = part;
  const auto* classes = std::get_if<ClassDecision>(&decision_);
  const Matrix probabilities = classes ? class_probabilities(*classes, all) : Matrix();
  for (Index i = 0; i < all.scores.rows(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    const auto at = static_cast<std::size_t>(index[row]);
    const bool fits = at < cells_.size();
    if (!fits || (!names.empty() && names[row] != cells_[at])) {
      throw DataError(fmt::format(
          "{}: {}, but sample {} of the predictions{}; copy the file that they are for (--copy)",
          source_,
          fits ? fmt::format("cell {} is '{}'", at, printable(cells_[at]))
               : fmt::format("has {} cells", cells_.size()),
          at,
          names.empty() ? " is not one of them" : fmt::format(" is '{}'", printable(names[row]))));
    }
    evidence_[at] = all.evidence[row];
    if (classes) {
      const Index chosen = all.class_index[row];
      codes_[at] = static_cast<std::int32_t>(chosen);
      probability_[at] = probabilities(i, chosen);
    }
    for (std::size_t k = 0; k < targets_.size(); ++k) {
      targets_[k][at] = all.scores(i, static_cast<Index>(k));
    }
    for (std::size_t k = 0; k < deviations_.size(); ++k) {
      const Index column = classes ? all.class_index[row] : static_cast<Index>(k);
      deviations_[k][at] = certainty.deviation(i, column);
    }
  }
}

void AnnDataAnswers::finish(const std::string& path) const {
  std::vector<ObsColumn> columns;
  const std::vector<std::string>& names = output_names(decision_);
  if (targets_.empty()) {
    columns.push_back({"stkr_prediction", CategoricalColumn{names, codes_}});
    columns.push_back({"stkr_probability", probability_});
  }
  for (std::size_t k = 0; k < targets_.size(); ++k) {
    columns.push_back(
        {targets_.size() == 1 ? "stkr_prediction" : "stkr_prediction_" + names[k], targets_[k]});
  }
  for (std::size_t k = 0; k < deviations_.size(); ++k) {
    columns.push_back({deviations_.size() == 1 ? "stkr_deviation" : "stkr_deviation_" + names[k],
                       deviations_[k]});
  }
  columns.push_back({"stkr_evidence", evidence_});
  copy_anndata(source_, path, columns);
}

}  // namespace stkr::app
