#include <gtest/gtest.h>

#include <algorithm>

#include "inference/small_system.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/decision.hpp"
#include "stkr/inference/inference.hpp"

namespace stkr::suggest_test {
namespace {

using namespace cases;

GramCase walk() {
  return graph_case("walk", two_component_graph(kSamples, 3), GraphNormalization::lazy_walk);
}

// Conditions the dense covariance on one label after the other, and tries every candidate.
std::vector<Index> by_trying(const GramCase& gram, const FittedSystem& system, Index count,
                             bool survey) {
  FittedSystem one = system;
  const DenseFit fit = dense_fits(gram, one, 6)[1];  // the largest weight
  Matrix c = fit.kernel - fit.at * fit.a.inverse() * fit.at.transpose();
  const double noise = fit.a(0, 0) - fit.kernel(kLabeled[0], kLabeled[0]);
  std::vector<Index> chosen;
  while (static_cast<Index>(chosen.size()) < count) {
    Index best = -1;
    double least = 0.0;
    Matrix best_c;
    for (Index x = 0; x < kSamples; ++x) {
      if (std::count(kLabeled.begin(), kLabeled.end(), x) ||
          std::count(chosen.begin(), chosen.end(), x)) {
        continue;
      }
      const Matrix next = c - c.col(x) * c.row(x) / (c(x, x) + noise);
      const double left = survey ? next.sum() : next.trace();
      if (best >= 0 && left >= least) continue;
      best = x;
      least = left;
      best_c = next;
    }
    chosen.push_back(best);
    c = best_c;
  }
  return chosen;
}

std::vector<Index> samples(const std::vector<Suggestion>& suggestions) {
  std::vector<Index> result;
  for (const Suggestion& one : suggestions) result.push_back(one.sample);
  return result;
}

TEST(Suggest, MinimizesWhatRemainsAfterEachLabel) {
  const GramCase gram = walk();
  const FittedSystem system = small_system(gram, two_terms(gram), true);
  for (const bool survey : {false, true}) {
    SuggestOptions options;
    options.count = 4;
    options.criterion = survey ? SuggestionCriterion::survey : SuggestionCriterion::variance;
    const std::vector<Suggestion> found = suggest(system, {}, options);
    EXPECT_EQ(samples(found), by_trying(gram, system, 4, survey)) << survey;
    for (const Suggestion& one : found) EXPECT_GT(one.reduction, 0.0);
  }
}

TEST(Suggest, AShortlistOfAllFindsTheSame) {
  const GramCase gram = walk();
  const FittedSystem system = small_system(gram, two_terms(gram), true);
  for (const auto criterion :
       {SuggestionCriterion::error, SuggestionCriterion::variance, SuggestionCriterion::survey}) {
    SuggestOptions options;
    options.count = 3;
    options.criterion = criterion;
    const auto exact = samples(suggest(system, {}, options));
    options.exact_size = 0;
    options.shortlist = kSamples;
    options.probes = 4000;
    EXPECT_EQ(samples(suggest(system, {}, options)), exact);
    // Candidates whose values differ by less than the estimate's error may be missed.
    options.shortlist = 10;
    EXPECT_EQ(samples(suggest(system, {}, options)), exact);
  }
}

// The criterion `error` written out: what remains of doubt-weighted relative variances.
struct DenseError {
  Matrix c;
  Vector prior, weights;

