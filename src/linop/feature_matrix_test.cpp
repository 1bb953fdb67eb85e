#include "stkr/linop/feature_matrix.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "stkr/error.hpp"

namespace stkr::feature_matrix_test {
namespace {

Matrix numbers() { return (Matrix(3, 3) << 0, 2, 0, 0, 0, 0, -1, 0, 5).finished(); }

TEST(FeatureMatrix, HoldsDenseOrSparseValues) {
  const FeatureMatrix dense(numbers()), sparse(sparse_of(numbers()));
  EXPECT_EQ(dense.sparse(), nullptr);
  ASSERT_NE(sparse.sparse(), nullptr);
  EXPECT_EQ(sparse.sparse()->row_start, (std::vector<std::int64_t>{0, 1, 1, 3}));
  EXPECT_EQ(sparse.sparse()->column, (std::vector<std::int32_t>{1, 0, 2}));
  EXPECT_EQ(dense.dense().matrix(), numbers());
  EXPECT_THROW(sparse.dense(), ValueError);
  for (const FeatureMatrix& each : {dense, sparse}) {
    EXPECT_EQ(each.rows(), 3);
    EXPECT_EQ(each.cols(), 3);
    EXPECT_EQ(each.matrix(), numbers());
    for (Index i = 0; i < 3; ++i) {
      for (Index j = 0; j < 3; ++j) EXPECT_EQ(each(i, j), numbers()(i, j));
    }
  }
}

TEST(FeatureMatrix, ComparesValuesHoweverTheyAreStored) {
  const FeatureMatrix dense(numbers()), sparse(sparse_of(numbers()));
  EXPECT_EQ(dense, sparse);
  EXPECT_EQ(sparse, dense);
  EXPECT_EQ(sparse, FeatureMatrix(sparse_of(numbers())));
  EXPECT_EQ(dense, FeatureMatrix(MatrixF(numbers().cast<float>())));
  EXPECT_NE(sparse, FeatureMatrix(sparse_of(2.0 * numbers())));
  EXPECT_NE(sparse, FeatureMatrix(numbers().leftCols(2)));
}

TEST(FeatureMatrix, ChoosesRows) {
  const std::vector<Index> rows{2, 1, 2};
  Matrix expected(3, 3);
  for (Index i = 0; i < 3; ++i) expected.row(i) = numbers().row(rows[i]);
  const FeatureMatrix dense(numbers()), sparse(sparse_of(numbers()));
  EXPECT_EQ(dense.chosen_rows(rows).matrix(), expected);
  EXPECT_EQ(sparse.chosen_rows(rows).matrix(), expected);
  EXPECT_NE(sparse.chosen_rows(rows).sparse(), nullptr);
}

}  // namespace
}  // namespace stkr::feature_matrix_test
