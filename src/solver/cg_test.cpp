#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "dense_operator.hpp"
#include "on_blocks.hpp"
#include "stkr/error.hpp"
#include "stkr/solver/krylov.hpp"

namespace stkr::cg_test {
namespace {

template <class Block>
class Cg : public OnBlocks<Block> {};
TYPED_TEST_SUITE(Cg, BlockTypes, BlockNames);

Matrix exact(const Matrix& a, const Matrix& b) { return a.partialPivLu().solve(b); }

TYPED_TEST(Cg, ConvergesInOneStepOnIdentity) {
  const DenseOperator identity(Matrix::Identity(20, 20));
  const Matrix b = random_matrix(20, 3, 1);
  const SolveResult result = cg_on<TypeParam>(identity, b);
  EXPECT_TRUE(result.summary.converged());
  EXPECT_EQ(result.summary.iterations, 1);
  EXPECT_LT((result.solution - b).norm(), 1e-14);
}

TYPED_TEST(Cg, SolvesEveryColumnToTheTrueResidualItReports) {
  Vector spectrum = Vector::LinSpaced(80, 1e-3, 1.0);
  const DenseOperator a(with_spectrum(spectrum, 2));
  const Matrix b = random_matrix(80, 4, 3);
  const SolveResult result = cg_on<TypeParam>(a, b, {{.tolerance = 1e-10}, {}, nullptr});
  ASSERT_TRUE(result.summary.converged()) << result.summary.message;
  EXPECT_LT((result.solution - exact(a.matrix(), b)).norm(), 1e-6);
  for (Index c = 0; c < 4; ++c) {
    const double residual =
        (b.col(c) - a.matrix() * result.solution.col(c)).norm() / b.col(c).norm();
    EXPECT_NEAR(result.summary.residuals[c], residual, 1e-14);
    EXPECT_LE(residual, 1e-10);
  }
}

TYPED_TEST(Cg, StopsEachColumnWhenItHasConverged) {
  // One column is an eigenvector (one step), one is general, one is zero (no step).
  const DenseOperator a(with_spectrum(Vector::LinSpaced(60, 0.1, 1.0), 4));
  Matrix b = random_matrix(60, 3, 5);
  b.col(0) = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a.matrix()).eigenvectors().col(30);
  b.col(1).setZero();
  const SolveResult result = cg_on<TypeParam>(a, b);
  ASSERT_TRUE(result.summary.converged());
  EXPECT_EQ(result.summary.column_iterations[1], 0);
  EXPECT_EQ(result.solution.col(1).norm(), 0.0);
  EXPECT_GT(result.summary.column_iterations[2], 5);
  EXPECT_LT((a.matrix() * result.solution - b).norm(), 1e-6);
}

TYPED_TEST(Cg, ReportsBreakdownOnAnIndefiniteMatrix) {
  Vector spectrum = Vector::LinSpaced(30, -1.0, 1.0);
  const DenseOperator a(with_spectrum(spectrum, 6));
  const SolveResult result = cg_on<TypeParam>(a, random_matrix(30, 2, 7));
  EXPECT_EQ(result.summary.reason, StopReason::breakdown);
  EXPECT_NE(result.summary.message.find("minres"), std::string::npos);
}

TYPED_TEST(Cg, DeflatesKnownEigenvectors) {
  // The condition number is 1e9 because of one known direction, 3 without it.
  const Index n = 50;
  const KnownEigenspace space(0.0, 1, std::vector<std::int32_t>(n, 0), Vector::Ones(n));
  Matrix a = with_spectrum(Vector::LinSpaced(n, 1.0, 3.0), 8);
  const Matrix p = Matrix::Identity(n, n) - Matrix::Constant(n, n, 1.0 / n);
  a = p * a * p + Matrix::Constant(n, n, 1e-9 / n);
  const DenseOperator op(a);
  const Matrix x = random_matrix(n, 2, 9);
  CgOptions options;
  options.tolerance = 1e-12;
  options.deflation = {&space, 1e-9};
  const SolveResult result = cg_on<TypeParam>(op, a * x, options);
  ASSERT_TRUE(result.summary.converged());
  EXPECT_LT((p * (result.solution - x)).norm(), 1e-10);
  EXPECT_LT(result.summary.iterations, 40);
}

TYPED_TEST(Cg, ConvergesInOneStepWithTheInverseAsPreconditioner) {
  const Matrix a = with_spectrum(Vector::LinSpaced(40, 1e-3, 1.0), 3);
  const DenseOperator inverse(exact(a, Matrix::Identity(40, 40)));
  const Matrix b = random_matrix(40, 3, 4);
  CgOptions options;
  options.preconditioner = &inverse;
  const SolveResult result = cg_on<TypeParam>(DenseOperator(a), b, options);
  ASSERT_TRUE(result.summary.converged());
  EXPECT_LE(result.summary.iterations, 2);
  EXPECT_LT((a * result.solution - b).norm(), 1e-8 * b.norm());
}

TYPED_TEST(Cg, JudgesTheTrueResidualNotThePreconditionedOne) {
  // The preconditioned norm ignores half of the space.
  const Matrix a = with_spectrum(Vector::LinSpaced(40, 0.1, 1.0), 3);
  Vector weights = Vector::Ones(40);
  weights.head(20).setConstant(1e-6);
  const DenseOperator skewed(Matrix(weights.asDiagonal()));
  const Matrix b = random_matrix(40, 2, 4);
  CgOptions options;
  options.preconditioner = &skewed;
  options.tolerance = 1e-6;
  const SolveResult result = cg_on<TypeParam>(DenseOperator(a), b, options);
  EXPECT_TRUE(result.summary.converged()) << result.summary.message;
  EXPECT_LE((a * result.solution - b).colwise().norm().maxCoeff(),
            1e-6 * b.colwise().norm().maxCoeff());
}

TYPED_TEST(Cg, CombinesDeflationAndAPreconditionerThatKnowsNothingOfIt) {
  const Index n = 50;
  const KnownEigenspace space(0.0, 1, std::vector<std::int32_t>(n, 0), Vector::Ones(n));
  Vector weights = Vector::LinSpaced(n, 1.0, 1e4);
  const Matrix p = Matrix::Identity(n, n) - Matrix::Constant(n, n, 1.0 / n);
  const Matrix a = p * weights.asDiagonal() * p + Matrix::Constant(n, n, 1e-9 / n);
  const DenseOperator preconditioner(Matrix(weights.cwiseInverse().asDiagonal()));
  const Matrix x = random_matrix(n, 2, 9);
  CgOptions options;
  options.tolerance = 1e-12;
  options.deflation = {&space, 1e-9};
  const SolveResult plain = cg_on<TypeParam>(DenseOperator(a), a * x, options);
  options.preconditioner = &preconditioner;
  const SolveResult result = cg_on<TypeParam>(DenseOperator(a), a * x, options);
  ASSERT_TRUE(result.summary.converged()) << result.summary.message;
  EXPECT_LT((p * (result.solution - x)).norm(), 1e-8);
  EXPECT_LT(4 * result.summary.iterations, plain.summary.iterations);
}

TYPED_TEST(Cg, GivesUpWithAReasonWhenOutOfSteps) {
  const DenseOperator a(with_spectrum(Vector::LinSpaced(100, 1e-6, 1.0), 1));
  const SolveResult result =
      cg_on<TypeParam>(a, random_matrix(100, 1, 2), {{.max_iterations = 3}, {}, nullptr});
  EXPECT_EQ(result.summary.reason, StopReason::max_iterations);
  EXPECT_EQ(result.summary.iterations, 3);
  EXPECT_GT(result.summary.worst_residual(), 1e-8);
}

TYPED_TEST(Cg, TellsItsProgressAndStopsWhenAsked) {
  const DenseOperator a(with_spectrum(Vector::LinSpaced(100, 1e-6, 1.0), 1));
  std::stop_source stop;
  std::vector<int> seen;
  Context context{.cancel = stop.get_token()};
  context.progress = [&](const Progress& progress) {
    seen.push_back(progress.done);
    if (progress.done == 2) stop.request_stop();
  };
  const SolveResult result = cg_on<TypeParam>(a, random_matrix(100, 1, 2), {}, context);
  EXPECT_EQ(result.summary.reason, StopReason::cancelled);
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2}));
}

