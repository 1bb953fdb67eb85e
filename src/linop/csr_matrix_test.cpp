#include "stkr/linop/csr_matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "stkr/error.hpp"

namespace stkr::csr_matrix_test {
namespace {

CsrMatrix example() { return csr_from_triplets(3, 3, {{2, 0, 5.0}, {0, 1, 1.0}, {0, 1, 2.0}}); }

TEST(CsrMatrix, SortsTripletsAndAddsUpDuplicates) {
  const CsrMatrix a = example();
  EXPECT_EQ(a.row_start, (std::vector<std::int64_t>{0, 1, 1, 2}));
  EXPECT_EQ(a.column, (std::vector<std::int32_t>{1, 0}));
  EXPECT_EQ(a.value, (std::vector<double>{3.0, 5.0}));
  EXPECT_NO_THROW(check_csr(a, "test"));
}

TEST(CsrMatrix, RejectsTripletsOutsideTheMatrix) {
  EXPECT_THROW(csr_from_triplets(2, 2, {{0, 2, 1.0}}), ValueError);
  EXPECT_THROW(csr_from_triplets(2, 2, {{-1, 0, 1.0}}), ValueError);
}

TEST(CsrMatrix, TransposesTwiceToItself) {
  const CsrMatrix a = example();
  const CsrMatrix t = transpose(a);
  EXPECT_EQ(t.row_start, (std::vector<std::int64_t>{0, 1, 2, 2}));
  EXPECT_EQ(t.column, (std::vector<std::int32_t>{2, 0}));
  const CsrMatrix back = transpose(t);
  EXPECT_EQ(back.column, a.column);
  EXPECT_EQ(back.value, a.value);
}

TEST(CsrMatrix, FindsTheLargestAsymmetry) {
  const Asymmetry worst = asymmetry(example());
  EXPECT_EQ(worst.largest, 5.0);
  EXPECT_EQ(worst.row + worst.column, 2);
  EXPECT_EQ(asymmetry(symmetrized(example())).largest, 0.0);
}

TEST(CsrMatrix, SymmetrizesByTheLargerOfBothDirections) {
  const CsrMatrix s = symmetrized(csr_from_triplets(2, 2, {{0, 1, 1.0}, {1, 0, 4.0}, {1, 1, 2.0}}));
  EXPECT_EQ(s.column, (std::vector<std::int32_t>{1, 0, 1}));
  EXPECT_EQ(s.value, (std::vector<double>{4.0, 4.0, 2.0}));
}

TEST(CsrMatrix, ChecksEveryPartOfAMatrix) {
  const auto broken = [](auto&& change) {
    CsrMatrix a = csr_from_triplets(2, 3, {{0, 0, 1.0}, {0, 2, 2.0}, {1, 1, 3.0}});
    change(a);
    return a;
  };
  EXPECT_THROW(check_csr(broken([](CsrMatrix& a) { a.row_start.pop_back(); }), "t"), ShapeError);
  EXPECT_THROW(check_csr(broken([](CsrMatrix& a) { a.value.pop_back(); }), "t"), ShapeError);
  EXPECT_THROW(check_csr(broken([](CsrMatrix& a) { a.row_start[2] = 9; }), "t"), ValueError);
  EXPECT_THROW(check_csr(broken([](CsrMatrix& a) { a.row_start[1] = 4; }), "t"), ValueError);
  EXPECT_THROW(check_csr(broken([](CsrMatrix& a) { a.column[1] = 3; }), "t"), ValueError);
  EXPECT_THROW(check_csr(broken([](CsrMatrix& a) { a.column[1] = 0; }), "t"), ValueError);
  EXPECT_THROW(check_csr(broken([](CsrMatrix& a) { a.value[0] = std::nan(""); }), "t"), ValueError);
}

// Compares with the definition for every pattern of the six off-diagonal entries of a 3 x 3 matrix.
TEST(CsrMatrix, FindsTheWorstAsymmetryWhereverItIs) {
  for (int pattern = 0; pattern < 64; ++pattern) {
    std::vector<Triplet> triplets{{1, 1, 9.0}};
    Matrix dense = Matrix::Zero(3, 3);
    int bit = 0;
    for (std::int32_t i = 0; i < 3; ++i) {
      for (std::int32_t j = 0; j < 3; ++j) {
        if (i == j || (pattern >> bit++ & 1) == 0) continue;
        dense(i, j) = 1.0 + bit;
        triplets.push_back({i, j, 1.0 + bit});
      }
    }
    const Matrix difference = (dense - dense.transpose()).cwiseAbs();
    const Asymmetry found = asymmetry(csr_from_triplets(3, 3, triplets));
    EXPECT_EQ(found.largest, difference.maxCoeff()) << pattern;
    EXPECT_EQ(difference(found.row, found.column), found.largest) << pattern;
  }
}

TEST(CsrMatrix, SlicesRows) {
  const CsrMatrix slice =
      row_slice(csr_from_triplets(3, 2, {{0, 1, 1}, {1, 0, 2}, {2, 1, 3}}), 1, 2);
  EXPECT_EQ(slice.row_start, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(slice.column, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(slice.value, (std::vector<double>{2, 3}));
}

}  // namespace
}  // namespace stkr::csr_matrix_test
