#include "solver/nystrom_preconditioner.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "dense_operator.hpp"
#include "on_blocks.hpp"
#include "stkr/error.hpp"
#include "stkr/solver/krylov.hpp"

namespace stkr::nystrom_preconditioner_test {
namespace {

template <class Block>
class Nystrom : public OnBlocks<Block> {};
TYPED_TEST_SUITE(Nystrom, BlockTypes, BlockNames);

// exp(-‖x-y‖²/2ℓ²) of random points in three dimensions.
Matrix rbf_matrix(Index n, double length_scale) {
  const Matrix x = random_matrix(n, 3, 7);
  Matrix k(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      k(i, j) = std::exp(-(x.row(i) - x.row(j)).squaredNorm() / (2 * length_scale * length_scale));
    }
  }
  return k;
}

Matrix shifted(Matrix a, double mu) {
  a.diagonal().array() += mu;
  return a;
}

Vector spectrum_of(const Matrix& a) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(0.5 * (a + a.transpose())).eigenvalues();
}

// All eigenvalues of P⁻¹ (A + μI). They are those of a symmetric matrix because P⁻¹ is definite.
Vector preconditioned_spectrum(const Matrix& a, double mu, const LinearOperator& p) {
  const Matrix inverse = product(p, Matrix::Identity(a.rows(), a.cols()));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(inverse);
  const Matrix root = eigen.operatorSqrt();
  return spectrum_of(root * shifted(a, mu) * root);
}

TYPED_TEST(Nystrom, BoundsTheConditionNumberByTheFirstEigenvalueLeftOut) {
  const Matrix a = rbf_matrix(150, 1.0);
  const double mu = 150 * 1e-8;
  const NystromOn<TypeParam> p(DenseOperator(a), mu, {.rank = 150});
  const Vector full = preconditioned_spectrum(a, mu, p);
  EXPECT_GT(full.minCoeff(), 0.0);
  EXPECT_LT(full.maxCoeff() / full.minCoeff(), 3.0);
  const NystromOn<TypeParam> half(DenseOperator(a), mu, {.rank = 40, .most_rank = 40});
  EXPECT_EQ(half.rank(), 40);
  const Vector part = preconditioned_spectrum(a, mu, half);
  EXPECT_LT(part.maxCoeff() / part.minCoeff(), 30.0 * (1.0 + half.eigenvalues()[39] / mu));
}

TYPED_TEST(Nystrom, FindsTheLargestEigenvalues) {
  Vector spectrum = Vector::Zero(100);
  for (Index i = 0; i < 100; ++i) spectrum[i] = std::exp(-0.5 * static_cast<double>(i));
  const NystromOn<TypeParam> p(DenseOperator(with_spectrum(spectrum, 3)), 1e-6, {.rank = 32});
  for (Index i = 0; i < 8; ++i) EXPECT_NEAR(p.eigenvalues()[i], spectrum[i], 1e-3 * spectrum[i]);
  EXPECT_GE(p.eigenvalues().minCoeff(), 0.0);
}

TYPED_TEST(Nystrom, CutsTheStepsOfASmallRidgeAtLeastByFive) {
  const Index n = 300;
  const Matrix k = rbf_matrix(n, 1.0);
  const double mu = static_cast<double>(n) * 1e-8;
  const DenseOperator system(shifted(k, mu));
  const Matrix b = random_matrix(n, 4, 11);
  CgOptions options;
  options.tolerance = 1e-8;
  options.max_iterations = 20000;
  const SolveResult plain = cg_on<TypeParam>(system, b, options);
  const NystromOn<TypeParam> p(DenseOperator(k), mu, {.columns = 4});
  options.preconditioner = &p;
  const SolveResult fast = cg_on<TypeParam>(system, b, options);
  ASSERT_TRUE(fast.summary.converged()) << fast.summary.message;
  EXPECT_LT(5 * fast.summary.iterations, plain.summary.iterations);
  EXPECT_LT((system.matrix() * fast.solution - b).norm(), 1e-7 * b.norm());
}