TYPED_TEST(Cg, StartsFromAnInitialSolution) {
  const DenseOperator a(with_spectrum(Vector::LinSpaced(80, 1e-3, 1.0), 2));
  Matrix b = random_matrix(80, 4, 3);
  b.col(2).setZero();
  CgOptions options;
  options.tolerance = 1e-10;
  const SolveResult cold = cg_on<TypeParam>(a, b, options);
  const Matrix x = exact(a.matrix(), b);
  const Matrix near = x + 1e-6 * random_matrix(80, 4, 4);
  options.initial = &near;
  const SolveResult warm = cg_on<TypeParam>(a, b, options);
  ASSERT_TRUE(warm.summary.converged()) << warm.summary.message;
  EXPECT_LT(warm.summary.iterations, cold.summary.iterations);
  EXPECT_LT((warm.solution - x).norm(), 1e-6);
  EXPECT_EQ(warm.solution.col(2).norm(), 0.0);
  for (Index c = 0; c < 4; ++c) {
    const double norm = std::max(b.col(c).norm(), 1e-300);
    const double residual = (b.col(c) - a.matrix() * warm.solution.col(c)).norm() / norm;
    EXPECT_NEAR(warm.summary.residuals[c], residual, 1e-14);
    EXPECT_LE(residual, 1e-10);
  }
  options.initial = &x;
  const SolveResult none = cg_on<TypeParam>(a, b, options);
  EXPECT_TRUE(none.summary.converged());
  EXPECT_EQ(none.summary.iterations, 0);
}

