#include <gtest/gtest.h>

#include "inference/small_system.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/stkr.hpp"
#include "stkr/inference/inference.hpp"

namespace stkr::contributions_test {
namespace {

using namespace cases;

class ContributionsOfEveryGram : public ::testing::TestWithParam<GramCase> {};

INSTANTIATE_TEST_SUITE_P(Grams, ContributionsOfEveryGram, ::testing::ValuesIn(gram_cases()),
                         CaseName());

TEST_P(ContributionsOfEveryGram, AddUpToTheScore) {
  for (const bool classes : {false, true}) {
    const FittedSystem system = small_system(GetParam(), two_terms(GetParam()), classes);
    StkrOptions options;
    options.constant = system.targets.constant;
    options.tolerance = 1e-11;
    const Fit fit = fit_average(*system.gram, kLabeled, system.targets.y, system.terms, options);
    for (const Index x : {Index{0}, Index{7}, Index{20}}) {
      const Contributions found = contributions(system, x, kSamples);
      const Vector sum = found.by_label.colwise().sum().transpose() + found.constant;
      EXPECT_LT((sum - found.score).cwiseAbs().maxCoeff(), 1e-12 * (1.0 + sum.norm()));
      Vector expected = fit.fitted.row(x).transpose();
      EXPECT_LT((found.score - expected).norm(), 1e-7 * (1.0 + expected.norm()));
      // What acts through other samples adds up to the same: x is not labeled.
      const Vector through = found.by_sample.colwise().sum().transpose() + found.constant;
      EXPECT_LT((through - found.score).norm(), 1e-7 * (1.0 + expected.norm()));
    }
  }
}

TEST(Contributions, TheRadiusIsTheMarginByTheNorm) {
  const GramCase gram = gram_cases().front();
  std::vector<AverageTerm> one{two_terms(gram).front()};
  one.front().parts.resize(1);
  const FittedSystem system = small_system(gram, one, true);
  const Contributions found = contributions(system, 0);
  const DenseFit fit = dense_fits(gram, system, 6).front();
  const Matrix alpha = fit.a.inverse() * system.targets.y;
  const Vector d = alpha.col(0) - alpha.col(1);
  const Matrix g = reference::rows_of(fit.at, kLabeled);
  ASSERT_TRUE(found.radius);
  EXPECT_NEAR(*found.radius, std::abs(found.score[0] - found.score[1]) / std::sqrt(d.dot(g * d)),
              1e-7);
  EXPECT_FALSE(contributions(small_system(gram, two_terms(gram), true), 0).radius);
}

TEST(Contributions, NewSamplesAreExplainedLikeKnownOnes) {
  const GramCase gram = gram_cases().front();
  const FittedSystem system = small_system(gram, two_terms(gram), true);
  const Contributions known = contributions(system, 7);
  const Contributions fresh = contributions(system, gram.as_new().slice(7, 1));
  EXPECT_LT((known.by_label - fresh.by_label).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(Contributions, APathLeadsToTheLabel) {
  Matrix w = Matrix::Zero(kSamples, kSamples);  // a path 0 - 1 - ... - 23
  for (Index i = 0; i + 1 < kSamples; ++i) w(i, i + 1) = w(i + 1, i) = 1.0;
  const GramCase gram = graph_case("path", w, GraphNormalization::lazy_walk);
  const FittedSystem system = small_system(gram, two_terms(gram), true);
  EXPECT_EQ(strongest_path(system, 7, 2), (std::vector<Index>{7, 6, 5}));
  EXPECT_TRUE(strongest_path(system, 23, 0, 3).empty());
  EXPECT_THROW(strongest_path(system, 7, 6), ValueError);
}

}  // namespace
}  // namespace stkr::contributions_test
