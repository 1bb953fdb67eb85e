#include "csr_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "stkr/error.hpp"
#include "stkr/linop/feature_matrix.hpp"

namespace stkr::detail {

void check_csr_structure(const CsrMatrix& matrix, const std::string& where) {
  const auto fail = [&](const std::string& what) {
    throw DataError(fmt::format("{}: {}", where, what));
  };
  constexpr Index kMostColumns = std::numeric_limits<std::int32_t>::max();
  if (matrix.rows < 0 || matrix.cols < 0 || matrix.rows > kMostColumns ||
      matrix.cols > kMostColumns) {
    fail(
        fmt::format("shape {} × {} exceeds the range of 32-bit indices", matrix.rows, matrix.cols));
  }
  if (static_cast<Index>(matrix.row_start.size()) != matrix.rows + 1) {
    fail(fmt::format("has {} row starts, expected {}: one more than the rows",
                     matrix.row_start.size(), matrix.rows + 1));
  }
  if (matrix.value.size() != matrix.column.size()) {
    fail(fmt::format("has {} values but {} column indices", matrix.value.size(),
                     matrix.column.size()));
  }
  if (matrix.row_start.front() != 0 || matrix.row_start.back() != matrix.entries()) {
    fail(fmt::format("row starts run from {} to {}, expected from 0 to {}, the number of entries",
                     matrix.row_start.front(), matrix.row_start.back(), matrix.entries()));
  }
  for (Index row = 0; row < matrix.rows; ++row) {
    const auto at = static_cast<std::size_t>(row);
    if (matrix.row_start[at + 1] < matrix.row_start[at]) {
      fail(fmt::format("row starts decrease after row {}", row));
    }
  }
  for (std::size_t i = 0; i < matrix.column.size(); ++i) {
    if (matrix.column[i] < 0 || matrix.column[i] >= matrix.cols) {
      fail(fmt::format("column index {} at entry {} is out of range: the matrix has {} columns",
                       matrix.column[i], i, matrix.cols));
    }
  }
}

CsrMatrix canonical(CsrMatrix matrix) {
  bool sorted = true;
  for (Index row = 0; row < matrix.rows && sorted; ++row) {
    const auto begin = static_cast<std::size_t>(matrix.row_start[static_cast<std::size_t>(row)]);
    const auto end = static_cast<std::size_t>(matrix.row_start[static_cast<std::size_t>(row) + 1]);
    for (std::size_t i = begin + 1; i < end; ++i) {
      sorted = sorted && matrix.column[i - 1] < matrix.column[i];
    }
  }
  if (!sorted) sort_rows(matrix);
  if (std::find(matrix.value.begin(), matrix.value.end(), 0.0) == matrix.value.end()) return matrix;
  std::size_t from = 0;
  std::size_t to = 0;
  for (std::size_t row = 0; row < static_cast<std::size_t>(matrix.rows); ++row) {
    for (const auto end = static_cast<std::size_t>(matrix.row_start[row + 1]); from < end; ++from) {
      if (matrix.value[from] == 0.0) continue;
      matrix.column[to] = matrix.column[from];
      matrix.value[to++] = matrix.value[from];
    }
    matrix.row_start[row + 1] = static_cast<std::int64_t>(to);
  }
  matrix.column.resize(to);
  matrix.value.resize(to);
  return matrix;
}

std::vector<Triplet> largest_of_each(std::vector<Triplet> triplets) {
  std::sort(triplets.begin(), triplets.end(), [](const Triplet& a, const Triplet& b) {
    return std::tie(a.row, a.column, b.value) < std::tie(b.row, b.column, a.value);
  });
  const auto end = std::unique(
      triplets.begin(), triplets.end(),
      [](const Triplet& a, const Triplet& b) { return a.row == b.row && a.column == b.column; });
  triplets.erase(end, triplets.end());
  std::erase_if(triplets, [](const Triplet& entry) { return entry.value == 0.0; });
  return triplets;
}

double value_at(const CsrMatrix& matrix, Index row, Index column) {
  const auto at = static_cast<std::size_t>(row);
  for (auto i = matrix.row_start[at]; i < matrix.row_start[at + 1]; ++i) {
    if (matrix.column[static_cast<std::size_t>(i)] == column) {
      return matrix.value[static_cast<std::size_t>(i)];
    }
  }
  return 0.0;
}

namespace {

void check_dense_size(Index rows, Index cols, Index entries, std::uint64_t most_bytes,
                      const std::string& where) {
  constexpr std::uint64_t kAlwaysFine = 1 << 26;
  constexpr std::uint64_t kMostPerEntry = 1 << 14;  // one value in 2048 is not zero
  const auto bytes =
      static_cast<__uint128_t>(rows) * static_cast<__uint128_t>(cols) * sizeof(double);
  const std::uint64_t proportionate = std::max<std::uint64_t>(
      kAlwaysFine, (static_cast<std::uint64_t>(entries) + 1) * kMostPerEntry);
  if (bytes > std::min(most_bytes, proportionate)) {
    throw DataError(fmt::format(
        "{}: a sparse matrix of {} × {} with {} entries is too large to store densely; use fewer "
        "samples, or allow more memory",
        where, rows, cols, entries));
  }
}

}  // namespace

Matrix densified(const CsrMatrix& matrix, std::uint64_t most_bytes, const std::string& where) {
  check_dense_size(matrix.rows, matrix.cols, matrix.entries(), most_bytes, where);
  return dense_of(matrix);
}

}  // namespace stkr::detail
