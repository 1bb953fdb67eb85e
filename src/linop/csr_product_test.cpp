#include "linop/csr_product.hpp"

#include <gtest/gtest.h>

#include <random>

#include "stkr/error.hpp"

namespace stkr::csr_product_test {
namespace {

// About `per_row` entries in each row; every seventh row is empty and one row is full.
CsrMatrix random_matrix(Index rows, Index cols, int per_row, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::int32_t> column(0, static_cast<std::int32_t>(cols) - 1);
  std::normal_distribution<double> normal;
  std::vector<Triplet> triplets;
  for (std::int32_t i = 0; i < rows; ++i) {
    if (i % 7 == 3) continue;
    if (i == 5) {
      for (std::int32_t j = 0; j < cols; ++j) triplets.push_back({i, j, normal(random)});
    }
    for (int k = 0; k < per_row; ++k) triplets.push_back({i, column(random), normal(random)});
  }
  return csr_from_triplets(rows, cols, std::move(triplets));
}

Matrix dense(const CsrMatrix& a) {
  Matrix result = Matrix::Zero(a.rows, a.cols);
  for (Index i = 0; i < a.rows; ++i) {
    for (auto p = a.row_start[i]; p < a.row_start[i + 1]; ++p) {
      result(i, a.column[p]) = a.value[p];
    }
  }
  return result;
}

class CsrProductColumns : public testing::TestWithParam<Index> {};

TEST_P(CsrProductColumns, AgreesWithTheDenseProduct) {
  std::srand(1);
  const CsrMatrix a = random_matrix(97, 61, 6, 1);
  const Matrix x = Matrix::Random(61, GetParam());
  Matrix y = Matrix::Constant(97, GetParam(), 7.0);
  multiply(a, x, y, 1);
  EXPECT_LT((y - dense(a).lazyProduct(x)).cwiseAbs().maxCoeff(), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(EveryWidthAndSeveralStrips, CsrProductColumns,
                         testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
                                         31, 32, 33, 50));

TEST(CsrProduct, AddsARectangularProduct) {
  std::srand(5);
  const CsrMatrix a = random_matrix(53, 31, 4, 3);
  const Matrix x = Matrix::Random(31, 5), before = Matrix::Random(53, 5);
  Matrix y = before;
  multiply_add(a, -0.5, x, y, 1);
  EXPECT_LT((y - (before - 0.5 * dense(a).lazyProduct(x))).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(CsrProduct, GivesTheSameBitsForAnyNumberOfThreads) {
  std::srand(2);
  const CsrMatrix a = random_matrix(30000, 30000, 12, 2);
  const Matrix x = Matrix::Random(30000, 5);
  Matrix one(30000, 5);
  multiply(a, x, one, 1);
  for (const int threads : {2, 3}) {
    Matrix y(30000, 5);
    multiply(a, x, y, threads);
    EXPECT_EQ(y, one) << threads << " threads";
  }
}

TEST(CsrProduct, WorksOnColumnsOfAWiderBlock) {
  std::srand(3);
  const CsrMatrix a = random_matrix(40, 40, 4, 3);
  const Matrix x = Matrix::Random(40, 9);
  Matrix y = Matrix::Zero(40, 9);
  multiply(a, x.middleCols(2, 3), y.middleCols(4, 3), 1);
  const Matrix expected = dense(a).lazyProduct(x.middleCols(2, 3));
  EXPECT_LT((y.middleCols(4, 3) - expected).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_EQ(y.leftCols(4).cwiseAbs().maxCoeff(), 0.0);
  EXPECT_EQ(y.rightCols(2).cwiseAbs().maxCoeff(), 0.0);
}

TEST(CsrProduct, GivesZeroForAnEmptyMatrix) {
  const CsrMatrix a = csr_from_triplets(3, 2, {});
  Matrix y = Matrix::Constant(3, 2, 1.0);
  multiply(a, Matrix::Ones(2, 2), y);
  EXPECT_EQ(y, Matrix::Zero(3, 2));
}

TEST(CsrProduct, RefusesBlocksThatDoNotFit) {
  const CsrMatrix a = csr_from_triplets(3, 2, {});
  Matrix y(3, 2);
  EXPECT_THROW(multiply(a, Matrix::Ones(3, 2), y), ShapeError);
  EXPECT_THROW(multiply(a, Matrix::Ones(2, 1), y), ShapeError);
}

}  // namespace
}  // namespace stkr::csr_product_test
