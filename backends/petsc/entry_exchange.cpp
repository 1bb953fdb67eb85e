#include "entry_exchange.hpp"

#include <algorithm>
#include <numeric>

#include "session.hpp"

namespace stkr::petsc {

std::vector<Triplet> exchanged(const RowLayout& layout, std::vector<Triplet> entries) {
  int ranks = 1;
  MPI_Comm_size(layout.comm(), &ranks);
  std::vector<int> sent(ranks, 0), received(ranks, 0), from(ranks + 1, 0), to(ranks + 1, 0);
  for (const Triplet& entry : entries) ++sent[layout.owner(entry.row)];
  MPI_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, layout.comm());
  for (int p = 0; p < ranks; ++p) {
    from[p + 1] = from[p] + sent[p];
    to[p + 1] = to[p] + received[p];
  }
  std::vector<Triplet> grouped(entries.size()), arrived(to.back());
  std::vector<int> next(from.begin(), from.end() - 1);
  for (const Triplet& entry : entries) grouped[next[layout.owner(entry.row)]++] = entry;
  entries = {};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(sizeof(Triplet), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_Alltoallv(grouped.data(), sent.data(), from.data(), type, arrived.data(), received.data(),
                to.data(), type, layout.comm());
  MPI_Type_free(&type);
  grouped = {};
  std::vector<Index> place(static_cast<std::size_t>(layout.count()) + 1, 0);
  for (const Triplet& entry : arrived) ++place[entry.row - layout.first() + 1];
  std::partial_sum(place.begin(), place.end(), place.begin());
  std::vector<Triplet> result(arrived.size());
  for (const Triplet& entry : arrived) result[place[entry.row - layout.first()]++] = entry;
  return result;
}

OwnRows balanced(OwnRows own) {
  const RowLayout& layout = *own.layout;
  int ranks = 1;
  MPI_Comm_size(layout.comm(), &ranks);
  const std::int64_t work = own.rows.entries() + layout.count();
  std::int64_t before = 0, all = 0;
  MPI_Exscan(&work, &before, 1, MPI_INT64_T, MPI_SUM, layout.comm());
  reduce(&work, &all, 1, MPI_INT64_T, MPI_SUM, layout.comm());
  int rank = 0;
  MPI_Comm_rank(layout.comm(), &rank);
  if (rank == 0) before = 0;  // MPI leaves it undefined there
  // The process in whose rows a cut lies knows where.
  std::vector<std::int64_t> found(static_cast<std::size_t>(ranks) + 1, 0), first(found.size(), 0);
  for (int p = 1; p < ranks; ++p) {
    const std::int64_t wanted = all / ranks * p + all % ranks * p / ranks;
    if (wanted <= before || wanted > before + work) continue;
    const auto work_before = [&](Index row) { return before + own.rows.row_start[row] + row; };
    Index low = 0, high = layout.count();
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      if (work_before(middle) < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    // The nearer of two ends, as row_cuts decides.
    if (wanted - work_before(low - 1) < work_before(low) - wanted) --low;
    found[p] = layout.first() + low;
  }
  reduce(found.data(), first.data(), ranks, MPI_INT64_T, MPI_MAX, layout.comm());
  first[ranks] = layout.size();
  for (int p = 1; p < ranks; ++p) first[p] = std::max(first[p], first[p - 1]);
  OwnRows result;
  result.layout = std::make_shared<const RowLayout>(layout.comm(), first[rank + 1] - first[rank]);
  result.rows.rows = result.layout->count();
  result.rows.cols = layout.size();
  result.rows.row_start.assign(static_cast<std::size_t>(result.rows.rows) + 1, 0);
  // Rows come in their order: processes send theirs in order, and those of a process before those
  // of the next one.
  Index row = 0;
  std::int64_t entry = 0;
  std::vector<std::vector<Triplet>> arrived;
  while (any_over(&layout, row < layout.count())) {
    std::vector<Triplet> sent;
    for (; row < layout.count() && static_cast<Index>(sent.size()) < kRoundEntries; ++row) {
      for (; entry < own.rows.row_start[row + 1]; ++entry) {
        sent.push_back({static_cast<std::int32_t>(layout.first() + row), own.rows.column[entry],
                        own.rows.value[entry]});
      }
    }
    arrived.push_back(exchanged(*result.layout, std::move(sent)));
    for (const Triplet& one : arrived.back()) {
      ++result.rows.row_start[one.row - result.layout->first() + 1];
    }
  }
  own = {};
  auto& start = result.rows.row_start;
  std::partial_sum(start.begin(), start.end(), start.begin());
  result.rows.column.resize(static_cast<std::size_t>(start.back()));
  result.rows.value.resize(static_cast<std::size_t>(start.back()));
  std::vector<std::int64_t> next(start.begin(), start.end() - 1);
  for (std::vector<Triplet>& part : arrived) {
    for (const Triplet& one : part) {
      const std::int64_t at = next[one.row - result.layout->first()]++;
      result.rows.column[at] = one.column;
      result.rows.value[at] = one.value;
    }
    part = {};
  }
  return result;
}

}  // namespace stkr::petsc
