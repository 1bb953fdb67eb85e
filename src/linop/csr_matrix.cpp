#include "stkr/linop/csr_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "stkr/error.hpp"

namespace stkr {
namespace {

// Calls visit(row, column, a, b) for every position stored in A or B, row by row: merges two
// matrices with sorted rows. A missing entry counts as 0.
template <class Visit>
void merge_rows(const CsrMatrix& a, const CsrMatrix& b, Visit&& visit) {
  for (Index i = 0; i < a.rows; ++i) {
    std::int64_t p = a.row_start[i];
    std::int64_t q = b.row_start[i];
    while (p < a.row_start[i + 1] || q < b.row_start[i + 1]) {
      const bool a_left = p < a.row_start[i + 1];
      const bool b_left = q < b.row_start[i + 1];
      if (a_left && b_left && a.column[p] == b.column[q]) {
        visit(i, a.column[p], a.value[p], b.value[q]);
        ++p, ++q;
      } else if (a_left && (!b_left || a.column[p] < b.column[q])) {
        visit(i, a.column[p], a.value[p], 0.0);
        ++p;
      } else {
        visit(i, b.column[q], 0.0, b.value[q]);
        ++q;
      }
    }
  }
}

void require_square(const CsrMatrix& matrix, const char* who) {
  if (matrix.rows != matrix.cols) {
    throw ShapeError(
        fmt::format("{}: the matrix is {} x {} but must be square", who, matrix.rows, matrix.cols));
  }
}

}  // namespace

CsrMatrix csr_from_triplets(Index rows, Index cols, std::vector<Triplet> triplets) {
  for (const Triplet& t : triplets) {
    if (t.row < 0 || t.row >= rows || t.column < 0 || t.column >= cols) {
      throw ValueError(
          fmt::format("csr_from_triplets: entry ({}, {}) lies outside a {} x {} matrix", t.row,
                      t.column, rows, cols));
    }
  }
  // Fills row by row, then sorts each row; both are stable, so duplicates are added in input order.
  CsrMatrix result{rows, cols, std::vector<std::int64_t>(rows + 1, 0),
                   std::vector<std::int32_t>(triplets.size()),
                   std::vector<double>(triplets.size())};
  for (const Triplet& t : triplets) ++result.row_start[t.row + 1];
  for (Index i = 0; i < rows; ++i) result.row_start[i + 1] += result.row_start[i];
  std::vector<std::int64_t> next(result.row_start.begin(), result.row_start.end() - 1);
  for (const Triplet& t : triplets) {
    const std::int64_t slot = next[t.row]++;
    result.column[slot] = t.column;
    result.value[slot] = t.value;
  }
  std::vector<Triplet>().swap(triplets);
  sort_rows(result);
  return result;
}

void sort_rows(CsrMatrix& matrix) {
  std::vector<std::pair<std::int32_t, double>> row;
  std::int64_t to = 0;
  std::int64_t begin = 0;
  for (Index i = 0; i < matrix.rows; ++i) {
    const std::int64_t end = matrix.row_start[i + 1];
    row.clear();
    for (std::int64_t k = begin; k < end; ++k) row.emplace_back(matrix.column[k], matrix.value[k]);
    const auto by_column = [](const auto& a, const auto& b) { return a.first < b.first; };
    if (!std::is_sorted(row.begin(), row.end(), by_column)) {
      std::stable_sort(row.begin(), row.end(), by_column);
    }
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k > 0 && row[k].first == row[k - 1].first) {
        matrix.value[to - 1] += row[k].second;
        continue;
      }
      matrix.column[to] = row[k].first;
      matrix.value[to++] = row[k].second;
    }
    begin = end;
    matrix.row_start[i + 1] = to;
  }
  matrix.column.resize(to);
  matrix.value.resize(to);
}

