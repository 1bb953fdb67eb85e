#include "solver/resolvent_space.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <tuple>

#include "dense_operator.hpp"
#include "dense_reference.hpp"
#include "on_blocks.hpp"
#include "runtime/random.hpp"
#include "stkr/error.hpp"

namespace stkr::resolvent_space_test {
namespace {

template <class Block>
class Resolvent : public OnBlocks<Block> {};
TYPED_TEST_SUITE(Resolvent, BlockTypes, BlockNames);

using reference::relative_error;

// Every row of X.
const RowSampler all_rows{
    {}, [](const Matrix&, const RowSampler::Whole& whole) -> Matrix { return whole(); }};

Matrix resolvent(const Matrix& s, const Matrix& b, double eta) {
  const Matrix q = Matrix::Identity(s.rows(), s.rows()) - eta * s;
  return q.partialPivLu().solve(b);
}

ResolventOptions hardest(double eta) {
  ResolventOptions options;
  options.hardest_eta = eta;
  options.tolerance = 1e-12;
  return options;
}

// A symmetric matrix with the known eigenvector √d, d > 0, at λ = 1 and all others below.
struct Deflatable {
  explicit Deflatable(Index n)
      : weight(Vector::LinSpaced(n, 1.0, 2.0)),
        space(1.0, 1, std::vector<std::int32_t>(n, 0), weight) {
    const Vector u = weight.normalized();
    const Matrix p = Matrix::Identity(n, n) - u * u.transpose();
    s = p * with_spectrum(Vector::LinSpaced(n, -0.9, 0.9), 3) * p + u * u.transpose();
  }
  Vector weight;
  KnownEigenspace space;
  Matrix s;
};

TYPED_TEST(Resolvent, AnswersEveryEtaFromOneSpace) {
  const Matrix s = with_spectrum(Vector::LinSpaced(60, -1.0, 1.0), 1);
  const Matrix b = random_matrix(60, 4, 2);
  const ResolventOn<TypeParam> space(DenseOperator(s), b, all_rows, hardest(0.99));
  ASSERT_TRUE(space.summary().converged()) << space.summary().message;
  EXPECT_LE(space.dimension(), 60);
  EXPECT_EQ(space.summary().products, space.summary().iterations);
  for (const double eta : {0.0, 0.1, 0.5, 0.9, 0.99}) {
    EXPECT_LT(relative_error(space.rows(eta), resolvent(s, b, eta)), 1e-9) << eta;
  }
}

TYPED_TEST(Resolvent, ReportsTheResidualItLeaves) {
  const Matrix s = with_spectrum(Vector::LinSpaced(200, -1.0, 1.0), 1);
  const Matrix b = random_matrix(200, 2, 2);
  ResolventOptions options = hardest(0.95);
  options.tolerance = 1e-4;
  const ResolventOn<TypeParam> space(DenseOperator(s), b, all_rows, options);
  ASSERT_TRUE(space.summary().converged());
  const Matrix x = space.rows(0.95);
  const Matrix rest = b - (x - 0.95 * s * x);
  for (Index c = 0; c < 2; ++c) {
    const double residual = rest.col(c).norm() / b.col(c).norm();
    EXPECT_LE(residual, 1e-4);
    EXPECT_NEAR(residual, space.summary().residuals[c], 1e-9);
  }
}

TYPED_TEST(Resolvent, ShrinksItsBlocksForADependentStart) {
  const Matrix s = with_spectrum(Vector::LinSpaced(50, -1.0, 1.0), 4);
  Matrix b = random_matrix(50, 5, 5);
  b.col(2) = b.col(0);
  b.col(4) = b.col(1) - 3.0 * b.col(3);
  b.col(3).setZero();
  b.col(4) = -2.0 * b.col(1);
  const ResolventOn<TypeParam> space(DenseOperator(s), b, all_rows, hardest(0.99));
  ASSERT_TRUE(space.summary().converged());
  const Matrix x = space.rows(0.99);
  EXPECT_LT(relative_error(x, resolvent(s, b, 0.99)), 1e-9);
  EXPECT_EQ(x.col(3).norm(), 0.0);
}

TYPED_TEST(Resolvent, EndsWhereTheSpaceIsInvariant) {
  // S has two distinct eigenvalues, so S·S B adds nothing.
  Vector spectrum = Vector::Constant(40, 0.3);
  spectrum.head(20).setConstant(-0.8);
  const Matrix s = with_spectrum(spectrum, 6);
  const Matrix b = random_matrix(40, 3, 7);
  const ResolventOn<TypeParam> space(DenseOperator(s), b, all_rows, hardest(0.999));
  ASSERT_TRUE(space.summary().converged());
  EXPECT_EQ(space.summary().iterations, 2);
  EXPECT_EQ(space.dimension(), 6);
  EXPECT_LT(relative_error(space.rows(0.999), resolvent(s, b, 0.999)), 1e-11);
}

// Random points on a line, so that the kernel is nearly block diagonal: across gaps of many length
// scales, pieces are coupled by anything from 1 to 1e-300, and many eigenvalues are at or near 1.
// Images of rotating objects (COIL) have this structure.
Matrix nearly_in_blocks(Index n, double length_scale, std::uint64_t seed, Vector& root_degree) {
  Random random(seed);
  Vector x(n);
  for (Index i = 0; i < n; ++i) x[i] = random.uniform();
  Matrix k(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const double t = (x[i] - x[j]) / length_scale;
      k(i, j) = std::exp(-0.5 * t * t);
    }
  }
  root_degree = k.rowwise().sum().cwiseSqrt();
  const Vector inverse = root_degree.cwiseInverse();
  return inverse.asDiagonal() * k * inverse.asDiagonal();
}

TYPED_TEST(Resolvent, HoldsWhereTheKernelNearlyFallsIntoBlocks) {
  for (const auto& [n, length_scale, seed] :
       {std::tuple<Index, double, std::uint64_t>{200, 0.002, 1},
        {200, 0.004, 2},
        {300, 0.001, 3},
        {120, 0.003, 4}}) {
    Vector root;
    const Matrix s = nearly_in_blocks(n, length_scale, seed, root);
    const KnownEigenspace known(1.0, 1, std::vector<std::int32_t>(n, 0), root);
    Matrix b = Matrix::Zero(n, 10);
    for (Index c = 0; c < 10; ++c) b(c * n / 10, c) = 1.0;
    ResolventOptions options = hardest(0.999999);
    options.tolerance = 1e-9;
    options.deflate = &known;
    const ResolventOn<TypeParam> space(DenseOperator(s), b, all_rows, options);
    ASSERT_TRUE(space.summary().converged()) << n << ", " << space.summary().message;
    EXPECT_LE(space.dimension(), n);
    for (const double eta : {0.7, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999}) {
      EXPECT_LT(relative_error(space.rows(eta), resolvent(s, b, eta)), 1e-11 / (1.0 - eta))
          << n << " points, eta = " << eta;
    }
  }
}

TYPED_TEST(Resolvent, SolvesForOneColumn) {
  const Matrix s = with_spectrum(Vector::LinSpaced(30, -1.0, 1.0), 8);
  const Matrix b = random_matrix(30, 1, 9);
  const ResolventOn<TypeParam> space(DenseOperator(s), b, all_rows, hardest(0.9));
  ASSERT_TRUE(space.summary().converged());
  EXPECT_LT(relative_error(space.rows(0.9), resolvent(s, b, 0.9)), 1e-10);
}

TYPED_TEST(Resolvent, WritesDownTheDeflatedPart) {
  const Deflatable d(45);
  const Matrix b = random_matrix(45, 3, 10);
  ResolventOptions options = hardest(0.999999);
  options.deflate = &d.space;
  const ResolventOn<TypeParam> space(DenseOperator(d.s), b, all_rows, options);
  ASSERT_TRUE(space.summary().converged());
  for (const double eta : {0.7, 0.999, 0.999999}) {
    EXPECT_LT(relative_error(space.rows(eta), resolvent(d.s, b, eta)), 1e-8) << eta;
  }
  // The component orthogonal to it, which the large part would hide.
  const Vector u = d.weight.normalized();
  const Matrix p = Matrix::Identity(45, 45) - u * u.transpose();
  EXPECT_LT(relative_error(p * space.rows(0.999999), resolvent(p * d.s * p, p * b, 0.999999)),
            1e-9);
}

TYPED_TEST(Resolvent, NeedsNoProductForAStartInsideTheDeflatedSpace) {
  const Deflatable d(45);
  const Matrix b = d.weight * random_matrix(1, 2, 11);
  ResolventOptions options = hardest(0.99);
  options.deflate = &d.space;
  const ResolventOn<TypeParam> space(DenseOperator(d.s), b, all_rows, options);
  EXPECT_TRUE(space.summary().converged());
  EXPECT_EQ(space.summary().products, 0);
  EXPECT_EQ(space.dimension(), 0);
  EXPECT_LT(relative_error(space.rows(0.99), b / 0.01), 1e-12);
}

TYPED_TEST(Resolvent, AnswersZeroWithZero) {
  const Matrix s = with_spectrum(Vector::LinSpaced(20, -1.0, 1.0), 12);
  const ResolventOn<TypeParam> space(DenseOperator(s), Matrix::Zero(20, 2), all_rows, hardest(0.9));
  EXPECT_TRUE(space.summary().converged());
  EXPECT_EQ(space.rows(0.9), Matrix::Zero(20, 2));
}

TYPED_TEST(Resolvent, GivesTheSamplerBothXAndSX) {
  const Matrix s = with_spectrum(Vector::LinSpaced(30, -1.0, 1.0), 13);
  const Matrix b = random_matrix(30, 2, 14);
  const ResolventOn<TypeParam> space(
      DenseOperator(s), b,
      RowSampler{{7, 0},
                 [](const Matrix& some, const RowSampler::Whole& whole) -> Matrix {
                   Matrix rows(3, some.cols());
                   rows << whole().row(4), some;
                   return rows;
                 }},
      hardest(0.95));
  const Matrix x = resolvent(s, b, 0.95);
  Matrix expected(3, 2);
  expected << x.row(4), (s * x).row(7), (s * x).row(0);
  EXPECT_LT(relative_error(space.rows(0.95), expected), 1e-10);
}

TYPED_TEST(Resolvent, SaysSoWhenOutOfSteps) {
  const Matrix s = with_spectrum(Vector::LinSpaced(200, -1.0, 1.0), 15);
  ResolventOptions options = hardest(0.9999);
  options.max_steps = 3;
  const ResolventOn<TypeParam> space(DenseOperator(s), random_matrix(200, 1, 16), all_rows,
                                     options);
  EXPECT_EQ(space.summary().reason, StopReason::max_iterations);
  EXPECT_EQ(space.summary().iterations, 3);
  EXPECT_GT(space.summary().worst_residual(), 1e-3);
  EXPECT_NE(space.summary().message.find("0.9999"), std::string::npos) << space.summary().message;
}

TYPED_TEST(Resolvent, RejectsAnEtaAboveTheTopOfTheSpectrum) {
  const Matrix s = with_spectrum(Vector::LinSpaced(40, -1.0, 2.0), 17);
  const Matrix b = random_matrix(40, 3, 18);
  EXPECT_THROW(ResolventOn<TypeParam>(DenseOperator(s), b, all_rows, hardest(0.9)), ValueError);
  const ResolventOn<TypeParam> space(DenseOperator(s), b, all_rows, hardest(0.4));
  EXPECT_THROW(space.rows(0.9), ValueError);
}

TYPED_TEST(Resolvent, KeepsNoMoreBlocksThanItMay) {
  // η is barely above 1/λ₁: detecting that takes many steps, and all blocks are kept for certainty.
  const Matrix s = with_spectrum(Vector::LinSpaced(200, -1.0, 2.0), 17);
  const Matrix b = random_matrix(200, 3, 18);
  ResolventOptions options = hardest(0.5001);
  EXPECT_THROW(ResolventOn<TypeParam>(DenseOperator(s), b, all_rows, options), ValueError);
  options.most_bytes = 8 * 200 * 3 * 2;
  EXPECT_THROW(ResolventOn<TypeParam>(DenseOperator(s), b, all_rows, options), MemoryError);
}

TYPED_TEST(Resolvent, TellsItsProgressAndStopsWhenAsked) {
  const Matrix s = with_spectrum(Vector::LinSpaced(100, -1.0, 1.0), 19);
  std::stop_source stop;
  int last = 0;
  Context context{.cancel = stop.get_token()};
  context.progress = [&](const Progress& progress) {
    last = progress.done;
    if (last == 2) stop.request_stop();
  };
  EXPECT_THROW(ResolventOn<TypeParam>(DenseOperator(s), random_matrix(100, 2, 20), all_rows,
                                      hardest(0.999), context),
               Cancelled);
  EXPECT_EQ(last, 2);
}

TYPED_TEST(Resolvent, DoesNotDependOnTheNumberOfThreads) {
  const Matrix s = with_spectrum(Vector::LinSpaced(150, -1.0, 1.0), 21);
  const Matrix b = random_matrix(150, 4, 22);
  const auto rows = [&](int threads) {
    const ResolventOn<TypeParam> space(DenseOperator(s), b, all_rows, hardest(0.99),
                                       {.threads = threads});
    return space.rows(0.9);
  };
  EXPECT_EQ(rows(3), rows(1));
}

}  // namespace
}  // namespace stkr::resolvent_space_test
