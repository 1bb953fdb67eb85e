#pragma once

#include <petscsf.h>

#include <cstdint>
#include <vector>

#include "petsc_block.hpp"
#include "stkr/linop/csr_matrix.hpp"

namespace stkr::petsc {

// Rows of a sparse N × N matrix, with everything that a product with a block needs from other
// processes: its halo, the rows of the block in whose columns these rows have entries. A PetscSF
// exchanges it, one contiguous row of C numbers per unit, while the part of the product with the
// process's own rows runs.
class HaloMatrix {
 public:
  // `rows` has the rows of this process; its columns are numbers of all N. Called by all processes.
  HaloMatrix(Layout layout, CsrMatrix rows);
  ~HaloMatrix();
  HaloMatrix(const HaloMatrix&) = delete;
  HaloMatrix& operator=(const HaloMatrix&) = delete;

  const Layout& layout() const { return layout_; }
  // The entries in columns of this process, and the others. Columns of the latter count halo().
  const CsrMatrix& own() const { return own_; }
  const CsrMatrix& other() const { return other_; }
  // The samples of the halo, ascending.
  const std::vector<std::int32_t>& halo() const { return halo_; }

  // value(i, j, v) replaces every entry v; i and j are samples of all N.
  template <class Value>
  void map_values(Value&& value) {
    const Index first = layout_->first();
    for (Index i = 0; i < own_.rows; ++i) {
      for (auto p = own_.row_start[i]; p < own_.row_start[i + 1]; ++p) {
        own_.value[p] = value(first + i, first + own_.column[p], own_.value[p]);
      }
      for (auto p = other_.row_start[i]; p < other_.row_start[i + 1]; ++p) {
        other_.value[p] = value(first + i, Index{halo_[other_.column[p]]}, other_.value[p]);
      }
    }
  }
  template <class Visit>
  void visit_row(Index row, Visit&& visit) const {
    const Index first = layout_->first();
    for (auto p = own_.row_start[row]; p < own_.row_start[row + 1]; ++p) {
      visit(first + own_.column[p], own_.value[p]);
    }
    for (auto p = other_.row_start[row]; p < other_.row_start[row + 1]; ++p) {
      visit(Index{halo_[other_.column[p]]}, other_.value[p]);
    }
  }

  // The halo's rows of a block that has those of this process.
  Matrix halo_of(ConstMatrixRef x) const;

  // y ← a A x + b x + c y. With c = 0, y is not read.
  void apply_step(double a, ConstMatrixRef x, double b, double c, MatrixRef y, int threads) const;

 private:
  // A PetscSF keeps its buffers for every unit that it has exchanged, so another number of columns
  // gets another PetscSF: solvers change it a few times.
  void begin_exchange(Index columns, const double* rows, Matrix& received) const;
  void finish_exchange(const double* rows, Matrix& received) const;
  void end_exchange() const;

  Layout layout_;
  CsrMatrix own_, other_;
  std::vector<std::int32_t> halo_;
  mutable PetscSF exchange_ = nullptr;
  mutable MPI_Datatype unit_ = MPI_DATATYPE_NULL;  // a row of that many columns
  mutable Index exchanged_columns_ = 0;
  mutable Matrix received_, sent_;  // reused between products
};

}  // namespace stkr::petsc