CsrMatrix row_slice(const CsrMatrix& matrix, Index first, Index count) {
  const std::int64_t begin = matrix.row_start[first], end = matrix.row_start[first + count];
  CsrMatrix result{count,
                   matrix.cols,
                   {},
                   {matrix.column.begin() + begin, matrix.column.begin() + end},
                   {matrix.value.begin() + begin, matrix.value.begin() + end}};
  result.row_start.reserve(count + 1);
  for (Index i = first; i <= first + count; ++i) {
    result.row_start.push_back(matrix.row_start[i] - begin);
  }
  return result;
}

void check_csr(const CsrMatrix& matrix, const char* who) {
  const auto entries = static_cast<std::int64_t>(matrix.column.size());
  if (matrix.rows < 0 || matrix.cols < 0 ||
      static_cast<Index>(matrix.row_start.size()) != matrix.rows + 1) {
    throw ShapeError(fmt::format("{}: {} row starts for {} rows; expected one more than rows", who,
                                 matrix.row_start.size(), matrix.rows));
  }
  if (matrix.value.size() != matrix.column.size()) {
    throw ShapeError(fmt::format("{}: {} values but {} column indices; expected one each per entry",
                                 who, matrix.value.size(), matrix.column.size()));
  }
  if (matrix.row_start.front() != 0 || matrix.row_start.back() != entries) {
    throw ValueError(
        fmt::format("{}: row starts run from {} to {}; expected 0 to {}, the number of "
                    "entries",
                    who, matrix.row_start.front(), matrix.row_start.back(), entries));
  }
  for (Index i = 0; i < matrix.rows; ++i) {
    if (matrix.row_start[i] > matrix.row_start[i + 1]) {
      throw ValueError(fmt::format("{}: row starts decrease after row {} ({} to {})", who, i,
                                   matrix.row_start[i], matrix.row_start[i + 1]));
    }
  }
  for (Index i = 0; i < matrix.rows; ++i) {
    for (std::int64_t k = matrix.row_start[i]; k < matrix.row_start[i + 1]; ++k) {
      if (matrix.column[k] < 0 || matrix.column[k] >= matrix.cols) {
        throw ValueError(fmt::format("{}: row {} has column index {}; expected 0 to {}", who, i,
                                     matrix.column[k], matrix.cols - 1));
      }
      if (k > matrix.row_start[i] && matrix.column[k] <= matrix.column[k - 1]) {
        throw ValueError(fmt::format(
            "{}: row {} lists column {} after {}; expected increasing columns, each once", who, i,
            matrix.column[k], matrix.column[k - 1]));
      }
      if (!std::isfinite(matrix.value[k])) {
        throw ValueError(fmt::format("{}: entry ({}, {}) is {}; expected a finite number", who, i,
                                     matrix.column[k], matrix.value[k]));
      }
    }
  }
}

CsrMatrix chosen_rows(const CsrMatrix& matrix, std::span<const Index> rows) {
  CsrMatrix result{static_cast<Index>(rows.size()), matrix.cols, {0}, {}, {}};
  for (const Index row : rows) {
    const std::int64_t begin = matrix.row_start[row], end = matrix.row_start[row + 1];
    result.column.insert(result.column.end(), matrix.column.begin() + begin,
                         matrix.column.begin() + end);
    result.value.insert(result.value.end(), matrix.value.begin() + begin,
                        matrix.value.begin() + end);
    result.row_start.push_back(result.entries());
  }
  return result;
}

CsrMatrix principal_submatrix(const CsrMatrix& matrix, std::span<const Index> samples,
                              double scale) {
  std::vector<std::int32_t> position(matrix.cols, -1);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    position[samples[k]] = static_cast<std::int32_t>(k);
  }
  CsrMatrix result;
  result.rows = result.cols = static_cast<Index>(samples.size());
  result.row_start.reserve(samples.size() + 1);
  result.row_start.push_back(0);
  for (const Index i : samples) {
    for (std::int64_t p = matrix.row_start[i]; p < matrix.row_start[i + 1]; ++p) {
      const std::int32_t j = position[matrix.column[p]];
      if (j < 0) continue;
      result.column.push_back(j);
      result.value.push_back(scale * matrix.value[p]);
    }
    result.row_start.push_back(result.entries());
  }
  return result;
}

