#pragma once

#include <memory>
#include <span>
#include <utility>

#include "row_layout.hpp"
#include "stkr/linop/block.hpp"
#include "stkr/linop/linear_operator.hpp"

// The block of the PETSc engine: the rows of this process in the core's own row-major layout, and
// the layout that says which these are. Functions mean what those in linop/block_algebra.hpp mean.
// They call the host's on the local rows; sums are then reduced over the processes.
namespace stkr::petsc {

using Layout = std::shared_ptr<const RowLayout>;

class PetscBlock {
 public:
  PetscBlock() = default;
  PetscBlock(Layout layout, Index columns)
      : layout_(std::move(layout)), rows_(layout_->count(), columns) {}
  PetscBlock(PetscBlock&&) = default;
  PetscBlock& operator=(PetscBlock&&) = default;

  Index rows() const { return rows_.rows(); }
  Index cols() const { return rows_.cols(); }
  const Layout& layout() const { return layout_; }
  Matrix& local() { return rows_; }
  const Matrix& local() const { return rows_; }

 private:
  Layout layout_;
  Matrix rows_;
};

// Columns of a block. Valid as long as the block.
template <class Number, class Ref>
class BasicView {
 public:
  BasicView(const RowLayout* layout, Number* data, Index rows, Index columns, Index stride)
      : layout_(layout), data_(data), rows_(rows), columns_(columns), stride_(stride) {}

  Index rows() const { return rows_; }
  Index cols() const { return columns_; }
  // Of a block that is not the empty default.
  Layout layout() const { return layout_->shared_from_this(); }
  const RowLayout* layout_pointer() const { return layout_; }
  Number* data() const { return data_; }
  Index stride() const { return stride_; }

  Ref local() const {
    using Stored = std::conditional_t<std::is_const_v<Number>, const Matrix, Matrix>;
    return Eigen::Map<Stored, 0, Eigen::OuterStride<>>(data_, rows_, columns_,
                                                       Eigen::OuterStride<>(stride_));
  }
  BasicView part(Index first, Index count) const {
    return {layout_, data_ + first, rows_, count, stride_};
  }

 private:
  const RowLayout* layout_;
  Number* data_;
  Index rows_, columns_, stride_;
};

class View : public BasicView<double, MatrixRef> {
 public:
  using BasicView::BasicView;
  View(PetscBlock& block)
      : BasicView(block.layout().get(), block.local().data(), block.rows(), block.cols(),
                  block.cols()) {}
  View(BasicView view) : BasicView(view) {}
};

class ConstView : public BasicView<const double, ConstMatrixRef> {
 public:
  using BasicView::BasicView;
  ConstView(const PetscBlock& block)
      : BasicView(block.layout().get(), block.local().data(), block.rows(), block.cols(),
                  block.cols()) {}
  ConstView(View view)
      : BasicView(view.layout_pointer(), view.data(), view.rows(), view.cols(), view.stride()) {}
  ConstView(BasicView view) : BasicView(view) {}
};

// The rows of this process, without a copy.
inline ConstMatrixRef local_rows(ConstView x) { return x.local(); }
inline MatrixRef local_rows(View x) { return x.local(); }

inline Matrix release_rows(PetscBlock& block) { return std::move(block.local()); }

inline PetscBlock block_like(ConstView x, Index columns) { return {x.layout(), columns}; }
PetscBlock block_of_rows(ConstView x, std::span<const Index> samples, Index columns);
inline ConstView columns_of(ConstView x, Index first, Index count) { return x.part(first, count); }
inline View mutable_columns(View x, Index first, Index count) { return x.part(first, count); }

// All rows on every process: for small problems.
Matrix download(ConstView x);
void upload(ConstMatrixRef host, View x);

void set_zero(View x, int threads);
// The numbers of all rows are drawn in every process, so that they do not depend on the processes.
void fill_normal(Random& random, View x);
bool all_finite(ConstView x, int threads);
void copy_block(ConstView x, View y, int threads);
void gather_columns(ConstView x, std::span<const Index> columns, View y, int threads);
void axpby(double a, ConstView x, double b, View y, int threads);
void recurrence_step(double a, ConstView u, double b, ConstView x, double c, View y, int threads);

Vector column_dots(ConstView x, ConstView y, int threads);
Vector column_norms(ConstView x, int threads);

void scale_columns(const Vector& a, ConstView x, View y, int threads);
void divide_columns(const Vector& a, ConstView x, View y, int threads);
void add_scaled(const Vector& a, ConstView x, View y, int threads);
void scale_and_add(const Vector& a, ConstView x, View y, int threads);
void direction_step(const DirectionStep& step, ConstView v, ConstView w1, ConstView w2, View w,
                    View x, int threads);
void scale_rows(ConstView w, ConstView x, View y, int threads);
void add_and_scale_rows(ConstView w, ConstView t, ConstView x, View y, int threads);

Matrix tall_product(ConstView x, ConstView y, int threads);
Matrix symmetric_tall_product(ConstView x, ConstView y, int threads);
PetscBlock tall_times_small(ConstView x, ConstMatrixRef m, int threads);
void subtract_product(ConstView x, ConstMatrixRef m, View y, int threads);
void multiply_by_upper(View x, ConstMatrixRef m, int threads);

Matrix gather_rows(ConstView x, std::span<const Index> samples);
void gather_rows(double scale, ConstView x, std::span<const Index> samples, View y, int threads);
void scatter_rows(ConstView x, std::span<const Index> samples, View y, int threads);

// `space` is of all rows, or of those of this process (KnownEigenspace::of_shared_rows).
void project_out(const KnownEigenspace& space, View x, int threads);
void add_projection(const KnownEigenspace& space, double a, ConstView x, View y, int threads);

}  // namespace stkr::petsc

namespace stkr {

template <>
struct BlockTraits<petsc::PetscBlock> {
  using View = petsc::View;
  using ConstView = petsc::ConstView;
};
static_assert(BlockType<petsc::PetscBlock>);

namespace petsc {

// The rows of this process in the memory of an estimator, for reading; valid as long as these and
// the operator.
ConstView borrowed_rows(const BasicLinearOperator<PetscBlock>& op, ConstMatrixRef rows);

}  // namespace petsc

}  // namespace stkr
