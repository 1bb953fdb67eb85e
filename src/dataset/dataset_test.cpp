#include "stkr/dataset/dataset.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::dataset_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

std::string points_refusal(const Matrix& values) {
  return message_of<DataError>([&] { check_points(values, "a.npy"); });
}

TEST(Dataset, PointsHaveToBeFinite) {
  Matrix values = Matrix::Zero(3, 2);
  EXPECT_EQ(points_refusal(values), "");
  values(2, 1) = NAN;
  EXPECT_THAT(points_refusal(values), HasSubstr("row 2, column 1"));
  EXPECT_THAT(points_refusal(Matrix(0, 2)), HasSubstr("at least one"));
  EXPECT_THAT(points_refusal(Matrix(3, 0)), HasSubstr("at least one"));
}

TEST(Dataset, KernelsHaveToBeSquareAndSymmetric) {
  Matrix values = Matrix::Identity(3, 3);
  EXPECT_NO_THROW(check_kernel(values, "K"));
  values(0, 2) = 0.5;
  EXPECT_THAT(message_of<DataError>([&] { check_kernel(values, "K"); }), HasSubstr("(2, 0)"));
  EXPECT_THROW(check_kernel(Matrix::Zero(2, 3), "K"), DataError);
}

CsrMatrix two_nodes(double forth, double back) {
  return {.rows = 2, .cols = 2, .row_start = {0, 1, 2}, .column = {1, 0}, .value = {forth, back}};
}

std::string adjacency_refusal(CsrMatrix matrix) {
  return message_of<DataError>([&] { checked_adjacency(std::move(matrix), false, "g.npz"); });
}

TEST(Dataset, AdjacencyHasToBeSymmetricUnlessToldOtherwise) {
  EXPECT_EQ(adjacency_refusal(two_nodes(1.0, 1.0)), "");
  const std::string message = adjacency_refusal(two_nodes(1.0, 2.0));
  EXPECT_THAT(message, HasSubstr("(0, 1)"));
  EXPECT_THAT(message, HasSubstr("symmetrize"));
  const CsrMatrix larger = checked_adjacency(two_nodes(1.0, 2.0), true, "g.npz");
  EXPECT_THAT(larger.value, ElementsAre(2.0, 2.0));
}

TEST(Dataset, AdjacencyForgivesRounding) {
  const CsrMatrix matrix = checked_adjacency(two_nodes(1.0, 1.0 + 1e-8), false, "g.npz");
  EXPECT_EQ(asymmetry(matrix).largest, 0.0);
}

TEST(Dataset, AdjacencyRefusesBadWeights) {
  EXPECT_THAT(adjacency_refusal(two_nodes(-1.0, -1.0)), HasSubstr("weight -1"));
  EXPECT_THAT(adjacency_refusal(two_nodes(NAN, NAN)), HasSubstr("weight nan"));
  EXPECT_THAT(adjacency_refusal(two_nodes(INFINITY, INFINITY)), HasSubstr("weight inf"));
}

TEST(Dataset, AdjacencyIsSortedAndMergedAndFreedOfZeros) {
  const CsrMatrix matrix = checked_adjacency({.rows = 2,
                                              .cols = 2,
                                              .row_start = {0, 3, 5},
                                              .column = {1, 0, 1, 1, 0},
                                              .value = {1.0, 4.0, 1.0, 0.0, 2.0}},
                                             false, "g.npz");
  EXPECT_THAT(matrix.row_start, ElementsAre(0, 2, 3));
  EXPECT_THAT(matrix.column, ElementsAre(0, 1, 0));
  EXPECT_THAT(matrix.value, ElementsAre(4.0, 2.0, 2.0));
}

TEST(Dataset, AdjacencyRefusesArraysThatDisagree) {
  CsrMatrix matrix = two_nodes(1.0, 1.0);
  matrix.column[0] = 2;
  EXPECT_THAT(adjacency_refusal(matrix), HasSubstr("out of range"));
  matrix = two_nodes(1.0, 1.0);
  matrix.row_start = {0, 2, 1};
  EXPECT_NE(adjacency_refusal(matrix), "");
  matrix.row_start = {0, 3, 2};
  EXPECT_THAT(adjacency_refusal(matrix), HasSubstr("decrease"));
  matrix = two_nodes(1.0, 1.0);
  matrix.value.pop_back();
  EXPECT_THAT(adjacency_refusal(matrix), HasSubstr("1 values but 2"));
  matrix = two_nodes(1.0, 1.0);
  matrix.cols = 3;
  EXPECT_THAT(adjacency_refusal(matrix), HasSubstr("square"));
  matrix.rows = Index{1} << 40;
  EXPECT_NE(adjacency_refusal(matrix), "");
}

TEST(Dataset, NeedsALabelForEverySample) {
  const Labels labels = class_labels(std::vector<std::string>{"a", ""});
  EXPECT_NO_THROW(check_label_count(labels, 2, "a.npz"));
  EXPECT_NO_THROW(check_label_count({}, 2, "a.npz"));
  EXPECT_THAT(message_of<DataError>([&] { check_label_count(labels, 3, "a.npz"); }),
              HasSubstr("2 labels for 3 samples"));
}

}  // namespace
}  // namespace stkr::dataset_test
