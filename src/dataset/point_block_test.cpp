#include "dataset/point_block.hpp"

#include <gtest/gtest.h>

#include "stkr/linop/feature_matrix.hpp"

namespace stkr::point_block_test {
namespace {

TEST(PointBlock, PutsColumnsInAnotherOrder) {
  const Matrix points = (Matrix(2, 3) << 1, 0, 2, 0, 3, 4).finished();
  const Matrix expected = (Matrix(2, 3) << 2, 1, 0, 4, 0, 3).finished();
  const std::vector<Index> order{2, 0, 1};
  EXPECT_EQ(std::get<Matrix>(in_order(points, order)), expected);
  EXPECT_EQ(dense_of(std::get<CsrMatrix>(in_order(sparse_of(points), order))), expected);
}

TEST(PointBlock, AppendsRowsOfEitherKind) {
  const Matrix points = (Matrix(5, 3) << 1, 0, 2, 0, 3, 4, 0, 0, 0, 5, 6, 0, 7, 0, 8).finished();
  for (const bool sparse : {false, true}) {
    const auto block = [&](Index first, Index count) -> PointBlock {
      const Matrix rows = points.middleRows(first, count);
      if (sparse) return sparse_of(rows);
      return rows;
    };
    PointBlock all = block(0, 2);
    Index rows = rows_of(all);
    for (Index first = 2; first < 5; ++first) append_rows(all, rows, block(first, 1));
    if (sparse) {
      EXPECT_EQ(dense_of(std::get<CsrMatrix>(all)), points);
    } else {
      EXPECT_EQ(rows, 5);
      EXPECT_EQ(std::get<Matrix>(all).topRows(5), points);
    }
  }
}

}  // namespace
}  // namespace stkr::point_block_test