TYPED_TEST(Cg, StartsFromAnInitialSolutionThatDeflationCorrects) {
  const Index n = 50;
  const KnownEigenspace space(0.0, 1, std::vector<std::int32_t>(n, 0), Vector::Ones(n));
  Matrix a = with_spectrum(Vector::LinSpaced(n, 1.0, 3.0), 8);
  const Matrix p = Matrix::Identity(n, n) - Matrix::Constant(n, n, 1.0 / n);
  a = p * a * p + Matrix::Constant(n, n, 1e-3 / n);
  const Matrix x = random_matrix(n, 2, 9);
  // Right outside the known eigenvector, far off in it.
  const Matrix initial = x + Matrix::Constant(n, 2, 7.0);
  CgOptions options;
  options.tolerance = 1e-12;
  options.deflation = {&space, 1e-3};
  options.initial = &initial;
  const SolveResult result = cg_on<TypeParam>(DenseOperator(a), a * x, options);
  ASSERT_TRUE(result.summary.converged()) << result.summary.message;
  EXPECT_EQ(result.summary.iterations, 0);
  EXPECT_LT((result.solution - x).norm(), 1e-9);
}

TYPED_TEST(Cg, RejectsAnInitialSolutionOfAnotherShapeOrWithoutValues) {
  const DenseOperator a(Matrix::Identity(4, 4));
  const KnownEigenspace space(0.0, 1, std::vector<std::int32_t>(4, 0), Vector::Ones(4));
  const Matrix wide = Matrix::Ones(4, 2);
  const Matrix bad = Matrix::Constant(4, 1, std::nan(""));
  CgOptions options;
  for (const Deflation& deflation : {Deflation{}, Deflation{&space, 1.0}}) {
    options.deflation = deflation;
    options.initial = &wide;
    EXPECT_THROW(cg_on<TypeParam>(a, Matrix::Ones(4, 1), options), ShapeError);
    options.initial = &bad;
    EXPECT_THROW(cg_on<TypeParam>(a, Matrix::Ones(4, 1), options), ValueError);
  }
}

TYPED_TEST(Cg, RejectsWrongShapesAndValuesThatAreNotFinite) {
  const DenseOperator a(Matrix::Identity(4, 4));
  EXPECT_THROW(cg_on<TypeParam>(a, Matrix::Ones(5, 1)), ShapeError);
  Matrix b = Matrix::Ones(4, 1);
  b(2, 0) = std::nan("");
  EXPECT_THROW(cg_on<TypeParam>(a, b), ValueError);
  const DenseOperator other(Matrix::Identity(3, 3));
  CgOptions mismatched;
  mismatched.preconditioner = &other;
  EXPECT_THROW(cg_on<TypeParam>(a, Matrix::Ones(4, 1), mismatched), ShapeError);
  EXPECT_THROW(cg_on<TypeParam>(a, Matrix::Ones(4, 1), {{.tolerance = 0.0}, {}, nullptr}),
               ValueError);
}

}  // namespace
}  // namespace stkr::cg_test
