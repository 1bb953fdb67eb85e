#include "kernel/principal_axes.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "runtime/random.hpp"
#include "stkr/error.hpp"

namespace stkr::principal_axes_test {
namespace {

// Points whose feature k, after a rotation, has the standard deviation scale[k].
Matrix stretched_points(Index count, const Vector& scale, std::uint64_t seed) {
  Random random(seed);
  Matrix values(count, scale.size()), mix(scale.size(), scale.size());
  for (double& value : values.reshaped()) value = random.normal();
  for (double& value : mix.reshaped()) value = random.normal();
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr{Eigen::MatrixXd(mix)};
  const Eigen::MatrixXd rotation = qr.householderQ();
  values = values * scale.asDiagonal() * rotation;
  values.rowwise() += Eigen::RowVectorXd::LinSpaced(scale.size(), -3.0, 8.0);
  return values;
}

// The share of the variance that the components keep.
double kept_variance(const Matrix& points, const PrincipalAxes& axes) {
  const Matrix centered = points.rowwise() - points.colwise().mean();
  return axes.project(points, 1).squaredNorm() / centered.squaredNorm();
}

double best_variance(const Matrix& points, Index components) {
  const Matrix centered = points.rowwise() - points.colwise().mean();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
      Eigen::MatrixXd(centered.transpose() * centered));
  return eigen.eigenvalues().tail(components).sum() / eigen.eigenvalues().sum();
}

TEST(PrincipalAxes, AreTheDominantDirections) {
  Vector scale(12);
  scale << 9, 7, 5, 1, 1, 1, 1, 1, 1, 1, 1, 1;
  const Matrix points = stretched_points(400, scale, 3);
  const PrincipalAxes axes = PrincipalAxes::of(points, 3, {}, "test");
  ASSERT_EQ(axes.features(), 12);
  ASSERT_EQ(axes.components(), 3);
  const Matrix centered = points.rowwise() - points.colwise().mean();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
      Eigen::MatrixXd(centered.transpose() * centered));
  const Eigen::MatrixXd dense = eigen.eigenvectors().rightCols(3).rowwise().reverse();
  for (Index j = 0; j < 3; ++j) {
    EXPECT_NEAR(std::abs(dense.col(j).dot(axes.axes().col(j))), 1.0, 1e-10) << j;
  }
  EXPECT_LT((axes.axes().transpose() * axes.axes() - Matrix::Identity(3, 3)).norm(), 1e-12);
}

TEST(PrincipalAxes, KeepNearlyAllThatIsPossibleOfAFlatSpectrum) {
  const Matrix points = stretched_points(300, Vector::Ones(80), 4);
  const PrincipalAxes axes = PrincipalAxes::of(points, 20, {}, "test");
  EXPECT_GT(kept_variance(points, axes), 0.99 * best_variance(points, 20));
}

TEST(PrincipalAxes, KeepDistancesIfNoComponentIsLeftOut) {
  const Matrix points = stretched_points(30, Vector::LinSpaced(5, 1.0, 4.0), 5);
  const Matrix projected = PrincipalAxes::of(points, 5, {}, "test").project(points, 1);
  for (Index i = 0; i < points.rows(); ++i) {
    EXPECT_NEAR((projected.row(i) - projected.row(0)).norm(),
                (points.row(i) - points.row(0)).norm(), 1e-12);
  }
}

TEST(PrincipalAxes, ProjectRowsAloneAsTogetherForAnyNumberOfThreads) {
  const Matrix points = stretched_points(1500, Vector::LinSpaced(70, 0.1, 4.0), 6);
  const PrincipalAxes axes = PrincipalAxes::of(points, 9, {.threads = 1}, "test");
  EXPECT_EQ(axes.axes(), PrincipalAxes::of(points, 9, {.threads = 2}, "test").axes());
  const Matrix all = axes.project(points, 2);
  EXPECT_EQ(all, axes.project(points, 1));
  for (const Index i : {Index{0}, Index{733}, Index{1499}}) {
    EXPECT_EQ(Matrix(all.row(i)), axes.project(Matrix(points.row(i)), 1));
  }
}

TEST(PrincipalAxes, OfEqualOrHugePointsAreFinite) {
  const Matrix equal = Matrix::Constant(6, 4, 2.5);
  EXPECT_EQ(PrincipalAxes::of(equal, 2, {}, "test").project(equal, 1), Matrix::Zero(6, 2));
  const Matrix huge = 1e250 * stretched_points(20, Vector::LinSpaced(4, 1.0, 2.0), 7);
  EXPECT_TRUE(PrincipalAxes::of(huge, 2, {}, "test").axes().allFinite());
}

TEST(PrincipalAxes, RejectBadInput) {
  Matrix points = stretched_points(20, Vector::Ones(4), 8);
  EXPECT_THROW(PrincipalAxes::of(points, 0, {}, "test"), ValueError);
  EXPECT_THROW(PrincipalAxes::of(points, 5, {}, "test"), ValueError);
  EXPECT_THROW(PrincipalAxes::of(points, 2, {}, "test").project(Matrix::Zero(2, 3), 1), ShapeError);
  EXPECT_THROW(PrincipalAxes(Vector::Zero(3), Matrix::Zero(4, 2)), ShapeError);
  points(3, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(PrincipalAxes::of(points, 2, {}, "test"), ValueError);
}

}  // namespace
}  // namespace stkr::principal_axes_test
