#include "stkr/selection/split_problem.hpp"

#include <algorithm>

#include "stkr/dataset/splits.hpp"
#include "stkr/estimator/kernel_parts.hpp"

namespace stkr {
namespace {

std::vector<Index> joined(const std::vector<Index>& a, const std::vector<Index>& b) {
  std::vector<Index> result = a;
  result.insert(result.end(), b.begin(), b.end());
  return result;
}

}  // namespace

std::vector<Index> class_mass_samples(std::vector<Index> unlabeled) {
  constexpr std::size_t kEnough = 4096;
  if (unlabeled.size() <= kEnough) return unlabeled;
  std::vector<Index> chosen;
  for (std::size_t k = 0; k < kEnough; ++k) {
    chosen.push_back(unlabeled[k * unlabeled.size() / kEnough]);
  }
  return chosen;
}

SplitProblem::SplitProblem(const Dataset& dataset, const Recipe& recipe, const FourWaySplit& split,
                           Setting setting, bool class_mass)
    : truth_(dataset.labels), val_(split.val), test_(split.test) {
  const std::vector<Index> scored = joined(split.val, split.test);
  Dataset seen = dataset;
  keep_only(seen.labels, split.train);
  const auto mass_samples = [&] {
    std::vector<Index> chosen;
    if (class_mass) chosen = class_mass_samples(unlabeled_samples(seen.size(), targets_.labeled));
    mass_samples_ = static_cast<Index>(chosen.size());
    return chosen;
  };
  if (setting == Setting::transductive) {
    targets_ = encode_targets(seen.labels, recipe.intercept, recipe.decision);
    const std::vector<Index> all = joined(mass_samples(), scored);
    gram_ = prepare_gram(seen, recipe).gram;
    rows_ = std::make_unique<KernelRows>(*gram_, targets_.labeled, all);
    return;
  }
  const std::vector<Index> visible = visible_samples(split);
  new_samples_ = as_new_samples(dataset, recipe, scored, visible);
  seen = subset(seen, visible);
  targets_ = encode_targets(seen.labels, recipe.intercept, recipe.decision);
  const std::vector<Index> unlabeled = mass_samples();
  Dataset again = seen;
  gram_ = prepare_gram(seen, recipe).gram;
  Recipe placing = recipe;
  placing.execution.tiles = Tiles::evaluated;
  cross_ = std::move(*prepare_gram(again, placing).gram).into_cross_kernel();
  rows_ = std::make_unique<KernelRows>(*gram_, targets_.labeled, *cross_, new_samples_, unlabeled);
}

GridScore SplitProblem::score(const GridPoint& point, Matrix f, Score score,
                              NoEvidence no_evidence) const {
  const double floor = evidence_floor(f.bottomRows(f.rows() - mass_samples_));
  const Matrix scored = f.bottomRows(f.rows() - mass_samples_);
  Predictions all =
      decide(point.class_mass ? with_class_mass(targets_.decision, f.topRows(mass_samples_), floor)
                              : targets_.decision,
             scored, floor);
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

std::vector<Index> visible_samples(const FourWaySplit& split) {
  std::vector<Index> visible = joined(split.train, split.other);
  std::sort(visible.begin(), visible.end());
  return visible;
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