CsrMatrix without_zeros(CsrMatrix matrix) {
  if (std::find(matrix.value.begin(), matrix.value.end(), 0.0) == matrix.value.end()) return matrix;
  std::int64_t kept = 0, begin = 0;
  for (Index i = 0; i < matrix.rows; ++i) {
    const std::int64_t end = matrix.row_start[i + 1];
    for (std::int64_t p = begin; p < end; ++p) {
      if (matrix.value[p] == 0.0) continue;
      matrix.column[kept] = matrix.column[p];
      matrix.value[kept++] = matrix.value[p];
    }
    begin = end;
    matrix.row_start[i + 1] = kept;
  }
  matrix.column.resize(kept);
  matrix.value.resize(kept);
  return matrix;
}

CsrMatrix transpose(const CsrMatrix& matrix) {
  CsrMatrix result{matrix.cols, matrix.rows, std::vector<std::int64_t>(matrix.cols + 1, 0),
                   std::vector<std::int32_t>(matrix.column.size()),
                   std::vector<double>(matrix.column.size())};
  for (const std::int32_t j : matrix.column) ++result.row_start[j + 1];
  for (Index j = 0; j < matrix.cols; ++j) result.row_start[j + 1] += result.row_start[j];
  std::vector<std::int64_t> next(result.row_start.begin(), result.row_start.end() - 1);
  for (Index i = 0; i < matrix.rows; ++i) {
    for (std::int64_t k = matrix.row_start[i]; k < matrix.row_start[i + 1]; ++k) {
      const std::int64_t slot = next[matrix.column[k]]++;
      result.column[slot] = static_cast<std::int32_t>(i);
      result.value[slot] = matrix.value[k];
    }
  }
  return result;
}

Asymmetry asymmetry(const CsrMatrix& matrix) {
  require_square(matrix, "asymmetry");
  Asymmetry worst;
  const auto compare = [&](Index i, Index j, double a, double b) {
    if (std::abs(a - b) > worst.largest) worst = {std::abs(a - b), i, j};
  };
  // Matches every entry (i, j) left of the diagonal with its mirror image (j, i). The entries of
  // row j are met in ascending order of i, so one position per row, just after the last match,
  // suffices.
  std::vector<std::int64_t> position(matrix.rows);
  for (Index i = 0; i < matrix.rows; ++i) {
    std::int64_t p = matrix.row_start[i];
    for (; p < matrix.row_start[i + 1] && matrix.column[p] < i; ++p) {
      const Index j = matrix.column[p];
      std::int64_t& q = position[j];
      const std::int64_t end = matrix.row_start[j + 1];
      for (; q < end && matrix.column[q] < i; ++q)
        compare(j, matrix.column[q], matrix.value[q], 0.0);
      const bool mirrored = q < end && matrix.column[q] == i;
      compare(i, j, matrix.value[p], mirrored ? matrix.value[q] : 0.0);
      if (mirrored) ++q;
    }
    if (p < matrix.row_start[i + 1] && matrix.column[p] == i) ++p;
    position[i] = p;
  }
  for (Index j = 0; j < matrix.rows; ++j) {
    for (std::int64_t q = position[j]; q < matrix.row_start[j + 1]; ++q) {
      compare(j, matrix.column[q], matrix.value[q], 0.0);
    }
  }
  return worst;
}

CsrMatrix symmetrized(const CsrMatrix& matrix) {
  require_square(matrix, "symmetrized");
  CsrMatrix result{matrix.rows, matrix.cols, std::vector<std::int64_t>(matrix.rows + 1, 0), {}, {}};
  merge_rows(matrix, transpose(matrix), [&](Index i, std::int32_t j, double a, double b) {
    result.column.push_back(j);
    result.value.push_back(std::max(a, b));
    ++result.row_start[i + 1];
  });
  for (Index i = 0; i < result.rows; ++i) result.row_start[i + 1] += result.row_start[i];
  return result;
}

}  // namespace stkr
