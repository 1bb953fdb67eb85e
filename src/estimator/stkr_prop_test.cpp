#include "estimator/stkr_prop.hpp"

#include <gtest/gtest.h>

#include "gram_cases.hpp"
#include "stkr/estimator/stkr.hpp"
#include "transform_cases.hpp"

namespace stkr::stkr_prop_test {
namespace {

using namespace cases;
using reference::relative_error;

const std::vector<Index> kLabeled{4, 1, 18, 9, 13, 20};

PropagationOptions precise() {
  PropagationOptions options;
  options.tolerance = 1e-12;
  options.max_iterations = 100000;
  return options;
}

// One problem on a positive semidefinite gram, with its reference.
struct Setting {
  GramCase gram_case;
  std::unique_ptr<GramOperator> gram = gram_case.make(1);
  reference::Dense dense{gram_case.kernel};
  Matrix y = random_matrix(static_cast<Index>(kLabeled.size()), 2, 41);
  double beta = 0.4;

  PropagationProblem problem() const { return {*gram, kLabeled, y, beta}; }
  SpectrumBounds spectrum() const { return {dense.smallest(), dense.largest()}; }
  Fit fit(const SpectralTransform& transform, StkrSolver solver) const {
    StkrOptions options;
    options.transform = transform;
    options.beta = beta;
    options.solver = solver;
    options.tolerance = 1e-12;
    options.max_iterations = 100000;
    return fit_stkr(*gram, kLabeled, y, options);
  }
};

std::vector<GramCase> semidefinite_cases() {
  std::vector<GramCase> result;
  for (GramCase& gram : gram_cases()) {
    const reference::Dense dense(gram.kernel);
    if (dense.smallest() > -1e-12 * dense.largest()) result.push_back(std::move(gram));
  }
  return result;
}

class StkrPropOfEveryGram : public testing::TestWithParam<GramCase> {};

INSTANTIATE_TEST_SUITE_P(Grams, StkrPropOfEveryGram, testing::ValuesIn(semidefinite_cases()),
                         CaseName());

TEST_P(StkrPropOfEveryGram, GivesTheSameAnswerByAlgorithmsOneTwoAndThree) {
  const Setting setting{GetParam()};
  // s(λ) = λ^r is a polynomial and, with ξ = (1), a simple reciprocal.
  for (const int r : {1, 2, 3}) {
    SCOPED_TRACE(r);
    std::vector<double> pi(r, 0.0);
    pi.back() = 1.0;
    const Propagation one = propagate_polynomial(setting.problem(), pi, precise());
    const Propagation two =
        propagate_reciprocal(setting.problem(), {{1.0}, r}, setting.spectrum(), precise());
    const Fit three = setting.fit(SpectralTransform::power(r), StkrSolver::direct);
    ASSERT_TRUE(one.summary.converged()) << one.summary.message;
    ASSERT_TRUE(two.summary.converged()) << two.summary.message;
    EXPECT_LT(relative_error(one.alpha, three.alpha), 1e-8);
    EXPECT_LT(relative_error(two.alpha, three.alpha), 1e-8);
    EXPECT_LT(relative_error(GetParam().kernel * one.coefficients, three.fitted), 1e-8);
    EXPECT_LT(relative_error(GetParam().kernel * two.coefficients, three.fitted), 1e-8);
  }
}

TEST_P(StkrPropOfEveryGram, SumsTheSeriesOfTheInverseLaplacian) {
  const Setting setting{GetParam()};
  const double eta = 0.5 / setting.dense.largest();
  std::vector<double> pi;  // λ/(1 - ηλ) = Σ η^(p-1) λ^p; the remainder is 2^-60
  for (int p = 1; p <= 60; ++p) pi.push_back(std::pow(eta, p - 1));
  const Propagation one = propagate_polynomial(setting.problem(), pi, precise());
  const Propagation two =
      propagate_reciprocal(setting.problem(), {{1.0, -eta}, 1}, setting.spectrum(), precise());
  ASSERT_TRUE(one.summary.converged() && two.summary.converged());
  EXPECT_LT(relative_error(one.alpha, two.alpha), 1e-8);
  EXPECT_LT(relative_error(one.coefficients, two.coefficients), 1e-8);
  const TransformCase t = inverse_laplacian_case(eta);
  const reference::Solution exact = setting.dense.fit(t.exact, kLabeled, setting.y, setting.beta);
  EXPECT_LT(relative_error(two.alpha, exact.alpha), 1e-8);
  EXPECT_LT(relative_error(two.coefficients, exact.coefficients), 1e-8);
}

TEST(StkrProp, TakesTheStepsOfAlgorithmOneAsPrinted) {
  const Setting setting{gram_cases()[0]};
  const std::vector<double> pi{0.3, 1.0, 2.0};
  const TransformCase t = polynomial_case("", pi);
  const Matrix a = setting.dense.system(t.exact, kLabeled, setting.beta);
  const double gamma = 0.7 / reference::Spectrum(a).values[0];
  for (const int steps : {1, 2, 4, 8, 16, 32}) {
    PropagationOptions options = precise();
    options.max_iterations = steps;
    options.step_size = gamma;
    const Propagation result = propagate_polynomial(setting.problem(), pi, options);
    Matrix alpha = Matrix::Zero(setting.y.rows(), setting.y.cols());
    for (int k = 0; k < steps; ++k) alpha = alpha - gamma * (a * alpha - setting.y);
    EXPECT_LT(relative_error(result.alpha, alpha), 1e-12) << steps;
    EXPECT_EQ(result.summary.reason, StopReason::max_iterations);
    EXPECT_EQ(result.summary.iterations, steps);
    EXPECT_EQ(result.step_size, gamma);
  }
}

TEST(StkrProp, TakesTheStepsOfAlgorithmTwoAsPrinted) {
  const Setting setting{gram_cases()[0]};
  const Matrix s = setting.gram_case.kernel / double(kSamples);
  const Matrix identity = Matrix::Identity(kSamples, kSamples);
  const double n = double(kLabeled.size());
  const std::vector<double> xi{1.0, -0.5, 0.1};
  const Matrix q = xi[0] * identity + xi[1] * s + xi[2] * s * s;
  for (const int r : {1, 2}) {
    const Matrix power = r == 1 ? s : Matrix(s * s);
    const Matrix m = double(kSamples) * reference::spread(reference::rows_of(power, kLabeled),
                                                          kLabeled, kSamples) +
                     n * setting.beta * q;
    const Matrix y_tilde = reference::spread(setting.y, kLabeled, kSamples);
    PropagationOptions options = precise();
    options.max_iterations = 25;
    options.step_size = 0.02;
    const Propagation result =
        propagate_reciprocal(setting.problem(), {xi, r}, setting.spectrum(), options);
    Matrix theta = Matrix::Zero(kSamples, setting.y.cols());
    for (int k = 0; k < 25; ++k) theta = theta - 0.02 * (m * theta - y_tilde);
    const Matrix c = r == 1 ? theta : Matrix(s * theta);
    EXPECT_LT(relative_error(result.coefficients, c), 1e-12) << r;
    EXPECT_LT(relative_error(result.alpha, reference::rows_of(q * theta, kLabeled)), 1e-12) << r;
    EXPECT_EQ(result.summary.reason, StopReason::max_iterations);
  }
}

TEST(StkrProp, SaysWhenAStepIsTooLong) {
  const Setting setting{gram_cases()[0]};
  PropagationOptions options = precise();
  options.step_size = 100.0;
  EXPECT_EQ(propagate_polynomial(setting.problem(), {1.0, 1.0}, options).summary.reason,
            StopReason::diverged);
  EXPECT_EQ(propagate_reciprocal(setting.problem(), {{1.0, -0.5}, 1}, setting.spectrum(), options)
                .summary.reason,
            StopReason::diverged);
}

}  // namespace
}  // namespace stkr::stkr_prop_test
