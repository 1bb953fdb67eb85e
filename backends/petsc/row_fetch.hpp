#pragma once

#include <petscsf.h>

#include <span>
#include <vector>

#include "row_layout.hpp"

namespace stkr::petsc {

// Some rows of all processes: a PetscSF whose leaves are these.
class RowFetch {
 public:
  // `wanted` numbers rows of all processes, in any order and also several times. Called by all.
  RowFetch(const RowLayout& layout, std::span<const Index> wanted);
  ~RowFetch();
  RowFetch(const RowFetch&) = delete;
  RowFetch& operator=(const RowFetch&) = delete;

  // The wanted rows of a block that has those of this process.
  Matrix operator()(ConstMatrixRef own) const;

  // Adds row k of `values` to the row that wanted[k] numbers, in the process that has it.
  void add(ConstMatrixRef values, Matrix& own) const;

 private:
  Index wanted_ = 0;
  PetscSF exchange_ = nullptr;
};

}  // namespace stkr::petsc
