#include "stkr/inference/suggest.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "inference/small_system.hpp"
#include "stkr/error.hpp"

namespace stkr {
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
  SuggestOptions options;
  options.count = 3;
  const auto exact = samples(suggest(system, {}, options));
  options.exact_size = 0;
  options.shortlist = kSamples;
  EXPECT_EQ(samples(suggest(system, {}, options)), exact);
  // Candidates whose values differ by less than the estimate's error may be missed.
  options.shortlist = 10;
  options.probes = 4000;
  EXPECT_EQ(samples(suggest(system, {}, options)), exact);
}

TEST(Suggest, PrefersClassesWithFewLabels) {
  const GramCase gram = walk();
  FittedSystem system = small_system(gram, two_terms(gram), true);
  auto& decision = std::get<ClassDecision>(system.targets.decision);
  decision.classes.assign(6, 0);  // all labels are of one class
  std::vector<Index> classes(kSamples, 0);
  SuggestOptions options;
  options.count = 1;
  const Index plain = samples(suggest(system, classes, options)).front();
  // Another sample nearly as good, predicted to be of the class without labels.
  options.count = 2;
  const Index second = samples(suggest(system, classes, options)).back();
  classes[static_cast<std::size_t>(second)] = 1;
  options.count = 1;
  EXPECT_EQ(samples(suggest(system, classes, options)).front(), second);
  options.balance = false;
  EXPECT_EQ(samples(suggest(system, classes, options)).front(), plain);
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
  EXPECT_THROW(suggest(system, {0, 1}, options), ShapeError);
}

}  // namespace
}  // namespace stkr
