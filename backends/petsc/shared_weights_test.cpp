#include "shared_weights.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "entry_exchange.hpp"
#include "runtime/random.hpp"
#include "shared_cases.hpp"
#include "stkr/dataset/dataset.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::shared_weights_test {
namespace {

using petsc::own_rows;
using petsc::shared_layout;
using stkr::testing::message_of;
using ::testing::HasSubstr;

// Unsorted columns, duplicates and zeros; not symmetric.
CsrMatrix random_rows(Index size, Index entries, std::uint64_t seed) {
  Random random(seed);
  CsrMatrix matrix;
  matrix.rows = matrix.cols = size;
  matrix.row_start.assign(1, 0);
  for (Index i = 0; i < size; ++i) {
    for (Index k = random.below(2 * entries / size + 1); k > 0; --k) {
      matrix.column.push_back(static_cast<std::int32_t>(random.below(size)));
      matrix.value.push_back(0.5 * static_cast<double>(random.below(4)));
    }
    matrix.row_start.push_back(matrix.entries());
  }
  return matrix;
}

void expect_equal(const CsrMatrix& found, const CsrMatrix& expected) {
  EXPECT_EQ(found.rows, expected.rows);
  EXPECT_EQ(found.cols, expected.cols);
  EXPECT_EQ(found.row_start, expected.row_start);
  EXPECT_EQ(found.column, expected.column);
  EXPECT_EQ(found.value, expected.value);
}

CsrMatrix checked(const CsrMatrix& matrix, bool symmetrize) {
  const petsc::Layout layout = shared_layout(matrix.rows);
  return petsc::checked_weights(layout, own_rows(matrix, *layout), symmetrize, "graph");
}

TEST(SharedWeights, AreTheRowsThatOneMachineChecks) {
  for (const Index size : {1, 2, 3, 50, 400}) {
    SCOPED_TRACE(size);
    const CsrMatrix matrix = random_rows(size, 8 * size, 5);
    const petsc::Layout layout = shared_layout(size);
    const CsrMatrix both = checked_adjacency(matrix, true, "graph");
    expect_equal(checked(matrix, true), own_rows(both, *layout));
    expect_equal(checked(both, false), own_rows(both, *layout));
    // Rounding: the larger weight of each pair.
    CsrMatrix rounded = both;
    for (std::size_t k = 0; k < rounded.value.size(); k += 3) rounded.value[k] *= 1.0 + 1e-9;
    expect_equal(checked(rounded, false),
                 own_rows(checked_adjacency(rounded, false, "graph"), *layout));
  }
}

TEST(SharedWeights, RejectsDirectedGraphs) {
  CsrMatrix matrix = checked_adjacency(random_rows(90, 900, 8), true, "graph");
  const auto message = [](const CsrMatrix& weights) {
    return message_of<DataError>([&] { checked(weights, false); });
  };
  EXPECT_EQ(message(matrix), "");
  CsrMatrix wrong = matrix;
  // Not the diagonal.
  const std::size_t at = wrong.column[30] == 2 ? 31 : 30;
  wrong.value[at] += 4.0;
  EXPECT_THAT(message(wrong), HasSubstr(fmt::format("is not symmetric: the edge (2, {}) has weight",
                                                    wrong.column[at])));
  // A swap of two weights, which leaves all sums as they are.
  wrong = matrix;
  for (std::size_t k = 31; k < wrong.value.size(); ++k) {
    if (wrong.value[k] == wrong.value[30]) continue;
    std::swap(wrong.value[30], wrong.value[k]);
    break;
  }
  EXPECT_THAT(message(wrong), HasSubstr("is not symmetric"));
  wrong = matrix;
  wrong.value.back() = -1.0;
  EXPECT_THAT(message(wrong), HasSubstr("has weight -1"));
}

TEST(SharedWeights, MoveToProcessesThatShareTheEntries) {
  // All entries in the first rows, then a hub, then nothing.
  CsrMatrix matrix = random_rows(300, 300, 2);
  for (Index i = 0; i < 200; ++i) {
    matrix.column.push_back(static_cast<std::int32_t>(i));
    matrix.value.push_back(1.0);
  }
  for (std::size_t i = 300; i < 301; ++i) matrix.row_start[i] = matrix.entries();
  for (Index i = 0; i < 50; ++i) matrix.row_start.push_back(matrix.entries());
  matrix.rows = matrix.cols = 350;
  const petsc::Layout equal = shared_layout(350);
  const petsc::OwnRows moved = petsc::balanced({equal, own_rows(matrix, *equal)});
  EXPECT_EQ(moved.layout->size(), 350);
  expect_equal(moved.rows, own_rows(matrix, *moved.layout));
  int ranks = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  EXPECT_LE(moved.rows.entries() + moved.layout->count(),
            (matrix.entries() + 350) / ranks + 201 + 4);
}

}  // namespace
}  // namespace stkr::shared_weights_test