  DenseError(const GramCase& gram, const std::vector<Index>& labeled, const Vector& doubt) {
    const double eta = 0.999 / gram.dense().largest();
    const Matrix kernel =
        gram.dense().transformed({[eta](double l) { return l / (1.0 - eta * l); },
                                  [eta](double l) { return 1.0 / (1.0 - eta * l); }});
    prior = kernel.diagonal();
    weights = doubt.cwiseQuotient(prior);
    c = kernel;
    for (const Index i : labeled) {
      take(i);
      weights[i] = 0.0;
    }
  }
  void take(Index x) { c = (c - c.col(x) * c.row(x) / (c(x, x) + 0.01 * prior[x])).eval(); }
  double left_with(Index x) const {
    return (c - c.col(x) * c.row(x) / (c(x, x) + 0.01 * prior[x])).diagonal().dot(weights);
  }
};

TEST(Suggest, MinimizesTheDoubtThatRemains) {
  const GramCase gram = walk();
  const FittedSystem system = small_system(gram, two_terms(gram), true);
  Vector doubt = random_matrix(kSamples, 1, 8).col(0).cwiseAbs().cwiseMin(1.0);
  for (const bool known : {false, true}) {
    if (!known) doubt.setOnes();
    DenseError dense(gram, kLabeled, doubt);
    const double before = dense.c.diagonal().dot(dense.weights);
    SuggestOptions options;  // `error` is the default
    options.count = 5;
    PresentPredictions predictions;
    if (known) predictions.doubt = doubt;
    std::vector<Index> taken = kLabeled;
    for (const Suggestion& one : suggest(system, predictions, options)) {
      const double now = dense.c.diagonal().dot(dense.weights);
      double least = now;
      for (Index x = 0; x < kSamples; ++x) {
        if (std::count(taken.begin(), taken.end(), x) == 0) {
          least = std::min(least, dense.left_with(x));
        }
      }
      EXPECT_LT(dense.left_with(one.sample), least + 1e-9 * before);
      EXPECT_NEAR(one.reduction, (now - dense.left_with(one.sample)) / before, 1e-8);
      EXPECT_NEAR(one.variance, dense.c(one.sample, one.sample), 1e-7 * dense.prior.maxCoeff());
      dense.take(one.sample);
      taken.push_back(one.sample);
    }
  }
}

TEST(Suggest, PointsAreJudgedByTheTransformOfTheFit) {
  const GramCase gram = gram_cases().front();
  const FittedSystem system = small_system(gram, two_terms(gram), true);
  ASSERT_FALSE(system.gram->sparse());
  const DenseFit fit = dense_fits(gram, system, 6)[1];  // the largest weight
  const Matrix c = fit.kernel - fit.at * fit.a.inverse() * fit.at.transpose();
  const double noise = fit.a(0, 0) - fit.kernel(kLabeled[0], kLabeled[0]);
  Vector weights = fit.kernel.diagonal().cwiseInverse();
  for (const Index i : kLabeled) weights[i] = 0.0;
  Vector gain = Vector::Zero(kSamples);
  for (Index x = 0; x < kSamples; ++x) {
    if (weights[x] > 0.0) gain[x] = c.col(x).cwiseAbs2().dot(weights) / (c(x, x) + noise);
  }
  SuggestOptions options;
  options.count = 1;
  const Suggestion found = suggest(system, {}, options).front();
  EXPECT_NEAR(gain[found.sample], gain.maxCoeff(), 1e-8 * gain.maxCoeff());
  EXPECT_NEAR(found.reduction, gain.maxCoeff() / c.diagonal().dot(weights), 1e-8);
}

TEST(Suggest, AComponentWithoutLabelsIsWorthItsSize) {
  // Two components: the second has more samples than the first has left, and no label.
  const GramCase gram = walk();
  FittedSystem system = small_system(gram, two_terms(gram), true);
  const auto* space = system.gram->known_eigenspace();
  const std::int32_t first = space->group(system.targets.labeled.front());
  for (const Index i : system.targets.labeled) ASSERT_EQ(space->group(i), first);
  SuggestOptions options;
  options.count = 1;
  const Index chosen = suggest(system, {}, options).front().sample;
  EXPECT_NE(space->group(chosen), first);
  EXPECT_GE(space->group(chosen), 0);  // not one that is connected to nothing
  // Without doubt there, no label is spent on it.
  PresentPredictions sure{{}, Vector::Zero(kSamples)};
  for (Index i = 0; i < kSamples; ++i) sure.doubt[i] = space->group(i) == first ? 0.5 : 0.0;
  EXPECT_EQ(space->group(suggest(system, sure, options).front().sample), first);
}

TEST(Suggest, TheErrorOfNumbersIsTheirVariance) {
  const GramCase gram = walk();
  const FittedSystem system = small_system(gram, two_terms(gram), /*classes=*/false);
  SuggestOptions options;
  options.count = 4;
  const auto error = samples(suggest(system, {}, options));
  options.criterion = SuggestionCriterion::variance;
  EXPECT_EQ(samples(suggest(system, {}, options)), error);
}

TEST(Suggest, EveryGramGivesDifferentSamples) {
  for (const GramCase& gram : gram_cases()) {
    const FittedSystem system = small_system(gram, two_terms(gram), true);
    if (system.gram->root_weights()) continue;  // refused: tested with check_system
    for (const Index exact : {Index{0}, kSamples}) {
      SuggestOptions options;
      options.count = 6;
      options.exact_size = exact;
      std::vector<Index> found = samples(suggest(system, {}, options));
      for (const Index i : kLabeled) EXPECT_EQ(std::count(found.begin(), found.end(), i), 0);
      std::sort(found.begin(), found.end());
      EXPECT_EQ(std::unique(found.begin(), found.end()), found.end());
    }
  }
}

TEST(Suggest, PrefersClassesWithFewLabels) {
  const GramCase gram = walk();
  FittedSystem system = small_system(gram, two_terms(gram), true);
  auto& decision = std::get<ClassDecision>(system.targets.decision);
  decision.classes.assign(6, 0);  // all labels are of one class
  PresentPredictions predictions{std::vector<Index>(kSamples, 0), {}};
  SuggestOptions options;
  options.criterion = SuggestionCriterion::variance;
  options.count = 1;
  const Index plain = samples(suggest(system, predictions, options)).front();
  // Another sample nearly as good, predicted to be of the class without labels.
  options.count = 2;
  const Index second = samples(suggest(system, predictions, options)).back();
  predictions.classes[static_cast<std::size_t>(second)] = 1;
  options.count = 1;
  EXPECT_EQ(samples(suggest(system, predictions, options)).front(), second);
  options.balance = false;
  EXPECT_EQ(samples(suggest(system, predictions, options)).front(), plain);
}

TEST(Suggest, SharesOfScoresAreNoDoubt) {
  ClassDecision decision{{"a", "b"}, Vector::Constant(2, 0.5)};
  Predictions fitted;
  fitted.scores = Matrix::Identity(2, 2);
  fitted.evidence = {1, 1};
  fitted.class_index = {0, 1};
  EXPECT_EQ(present_predictions(decision, fitted).doubt.size(), 0);
  decision.calibration = Calibration{{{Calibration::Form::power, 0.5, 1.0, 1.0}}};
  decision.calibration->conformity = {0.5};
  const PresentPredictions known = present_predictions(decision, fitted);
  EXPECT_EQ(known.classes, fitted.class_index);
  ASSERT_EQ(known.doubt.size(), 2);
  const Matrix probabilities = class_probabilities(decision, fitted);
  EXPECT_EQ(known.doubt[1], 1.0 - probabilities.row(1).maxCoeff());
}

TEST(Suggest, RefusesWhatItCannotChoose) {
  const GramCase gram = walk();
  const FittedSystem system = small_system(gram, two_terms(gram), true);
  SuggestOptions options;
  options.count = kSamples;
  EXPECT_THROW(suggest(system, {}, options), ParameterError);
  options.count = 0;
  EXPECT_THROW(suggest(system, {}, options), ParameterError);
  options.count = 1;
  EXPECT_THROW(suggest(system, {{0, 1}, {}}, options), ShapeError);
  EXPECT_THROW(suggest(system, {{}, Vector::Ones(2)}, options), ShapeError);
  EXPECT_THROW(suggest(system, {{}, Vector::Constant(kSamples, 2.0)}, options), ValueError);
}

}  // namespace
}  // namespace stkr::suggest_test
