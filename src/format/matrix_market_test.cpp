#include "format/matrix_market.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stkr/dataset/generators.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::matrix_market_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;
using testing::TemporaryFolder;

class MatrixMarket : public ::testing::Test {
 protected:
  std::variant<CsrMatrix, Matrix> load(std::string_view text) const {
    return load_matrix_market(folder_.write("a.mtx", text));
  }
  std::string refusal(std::string_view text) const {
    return message_of<DataError>([&] { load(text); });
  }
  std::string coordinate_refusal(std::string_view rest) const {
    return refusal("%%MatrixMarket matrix coordinate real general\n" + std::string(rest));
  }
  TemporaryFolder folder_;
};

TEST_F(MatrixMarket, ReadsASymmetricPattern) {
  const auto matrix = std::get<CsrMatrix>(
      load("%%MatrixMarket matrix coordinate pattern symmetric\n% a comment\n\n3 3 2\n2 1\n3 3\n"));
  EXPECT_THAT(matrix.row_start, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(matrix.column, ElementsAre(1, 0, 2));
  EXPECT_THAT(matrix.value, ElementsAre(1.0, 1.0, 1.0));
}

TEST_F(MatrixMarket, AddsUpEntriesGivenTwice) {
  const auto matrix = std::get<CsrMatrix>(
      load("%%MatrixMarket MATRIX Coordinate Integer General\r\n2 3 2\r\n1 3 2\r\n1 3 5\r\n"));
  EXPECT_EQ(matrix.cols, 3);
  EXPECT_THAT(matrix.value, ElementsAre(7.0));
}

TEST_F(MatrixMarket, ReadsArraysByColumns) {
  EXPECT_EQ(std::get<Matrix>(load("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4e0\n")),
            (Matrix(2, 2) << 1, 3, 2, 4).finished());
  EXPECT_EQ(std::get<Matrix>(load("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n")),
            (Matrix(2, 2) << 1, 2, 2, 3).finished());
}

TEST_F(MatrixMarket, RefusesWhatItCannotRead) {
  EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate complex general\n1 1 0\n"),
              HasSubstr("complex"));
  EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate real skew-symmetric\n1 1 0\n"),
              HasSubstr("skew-symmetric"));
  EXPECT_THAT(refusal("1 1 1\n"), HasSubstr("line 1"));
}

TEST_F(MatrixMarket, NamesTheLineOfAnError) {
  EXPECT_THAT(coordinate_refusal("2 2 1\n3 1 1.0\n"), HasSubstr("line 3: '3'"));
  EXPECT_THAT(coordinate_refusal("2 2 1\n0 1 1.0\n"), HasSubstr("'0'"));
  EXPECT_THAT(coordinate_refusal("2 2 1\n1 1 x\n"), HasSubstr("'x' is not a number"));
  EXPECT_THAT(coordinate_refusal("2 2 1\n1 1 nan\n"), HasSubstr("not finite"));
  EXPECT_THAT(coordinate_refusal("2 2 1\n1 1\n"), HasSubstr("has 2 numbers, expected 3"));
  EXPECT_THAT(coordinate_refusal("2 2 2\n1 1 1\n"), HasSubstr("after 1 of 2"));
  EXPECT_THAT(coordinate_refusal("2 2 1\n1 1 1\n1 2 1\n"), HasSubstr("more entries"));
  EXPECT_THAT(coordinate_refusal(""), HasSubstr("ends before"));
  EXPECT_THAT(coordinate_refusal("2 2\n"), HasSubstr("expected 3 sizes"));
}

TEST_F(MatrixMarket, RefusesHostileSizes) {
  EXPECT_THAT(coordinate_refusal("2000000000 2000000000 0\n"), HasSubstr("too large for a file"));
  EXPECT_THAT(coordinate_refusal("2 2 9000000000000000000\n1 1 1\n"), HasSubstr("truncated"));
  EXPECT_THAT(coordinate_refusal("99999999999999999999 2 1\n"), HasSubstr("not a size"));
  EXPECT_THAT(refusal("%%MatrixMarket matrix array real general\n4000000000 4000000000\n1\n"),
              HasSubstr("cannot contain"));
  EXPECT_THAT(refusal("%%MatrixMarket matrix array real general\n0 4000000000\n"),
              HasSubstr("cannot contain"));
}

TEST_F(MatrixMarket, SavesWhatItLoads) {
  const Matrix dense = Matrix::Random(4, 3);
  save_matrix_market(folder_ / "dense.mtx", dense);
  EXPECT_EQ(std::get<Matrix>(load_matrix_market(folder_ / "dense.mtx")), dense);
  const std::vector<Index> blocks = {30, 20};
  CsrMatrix graph = stochastic_block_model(blocks, 0.3, 0.05, 1).graph().adjacency;
  save_matrix_market(folder_ / "graph.mtx", graph);
  EXPECT_THAT(testing::content_of(folder_ / "graph.mtx"), HasSubstr("symmetric"));
  auto loaded = std::get<CsrMatrix>(load_matrix_market(folder_ / "graph.mtx"));
  EXPECT_EQ(loaded.column, graph.column);
  EXPECT_EQ(loaded.row_start, graph.row_start);
  graph.value[0] = 1.0 / 3.0;  // no longer symmetric
  save_matrix_market(folder_ / "graph.mtx", graph);
  loaded = std::get<CsrMatrix>(load_matrix_market(folder_ / "graph.mtx"));
  EXPECT_EQ(loaded.value, graph.value);
}

}  // namespace
}  // namespace stkr::matrix_market_test
