#include "row_layout.hpp"

#include <algorithm>
#include <limits>

#include "session.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {
namespace {

void reduce_all(MatrixRef values, MPI_Op op, MPI_Comm comm) {
  if (values.size() == 0) return;
  const Matrix own = values;
  Matrix all(own.rows(), own.cols());
  // MPI counts with 32 bits.
  constexpr Index kMost = std::numeric_limits<int>::max() / 2;
  for (Index at = 0; at < own.size(); at += kMost) {
    petsc::reduce(own.data() + at, all.data() + at, std::min(kMost, own.size() - at), MPIU_REAL, op,
                  comm);
  }
  values = all;
}

}  // namespace

RowLayout::RowLayout(MPI_Comm comm, Index count) : count_(count) {
  check(PetscCommDuplicate(comm, &comm_, nullptr), "a communicator");
  check(PetscLayoutCreateFromSizes(comm_, count, PETSC_DETERMINE, 1, &layout_), "a layout of rows");
  PetscInt size = 0, first = 0;
  PetscLayoutGetSize(layout_, &size);
  PetscLayoutGetRange(layout_, &first, nullptr);
  size_ = size;
  first_ = first;
  const auto all = starts();
  for (std::size_t p = 0; p + 1 < all.size(); ++p) most_ = std::max(most_, all[p + 1] - all[p]);
}

RowLayout::~RowLayout() {
  PetscLayoutDestroy(&layout_);
  PetscCommDestroy(&comm_);
}

std::shared_ptr<const RowLayout> RowLayout::equal(MPI_Comm comm, Index size) {
  PetscInt own = PETSC_DECIDE, all = size;
  check(PetscSplitOwnership(comm, &own, &all), "sharing rows");
  return std::make_shared<const RowLayout>(comm, own);
}

std::span<const PetscInt> RowLayout::starts() const {
  const PetscInt* ranges = nullptr;
  PetscLayoutGetRanges(layout_, &ranges);
  int ranks = 1;
  MPI_Comm_size(comm_, &ranks);
  return {ranges, static_cast<std::size_t>(ranks) + 1};
}

int RowLayout::owner(Index row) const {
  const auto all = starts();
  // The last process that starts at or before the row: empty ones come first.
  return static_cast<int>(std::upper_bound(all.begin(), all.end(), row) - all.begin()) - 1;
}

void RowLayout::sum(MatrixRef values) const { reduce_all(values, MPI_SUM, comm_); }

void RowLayout::largest(MatrixRef values) const { reduce_all(values, MPI_MAX, comm_); }

std::vector<Index> RowLayout::joined(std::span<const Index> own) const {
  int ranks = 1;
  MPI_Comm_size(comm_, &ranks);
  if (own.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw MemoryError("more than two billion labels in one process; use more of them");
  }
  const int count = static_cast<int>(own.size());
  std::vector<int> counts(ranks), starts(ranks + 1, 0);
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm_);
  for (int p = 0; p < ranks; ++p) starts[p + 1] = starts[p] + counts[p];
  std::vector<Index> all(starts.back());
  MPI_Allgatherv(own.data(), count, MPIU_INT, all.data(), counts.data(), starts.data(), MPIU_INT,
                 comm_);
  return all;
}

bool RowLayout::agrees(bool own) const {
  int mine = own, all = 0;
  petsc::reduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm_);
  return all != 0;
}

}  // namespace stkr::petsc
