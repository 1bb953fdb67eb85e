#include "estimator/spectral_action.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "gram_cases.hpp"
#include "stkr/error.hpp"
#include "transform_cases.hpp"

namespace stkr::spectral_action_test {
namespace {

using namespace cases;
using reference::relative_error;

class SpectralActionOfEveryGram : public testing::TestWithParam<GramCase> {};

INSTANTIATE_TEST_SUITE_P(Grams, SpectralActionOfEveryGram, testing::ValuesIn(gram_cases()),
                         CaseName());

TEST_P(SpectralActionOfEveryGram, IsTheFunctionOfTheMatrixForEveryTransform) {
  const auto gram = GetParam().make(1);
  const reference::Dense dense = GetParam().dense();
  const Matrix b = random_matrix(dense.size(), 3, 21);
  for (const TransformCase& t : transform_cases(*gram, dense)) {
    SCOPED_TRACE(t.name);
    // Small systems are factorized; with `dense_below` = 0 they are iterated.
    for (const Index dense_below : {3000, 0}) {
      const SpectralAction action(*gram, t.transform,
                                  {.tolerance = 1e-13, .dense_below = dense_below});
      const Matrix out = product(action, b), exact = dense.action(t.exact) * b;
      EXPECT_LT(relative_error(out, exact), t.coefficient_tolerance);
      EXPECT_LT(relative_error(dense.kernel() * out, dense.kernel() * exact), 1e-8);
      EXPECT_TRUE(action.inner().converged()) << action.inner().message;
      EXPECT_LE(action.spectrum().bounds.lower, dense.smallest() + 1e-12);
      EXPECT_GE(action.spectrum().bounds.upper, dense.largest() - 1e-12);
    }
  }
}

GramCase named(const std::string& name) {
  for (const GramCase& gram : gram_cases()) {
    if (gram.name == name) return gram;
  }
  throw std::logic_error("no gram case " + name);
}

TEST(SpectralAction, ReportsTheChebyshevErrorAndNoneWhereItIsExact) {
  const auto gram = named("graph_symmetric").make(1);
  const auto error = [&](const SpectralTransform& transform) {
    return SpectralAction(*gram, transform, {}).approximation_error();
  };
  EXPECT_EQ(error(SpectralTransform::power(3)), 0.0);
  EXPECT_EQ(error(SpectralTransform::inverse_laplacian(0.9)), 0.0);
  EXPECT_EQ(error(SpectralTransform::truncation(2)), 0.0);
  const double diffusion = error(SpectralTransform::diffusion(2.0));
  EXPECT_GT(diffusion, 0.0);
  EXPECT_LT(diffusion, 1e-10 * std::expm1(2.0));
}

TEST(SpectralAction, ReportsTheErrorOfAPowerWithAKink) {
  // λ^2.5 for λ > 0, 0 below: on a spectrum that reaches below 0 no polynomial of degree 2048 comes
  // within 1e-8, and approximation_error() reports the error.
  const GramCase symmetric = named("graph_symmetric");
  const auto gram = symmetric.make(1);
  const reference::Dense dense(symmetric.kernel);
  const TransformCase t = power_case(2.5);
  const SpectralAction action(*gram, t.transform, {.dense_below = 0});
  EXPECT_FALSE(action.approximation_converged());
  EXPECT_GT(action.approximation_error(), 1e-12);
  EXPECT_LT(action.approximation_error(), 1e-6);
  const Matrix n_s = dense.kernel() * product(action, Matrix::Identity(kSamples, kSamples));
  const reference::Spectrum error(n_s - dense.transformed(t.exact));
  EXPECT_LE(error.values.cwiseAbs().maxCoeff() / kSamples,
            1.01 * action.approximation_error() + 1e-13);
}

// Transforms too rough for polynomials are exact if the samples are few enough to diagonalize.
TEST(SpectralAction, IsExactForRoughTransformsOfFewSamples) {
  const auto kink = [](double x) { return std::max(0.0, x - 0.3); };
  const auto jump = [](double x) { return x < 0.4 ? x : 2.0 * x; };
  for (const char* name : {"graph_symmetric", "graph_lazy_walk", "normalized_points"}) {
    const GramCase c = named(name);
    const auto gram = c.make(1);
    const reference::Dense dense = c.dense();
    const Matrix b = random_matrix(kSamples, 2, 23);
    for (const TransformCase& t :
         {power_case(1.5), callable_case("kink", kink, 0.0), callable_case("jump", jump, 1.0)}) {
      SCOPED_TRACE(std::string(name) + " " + t.name);
      const SpectralAction action(*gram, t.transform, {});
      EXPECT_TRUE(action.approximation_converged());
      const TransformedPair pair = action.apply_pair(b);
      // N S g(S) b = N s(S) b
      EXPECT_LT(relative_error(dense.kernel() * pair.known, dense.transformed(t.exact) * b), 1e-8);
      if (c.self_term == 0.0) continue;
      // At rows where b = 0, N S° q(S) b is the same.
      Matrix sparse_b = b;
      sparse_b.bottomRows(kSamples - 5).setZero();
      const TransformedPair of_few = action.apply_pair(sparse_b);
      const Matrix off =
          dense.kernel() - c.self_term * kSamples * Matrix(Matrix::Identity(kSamples, kSamples));
      EXPECT_LT(relative_error((off * of_few.fresh).bottomRows(kSamples - 5),
                               (dense.transformed(t.exact) * sparse_b).bottomRows(kSamples - 5)),
                1e-8);
    }
  }
}

TEST(SpectralAction, StopsRaisingTheDegreeWhereRoundingIsReached) {
  const auto gram = named("points_rbf").make(1);
  const SpectralAction action(*gram, SpectralTransform::diffusion(2.0), {.tolerance = 1e-14});
  product(action, random_matrix(kSamples, 1, 3));
  EXPECT_LT(action.approximation_error(), 1e-13 * std::expm1(2.0));
  EXPECT_LT(action.products(), 64);
}

TEST(SpectralAction, DeflatesTheTopOfAGraphWhenEtaIsAlmostOne) {
  const GramCase symmetric = named("graph_symmetric");
  const auto gram = symmetric.make(1);
  ASSERT_EQ(gram->known_eigenspace()->dimension(), 2);
  const reference::Dense dense(symmetric.kernel);
  const TransformCase t = inverse_laplacian_case(0.999999);
  const SpectralAction action(*gram, t.transform, {.tolerance = 1e-12});
  const Matrix b = random_matrix(kSamples, 3, 22);
  Matrix out = product(action, b), exact = dense.action(t.exact) * b;
  EXPECT_TRUE(action.inner().converged()) << action.inner().message;
  EXPECT_LE(action.inner().iterations, kSamples);
  EXPECT_LT(relative_error(out, exact), 1e-8);
  // Also the part besides the eigenspace that is a million times larger: there the residual, 1e-12
  // relative to b, matters.
  gram->known_eigenspace()->project_out(out);
  gram->known_eigenspace()->project_out(exact);
  EXPECT_LT(relative_error(out, exact), 1e-8);
}

TEST(SpectralAction, RefusesEtaAtAndAboveOneOverTheLargestEigenvalue) {
  for (const GramCase& gram_case : gram_cases()) {
    SCOPED_TRACE(gram_case.name);
    const auto gram = gram_case.make(1);
    const double limit = 1.0 / reference::Dense(gram_case.kernel).largest();
    for (const double factor : {1.0, 1.0 + 1e-9, 1.5}) {
      EXPECT_THROW(SpectralAction(*gram, SpectralTransform::inverse_laplacian(factor * limit), {}),
                   ValueError)
          << factor;
    }
    EXPECT_NO_THROW(
        SpectralAction(*gram, SpectralTransform::inverse_laplacian((1.0 - 1e-6) * limit), {}));
  }
  // On a graph the limit is exactly 1.
  const auto graph = named("graph_symmetric").make(1);
  try {
    SpectralAction(*graph, SpectralTransform::inverse_laplacian(1.0), {});
    FAIL() << "eta = 1 was accepted";
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("eta = 1 "), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("1/lambda_1 = 1;"), std::string::npos) << error.what();
  }
  EXPECT_NO_THROW(SpectralAction(*graph, SpectralTransform::inverse_laplacian(0.999999), {}));
}

TEST(SpectralAction, RefusesAReciprocalWithAPoleInsideTheSpectrum) {
  const auto gram = named("graph_symmetric").make(1);
  // ρ = 1 - 1.5λ vanishes at 2/3; 1 + 1.25λ at -0.8 only, above the smallest eigenvalue.
  for (const double slope : {-1.5, 1.25}) {
    try {
      SpectralAction(*gram, SpectralTransform::reciprocal({1.0, slope}, 1), {});
      FAIL() << slope << " was accepted";
    } catch (const ValueError& error) {
      EXPECT_NE(std::string(error.what()).find("pole"), std::string::npos) << error.what();
    }
  }
  // A pole that only touches zero counts, too: (1 - 2λ)² at λ = 1/2 of the lazy walk.
  const auto lazy = named("graph_lazy_walk").make(1);
  EXPECT_THROW(SpectralAction(*lazy, SpectralTransform::reciprocal({1.0, -4.0, 4.0}, 1), {}),
               ValueError);
}

TEST(SpectralAction, RefusesMoreDimensionsThanPositiveEigenvalues) {
  const auto linear = named("points_linear").make(1);  // three features: rank 3
  EXPECT_NO_THROW(SpectralAction(*linear, SpectralTransform::truncation(3), {}));
  for (const Index d : {Index{4}, kSamples, kSamples + 1, std::numeric_limits<Index>::max()}) {
    try {
      SpectralAction(*linear, SpectralTransform::truncation(d), {});
      FAIL() << "d = " << d << " was accepted";
    } catch (const ValueError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("d = " + std::to_string(d)), std::string::npos) << message;
      EXPECT_NE(message.find("only 3 positive"), std::string::npos) << message;
    }
  }
  EXPECT_THROW(SpectralTransform::truncation(0), ValueError);
}

