#include <gtest/gtest.h>

#include "gram_cases.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/stkr.hpp"
#include "transform_cases.hpp"

namespace stkr::average_test {
namespace {

using namespace cases;

class AverageOfEveryGram : public testing::TestWithParam<GramCase> {};

INSTANTIATE_TEST_SUITE_P(Grams, AverageOfEveryGram, testing::ValuesIn(gram_cases()), CaseName());

std::vector<AverageTerm> three_fits(double unit) {
  return {{SpectralTransform::power(2), {{0.1, 0.5}, {1e-2, 0.25}}, {}},
          {SpectralTransform::inverse_laplacian(0.9 * unit), {{0.03, 2.0}}, {}}};
}

TEST_P(AverageOfEveryGram, IsTheWeightedSumOfItsFits) {
  const auto gram = GetParam().make(1);
  const double unit = 1.0 / GetParam().dense().largest();
  const std::vector<Index> labeled{1, 4, 5, 9, 12};
  const Matrix y = random_matrix(5, 2, 3);
  for (const bool constant : {false, true}) {
    SCOPED_TRACE(constant);
    StkrOptions options;
    options.constant = constant;
    options.tolerance = 1e-11;
    options.solver = StkrSolver::diagonalize;
    Matrix coefficients = Matrix::Zero(gram->size(), 2), fitted = coefficients;
    Vector b = Vector::Zero(2);
    for (const AverageTerm& term : three_fits(unit)) {
      for (const AverageTerm::Part& part : term.parts) {
        options.transform = term.transform;
        options.ridge = part.ridge;
        const Fit one = fit_stkr(*gram, labeled, y, options);
        coefficients += part.weight * one.coefficients;
        fitted += part.weight * one.fitted;
        if (constant) b += part.weight * one.constant;
      }
    }
    coefficients /= 2.75;  // the sum of the weights
    fitted /= 2.75;
    b /= 2.75;
    const Fit average = fit_average(*gram, labeled, y, three_fits(unit), options);
    EXPECT_LT((average.coefficients - coefficients).norm(), 1e-7 * coefficients.norm());
    EXPECT_LT((average.fitted - fitted).norm(), 1e-7 * fitted.norm());
    if (constant) {
      EXPECT_LT((average.constant - b).norm(), 1e-7 * (1.0 + b.norm()));
    }
    EXPECT_TRUE(average.summary.solve.converged());
  }
}

TEST(Average, TakesSolutionsThatAreKnown) {
  const auto gram = gram_cases().front().make(1);
  const std::vector<Index> labeled{1, 4, 5};
  const Matrix y = random_matrix(3, 2, 3), alpha = random_matrix(3, 2, 4);
  std::vector<AverageTerm> terms{{SpectralTransform::power(2), {{0.1, 1.0}}, alpha}};
  const Fit fit = fit_average(*gram, labeled, y, terms);
  const Matrix expected =
      product(*gram, reference::spread(alpha, labeled, gram->size()));  // g(λ) = λ
  EXPECT_LT((fit.coefficients - expected).norm(), 1e-12 * expected.norm());
}

TEST(Average, RefusesWhatItCannotAverage) {
  const auto gram = gram_cases().front().make(1);
  const std::vector<Index> labeled{1, 4, 5};
  const Matrix y = random_matrix(3, 2, 3);
  const auto with = [&](std::vector<AverageTerm> terms, StkrOptions options = {}) {
    return fit_average(*gram, labeled, y, terms, options);
  };
  const SpectralTransform s = SpectralTransform::power(2);
  EXPECT_THROW(with({}), ValueError);
  EXPECT_THROW(with({{s, {}, {}}}), ValueError);
  EXPECT_THROW(with({{s, {{0.0, 1.0}}, {}}}), ValueError);
  EXPECT_THROW(with({{s, {{0.1, -1.0}}, {}}}), ValueError);
  StkrOptions weighted;
  weighted.label_weights = Vector::Ones(3);
  EXPECT_THROW(with({{s, {{0.1, 1.0}}, {}}}, weighted), ValueError);
  StkrOptions few;
  few.execution.most_direct = 2;
  EXPECT_THROW(with({{s, {{0.1, 1.0}}, {}}}, few), ValueError);
}

}  // namespace
}  // namespace stkr::average_test
