#include "stkr/linop/block_algebra.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dense_operator.hpp"
#include "linop/normal_rows.hpp"
#include "stkr/linop/block.hpp"

namespace stkr::block_algebra_test {
namespace {

constexpr Index kRows = 9001;  // several chunks and a remainder

TEST(BlockAlgebra, MatchesPlainFormulas) {
  const Matrix x = random_matrix(kRows, 5, 1), y = random_matrix(kRows, 5, 2);
  const Vector a = random_matrix(5, 1, 3);
  EXPECT_LT(
      (column_dots(x, y, 2) - (x.array() * y.array()).colwise().sum().matrix().transpose()).norm(),
      1e-9);
  EXPECT_LT((column_norms(x, 2) - x.colwise().norm().transpose()).norm(), 1e-9);
  Matrix sum = y;
  add_scaled(a, x, sum, 2);
  EXPECT_LT((sum - (y + x * a.asDiagonal())).norm(), 1e-10);
  Matrix scaled(kRows, 5);
  scale_columns(a, x, scaled, 2);
  EXPECT_EQ(scaled, Matrix(x * a.asDiagonal()));
  divide_columns(a, x, scaled, 2);
  EXPECT_LT((scaled * a.asDiagonal() - x).norm(), 1e-12);
  Matrix other = y;
  scale_and_add(a, x, other, 2);
  EXPECT_LT((other - (x + y * a.asDiagonal())).norm(), 1e-10);
  EXPECT_LT((tall_product(x, y, 2) - x.transpose() * y).norm(), 1e-9);
  const Matrix small = random_matrix(5, 3, 4);
  EXPECT_LT((tall_times_small(x, small, 2) - x * small).norm(), 1e-10);
  EXPECT_LT((symmetric_tall_product(x, x, 2) - x.transpose() * x).norm(), 1e-9);
  Matrix less = y.leftCols(3);
  subtract_product(x, small, less, 2);
  EXPECT_LT((less - (y.leftCols(3) - x * small)).norm(), 1e-10);
}

TEST(BlockAlgebra, TakesOneTriangleOfAProductKnownToBeSymmetric) {
  // XᵀAX with A = diag(a), for widths below and above the inner tile size.
  const Vector a = random_matrix(kRows, 1, 5);
  for (const Index columns : {1, 2, 7, 33, 130}) {
    const Matrix x = random_matrix(kRows, columns, 6);
    const Matrix ax = a.asDiagonal() * x;
    const Matrix product = symmetric_tall_product(x, ax, 2);
    EXPECT_EQ(product, Matrix(product.transpose())) << columns;
    EXPECT_LT((product - x.transpose() * ax).norm(), 1e-8) << columns;
    const Matrix gram = symmetric_tall_product(x, x, 2);
    EXPECT_EQ(gram, Matrix(gram.transpose())) << columns;
    EXPECT_LT((gram - x.transpose() * x).norm(), 1e-8) << columns;
  }
}

TEST(BlockAlgebra, DoesNotDependOnTheNumberOfThreads) {
  const Matrix x = random_matrix(kRows, 5, 1), y = random_matrix(kRows, 5, 2);
  EXPECT_EQ(column_dots(x, y, 1), column_dots(x, y, 2));
  EXPECT_EQ(tall_product(x, y, 1), tall_product(x, y, 3));
  EXPECT_EQ(tall_times_small(x, y.topRows(5), 1), tall_times_small(x, y.topRows(5), 2));
  EXPECT_EQ(symmetric_tall_product(x, x, 1), symmetric_tall_product(x, x, 3));
  Matrix one = y, three = y;
  subtract_product(x, y.topRows(5), one, 1);
  subtract_product(x, y.topRows(5), three, 3);
  EXPECT_EQ(one, three);
}

TEST(BlockAlgebra, UsesSymmetryAndTriangles) {
  // More columns than a tile, and not a multiple of it.
  const Matrix x = random_matrix(700, 301, 5);
  const Matrix gram = symmetric_tall_product(x, x, 2);
  EXPECT_LT((gram - x.transpose() * x).norm(), 1e-9);
  EXPECT_EQ(gram, gram.transpose());
  const Matrix upper = random_matrix(301, 301, 6).triangularView<Eigen::Upper>();
  Matrix one = x, three = x;
  multiply_by_upper(one, upper, 1);
  multiply_by_upper(three, upper, 3);
  EXPECT_LT((one - x * upper).norm(), 1e-9);
  EXPECT_EQ(one, three);
  EXPECT_EQ(gram, symmetric_tall_product(x, x, 1));
}

TEST(BlockAlgebra, CombinesBlocksInOnePass) {
  const Matrix u = random_matrix(kRows, 3, 1), x = random_matrix(kRows, 3, 2);
  const Matrix y = random_matrix(kRows, 3, 3), z = random_matrix(kRows, 3, 4);
  Matrix sum = y;
  axpby(2.0, x, -0.5, sum, 2);
  EXPECT_LT((sum - (2.0 * x - 0.5 * y)).norm(), 1e-12);
  Matrix step = y;
  recurrence_step(2.0, u, 3.0, x, -1.0, step, 2);
  EXPECT_LT((step - (2.0 * u + 3.0 * x - y)).norm(), 1e-11);
  Matrix unread = Matrix::Constant(kRows, 3, std::nan(""));
  axpby(2.0, x, 0.0, unread, 2);
  EXPECT_EQ(unread, Matrix(2.0 * x));
  unread.setConstant(std::nan(""));
  recurrence_step(2.0, u, 3.0, x, 0.0, unread, 2);
  EXPECT_LT((unread - (2.0 * u + 3.0 * x)).norm(), 1e-11);
  const DirectionStep step_sizes{random_matrix(3, 1, 5), random_matrix(3, 1, 6),
                                 random_matrix(3, 1, 7), random_matrix(3, 1, 8)};
  Matrix w(kRows, 3), moved = z;
  direction_step(step_sizes, u, x, y, w, moved, 2);
  const Matrix expected =
      (u - x * step_sizes.older.asDiagonal() - y * step_sizes.old.asDiagonal()) *
      step_sizes.scale.asDiagonal();
  EXPECT_LT((w - expected).norm(), 1e-11);
  EXPECT_LT((moved - (z + expected * step_sizes.length.asDiagonal())).norm(), 1e-11);
}

TEST(BlockAlgebra, TakesSomeColumnsOfLargerBlocks) {
  const Matrix wide = random_matrix(kRows, 7, 1), whole = random_matrix(kRows, 7, 2);
  const Matrix x = wide.middleCols(2, 3), y = whole.middleCols(1, 3);
  const Vector a = random_matrix(3, 1, 3);
  const DirectionStep sizes{random_matrix(3, 1, 5), random_matrix(3, 1, 6), random_matrix(3, 1, 7),
                            random_matrix(3, 1, 8)};
  const auto same = [&](const char* what, const auto& change) {
    Matrix expected = y, some = whole;
    change(ConstMatrixRef(x), MatrixRef(expected));
    change(wide.middleCols(2, 3), some.middleCols(1, 3));
    EXPECT_LT((some.middleCols(1, 3) - expected).cwiseAbs().maxCoeff(), 1e-14) << what;
    EXPECT_EQ(some.leftCols(1), whole.leftCols(1)) << what;
    EXPECT_EQ(some.rightCols(3), whole.rightCols(3)) << what;
  };
  using In = ConstMatrixRef;
  using Out = MatrixRef;
  same("add_scaled", [&](In in, Out out) { add_scaled(a, in, out, 2); });
  same("scale_and_add", [&](In in, Out out) { scale_and_add(a, in, out, 2); });
  same("axpby", [&](In in, Out out) { axpby(0.3, in, 1.7, out, 2); });
  same("recurrence_step", [&](In in, Out out) { recurrence_step(2.0, in, 0.3, in, -1.0, out, 2); });
  same("direction_step", [&](In in, Out out) {
    Matrix w = in;  // also one of the earlier directions
    direction_step(sizes, in, in, w, w, out, 2);
  });
}

TEST(BlockAlgebra, ScalesRows) {
  const Matrix w = random_matrix(kRows, 1, 1), t = random_matrix(kRows, 1, 2);
  const Matrix x = random_matrix(kRows, 3, 3), y = random_matrix(kRows, 3, 4);
  Matrix scaled = x;
  scale_rows(w, scaled, scaled, 2);
  EXPECT_EQ(scaled, Matrix(w.col(0).asDiagonal() * x));
  Matrix sum = y;
  add_and_scale_rows(w, t, x, sum, 2);
  EXPECT_LT((sum - w.col(0).asDiagonal() * (y + t.col(0).asDiagonal() * x)).norm(), 1e-11);
}

TEST(BlockAlgebra, CopiesAndJoinsColumns) {
  const Matrix x = random_matrix(kRows, 4, 1), more = random_matrix(kRows, 2, 2);
  EXPECT_EQ(copy_of<Matrix>(columns_of(x, 1, 2), 2), Matrix(x.middleCols(1, 2)));
  Matrix joined = x;
  append_columns<Matrix>(joined, more, 2);
  EXPECT_EQ(joined.leftCols(4), x);
  EXPECT_EQ(joined.rightCols(2), more);
  set_zero(mutable_columns(joined, 1, 3), 2);
  EXPECT_EQ(joined.middleCols(1, 3).norm(), 0.0);
  EXPECT_EQ(joined.col(0), x.col(0));
  const std::vector<Index> order{3, 0};
  Matrix some(kRows, 2);
  gather_columns(x, order, some, 2);
  EXPECT_EQ(some.col(0), x.col(3));
  EXPECT_EQ(some.col(1), x.col(0));
}

TEST(BlockAlgebra, FillsWithTheNextRandomNumbers) {
  Random random(7);
  Matrix x(20, 3), y(5, 3);
  fill_normal(random, x);
  fill_normal(random, y);
  const Matrix both = random_matrix(25, 3, 7);
  EXPECT_EQ(x, Matrix(both.topRows(20)));
  EXPECT_EQ(y, Matrix(both.bottomRows(5)));
}

TEST(BlockAlgebra, FillsManyRowsInPartsThatEveryProcessCanMake) {
  constexpr Index kMany = 200'000;
  Random random(7);
  Matrix x(kMany, 2);
  fill_normal(random, x);
  EXPECT_EQ(Matrix(x.topRows(10)), random_matrix(10, 2, 7));
  EXPECT_NEAR(x.mean(), 0.0, 0.01);
  EXPECT_NEAR(x.squaredNorm() / (2.0 * kMany), 1.0, 0.01);
  EXPECT_NE(x(70'000, 0), x(140'000, 0));
  const double next = random.uniform();
  for (const auto& [first, count] : std::vector<std::pair<Index, Index>>{
           {0, 100}, {65'000, 2000}, {131'000, 69'000}, {199'999, 1}, {5, 0}}) {
    Random other(7);
    Matrix rows(count, 2);
    fill_normal_rows(other, kMany, first, rows);
    EXPECT_EQ(rows, Matrix(x.middleRows(first, count))) << first;
    EXPECT_EQ(other.uniform(), next);
  }
}

TEST(BlockAlgebra, FindsAValueThatIsNotFinite) {
  Matrix x = random_matrix(kRows, 3, 1);
  EXPECT_TRUE(all_finite(x, 2));
  x(kRows - 1, 2) = std::nan("");
  EXPECT_FALSE(all_finite(x, 2));
  EXPECT_TRUE(all_finite(columns_of(x, 0, 2), 2));
}

TEST(BlockAlgebra, ScattersAndGathersRows) {
  const Matrix rows = random_matrix(2, 3, 1);
  const std::vector<Index> samples{4, 1};
  const Matrix block = scatter_rows(rows, samples, 6);
  EXPECT_EQ(block.row(4), rows.row(0));
  EXPECT_EQ(block.row(1), rows.row(1));
  EXPECT_EQ(block.row(0).norm(), 0.0);
  EXPECT_EQ(gather_rows(block, samples), rows);
  Matrix placed = Matrix::Ones(6, 3), taken(2, 3);
  scatter_rows(rows, samples, placed, 2);
  EXPECT_EQ(placed, block);
  gather_rows(2.0, block, samples, taken, 2);
  EXPECT_EQ(taken, Matrix(2.0 * rows));
}

TEST(BlockAlgebra, AcceptsEmptyBlocks) {
  const Matrix x(0, 3);
  EXPECT_EQ(column_norms(x, 2), Vector::Zero(3));
  EXPECT_EQ(tall_product(x, x, 2), Matrix::Zero(3, 3));
  EXPECT_EQ(symmetric_tall_product(x, x, 2), Matrix::Zero(3, 3));
  EXPECT_EQ(symmetric_tall_product(Matrix(7, 0), Matrix(7, 0), 2).size(), 0);
  Matrix y = Matrix::Ones(7, 2);
  subtract_product(Matrix(7, 0), Matrix(0, 2), y, 2);
  EXPECT_EQ(y, Matrix::Ones(7, 2));
}

}  // namespace
}  // namespace stkr::block_algebra_test