TYPED_TEST(Nystrom, StopsAtTheRankOfTheMatrix) {
  Vector spectrum = Vector::Zero(200);
  spectrum.head(10) = Vector::LinSpaced(10, 1.0, 5.0);
  const Matrix a = with_spectrum(spectrum, 5);
  const NystromOn<TypeParam> p(DenseOperator(a), 1e-4, {.columns = 10});
  EXPECT_EQ(p.products(), 1);  // 16 columns capture all ten directions
  const Vector after = preconditioned_spectrum(a, 1e-4, p);
  EXPECT_LT(after.maxCoeff() / after.minCoeff(), 1.01);
  const NystromOn<TypeParam> none(DenseOperator(Matrix::Zero(20, 20)), 1.0);
  EXPECT_EQ(none.rank(), 0);
  const Matrix x = random_matrix(20, 2, 1);
  EXPECT_EQ(product(none, x), x);
}

TYPED_TEST(Nystrom, DoublesItsRankOnlyWhileThatPays) {
  const Matrix k = rbf_matrix(300, 0.7);
  const DenseOperator a(k);
  const NystromOn<TypeParam> large_ridge(a, 300.0, {.columns = 10});
  EXPECT_EQ(large_ridge.rank(), 16);
  const NystromOn<TypeParam> small_ridge(a, 3e-6, {.columns = 10});
  EXPECT_GT(small_ridge.rank(), 64);
  const NystromOn<TypeParam> one_column(a, 3e-3, {.columns = 1});
  const NystromOn<TypeParam> many_columns(a, 3e-3, {.columns = 30});
  EXPECT_LT(one_column.rank(), many_columns.rank());
  const NystromOn<TypeParam> capped(a, 3e-6, {.most_rank = 40, .columns = 10});
  EXPECT_EQ(capped.rank(), 40);
  EXPECT_EQ(capped.products(), 3);  // 16, 32, 40
  EXPECT_EQ(capped.describe(), "nystrom, rank 40");
}

TYPED_TEST(Nystrom, IsTheInverseWhereTheRankReachesTheSize) {
  const Matrix a = with_spectrum(Vector::LinSpaced(5, 0.5, 2.0), 2);
  const NystromOn<TypeParam> p(DenseOperator(a), 1e-3);
  const Matrix x = random_matrix(5, 2, 3);
  const Matrix back = product(p, shifted(a, 1e-3) * x);
  EXPECT_LT((back / 0.501 - x).norm(), 1e-6 * x.norm());
}

TYPED_TEST(Nystrom, StaysDefiniteForAnIndefiniteMatrix) {
  const Matrix a = with_spectrum(Vector::LinSpaced(60, -1.0, 1.0), 4);
  const NystromOn<TypeParam> p(DenseOperator(a), 1e-3);
  EXPECT_GT(spectrum_of(product(p, Matrix::Identity(60, 60))).minCoeff(), 0.0);
  CgOptions options;
  options.preconditioner = &p;
  const SolveResult result =
      cg_on<TypeParam>(DenseOperator(shifted(a, 1e-3)), random_matrix(60, 1, 5), options);
  EXPECT_EQ(result.summary.reason, StopReason::breakdown);
}

TYPED_TEST(Nystrom, DependsOnTheSeedAloneNotOnThreadsOrBatches) {
  const DenseOperator a(rbf_matrix(120, 1.0));
  const Matrix x = random_matrix(120, 2, 1);
  const auto with = [&](int threads, Index at_once, std::uint64_t seed) {
    return product(NystromOn<TypeParam>(a, 1e-4, {.columns = 4, .at_once = at_once},
                                        {.threads = threads, .seed = seed}),
                   x);
  };
  const Matrix one = with(1, 0, 1);
  EXPECT_EQ(with(3, 0, 1), one);
  EXPECT_LT((with(1, 5, 1) - one).norm(), 1e-8 * one.norm());
  EXPECT_GT((with(1, 0, 2) - one).norm(), 0.0);
}

TYPED_TEST(Nystrom, RefusesBadShiftsAndValuesAndStopsWhenAsked) {
  const DenseOperator a(Matrix::Identity(4, 4));
  EXPECT_THROW(NystromOn<TypeParam>(a, 0.0), ValueError);
  EXPECT_THROW(NystromOn<TypeParam>(a, 1.0, {.rank = 0}), ValueError);
  const DenseOperator bad(Matrix::Constant(4, 4, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_THROW(NystromOn<TypeParam>(bad, 1.0), ValueError);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(NystromOn<TypeParam>(a, 1.0, {}, {.cancel = stop.get_token()}), Cancelled);
}

}  // namespace
}  // namespace stkr::nystrom_preconditioner_test
