// Limits of a fit: indefinite systems, empty parts of a graph, too few iterations, cancellation.

#include <gtest/gtest.h>

#include "gram/dense_gram.hpp"
#include "gram_cases.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/stkr.hpp"
#include "transform_cases.hpp"

namespace stkr::stkr_limits_test {
namespace {

using namespace cases;
using reference::relative_error;

const std::vector<Index> kLabeled{7, 2, 5, 11, 0, 13};  // all in the first component

constexpr StkrSolver kSolvers[] = {StkrSolver::automatic,  StkrSolver::direct,
                                   StkrSolver::richardson, StkrSolver::cg,
                                   StkrSolver::minres,     StkrSolver::diagonalize};

StkrOptions options_for(const SpectralTransform& transform, StkrSolver solver) {
  StkrOptions options;
  options.transform = transform;
  options.beta = 1e-2;
  options.solver = solver;
  return options;
}

TEST(StkrLimits, IndefiniteSystemsAreSolvedOrRefusedNeverWronglyAnswered) {
  const Matrix w = two_component_graph(kSamples, 12);  // no self-loops
  const GraphGram gram(to_csr(w));
  const reference::Dense dense(graph_kernel(w, GraphNormalization::symmetric));
  const Matrix y = random_matrix(static_cast<Index>(kLabeled.size()), 2, 101);
  const double beta = 1e-3;
  for (const TransformCase& t :
       {power_case(1), power_case(3), power_case(5), inverse_laplacian_case(0.5)}) {
    const Vector spectrum = reference::Spectrum(dense.system(t.exact, kLabeled, beta)).values;
    ASSERT_LT(spectrum[spectrum.size() - 1], -0.1);
    ASSERT_GT(spectrum.cwiseAbs().minCoeff(), 1e-4 * spectrum[0]);
    const reference::Solution exact = dense.fit(t.exact, kLabeled, y, beta);
    for (const StkrSolver solver : kSolvers) {
      SCOPED_TRACE(t.name + " by " + to_string(solver));
      StkrOptions options = options_for(t.transform, solver);
      options.beta = beta;
      options.tolerance = 1e-12;
      const Fit fit = fit_stkr(gram, kLabeled, y, options);
      const StopReason reason = fit.summary.solve.reason;
      if (solver == StkrSolver::cg) {
        EXPECT_EQ(reason, StopReason::breakdown);
        EXPECT_NE(fit.summary.solve.message.find("minres"), std::string::npos);
      } else if (solver == StkrSolver::richardson) {
        EXPECT_TRUE(reason == StopReason::diverged || reason == StopReason::max_iterations)
            << to_string(reason);
      } else {
        EXPECT_TRUE(fit.summary.solve.converged()) << fit.summary.solve.message;
        EXPECT_LT(relative_error(fit.alpha, exact.alpha), 1e-8);
        EXPECT_LT(relative_error(fit.coefficients, exact.coefficients), 1e-8);
        EXPECT_LT(relative_error(fit.fitted, exact.fitted), 1e-8);
      }
      // The fit reports that the kernel does not satisfy Theorem 1.
      ASSERT_TRUE(fit.summary.validity.has_value());
      EXPECT_FALSE(fit.summary.validity->valid());
      EXPECT_FALSE(fit.summary.warnings.empty());
    }
  }
}

TEST(StkrLimits, DoesNotWarnOfAnExplicitKernelThatIsPositiveSemidefinite) {
  // A DenseGram only bounds its spectrum by row sums, on both sides of 0.
  const Matrix x = random_matrix(kSamples, 3, 105);
  const DenseGram gram(x * x.transpose(), 1);
  ASSERT_LT(gram.bounds().lower, 0.0);
  const Matrix y = random_matrix(static_cast<Index>(kLabeled.size()), 1, 106);
  const Fit fit =
      fit_stkr(gram, kLabeled, y, options_for(SpectralTransform::power(3), StkrSolver::direct));
  EXPECT_TRUE(fit.summary.validity->valid()) << fit.summary.validity->failures();
  EXPECT_TRUE(fit.summary.warnings.empty());
}

TEST(StkrLimits, NodesOutOfReachOfEveryLabelGetExactlyZero) {
  const Matrix w = two_component_graph(kSamples, 12);
  std::vector<Index> labeled = kLabeled;
  labeled.push_back(23);  // a label on a node without edges is no evidence for others
  const Matrix y = random_matrix(static_cast<Index>(labeled.size()), 2, 102);
  using enum GraphNormalization;
  for (const auto normalization : {symmetric, probability, adjacency}) {
    const GraphGram gram(to_csr(w), {.normalization = normalization});
    const double unit = 1.0 / reference::Dense(graph_kernel(w, normalization)).largest();  // 1/λ₁
    for (const auto& transform : {SpectralTransform::power(1), SpectralTransform::power(2),
                                  SpectralTransform::polynomial({1.0, 0.5}),
                                  SpectralTransform::inverse_laplacian(0.9 * unit),
                                  SpectralTransform::inverse_laplacian(0.999999 * unit),
                                  SpectralTransform::reciprocal({1.0, -0.5 * unit}, 2),
                                  SpectralTransform::diffusion(unit)}) {
      for (const StkrSolver solver : kSolvers) {
        SCOPED_TRACE(transform.describe() + " by " + to_string(solver));
        StkrOptions options = options_for(transform, solver);
        options.beta = 10.0;
        const Fit fit = fit_stkr(gram, labeled, y, options);
        ASSERT_TRUE(fit.alpha.allFinite() && fit.coefficients.allFinite() &&
                    fit.fitted.allFinite());
        EXPECT_EQ(fit.fitted.bottomRows(kSamples - 16), Matrix::Zero(kSamples - 16, 2));
        EXPECT_EQ(fit.coefficients.middleRows(16, 7), Matrix::Zero(7, 2));
        EXPECT_GT(fit.fitted.topRows(16).norm(), 0.0);
      }
    }
  }
}

TEST(StkrLimits, AGraphWithoutEdgesGivesZeroAndNoNan) {
  const GraphGram gram(to_csr(Matrix::Zero(6, 6)));
  const std::vector<Index> labeled{1, 4};
  for (const auto& transform : {SpectralTransform::power(2), SpectralTransform::diffusion(1.0),
                                SpectralTransform::inverse_laplacian(0.9)}) {
    for (const StkrSolver solver : kSolvers) {
      SCOPED_TRACE(transform.describe() + " by " + to_string(solver));
      const Fit fit = fit_stkr(gram, labeled, Matrix::Ones(2, 1), options_for(transform, solver));
      EXPECT_EQ(fit.fitted, Matrix::Zero(6, 1));
      EXPECT_LT(relative_error(fit.alpha, Matrix::Constant(2, 1, 1.0 / (2 * 1e-2))), 1e-7);
    }
  }
}

TEST(StkrLimits, ConvergesWithDefaultsWhenEtaIsAlmostOne) {
  const Matrix w = two_component_graph(kSamples, 12);
  const GraphGram gram(to_csr(w), {.normalization = GraphNormalization::lazy_walk});
  const reference::Dense dense(graph_kernel(w, GraphNormalization::lazy_walk));
  const Matrix y = random_matrix(static_cast<Index>(kLabeled.size()), 2, 103);
  const TransformCase t = inverse_laplacian_case(0.999999);
  const double beta = 1e-2;
  const reference::Solution exact = dense.fit(t.exact, kLabeled, y, beta);
  for (const StkrSolver solver : {StkrSolver::direct, StkrSolver::cg, StkrSolver::minres}) {
    SCOPED_TRACE(to_string(solver));
    StkrOptions options = options_for(t.transform, solver);
    options.beta = beta;
    const Fit fit = fit_stkr(gram, kLabeled, y, options);
    EXPECT_TRUE(fit.summary.solve.converged()) << fit.summary.solve.message;
    EXPECT_LT(relative_error(fit.fitted, exact.fitted), 1e-6);
  }
}

// An s with a kink: exact for few samples, and not reported as converged if approximated.
TEST(StkrLimits, ATransformTooRoughForPolynomialsIsNotCalledConverged) {
  const Index size = 300;
  const Matrix x = random_matrix(size, 3, 106);
  const Matrix k = kernel_matrix(x, rbf(1.0));
  const PointGram<double> gram(Matrix(x), Kernel::rbf(1.0), 1);
  std::vector<Index> labeled;
  for (Index i = 0; i < 30; ++i) labeled.push_back(i);
  Matrix y = Matrix::Zero(30, 2);
  for (Index i = 0; i < 30; ++i) y(i, x(i, 0) > 0.0 ? 1 : 0) = 1.0;
  const TransformCase t = callable_case(
      "kink", [](double l) { return std::max(0.0, l - 0.03); }, 0.0);
  const reference::Dense dense(k);
  const reference::Solution exact = dense.fit(t.exact, labeled, y, 1e-6);
  StkrOptions options;
  options.transform = t.transform;
  options.beta = 1e-6;
  const Fit fit = fit_stkr(gram, labeled, y, options);
  EXPECT_TRUE(fit.summary.solve.converged()) << fit.summary.solve.message;
  EXPECT_LT(relative_error(fit.fitted, exact.fitted), 1e-6);
  EXPECT_FALSE(fit.summary.answer_error);
  options.execution.factorize_below = 0;
  const Fit rough = fit_stkr(gram, labeled, y, options);
  EXPECT_FALSE(rough.summary.solve.converged());
  EXPECT_NE(rough.summary.solve.message.find("too rough"), std::string::npos);
  ASSERT_TRUE(rough.summary.answer_error);
  // The reported error bounds the actual one.
  EXPECT_GT(*rough.summary.answer_error, relative_error(rough.fitted, exact.fitted));
}

TEST(StkrLimits, RunningOutOfIterationsIsAResult) {
  const auto gram = gram_cases()[0].make(1);
  const Matrix y = random_matrix(static_cast<Index>(kLabeled.size()), 2, 104);
  for (const StkrSolver solver : {StkrSolver::richardson, StkrSolver::cg, StkrSolver::minres}) {
    for (const auto& transform : {SpectralTransform::power(2), SpectralTransform::diffusion(1.0),
                                  SpectralTransform::inverse_laplacian(0.9)}) {
      SCOPED_TRACE(transform.describe() + " by " + to_string(solver));
      StkrOptions options = options_for(transform, solver);
      options.beta = 1e-4;
      options.max_iterations = 2;
      options.precondition = false;  // with it, two steps suffice for these few labels
      const Fit fit = fit_stkr(*gram, kLabeled, y, options);
      EXPECT_EQ(fit.summary.solve.reason, StopReason::max_iterations);
      EXPECT_EQ(fit.summary.solve.iterations, 2);
      EXPECT_GT(fit.summary.solve.worst_residual(), options.tolerance);
      EXPECT_FALSE(fit.summary.solve.message.empty());
      EXPECT_TRUE(fit.fitted.allFinite());
    }
  }
}

TEST(StkrLimits, AStopRequestThrowsCancelledWhateverTheSolver) {
  const auto gram = gram_cases()[0].make(1);
  const Matrix y = random_matrix(static_cast<Index>(kLabeled.size()), 2, 105);
  for (const StkrSolver solver : kSolvers) {
    for (const auto& transform : {SpectralTransform::power(2), SpectralTransform::diffusion(1.0),
                                  SpectralTransform::inverse_laplacian(0.9)}) {
      SCOPED_TRACE(transform.describe() + " by " + to_string(solver));
      std::stop_source before;
      before.request_stop();
      StkrOptions options = options_for(transform, solver);
      EXPECT_THROW(fit_stkr(*gram, kLabeled, y, options, {.cancel = before.get_token()}),
                   Cancelled);
      // Also in the middle of an iteration.
      if (solver != StkrSolver::richardson && solver != StkrSolver::cg &&
          solver != StkrSolver::minres) {
        continue;
      }
      std::stop_source during;
      Context context{.cancel = during.get_token()};
      context.progress = [&](const Progress& progress) {
        if (progress.done == 2) during.request_stop();
      };
      options.beta = 1e-6;
      options.precondition = false;  // with it, the solve ends before that
      EXPECT_THROW(fit_stkr(*gram, kLabeled, y, options, context), Cancelled);
    }
  }
}

}  // namespace
}  // namespace stkr::stkr_limits_test
