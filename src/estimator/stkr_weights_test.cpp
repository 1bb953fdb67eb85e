// STKR with sample and label weights, and with a constant.

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "estimator/kernel_pca.hpp"
#include "gram/weighted_gram.hpp"
#include "gram_cases.hpp"
#include "selection_cases.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/stkr.hpp"
#include "stkr/model/fit_model.hpp"

namespace stkr::stkr_weights_test {
namespace {

using namespace cases;
using reference::relative_error;

const std::vector<Index> kLabeled{17, 2, 5, 11, 0, 8, 14};

// K̂_s = P^-½ s(P^½ K P^½) P^-½
Matrix weighted_kernel(const Matrix& kernel, const Vector& p, const reference::Transform& t) {
  const Vector root = p.cwiseSqrt();
  const reference::Spectrum spectrum(root.asDiagonal() * kernel * root.asDiagonal());
  const Vector s = spectrum.values.unaryExpr([&](double lambda) { return t.s(lambda); });
  const Matrix inside = spectrum.vectors * s.asDiagonal() * spectrum.vectors.transpose();
  return root.cwiseInverse().asDiagonal() * inside * root.cwiseInverse().asDiagonal();
}

class WeightedStkr : public testing::TestWithParam<GramCase> {};

std::vector<GramCase> definite_grams() {
  std::vector<GramCase> chosen;
  for (GramCase& gram : gram_cases()) {
    if (gram.name == "points_rbf" || gram.name == "graph_lazy_walk" ||
        gram.name == "normalized_points" || gram.name == "sum_of_points") {
      chosen.push_back(std::move(gram));
    }
  }
  return chosen;
}

INSTANTIATE_TEST_SUITE_P(Grams, WeightedStkr, testing::ValuesIn(definite_grams()), CaseName());

TEST_P(WeightedStkr, AgreesWithTheReferenceUnderWeightsOfSamplesAndLabels) {
  const Matrix& kernel = GetParam().kernel;
  Vector weights(kSamples), label_weights(7);
  for (Index i = 0; i < kSamples; ++i) weights[i] = 0.4 + 0.3 * double(i % 5);
  for (Index k = 0; k < 7; ++k) label_weights[k] = 0.5 + 0.25 * double(k % 3);
  const Matrix y = random_matrix(7, 2, 71);
  const Vector p = weights / weights.sum();
  const WeightedGram gram(GetParam().make(1), weights);
  const Vector root = p.cwiseSqrt();
  const double largest =
      reference::Spectrum(root.asDiagonal() * kernel * root.asDiagonal()).values[0];
  for (const TransformCase& t :
       {power_case(1), power_case(2), inverse_laplacian_case(0.9 / largest)}) {
    for (const bool constant : {false, true}) {
      SCOPED_TRACE(t.name + (constant ? " constant" : ""));
      const Matrix k = weighted_kernel(kernel, p, t.exact);
      Matrix a = reference::rows_of(reference::columns_of(k, kLabeled), kLabeled);
      const double beta = 0.05 * a.trace() / 49.0;
      a += 7.0 * beta * label_weights.cwiseInverse().asDiagonal().toDenseMatrix();
      const Vector one = a.partialPivLu().solve(Matrix::Ones(7, 1));
      const Vector b = constant ? Vector(y.transpose() * one / one.sum()) : Vector::Zero(2);
      const Matrix alpha = a.partialPivLu().solve(y.rowwise() - b.transpose());
      const Matrix f = reference::columns_of(k, kLabeled) * alpha;
      StkrOptions options;
      options.transform = t.transform;
      options.beta = beta;
      options.constant = constant;
      options.label_weights = label_weights;
      const Fit fit = fit_stkr(gram, kLabeled, y, options);
      EXPECT_TRUE(fit.summary.solve.converged()) << fit.summary.solve.message;
      EXPECT_LT(relative_error(fit.fitted, f), 1e-8);
      EXPECT_LT(relative_error(fit.alpha, alpha), 1e-8);
      if (constant) {
        EXPECT_LT(relative_error(fit.constant, b), 1e-8);
      }
    }
  }
}

// app:proof-inv-lap-connect: with K = Tr(D) D⁻¹ W D⁻¹ and p_i = D_i/Tr(D), the inductive estimator
// is the transductive one of the normalized adjacency.
TEST(WeightedStkr, MakesTheProbabilityKernelTheTransductiveEstimatorOfTheProposition) {
  Random random(72);
  const Index n = 50;
  Matrix b(n, n);
  for (Index i = 0; i < b.size(); ++i) b.data()[i] = std::pow(std::abs(random.normal()), 3);
  const Matrix w = b * b.transpose() / double(n);
  const Vector d = w.rowwise().sum();
  const double eta = 0.9, beta = 0.1;
  const std::vector<Index> labeled{0, 1, 2, 3, 4, 5};
  const Matrix y = random_matrix(6, 1, 73);
  // Transductive: f = S(I - ηS)⁻¹ in the coordinates of √p.
  const Vector root = d.cwiseSqrt();
  const Matrix s = root.cwiseInverse().asDiagonal() * w * root.cwiseInverse().asDiagonal();
  const Matrix inside = s * (Matrix::Identity(n, n) - eta * s).partialPivLu().inverse();
  const Vector p_root = (d / d.sum()).cwiseSqrt();
  const Matrix k = p_root.cwiseInverse().asDiagonal() * inside * p_root.cwiseInverse().asDiagonal();
  Matrix a = reference::rows_of(reference::columns_of(k, labeled), labeled);
  a.diagonal().array() += 6.0 * beta;
  const Matrix f = reference::columns_of(k, labeled) * a.partialPivLu().solve(y);

  Dataset dataset;
  dataset.samples = Graph{to_csr(w), {}};
  Matrix values = Matrix::Constant(n, 1, std::nan(""));
  values.topRows(6) = y;
  dataset.labels = TargetValues{{"y"}, values};
  Specification spec;
  spec.kernel = GraphKernelSpec{GraphNormalization::probability};
  spec.method =
      StkrSpec{.transform = SpectralTransform::inverse_laplacian(eta), .ridge = PaperBeta{beta}};
  spec.decision.intercept = false;
  const Model model = fit_model(dataset, spec).model;
  EXPECT_LT(relative_error(model.predict().scores, f), 1e-8);
  // Inductive: known nodes presented again with their edges.
  const Predictions again = model.predict({to_csr(w)});
  EXPECT_LT(relative_error(again.scores, f), 1e-8);
  // Under the uniform measure it is a different estimator.
  dataset.samples = Graph{to_csr(w), {}};
  spec.measure = Measure::uniform;
  std::get<StkrSpec>(spec.method).transform = SpectralTransform::inverse_laplacian(eta / 1.1);
  EXPECT_GT(relative_error(fit_model(dataset, spec).model.predict().scores, f), 0.02);
}

// Importance weights: a sample with weight 2 equals two copies of the sample.
TEST(WeightedStkr, CountsASampleOfWeightTwoAsTwoSamples) {
  const Matrix x = random_matrix(12, 2, 74);
  Matrix twice(16, 2);
  twice << x, x.topRows(4);
  const Matrix y = random_matrix(3, 1, 75);
  Vector weights = Vector::Ones(12);
  weights.head(4).setConstant(2.0);
  const WeightedGram weighted(std::make_unique<PointGram<double>>(Matrix(x), Kernel::rbf(1.0), 1),
                              weights);
  const PointGram<double> repeated(Matrix(twice), Kernel::rbf(1.0), 1);
  StkrOptions options;
  options.transform = SpectralTransform::power(2);
  options.beta = 0.01;
  const std::vector<Index> labeled{5, 7, 9};
  EXPECT_LT(relative_error(fit_stkr(weighted, labeled, y, options).fitted,
                           fit_stkr(repeated, labeled, y, options).fitted.topRows(12)),
            1e-9);
}

TEST(WeightedStkr, RefusesWeightsItCannotUse) {
  const auto gram = gram_cases()[0].make(1);
  const Matrix y = Matrix::Ones(2, 1);
  const std::vector<Index> labeled{1, 2};
  StkrOptions options;
  options.beta = 0.1;
  options.label_weights = Vector::Ones(3);
  EXPECT_THROW(fit_stkr(*gram, labeled, y, options), ShapeError);
  options.label_weights = Vector::Zero(2);
  EXPECT_THROW(fit_stkr(*gram, labeled, y, options), ValueError);
  options.label_weights = Vector::Ones(2);
  options.solver = StkrSolver::cg;
  EXPECT_THROW(fit_stkr(*gram, labeled, y, options), ValueError);
}

// b = 1ᵀA⁻¹Y/1ᵀA⁻¹1 for every solver, and also for kernel PCA's probe.
TEST(StkrConstant, IsTheMinimizerOverConstantsForEverySolver) {
  for (const GramCase& c : definite_grams()) {
    const auto gram = c.make(1);
    const reference::Dense dense = c.dense();
    const Matrix y = random_matrix(7, 2, 76).array() + 3.0;
    const TransformCase t = inverse_laplacian_case(0.9 / dense.largest());
    const double beta = 0.1 * dense.system(t.exact, kLabeled, 0.0).trace() / 49.0;
    const Matrix a = dense.system(t.exact, kLabeled, beta);
    const Vector one = a.partialPivLu().solve(Matrix::Ones(7, 1));
    const Vector b = y.transpose() * one / one.sum();
    const Matrix exact = dense.fit(t.exact, kLabeled, y.rowwise() - b.transpose(), beta).fitted;
    for (const StkrSolver solver : {StkrSolver::automatic, StkrSolver::direct, StkrSolver::cg,
                                    StkrSolver::minres, StkrSolver::richardson}) {
      SCOPED_TRACE(c.name + " " + to_string(solver));
      StkrOptions options;
      options.transform = t.transform;
      options.beta = beta;
      options.constant = true;
      options.solver = solver;
      options.tolerance = 1e-12;
      options.max_iterations = 50000;
      const Fit fit = fit_stkr(*gram, kLabeled, y, options);
      EXPECT_LT(relative_error(fit.constant, b), 1e-7);
      EXPECT_LT(relative_error(fit.fitted, exact), 1e-7);
    }
    const Index d = widest_pca_gap(c.kernel, kLabeled, 2, 5);
    const Matrix full =
        exact_kernel(dense, Matrix(0, kSamples), Family::top_d, double(d), Grid{}, kLabeled);
    const Matrix columns = reference::columns_of(full, kLabeled);
    const Matrix labeled = reference::rows_of(columns, kLabeled);
    const Vector pca_b = free_constant(labeled, y, 0.01);
    const Fit pca =
        fit_kernel_pca(*gram, kLabeled, y,
                       {.dimension = d, .beta = 0.01, .constant = true, .literal_top_d = true});
    EXPECT_LT(relative_error(pca.constant, pca_b), 1e-8) << c.name;
    EXPECT_LT(
        relative_error(pca.fitted, ridge(labeled, columns, y.rowwise() - pca_b.transpose(), 0.01)),
        1e-8)
        << c.name;
  }
}

TEST(StkrRidge, MeansTheSameOnEveryScaleOfTheKernel) {
  const Matrix x = random_matrix(40, 2, 77);
  const Matrix k = kernel_matrix(x, rbf(0.8));
  const Matrix y = random_matrix(6, 2, 78);
  const std::vector<Index> labeled{3, 8, 13, 21, 30, 39};
  StkrOptions options;
  options.ridge = 0.1;
  std::vector<Matrix> fitted;
  for (const double scale : {1.0, 1e3, 1e-4}) {
    const DenseGram gram(Matrix(scale * k), 1);
    options.transform =
        SpectralTransform::inverse_laplacian(0.9 / (scale * reference::Dense(k).largest()));
    const Fit fit = fit_stkr(gram, labeled, y, options);
    fitted.push_back(fit.fitted);
    EXPECT_EQ(fit.summary.ridge, 0.1);
    EXPECT_LT(relative_error(fit.fitted, fitted.front()), 1e-7) << scale;
    // nβ is a tenth of the mean diagonal.
    const reference::Dense dense(scale * k);
    const TransformCase t = inverse_laplacian_case(0.9 / dense.largest());
    EXPECT_NEAR(6.0 * fit.summary.beta, 0.1 * dense.system(t.exact, labeled, 0.0).trace() / 6.0,
                1e-8 * fit.summary.beta * 6.0);
  }
}

TEST(StkrRidge, IsTheSameWhereTheSystemIsNotFormed) {
  const GraphGram gram(to_csr(block_model(150, 79)),
                       {.normalization = GraphNormalization::lazy_walk});
  std::vector<Index> labeled;
  for (Index i = 0; i < 300; i += 3) labeled.push_back(i);
  const Matrix y = random_matrix(100, 2, 80);
  StkrOptions options;
  options.ridge = 0.1;
  options.solver = StkrSolver::direct;
  const double exact = fit_stkr(gram, labeled, y, options).summary.beta;
  options.solver = StkrSolver::minres;
  EXPECT_NEAR(fit_stkr(gram, labeled, y, options).summary.beta, exact, 1e-6 * exact);
  options.execution.outputs_at_once = 1;
  EXPECT_NEAR(fit_stkr(gram, labeled, y, options).summary.beta, exact, 1e-6 * exact);
}

TEST(StkrRidge, IsChosenByLeaveOneOut) {
  // A smooth function without noise needs a small ridge, pure noise a large one.
  const Matrix x = random_matrix(80, 1, 81);
  const DenseGram gram(kernel_matrix(x, rbf(1.0)), 1);
  std::vector<Index> labeled;
  for (Index i = 0; i < 80; i += 4) labeled.push_back(i);
  Matrix smooth(20, 1);
  for (Index k = 0; k < 20; ++k) smooth(k, 0) = std::sin(2.0 * x(labeled[k], 0));
  StkrOptions options;
  options.transform = SpectralTransform::power(1);
  options.choose_ridge = options.constant = true;
  const Fit fine = fit_stkr(gram, labeled, smooth, options);
  EXPECT_TRUE(fine.summary.ridge_chosen);
  EXPECT_LT(fine.summary.ridge, 1e-4);
  EXPECT_GE(fit_stkr(gram, labeled, random_matrix(20, 1, 82), options).summary.ridge, 0.1);
}

}  // namespace
}  // namespace stkr::stkr_weights_test
