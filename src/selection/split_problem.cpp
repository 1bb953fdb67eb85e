#include "stkr/selection/split_problem.hpp"

#include <algorithm>

#include "stkr/dataset/splits.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

NewSamples new_samples(const Dataset& dataset, std::span<const Index> fresh,
                       std::span<const Index> known) {
  switch (dataset.kind()) {
    case DatasetKind::graph:
      return {cross_edges(dataset.graph().adjacency, fresh, known)};
    case DatasetKind::points:
      return {gather_rows(dataset.points().values, fresh)};
    default: {
      Matrix rows(fresh.size(), known.size());
      for (std::size_t i = 0; i < fresh.size(); ++i) {
        for (std::size_t j = 0; j < known.size(); ++j) {
          rows(i, j) = dataset.kernel().values(fresh[i], known[j]);
        }
      }
      return {std::move(rows)};
    }
  }
}

std::vector<Index> joined(const std::vector<Index>& a, const std::vector<Index>& b) {
  std::vector<Index> result = a;
  result.insert(result.end(), b.begin(), b.end());
  return result;
}

}  // namespace

SplitProblem::SplitProblem(const Dataset& dataset, const Recipe& recipe, const FourWaySplit& split,
                           Setting setting)
    : truth_(dataset.labels), val_(split.val), test_(split.test) {
  const std::vector<Index> scored = joined(split.val, split.test);
  Dataset seen = dataset;
  keep_only(seen.labels, split.train);
  if (setting == Setting::transductive) {
    targets_ = encode_targets(seen.labels, recipe.intercept);
    gram_ = prepare_gram(seen, recipe).gram;
    rows_ = std::make_unique<KernelRows>(*gram_, targets_.labeled, scored);
    return;
  }
  std::vector<Index> visible = joined(split.train, split.other);
  std::sort(visible.begin(), visible.end());
  new_samples_ = new_samples(dataset, scored, visible);
  seen = subset(seen, visible);
  targets_ = encode_targets(seen.labels, recipe.intercept);
  Dataset again = seen;
  gram_ = prepare_gram(seen, recipe).gram;
  Recipe placing = recipe;
  placing.execution.tiles = Tiles::evaluated;
  cross_ = std::move(*prepare_gram(again, placing).gram).into_cross_kernel();
  rows_ = std::make_unique<KernelRows>(*gram_, targets_.labeled, *cross_, new_samples_);
}

GridScore SplitProblem::score(const GridPoint& point, Matrix f, Score score,
                              NoEvidence no_evidence) const {
  const double floor = evidence_floor(f);
  Predictions all = decide(targets_.decision, std::move(f), floor);
  GridScore result{point};
  const auto part = [&](const std::vector<Index>& samples, Index first, Index& without) {
    Predictions predictions;
    const auto count = static_cast<Index>(samples.size());
    predictions.scores = all.scores.middleRows(first, count);
    predictions.evidence.assign(all.evidence.begin() + first, all.evidence.begin() + first + count);
    without = std::count(predictions.evidence.begin(), predictions.evidence.end(), 0);
    if (!all.class_index.empty()) {
      predictions.class_index.assign(all.class_index.begin() + first,
                                     all.class_index.begin() + first + count);
      for (Index k = 0; no_evidence == NoEvidence::first_class && k < count; ++k) {
        if (!predictions.evidence[k]) predictions.class_index[k] = 0;
      }
    }
    return evaluate(score, predictions, truth_, samples);
  };
  result.validation = part(val_, 0, result.validation_no_evidence);
  if (!test_.empty()) {
    result.test = part(test_, static_cast<Index>(val_.size()), result.test_no_evidence);
  }
  return result;
}

std::vector<std::string> missing_classes(const Labels& labels, std::span<const Index> samples) {
  const auto* classes = std::get_if<ClassLabels>(&labels);
  if (!classes) return {};
  std::vector<char> present(classes->names.size(), 0);
  for (const Index i : samples) {
    if (classes->code[i] != kUnlabeled) present[classes->code[i]] = 1;
  }
  std::vector<std::string> missing;
  for (std::size_t c = 0; c < present.size(); ++c) {
    if (!present[c]) missing.push_back(classes->names[c]);
  }
  return missing;
}

}  // namespace stkr
