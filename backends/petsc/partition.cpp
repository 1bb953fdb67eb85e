#include "partition.hpp"

#include <fmt/format.h>
#include <petscis.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <string>

#include "entry_exchange.hpp"
#include "ptscotch.hpp"
#include "row_fetch.hpp"
#include "row_stream.hpp"
#include "session.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {
namespace {

constexpr const char* kWhat = "partitioning";

// Graphs with fewer entries are partitioned by the first process alone: PTScotch fails on graphs
// that are small for their number of processes, and is not faster there.
constexpr std::int64_t kAloneBelow = 1 << 18;

void check_parts(Index nodes, std::int64_t entries, Index parts) {
  if (parts < 1 || parts > nodes) {
    throw ParameterError(
        fmt::format("{} parts of a graph with {} nodes; expected 1 to {}", parts, nodes, nodes));
  }
  if (!has_ptscotch()) {
    throw ParameterError(
        "stkr was built without PTScotch, which partitions graphs; install it (Debian: "
        "libptscotch-dev) and build stkr again");
  }
  if (entries > kMostPartitioned) {
    throw ParameterError(
        fmt::format("the graph has {} entries, and this PTScotch counts up to {}; build stkr with "
                    "one of 64-bit "
                    "numbers (Debian: scotch-int64)",
                    entries, kMostPartitioned));
  }
}

// Rows without the diagonal.
AdjacencyLists lists_of(const RowLayout& layout, const CsrMatrix& rows) {
  AdjacencyLists lists;
  lists.start.push_back(0);
  lists.neighbor.reserve(rows.column.size());
  for (Index i = 0; i < rows.rows; ++i) {
    for (auto p = rows.row_start[i]; p < rows.row_start[i + 1]; ++p) {
      if (rows.column[p] != layout.first() + i) lists.neighbor.push_back(rows.column[p]);
    }
    lists.start.push_back(static_cast<std::int64_t>(lists.neighbor.size()));
    lists.work.push_back(rows.row_start[i + 1] - rows.row_start[i] + 1);
  }
  return lists;
}

// All rows, in all processes.
AdjacencyLists gathered(const RowLayout& layout, const AdjacencyLists& own) {
  std::vector<Index> degree;
  for (std::size_t i = 0; i + 1 < own.start.size(); ++i) {
    degree.push_back(own.start[i + 1] - own.start[i]);
  }
  AdjacencyLists all;
  all.neighbor = layout.joined(own.neighbor);
  all.work = layout.joined(own.work);
  all.start.push_back(0);
  for (const Index count : layout.joined(degree)) all.start.push_back(all.start.back() + count);
  return all;
}

// The part of each row.
std::vector<Index> part_of_rows(const Layout& layout, const CsrMatrix& rows, std::int64_t entries,
                                Index parts) {
  AdjacencyLists lists = lists_of(*layout, rows);
  if (entries >= kAloneBelow) return ptscotch_parts(layout->comm(), lists, parts);
  lists = gathered(*layout, lists);
  std::vector<Index> part(static_cast<std::size_t>(layout->size()));
  int rank = 0;
  MPI_Comm_rank(layout->comm(), &rank);
  agree(layout->comm(), [&] {
    if (rank == 0) part = ptscotch_parts(MPI_COMM_SELF, lists, parts);
  });
  MPI_Bcast(part.data(), static_cast<int>(part.size()), MPI_INT64_T, 0, layout->comm());
  return {part.begin() + layout->first(), part.begin() + layout->first() + layout->count()};
}

std::vector<Index> values_of(IS set) {
  PetscInt count = 0;
  const PetscInt* values = nullptr;
  check(ISGetLocalSize(set, &count), kWhat);
  check(ISGetIndices(set, &values), kWhat);
  std::vector<Index> result(values, values + count);
  check(ISRestoreIndices(set, &values), kWhat);
  return result;
}

// What all processes know about each of their columns: a number per row.
class ColumnNumbers {
 public:
  ColumnNumbers(const RowLayout& layout, const CsrMatrix& rows, const std::vector<Index>& own)
      : layout_(layout), own_(own) {
    for (const std::int32_t j : rows.column) {
      if (layout.local(j) < 0) elsewhere_.push_back(j);
    }
    std::sort(elsewhere_.begin(), elsewhere_.end());
    elsewhere_.erase(std::unique(elsewhere_.begin(), elsewhere_.end()), elsewhere_.end());
    Matrix numbers(layout.count(), 1);
    for (Index i = 0; i < layout.count(); ++i) {
      numbers(i, 0) = static_cast<double>(own[static_cast<std::size_t>(i)]);
    }
    others_ = RowFetch(layout, elsewhere_)(numbers);
  }

