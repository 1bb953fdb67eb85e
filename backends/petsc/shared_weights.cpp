#include "shared_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "entry_exchange.hpp"
#include "format/csr_parts.hpp"
#include "session.hpp"
#include "stkr/dataset/dataset.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {
namespace {

constexpr double kRounding = 1e-6;  // of checked_adjacency

struct Difference {
  double size = 0.0;
  Index row = 0, column = 0;
  double own = 0.0, other = 0.0;
};

std::uint64_t mixed(std::uint64_t bits) {  // the finalizer of SplitMix64
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

// Whether the matrix equals its transpose, without sending entries: hashes of all entries above the
// diagonal add up to those of their mirror images below it. A matrix that does not is taken for one
// that does with a probability of 2⁻¹²⁸.
bool equals_transpose(const RowLayout& layout, const CsrMatrix& rows) {
  std::array<std::uint64_t, 2> own{}, all{};
  for (Index row = 0; row < rows.rows; ++row) {
    const auto i = static_cast<std::uint64_t>(layout.first() + row);
    for (auto p = rows.row_start[row]; p < rows.row_start[row + 1]; ++p) {
      const auto j = static_cast<std::uint64_t>(rows.column[p]);
      if (i == j) continue;
      const std::uint64_t edge = std::min(i, j) << 32 | std::max(i, j);
      const std::uint64_t hash = mixed(edge + mixed(std::bit_cast<std::uint64_t>(rows.value[p])));
      const std::uint64_t second = mixed(hash + edge);
      own[0] += i < j ? hash : -hash;
      own[1] += i < j ? second : -second;
    }
  }
  reduce(own.data(), all.data(), 2, MPI_UINT64_T, MPI_SUM, layout.comm());
  return all[0] == 0 && all[1] == 0;
}

// Passes over all entries and their transposes, in the order of rows and columns. `handle` gets the
// row, the column and both weights; 0 for a missing one.
template <class Handle>
void with_transposes(const RowLayout& layout, CsrMatrix& rows, Handle&& handle) {
  // In each round, transposes of the columns [begin, end) of every process: all go to rows there.
  const double entries = static_cast<double>(rows.entries());
  Matrix most = Matrix::Constant(1, 1, entries);
  layout.largest(most);
  const auto rounds = std::max<Index>(1, static_cast<Index>(most(0, 0)) / kRoundEntries);
  const auto starts = layout.starts();
  int rank = 0;
  MPI_Comm_rank(layout.comm(), &rank);
  const auto own = static_cast<std::size_t>(rank);
  std::vector<Index> begin(starts.size() - 1), end(starts.size() - 1);
  for (Index round = 0; round < rounds; ++round) {
    // The rows of each process that are compared in this round.
    for (std::size_t p = 0; p < begin.size(); ++p) {
      begin[p] = starts[p] + (starts[p + 1] - starts[p]) * round / rounds;
      end[p] = starts[p] + (starts[p + 1] - starts[p]) * (round + 1) / rounds;
    }
    std::vector<Triplet> sent;
    for (Index i = 0; i < rows.rows; ++i) {
      for (auto p = rows.row_start[i]; p < rows.row_start[i + 1]; ++p) {
        const std::int32_t j = rows.column[p];
        const auto owner = layout.local(j) >= 0 ? own : static_cast<std::size_t>(layout.owner(j));
        if (j < begin[owner] || j >= end[owner]) continue;
        sent.push_back({j, static_cast<std::int32_t>(layout.first() + i), rows.value[p]});
      }
    }
    const std::vector<Triplet> transposed = exchanged(layout, std::move(sent));
    auto next = transposed.begin();
    for (Index i = begin[own]; i < end[own]; ++i) {
      const Index row = i - layout.first();
      auto p = rows.row_start[row];
      const auto last = rows.row_start[row + 1];
      while (p < last || (next != transposed.end() && next->row == i)) {
        const std::int64_t here =
            p < last ? rows.column[p] : std::numeric_limits<std::int64_t>::max();
        const std::int64_t there = next != transposed.end() && next->row == i
                                       ? next->column
                                       : std::numeric_limits<std::int64_t>::max();
        double other = 0.0;
        if (there <= here) other = (next++)->value;
        if (here <= there) {
          handle(row, here, &rows.value[p], rows.value[p], other);
          ++p;
        } else {
          handle(row, there, nullptr, 0.0, other);
        }
      }
    }
  }
}

// The first of the largest differences, in all processes.
Difference largest(const RowLayout& layout, const Difference& own) {
  Matrix size = Matrix::Constant(1, 1, own.size);
  layout.largest(size);
  Difference found{size(0, 0)};
  if (found.size == 0.0) return found;
  const bool mine = own.size == found.size;
  Matrix row = Matrix::Constant(1, 1, mine ? -static_cast<double>(own.row) : -1e300);
  layout.largest(row);
  Matrix rest = Matrix::Zero(1, 3);
  if (mine && static_cast<double>(own.row) == -row(0, 0)) {
    rest << static_cast<double>(own.column), own.own, own.other;
  }
  layout.sum(rest);
  return {found.size, static_cast<Index>(-row(0, 0)), static_cast<Index>(rest(0, 0)), rest(0, 1),
          rest(0, 2)};
}

}  // namespace

CsrMatrix checked_weights(const Layout& layout, CsrMatrix rows, bool symmetrize,
                          const std::string& where) {
  agree(layout->comm(), [&] {
    check_weights(rows, where, layout->first());
    rows = detail::canonical(std::move(rows));
  });
  if (symmetrize) {
    CsrMatrix both;
    both.rows = rows.rows;
    both.cols = rows.cols;
    both.row_start.assign(static_cast<std::size_t>(rows.rows) + 1, 0);
    with_transposes(*layout, rows,
                    [&](Index row, std::int64_t column, double*, double own, double other) {
                      ++both.row_start[row + 1];
                      both.column.push_back(static_cast<std::int32_t>(column));
                      both.value.push_back(std::max(own, other));
                    });
    std::partial_sum(both.row_start.begin(), both.row_start.end(), both.row_start.begin());
    return both;
  }
  if (equals_transpose(*layout, rows)) return rows;
  Difference worst;
  double heaviest = 0.0;
  with_transposes(*layout, rows,
                  [&](Index row, std::int64_t column, double* stored, double own, double other) {
                    heaviest = std::max(heaviest, own);
                    const double difference = std::abs(own - other);
                    if (difference > worst.size) {
                      worst = {difference, layout->first() + row, column, own, other};
                    }
                    if (stored && other > own) *stored = other;
                  });
  worst = largest(*layout, worst);
  Matrix weight = Matrix::Constant(1, 1, heaviest);
  layout->largest(weight);
  if (worst.size <= kRounding * weight(0, 0)) return rows;
  throw DataError(fmt::format(
      "{}: is not symmetric: the edge ({}, {}) has weight {} but ({}, {}) has {}; list both "
      "directions, or make a directed graph symmetric with symmetrize (--symmetrize), which uses "
      "the larger of the two weights",
      where, worst.row, worst.column, worst.own, worst.column, worst.row, worst.other));
}

CsrMatrix mutual_weights(const Layout& layout, CsrMatrix rows) {
  std::vector<Triplet> kept;
  with_transposes(
      *layout, rows, [&](Index row, std::int64_t column, double*, double own, double other) {
        if (own == 0.0 || other == 0.0) return;
        kept.push_back({static_cast<std::int32_t>(row), static_cast<std::int32_t>(column), own});
      });
  return csr_from_triplets(rows.rows, rows.cols, std::move(kept));
}

}  // namespace stkr::petsc
