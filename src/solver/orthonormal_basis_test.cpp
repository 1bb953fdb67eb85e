#include "solver/orthonormal_basis.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dense_operator.hpp"
#include "on_blocks.hpp"

namespace stkr::orthonormal_basis_test {
namespace {

template <class Block>
class OrthonormalBasisOf : public OnBlocks<Block> {};
TYPED_TEST_SUITE(OrthonormalBasisOf, BlockTypes, BlockNames);

constexpr Index kRows = 300;

double departure(const Matrix& v) {
  return (v.transpose() * v - Matrix::Identity(v.cols(), v.cols())).norm();
}

// `count` orthonormal columns.
Matrix orthonormal(Index count, std::uint64_t seed) {
  const Eigen::MatrixXd q =
      Eigen::MatrixXd(random_matrix(kRows, count, seed)).householderQr().householderQ() *
      Eigen::MatrixXd::Identity(kRows, count);
  return q;
}

TYPED_TEST(OrthonormalBasisOf, FactorsABlockOfIndependentColumns) {
  const Matrix w = random_matrix(kRows, 7, 1);
  const OrthonormalBasis basis = basis_on<TypeParam>(w, 1e-13, {}, 1);
  ASSERT_EQ(basis.vectors.cols(), 7);
  EXPECT_LT(departure(basis.vectors), 1e-10);
  EXPECT_LT((basis.vectors * basis.coordinates - w).norm(), 1e-12 * w.norm());
}

TYPED_TEST(OrthonormalBasisOf, LeavesOutDependentColumns) {
  Matrix w = random_matrix(kRows, 8, 2);
  w.col(3) = w.col(0);
  w.col(5) = 2.0 * w.col(1) - w.col(2);
  w.col(7).setZero();
  const OrthonormalBasis basis = basis_on<TypeParam>(w, 1e-12, {}, 1);
  EXPECT_EQ(basis.vectors.cols(), 5);
  EXPECT_LT(departure(basis.vectors), 1e-10);
  EXPECT_LT((basis.vectors * basis.coordinates - w).norm(), 1e-11 * w.norm());
}

TYPED_TEST(OrthonormalBasisOf, FindsDirectionsOverTwelveDecades) {
  // A Gram matrix alone resolves eight decades; later rounds must find the rest.
  const Matrix q = orthonormal(7, 3);
  Vector lengths(7);
  lengths << 1.0, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12;
  const Matrix w = q * lengths.asDiagonal() * orthonormal(7, 4).topRows(7);
  const OrthonormalBasis basis = basis_on<TypeParam>(w, 1e-13, {}, 1);
  EXPECT_GE(basis.vectors.cols(), 6);
  EXPECT_LE(basis.vectors.cols(), 7);
  EXPECT_LT(departure(basis.vectors), 1e-9);
  EXPECT_LT((basis.vectors * basis.coordinates - w).norm(), 1e-12);
}

TYPED_TEST(OrthonormalBasisOf, StaysOrthogonalToGivenBlocksThoughShort) {
  // W is orthogonal to the block up to rounding of its long part, which scaling up reveals.
  const Matrix q = orthonormal(9, 5);
  const Matrix against = q.leftCols(4);
  Matrix w = 1e-9 * q.rightCols(5);
  w += 1e-16 * against * random_matrix(4, 5, 6);
  const OrthonormalBasis basis = basis_on<TypeParam>(w, 1e-13, {against}, 1);
  ASSERT_EQ(basis.vectors.cols(), 5);
  EXPECT_LT(departure(basis.vectors), 1e-10);
  EXPECT_LT((against.transpose() * basis.vectors).norm(), 1e-12);
}

TYPED_TEST(OrthonormalBasisOf, IsEmptyForZeroAndForNoColumns) {
  const OrthonormalBasis zero = basis_on<TypeParam>(Matrix::Zero(kRows, 3), 1e-13, {}, 1);
  EXPECT_EQ(zero.vectors.rows(), kRows);
  EXPECT_EQ(zero.vectors.cols(), 0);
  EXPECT_EQ(zero.coordinates.rows(), 0);
  EXPECT_EQ(zero.coordinates.cols(), 3);
  const OrthonormalBasis none = basis_on<TypeParam>(Matrix(kRows, 0), 1e-13, {}, 1);
  EXPECT_EQ(none.vectors.cols(), 0);
  EXPECT_EQ(none.coordinates.size(), 0);
}

TYPED_TEST(OrthonormalBasisOf, NormalizesOneColumnWhateverItsLength) {
  for (const double length : {1e6, 1.0, 1e-6, 1e-11}) {
    const Matrix w = length * orthonormal(1, 7);
    const OrthonormalBasis basis = basis_on<TypeParam>(w, 1e-13, {}, 1);
    ASSERT_EQ(basis.vectors.cols(), 1) << length;
    EXPECT_NEAR(basis.vectors.norm(), 1.0, 1e-12);
    EXPECT_NEAR(std::abs(basis.coordinates(0, 0)), length, 1e-9 * length);
  }
}

TYPED_TEST(OrthonormalBasisOf, DoesNotDependOnTheNumberOfThreads) {
  Matrix w = random_matrix(9001, 6, 8);
  w.col(4) = w.col(0) + 1e-7 * w.col(1);
  const OrthonormalBasis one = basis_on<TypeParam>(w, 1e-13, {}, 1);
  const OrthonormalBasis three = basis_on<TypeParam>(w, 1e-13, {}, 3);
  EXPECT_EQ(one.vectors, three.vectors);
  EXPECT_EQ(one.coordinates, three.coordinates);
}

}  // namespace
}  // namespace stkr::orthonormal_basis_test