  Index operator()(std::int32_t column) const {
    const Index row = layout_.local(column);
    if (row >= 0) return own_[static_cast<std::size_t>(row)];
    return static_cast<Index>(others_(
        std::lower_bound(elsewhere_.begin(), elsewhere_.end(), column) - elsewhere_.begin(), 0));
  }

 private:
  const RowLayout& layout_;
  const std::vector<Index>& own_;
  std::vector<Index> elsewhere_;
  Matrix others_;
};

template <class T>
void sum_parts(std::vector<T>& values, MPI_Comm comm) {
  static_assert(sizeof(T) == sizeof(std::int64_t));
  std::vector<T> own = values;
  reduce(own.data(), values.data(), static_cast<Index>(values.size()), MPI_INT64_T, MPI_SUM, comm);
}

}  // namespace

Partition partitioned(const Layout& layout, const CsrMatrix& rows, Index parts) {
  const auto entries =
      static_cast<std::int64_t>(sum_over(layout.get(), static_cast<double>(rows.entries())));
  check_parts(layout->size(), entries, parts);
  Partition result;
  const std::vector<Index> part_of = part_of_rows(layout, rows, entries, parts);
  IS part = nullptr, number = nullptr;
  check(ISCreateGeneral(layout->comm(), layout->count(), part_of.data(), PETSC_COPY_VALUES, &part),
        kWhat);
  check(ISPartitioningToNumbering(part, &number), kWhat);
  result.number = values_of(number);
  ISDestroy(&number);
  ISDestroy(&part);
  result.rows.assign(static_cast<std::size_t>(parts), 0);
  result.work.assign(static_cast<std::size_t>(parts), 0);
  std::vector<std::int64_t> between(1, 0);
  const ColumnNumbers part_of_column(*layout, rows, part_of);
  for (Index i = 0; i < rows.rows; ++i) {
    const auto own = static_cast<std::size_t>(part_of[static_cast<std::size_t>(i)]);
    result.rows[own] += 1;
    result.work[own] += rows.row_start[i + 1] - rows.row_start[i] + 1;
    for (auto p = rows.row_start[i]; p < rows.row_start[i + 1]; ++p) {
      between[0] += part_of_column(rows.column[p]) != static_cast<Index>(own);
    }
  }
  sum_parts(result.rows, layout->comm());
  sum_parts(result.work, layout->comm());
  sum_parts(between, layout->comm());
  result.between = between[0];
  return result;
}

SharedGraph renumbered(const SharedGraph& graph, const Partition& partition) {
  const CsrMatrix& rows = graph.rows;
  const ColumnNumbers number_of_column(*graph.layout, rows, partition.number);
  SharedGraph result;
  result.layout = RowLayout::equal(graph.layout->comm(), graph.layout->size());
  result.entries = graph.entries;
  std::vector<Triplet> own;
  Index row = 0;
  while (any_over(graph.layout.get(), row < rows.rows)) {
    std::vector<Triplet> sent;
    for (; row < rows.rows && static_cast<Index>(sent.size()) < kRoundEntries; ++row) {
      const auto number =
          static_cast<std::int32_t>(partition.number[static_cast<std::size_t>(row)]);
      for (auto p = rows.row_start[row]; p < rows.row_start[row + 1]; ++p) {
        sent.push_back(
            {number, static_cast<std::int32_t>(number_of_column(rows.column[p])), rows.value[p]});
      }
    }
    const std::vector<Triplet> some = exchanged(*result.layout, std::move(sent));
    own.insert(own.end(), some.begin(), some.end());
  }
  for (Triplet& entry : own) entry.row -= static_cast<std::int32_t>(result.layout->first());
  result.rows = csr_from_triplets(result.layout->count(), result.layout->size(), std::move(own));
  return result;
}

Dataset renumbered(Dataset nodes, const RowLayout& layout, const Partition& partition) {
  int rank = 0;
  MPI_Comm_rank(layout.comm(), &rank);
  RowStream stream(layout);
  const auto read = stream.add(std::as_bytes(std::span(partition.number)), sizeof(Index));
  Dataset result;
  agree(layout.comm(), [&] {
    if (rank > 0) return stream.send();
    std::vector<Index> number(static_cast<std::size_t>(layout.size())), order(number.size());
    read(std::as_writable_bytes(std::span(number)));
    for (std::size_t i = 0; i < number.size(); ++i) {
      order[static_cast<std::size_t>(number[i])] = static_cast<Index>(i);
    }
    number = {};
    std::get<Graph>(nodes.samples).adjacency.row_start.assign(order.size() + 1, 0);
    result = subset(nodes, order);
    auto& names = std::get<Graph>(result.samples).node_names;
    for (std::size_t i = names.size(); i < order.size(); ++i) {
      names.push_back(std::to_string(order[i]));
    }
  });
  return result;
}

}  // namespace stkr::petsc
