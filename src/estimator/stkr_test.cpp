#include "stkr/estimator/stkr.hpp"

#include <gtest/gtest.h>

#include "gram_cases.hpp"
#include "transform_cases.hpp"

namespace stkr::stkr_test {
namespace {

using namespace cases;
using reference::relative_error;

// Unordered, in both components of the graph, one of them (22) without edges.
const std::vector<Index> kLabeled{17, 2, 5, 11, 0, 22, 8, 14};

constexpr StkrSolver kSolvers[] = {StkrSolver::automatic,  StkrSolver::direct,
                                   StkrSolver::richardson, StkrSolver::cg,
                                   StkrSolver::minres,     StkrSolver::diagonalize};

class StkrOfEveryGram : public testing::TestWithParam<GramCase> {};

INSTANTIATE_TEST_SUITE_P(Grams, StkrOfEveryGram, testing::ValuesIn(gram_cases()), CaseName());

StkrOptions precise(const SpectralTransform& transform, double beta, StkrSolver solver) {
  StkrOptions options;
  options.transform = transform;
  options.beta = beta;
  options.literal_top_d = true;
  options.solver = solver;
  options.tolerance = 1e-12;
  options.max_iterations = 50000;
  return options;
}

// nβ of a tenth of the largest eigenvalue of G_{K̂_s,n}: a condition number of 11 if that is
// positive semidefinite, so that the plain Richardson iteration converges as well.
double suitable_beta(const reference::Dense& dense, const reference::Transform& t) {
  const reference::Spectrum spectrum(dense.system(t, kLabeled, 0.0));
  return 0.1 * spectrum.values[0] / double(kLabeled.size());
}

bool applies(StkrSolver solver, const reference::Dense& dense, const TransformCase& t,
             double beta) {
  if (solver != StkrSolver::cg && solver != StkrSolver::richardson) return true;
  const Vector spectrum = reference::Spectrum(dense.system(t.exact, kLabeled, beta)).values;
  const bool definite = spectrum[spectrum.size() - 1] > 1e-3 * spectrum[0];
  // Algorithm 2 needs S^r positive semidefinite: M has no real spectrum otherwise.
  const auto reciprocal = t.transform.reciprocal_form();
  const bool semidefinite = dense.smallest() > -1e-12 * dense.largest();
  if (solver == StkrSolver::richardson && reciprocal && reciprocal->r % 2 == 1) {
    return definite && semidefinite;
  }
  return definite;
}

TEST_P(StkrOfEveryGram, AgreesWithTheReferenceForEveryTransformAndSolver) {
  const auto gram = GetParam().make(1);
  const reference::Dense dense = GetParam().dense();
  const Matrix y = random_matrix(static_cast<Index>(kLabeled.size()), 3, 51);
  const bool semidefinite = dense.smallest() > -1e-12 * dense.largest();
  for (const TransformCase& t : transform_cases(*gram, dense)) {
    const double beta = suitable_beta(dense, t.exact);
    ASSERT_GT(beta, 0.0) << t.name;
    const reference::Solution exact = dense.fit(t.exact, kLabeled, y, beta);
    for (const StkrSolver solver : kSolvers) {
      SCOPED_TRACE(t.name + " by " + to_string(solver));
      if (!applies(solver, dense, t, beta)) {
        EXPECT_FALSE(semidefinite);
        continue;
      }
      const Fit fit = fit_stkr(*gram, kLabeled, y, precise(t.transform, beta, solver));
      EXPECT_TRUE(fit.summary.solve.converged()) << fit.summary.solve.message;
      EXPECT_LT(relative_error(fit.alpha, exact.alpha), 1e-8);
      EXPECT_LT(relative_error(fit.coefficients, exact.coefficients), t.coefficient_tolerance);
      EXPECT_LT(relative_error(fit.fitted, exact.fitted), 1e-8);
      EXPECT_EQ(fit.summary.method, "stkr");
      EXPECT_GT(fit.summary.products, 0);
    }
  }
}

TEST_P(StkrOfEveryGram, PredictsAtTheTrainingSamplesWhatItFitted) {
  const GramCase& c = GetParam();
  const reference::Dense dense = c.dense();
  const Matrix y = random_matrix(static_cast<Index>(kLabeled.size()), 2, 52);
  for (const StkrSolver solver : {StkrSolver::automatic, StkrSolver::richardson}) {
    auto gram = c.make(1);
    std::vector<Fit> fits;
    for (const TransformCase& t : transform_cases(*gram, dense)) {
      const double beta = suitable_beta(dense, t.exact);
      if (!applies(solver, dense, t, beta)) continue;
      fits.push_back(fit_stkr(*gram, kLabeled, y, precise(t.transform, beta, solver)));
    }
    const auto cross = gram->cross_kernel();
    for (const Fit& fit : fits) {
      const Matrix predicted = cross->apply(c.as_new(), fit.coefficients);
      for (Index i = 0; i < kSamples; ++i) {
        if (!c.keeps_value(i, kLabeled)) continue;
        EXPECT_LT((predicted.row(i) - fit.fitted.row(i)).norm(), 1e-9 * fit.fitted.norm())
            << fit.summary.transform << " sample " << i;
      }
    }
  }
}

TEST_P(StkrOfEveryGram, IsKernelRidgeRegressionForTheIdentity) {
  const auto gram = GetParam().make(1);
  const reference::Dense dense = GetParam().dense();
  const Matrix y = random_matrix(static_cast<Index>(kLabeled.size()), 2, 53);
  const double beta = suitable_beta(dense, power_case(1).exact);
  const Fit ridge = fit_kernel_ridge(*gram, kLabeled, y, {.beta = beta});
  const reference::Solution exact = dense.fit(power_case(1).exact, kLabeled, y, beta);
  EXPECT_LT(relative_error(ridge.alpha, exact.alpha), 1e-8);
  EXPECT_LT(relative_error(ridge.fitted, exact.fitted), 1e-8);
  // Only the labeled samples matter.
  EXPECT_EQ(ridge.coefficients, reference::spread(ridge.alpha, kLabeled, kSamples));
  EXPECT_EQ(ridge.summary.method, "kernel-ridge");
}

TEST_P(StkrOfEveryGram, IsTheSameKernelRidgeRegressionWithoutFormingTheSystem) {
  const auto gram = GetParam().make(1);
  const reference::Dense dense = GetParam().dense();
  const Matrix y = random_matrix(static_cast<Index>(kLabeled.size()), 2, 53);
  KernelRidgeOptions options;
  options.beta = suitable_beta(dense, power_case(1).exact);
  options.execution.most_direct = 0;
  options.tolerance = 1e-11;
  const Fit ridge = fit_kernel_ridge(*gram, kLabeled, y, options);
  const reference::Solution exact = dense.fit(power_case(1).exact, kLabeled, y, *options.beta);
  EXPECT_TRUE(ridge.summary.solve.converged()) << ridge.summary.solve.message;
  EXPECT_LT(relative_error(ridge.alpha, exact.alpha), 1e-7);
  EXPECT_LT(relative_error(ridge.fitted, exact.fitted), 1e-7);
  // Conjugate gradients and a preconditioner are used only if semidefiniteness is known.
  const bool semidefinite = gram->bounds().lower >= 0.0;
  EXPECT_EQ(ridge.summary.solve.solver, semidefinite ? "cg" : "minres");
  EXPECT_EQ(ridge.summary.solve.preconditioner.empty(), !semidefinite);
}

TEST(Stkr, NeedsFarFewerStepsForASmallRidgeWithThePreconditioner) {
  const Index size = 400;
  const PointGram<double> gram(random_matrix(size, 3, 8), Kernel::rbf(1.0), 1);
  std::vector<Index> labeled;
  for (Index i = size - 1; i >= 0; i -= 2) labeled.push_back(i);
  const Matrix y = random_matrix(static_cast<Index>(labeled.size()), 3, 9);
  StkrOptions options;
  options.beta = 1e-8;
  options.solver = StkrSolver::cg;
  options.max_iterations = 20000;
  // Kernel ridge uses the labeled samples only; s = λ² uses all.
  for (const double power : {1.0, 2.0}) {
    SCOPED_TRACE(power);
    options.transform = SpectralTransform::power(power);
    options.precondition = false;
    const SolveSummary plain = fit_stkr(gram, labeled, y, options).summary.solve;
    EXPECT_TRUE(plain.preconditioner.empty());
    options.precondition = true;
    const Fit fit = fit_stkr(gram, labeled, y, options);
    const SolveSummary& fast = fit.summary.solve;
    ASSERT_TRUE(fast.converged()) << fast.message;
    EXPECT_EQ(fast.preconditioner.rfind("nystrom, rank ", 0), 0u) << fast.preconditioner;
    EXPECT_GT(fast.preconditioner_products, 0);
    EXPECT_GT(fast.products, fast.preconditioner_products + fast.iterations);
    EXPECT_LT(5 * fast.iterations, plain.iterations);
    options.solver = StkrSolver::direct;
    const Fit direct = fit_stkr(gram, labeled, y, options);
    options.solver = StkrSolver::cg;
    EXPECT_LT(relative_error(fit.fitted, direct.fitted), 1e-4);
    EXPECT_EQ(fit_stkr(gram, labeled, y, options, {.threads = 3}).alpha,
              fit_stkr(gram, labeled, y, options, {.threads = 1}).alpha);
  }
}

TEST(Stkr, InterpolatesAsBetaGoesToZero) {
  const GramCase points = gram_cases()[0];
  const auto gram = points.make(1);
  const Matrix y = random_matrix(static_cast<Index>(kLabeled.size()), 2, 54);
  const double beta = 1e-9;
  const Fit fit =
      fit_stkr(*gram, kLabeled, y, precise(SpectralTransform::power(1), beta, StkrSolver::direct));
  EXPECT_LT(relative_error(reference::rows_of(fit.fitted, kLabeled), y), 1e-5);
}

TEST(Stkr, FitsOneLabelAndAllLabels) {
  const GramCase points = gram_cases()[0];
  const auto gram = points.make(1);
  const reference::Dense dense(points.kernel);
  std::vector<Index> all(kSamples);
  for (Index i = 0; i < kSamples; ++i) all[i] = kSamples - 1 - i;
  for (const std::vector<Index>& labeled : {std::vector<Index>{7}, all}) {
    const Matrix y = random_matrix(static_cast<Index>(labeled.size()), 2, 55);
    const double beta = 0.1;
    for (const StkrSolver solver : kSolvers) {
      SCOPED_TRACE(to_string(solver));
      for (const TransformCase& t : {power_case(2), inverse_laplacian_case(0.8)}) {
        const reference::Solution exact = dense.fit(t.exact, labeled, y, beta);
        const Fit fit = fit_stkr(*gram, labeled, y, precise(t.transform, beta, solver));
        EXPECT_TRUE(fit.summary.solve.converged()) << fit.summary.solve.message;
        EXPECT_LT(relative_error(fit.alpha, exact.alpha), 1e-8);
        EXPECT_LT(relative_error(fit.fitted, exact.fitted), 1e-8);
      }
    }
  }
}

}  // namespace
}  // namespace stkr::stkr_test
