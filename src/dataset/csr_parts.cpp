#include "csr_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "stkr/error.hpp"

namespace stkr::detail {

void check_csr_structure(const CsrMatrix& matrix, const std::string& where) {
  const auto fail = [&](const std::string& what) {
    throw DataError(fmt::format("{}: {}", where, what));
  };
  constexpr Index kMostColumns = std::numeric_limits<std::int32_t>::max();
  if (matrix.rows < 0 || matrix.cols < 0 || matrix.rows > kMostColumns ||
      matrix.cols > kMostColumns) {
    fail(fmt::format("shape {} × {} is outside what 32-bit indices reach", matrix.rows,
                     matrix.cols));
  }
  if (static_cast<Index>(matrix.row_start.size()) != matrix.rows + 1) {
    fail(fmt::format("has {} row starts, expected {}: one more than rows", matrix.row_start.size(),
                     matrix.rows + 1));
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
  const bool zeros = std::find(matrix.value.begin(), matrix.value.end(), 0.0) != matrix.value.end();
  if (sorted && !zeros) return matrix;
  std::vector<Triplet> triplets;
  triplets.reserve(matrix.column.size());
  for (Index row = 0; row < matrix.rows; ++row) {
    for (auto i = matrix.row_start[static_cast<std::size_t>(row)];
         i < matrix.row_start[static_cast<std::size_t>(row) + 1]; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (matrix.value[at] == 0.0) continue;
      triplets.push_back({static_cast<std::int32_t>(row), matrix.column[at], matrix.value[at]});
    }
  }
  return csr_from_triplets(matrix.rows, matrix.cols, std::move(triplets));
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

Matrix densified(const CsrMatrix& matrix, std::uint64_t most_bytes, const std::string& where) {
  constexpr std::uint64_t kAlwaysFine = 1 << 26;
  constexpr std::uint64_t kMostPerEntry = 1 << 14;  // one value in 2048 is not zero
  const auto bytes = static_cast<__uint128_t>(matrix.rows) * static_cast<__uint128_t>(matrix.cols) *
                     sizeof(double);
  const std::uint64_t proportionate =
      std::max<std::uint64_t>(kAlwaysFine, (matrix.column.size() + 1) * kMostPerEntry);
  if (bytes > std::min(most_bytes, proportionate)) {
    throw DataError(fmt::format(
        "{}: {} × {} sparse points with {} entries are too large to store densely; keep fewer "
        "features, reduce the dimension first (a random projection, say), or allow more memory",
        where, matrix.rows, matrix.cols, matrix.entries()));
  }
  Matrix dense = Matrix::Zero(matrix.rows, matrix.cols);
  for (Index row = 0; row < matrix.rows; ++row) {
    for (auto i = matrix.row_start[static_cast<std::size_t>(row)];
         i < matrix.row_start[static_cast<std::size_t>(row) + 1]; ++i) {
      const auto at = static_cast<std::size_t>(i);
      dense(row, matrix.column[at]) += matrix.value[at];
    }
  }
  return dense;
}

}  // namespace stkr::detail
