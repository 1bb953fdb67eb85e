#include "stkr/dataset/table_encoding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "stkr/error.hpp"
#include "stkr/linop/feature_matrix.hpp"

namespace stkr::table_encoding_test {
namespace {

using ::testing::ElementsAre;

TableEncoding flowers() {
  return {.columns = {{.name = "length"},
                      {.name = "color", .kind = ColumnKind::category, .levels = {"blue", "red"}},
                      {.name = "grown", .kind = ColumnKind::boolean}}};
}

TEST(TableEncoding, NamesOneFeaturePerLevel) {
  EXPECT_EQ(flowers().features(), 4);
  EXPECT_THAT(flowers().feature_names(), ElementsAre("length", "color=blue", "color=red", "grown"));
  EXPECT_FALSE(flowers().numbers_only());
  EXPECT_TRUE(TableEncoding{}.numbers_only());
}

TEST(TableEncoding, StandardizesToMeanZeroAndDeviationOne) {
  Matrix points = Matrix::Random(50, 3);
  points.col(0) *= 1e6;
  points.col(0).array() += 1e9;
  points.col(2).setConstant(0.1);  // 0.1 is not exact: the mean may differ by rounding
  TableEncoding encoding;
  encoding.learn_scale(points);
  const Matrix before = points;
  encoding.standardize(points);
  for (Index c = 0; c < 2; ++c) {
    double mean = 0.0, squares = 0.0;
    for (Index i = 0; i < 50; ++i) mean += points(i, c) / 50;
    for (Index i = 0; i < 50; ++i) squares += std::pow(points(i, c) - mean, 2) / 50;
    EXPECT_NEAR(mean, 0.0, 1e-9);
    EXPECT_NEAR(squares, 1.0, 1e-9);
  }
  EXPECT_EQ(encoding.scale[2], 1.0);
  EXPECT_LT(points.col(2).cwiseAbs().maxCoeff(), 1e-12);
  Matrix narrow(1, 2);
  EXPECT_THROW(encoding.standardize(narrow), ShapeError);
  TableEncoding nothing;
  points = before;
  nothing.standardize(points);
  EXPECT_EQ(points, before);
}

TEST(TableEncoding, ScalesSparsePointsAndKeepsThemSparse) {
  Matrix dense = Matrix::Zero(40, 3);
  for (Index i = 0; i < 40; i += 3) dense(i, 0) = 2.0 + static_cast<double>(i);
  dense.col(1).setConstant(0.1);
  CsrMatrix points = sparse_of(dense);
  const std::int64_t entries = points.entries();
  TableEncoding encoding;
  encoding.learn_scale(points);
  encoding.standardize(points);
  EXPECT_EQ(points.entries(), entries);
  EXPECT_TRUE((encoding.center.array() == 0.0).all());
  double mean = 0.0, squares = 0.0;
  for (Index i = 0; i < 40; ++i) mean += dense(i, 0) / 40;
  for (Index i = 0; i < 40; ++i) squares += std::pow(dense(i, 0) - mean, 2) / 40;
  EXPECT_NEAR(encoding.scale[0], std::sqrt(squares), 1e-12);
  EXPECT_EQ(encoding.scale[1], 1.0);
  EXPECT_EQ(encoding.scale[2], 1.0);
  dense.col(0) /= encoding.scale[0];
  EXPECT_LT((dense_of(points) - dense).cwiseAbs().maxCoeff(), 1e-15);
  CsrMatrix narrow = sparse_of(Matrix::Ones(1, 2));
  EXPECT_THROW(encoding.standardize(narrow), ShapeError);
}

TEST(TableEncoding, ChecksWhatWasStored) {
  flowers().check();
  TableEncoding scaled = flowers();
  scaled.center = scaled.scale = Vector::Ones(4);
  scaled.check();
  scaled.scale = Vector::Ones(3);
  EXPECT_THROW(scaled.check(), ValueError);
  scaled.scale = (Vector(4) << 1, 0, 1, 1).finished();
  EXPECT_THROW(scaled.check(), ValueError);
  scaled.scale = (Vector(4) << 1, NAN, 1, 1).finished();
  EXPECT_THROW(scaled.check(), ValueError);
  TableEncoding unsorted = flowers();
  unsorted.columns[1].levels = {"red", "blue"};
  EXPECT_THROW(unsorted.check(), ValueError);
  TableEncoding number = flowers();
  number.columns[0].levels = {"red"};
  EXPECT_THROW(number.check(), ValueError);
  TableEncoding fill = flowers();
  fill.columns[0].fill = INFINITY;
  EXPECT_THROW(fill.check(), ValueError);
}

}  // namespace
}  // namespace stkr::table_encoding_test