TEST(SpectralAction, ThrowsCancelledWhenAskedToStop) {
  const auto gram = named("graph_symmetric").make(1);
  std::stop_source stop;
  for (const auto& transform : {SpectralTransform::power(2), SpectralTransform::diffusion(1.0),
                                SpectralTransform::inverse_laplacian(0.9)}) {
    const SpectralAction action(*gram, transform, {}, {.cancel = stop.get_token()});
    EXPECT_NO_THROW(product(action, Matrix::Ones(kSamples, 1)));
  }
  stop.request_stop();
  const SpectralAction action(*gram, SpectralTransform::power(2), {}, {.cancel = stop.get_token()});
  EXPECT_THROW(product(action, Matrix::Ones(kSamples, 1)), Cancelled);
}

TEST(SpectralAction, SaysWhenAnInnerSolveDidNotConverge) {
  const auto gram = named("points_rbf").make(1);
  const double eta = 0.999 / reference::Dense(named("points_rbf").kernel).largest();
  const SpectralAction action(*gram, SpectralTransform::inverse_laplacian(eta),
                              {.tolerance = 1e-12, .max_iterations = 2, .dense_below = 0});
  product(action, random_matrix(kSamples, 2, 3));
  EXPECT_EQ(action.inner().reason, StopReason::max_iterations);
  EXPECT_GT(action.inner().worst_residual(), 1e-12);
  EXPECT_GE(action.products(), 2);
}

TEST(SpectralAction, RejectsBlocksOfTheWrongHeight) {
  const auto gram = named("points_rbf").make(1);
  const SpectralAction action(*gram, SpectralTransform::power(2), {});
  EXPECT_THROW(product(action, Matrix::Ones(kSamples - 1, 1)), ShapeError);
}

}  // namespace
}  // namespace stkr::spectral_action_test
