#pragma once

#include <petscis.h>

#include <memory>
#include <span>

#include "stkr/linop/shared_rows.hpp"

namespace stkr::petsc {

// Which process has which rows: a PetscLayout, with the sums over processes that blocks need.
class RowLayout final : public SharedRows, public std::enable_shared_from_this<RowLayout> {
 public:
  // Called by all processes together, each with the number of its rows.
  RowLayout(MPI_Comm comm, Index count);
  ~RowLayout() override;
  RowLayout(const RowLayout&) = delete;
  RowLayout& operator=(const RowLayout&) = delete;

  // N rows, as equally shared as possible.
  static std::shared_ptr<const RowLayout> equal(MPI_Comm comm, Index size);

  Index size() const override { return size_; }
  Index first() const override { return first_; }
  Index count() const override { return count_; }
  Index most() const override { return most_; }
  void sum(MatrixRef values) const override;
  void largest(MatrixRef values) const override;
  std::vector<Index> joined(std::span<const Index> own) const override;

  MPI_Comm comm() const { return comm_; }
  PetscLayout layout() const { return layout_; }
  // The first row of every process, then N.
  std::span<const PetscInt> starts() const;
  int owner(Index row) const;

  bool agrees(bool own) const;  // whether it is true in all processes

 private:
  MPI_Comm comm_;
  PetscLayout layout_ = nullptr;
  Index size_ = 0, first_ = 0, count_ = 0, most_ = 0;
};

}  // namespace stkr::petsc
