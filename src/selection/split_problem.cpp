#include "selection/split_problem.hpp"

#include <algorithm>
#include <numeric>

#include "estimator/evidence.hpp"
#include "specification/kernel_parts.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/estimator/fit.hpp"
#include "stkr/model/fit_model.hpp"

namespace stkr {
namespace {

std::vector<Index> joined(const std::vector<Index>& a, const std::vector<Index>& b) {
  std::vector<Index> result = a;
  result.insert(result.end(), b.begin(), b.end());
  return result;
}

}  // namespace

std::vector<Index> class_mass_samples(Index size, std::span<const Index> labeled) {
  constexpr Index kEnough = 4096;
  return some_unlabeled(size, labeled, kEnough);
}

SplitProblem::SplitProblem(const Dataset& dataset, const Specification& spec,
                           const Execution& execution, const FourWaySplit& split, Setting setting,
                           bool class_mass, const Context& context) {
  Dataset seen = dataset;
  keep_only(seen.labels, split.train);
  if (setting == Setting::transductive) {
    encode_targets(seen.labels, spec.decision);  // errors come before the gram
    own_gram_ = prepare_gram(seen, spec, execution, context).gram;
    gram_ = own_gram_.get();
    score_seen(known_split(dataset.labels, split, nullptr), spec.decision, class_mass);
    return;
  }
  truth_ = dataset.labels;
  val_ = split.val;
  test_ = split.test;
  const std::vector<Index> visible = visible_samples(split);
  const Dataset whole = seen;
  seen = subset(seen, visible);
  targets_ = encode_targets(seen.labels, spec.decision);
  std::vector<Index> unlabeled = mass_samples(class_mass, seen.size());
  own_gram_ = prepare_gram(seen, spec, execution, context).gram;
  gram_ = own_gram_.get();
  cross_ = gram_->cross_kernel();
  place_new(whole, spec, joined(val_, test_), visible, std::move(unlabeled));
}

SplitProblem::SplitProblem(const GramOperator& gram, KnownSplit known,
                           const DecisionOptions& decision, bool class_mass)
    : gram_(&gram) {
  score_seen(std::move(known), decision, class_mass);
}

std::vector<Index> SplitProblem::mass_samples(bool class_mass, Index size) {
  std::vector<Index> chosen;
  if (class_mass) chosen = class_mass_samples(size, targets_.labeled);
  mass_samples_ = static_cast<Index>(chosen.size());
  return chosen;
}

// Scores samples of the gram.
void SplitProblem::score_seen(KnownSplit known, const DecisionOptions& decision, bool class_mass) {
  truth_ = known.labels.labels;
  val_ = std::move(known.split.val);
  test_ = std::move(known.split.test);
  Labels seen = truth_;
  keep_only(seen, known.split.train);
  targets_ = encode_targets(seen, decision);
  targets_.labeled = known.labels.samples(targets_.labeled);
  std::visit([&](auto& each) { each.labeled = targets_.labeled; }, targets_.decision);
  const std::vector<Index> scored = known.labels.samples(joined(val_, test_));
  row_sample_ = joined(mass_samples(class_mass, gram_->size()), scored);
  rows_ = std::make_unique<KernelRows>(*gram_, targets_.labeled, row_sample_);
  for (std::size_t k = 0; k < scored.size(); ++k) {
    rows_of_.push_back({mass_samples_ + static_cast<Index>(k)});
  }
}

// A new sample equal to known ones is scored with their rows, as a model predicts it.
void SplitProblem::place_new(const Dataset& dataset, const Specification& spec,
                             const std::vector<Index>& scored, const std::vector<Index>& visible,
                             std::vector<Index> seen) {
  new_samples_ = as_new_samples(dataset, spec, scored, visible);
  placed_ = cross_->place(new_samples_);
  const std::optional<Twins> twins = placed_->twins();
  std::vector<Index> fresh;
  rows_of_.resize(scored.size());
  for (std::size_t k = 0; k < scored.size(); ++k) {
    const auto row = static_cast<Index>(k);
    if (!twins || twins->count(row) == 0) {
      fresh.push_back(scored[k]);
      continue;
    }
    for (std::int64_t p = twins->row_start[row]; p < twins->row_start[row + 1]; ++p) {
      rows_of_[k].push_back(static_cast<Index>(seen.size()));
      seen.push_back(twins->sample[p]);
    }
  }
  if (fresh.size() < scored.size()) {
    placed_.reset();
    new_samples_ = as_new_samples(dataset, spec, fresh, visible);
    placed_ = cross_->place(new_samples_);
  }
  row_sample_ = seen;
  for (auto& rows : rows_of_) {
    if (!rows.empty()) continue;
    rows.push_back(static_cast<Index>(row_sample_.size()));
    row_sample_.push_back(-1);
  }
  rows_ = std::make_unique<KernelRows>(*gram_, targets_.labeled, *placed_,
                                       static_cast<Index>(fresh.size()), seen);
}

SplitProblem::Scores SplitProblem::scores(const TransformedBlock& block, const RidgePath& path,
                                          double beta) const {
  Scores result{path.predict(beta), {}, {}, beta};
  if (targets_.constant) result.constant = path.constant(beta);
  const double floor = evidence_floor(path.fitted(beta));
  std::vector<Index> labels(block.scored.cols());
  std::iota(labels.begin(), labels.end(), Index{0});
  result.evidence =
      evidence_of_rows(block.scored, labels, result.f, block.exact_zeros, floor,
                       floor_by_reach(block.family == Family::top_d,
                                      targets_.constant || block.family == Family::poisson, floor));
  return result;
}

SplitProblem::Scores SplitProblem::scores(ConstMatrixRef f_labeled, Matrix f_scored) const {
  Scores result{std::move(f_scored), {}};
  const double floor = gram_->nonnegative() ? 0.0 : evidence_floor(f_labeled);
  for (Index i = 0; i < result.f.rows(); ++i) {
    result.evidence.push_back(result.f.row(i).cwiseAbs().maxCoeff() > floor);
  }
  return result;
}

std::optional<std::vector<Index>> SplitProblem::nearest(const std::vector<Index>& scored) const {
  const std::vector<Index>& among = std::get<ClassDecision>(targets_.decision).labeled;
  std::optional<std::vector<Index>> of_new;
  if (placed_) of_new = placed_->nearest(among);
  const Index first_new = static_cast<Index>(row_sample_.size()) - rows_->fresh();
  std::vector<Index> result;
  for (const Index k : scored) {
    const Index row = rows_of_[k].front(), sample = row_sample_[row];
    if (sample < 0) {
      if (!of_new) return std::nullopt;
      result.push_back((*of_new)[row - first_new]);
      continue;
    }
    const auto found = gram_->nearest(std::vector<Index>{sample}, among);
    if (!found) return std::nullopt;
    result.push_back(found->front());
  }
  return result;
}

GridScore SplitProblem::score(const GridPoint& point, const Scores& scores, Score score,
                              const SelectOptions& options) const {
  // The rows of val and test.
  Matrix f = Matrix::Zero(static_cast<Index>(rows_of_.size()), scores.f.cols());
  std::vector<char> evidence(rows_of_.size(), 0);
  for (std::size_t k = 0; k < rows_of_.size(); ++k) {
    for (const Index row : rows_of_[k]) {
      f.row(k) += scores.f.row(row) / static_cast<double>(rows_of_[k].size());
      evidence[k] |= scores.evidence[row];
    }
  }
  Decision decision = with_constant(targets_.decision, scores.constant);
  if (point.class_mass) {
    decision = with_class_mass(std::move(decision), scores.f.topRows(mass_samples_),
                               {scores.evidence.begin(), scores.evidence.begin() + mass_samples_});
  }
  Predictions all = decide(decision, std::move(f), std::move(evidence),
                           [&](const std::vector<Index>& rows) { return nearest(rows); });
  GridScore result{point};
  result.beta = scores.beta;
  const auto part = [&](const std::vector<Index>& samples, Index first, Index& without) {
    Predictions predictions;
    const auto count = static_cast<Index>(samples.size());
    predictions.scores = all.scores.middleRows(first, count);
    predictions.evidence.assign(all.evidence.begin() + first, all.evidence.begin() + first + count);
    without = std::count(predictions.evidence.begin(), predictions.evidence.end(), 0);
    if (!all.class_index.empty()) {
      predictions.class_index.assign(all.class_index.begin() + first,
                                     all.class_index.begin() + first + count);
      predictions.tied.assign(all.tied.begin() + first, all.tied.begin() + first + count);
      for (Index k = 0; options.no_evidence == NoEvidence::first_class && k < count; ++k) {
        if (!predictions.evidence[k]) predictions.class_index[k] = 0;
      }
    }
    return predictions;
  };
  const Predictions validation = part(val_, 0, result.validation_no_evidence);
  set_scores(options, score, validation, truth_, val_, result);
  if (options.deviations) result.deviation = 0.0;  // one split
  if (!test_.empty()) {
    const Predictions test = part(test_, static_cast<Index>(val_.size()), result.test_no_evidence);
    result.test = options.own_score ? options.own_score->value(test, test_)
                                    : evaluate(score, test, truth_, test_);
  }
  return result;
}

void set_scores(const SelectOptions& options, Score score, const Predictions& predictions,
                const Labels& truth, std::span<const Index> samples, GridScore& result) {
  result.validation = options.own_score
                          ? options.own_score->value(predictions, samples)
                          : evaluate(score, predictions, truth, samples, options.no_evidence);
  result.loss = smooth_loss(predictions, truth, samples, options.no_evidence);
  result.outcomes = outcomes(predictions, truth, samples, options.no_evidence);
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
