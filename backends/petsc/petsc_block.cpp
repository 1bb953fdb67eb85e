#include "petsc_block.hpp"

#include <vector>

#include "linop/normal_rows.hpp"
#include "runtime/random.hpp"
#include "session.hpp"

namespace stkr::petsc {

ConstView borrowed_rows(const BasicLinearOperator<PetscBlock>& op, ConstMatrixRef rows) {
  return {dynamic_cast<const RowLayout*>(op.shared_rows()), rows.data(), rows.rows(), rows.cols(),
          rows.outerStride()};
}

PetscBlock block_of_rows(ConstView x, std::span<const Index> samples, Index columns) {
  const RowLayout& layout = *x.layout_pointer();
  const auto own = static_cast<Index>(local_samples(&layout, samples).size());
  return {std::make_shared<const RowLayout>(layout.comm(), own), columns};
}

Matrix download(ConstView x) {
  const RowLayout& layout = *x.layout_pointer();
  Matrix all = Matrix::Zero(layout.size(), x.cols());
  all.middleRows(layout.first(), layout.count()) = x.local();
  layout.sum(all);
  return all;
}

void upload(ConstMatrixRef host, View x) {
  x.local() = host.middleRows(x.layout_pointer()->first(), x.layout_pointer()->count());
}

void set_zero(View x, int threads) { stkr::set_zero(x.local(), threads); }

void fill_normal(Random& random, View x) {
  const RowLayout& layout = *x.layout_pointer();
  fill_normal_rows(random, layout.size(), layout.first(), x.local());
}

bool all_finite(ConstView x, int threads) {
  return x.layout_pointer()->agrees(stkr::all_finite(x.local(), threads));
}

void copy_block(ConstView x, View y, int threads) {
  stkr::copy_block(x.local(), y.local(), threads);
}

void gather_columns(ConstView x, std::span<const Index> columns, View y, int threads) {
  stkr::gather_columns(x.local(), columns, y.local(), threads);
}

void axpby(double a, ConstView x, double b, View y, int threads) {
  stkr::axpby(a, x.local(), b, y.local(), threads);
}

void recurrence_step(double a, ConstView u, double b, ConstView x, double c, View y, int threads) {
  stkr::recurrence_step(a, u.local(), b, x.local(), c, y.local(), threads);
}

Vector column_dots(ConstView x, ConstView y, int threads) {
  Matrix dots = stkr::column_dots(x.local(), y.local(), threads);
  x.layout_pointer()->sum(dots);
  return dots.col(0);
}

Vector column_norms(ConstView x, int threads) {
  Matrix squares = stkr::column_norms(x.local(), threads).cwiseAbs2();
  x.layout_pointer()->sum(squares);
  return squares.col(0).cwiseSqrt();
}

void scale_columns(const Vector& a, ConstView x, View y, int threads) {
  stkr::scale_columns(a, x.local(), y.local(), threads);
}

void divide_columns(const Vector& a, ConstView x, View y, int threads) {
  stkr::divide_columns(a, x.local(), y.local(), threads);
}

void add_scaled(const Vector& a, ConstView x, View y, int threads) {
  stkr::add_scaled(a, x.local(), y.local(), threads);
}

void scale_and_add(const Vector& a, ConstView x, View y, int threads) {
  stkr::scale_and_add(a, x.local(), y.local(), threads);
}

void direction_step(const DirectionStep& step, ConstView v, ConstView w1, ConstView w2, View w,
                    View x, int threads) {
  stkr::direction_step(step, v.local(), w1.local(), w2.local(), w.local(), x.local(), threads);
}

void scale_rows(ConstView w, ConstView x, View y, int threads) {
  stkr::scale_rows(w.local(), x.local(), y.local(), threads);
}

void add_and_scale_rows(ConstView w, ConstView t, ConstView x, View y, int threads) {
  stkr::add_and_scale_rows(w.local(), t.local(), x.local(), y.local(), threads);
}

Matrix tall_product(ConstView x, ConstView y, int threads) {
  Matrix result = stkr::tall_product(x.local(), y.local(), threads);
  x.layout_pointer()->sum(result);
  return result;
}

Matrix symmetric_tall_product(ConstView x, ConstView y, int threads) {
  Matrix result = stkr::symmetric_tall_product(x.local(), y.local(), threads);
  x.layout_pointer()->sum(result);
  return result;
}

PetscBlock tall_times_small(ConstView x, ConstMatrixRef m, int threads) {
  PetscBlock y(x.layout(), m.cols());
  y.local() = stkr::tall_times_small(x.local(), m, threads);
  return y;
}

void subtract_product(ConstView x, ConstMatrixRef m, View y, int threads) {
  stkr::subtract_product(x.local(), m, y.local(), threads);
}

void multiply_by_upper(View x, ConstMatrixRef m, int threads) {
  stkr::multiply_by_upper(x.local(), m, threads);
}

Matrix gather_rows(ConstView x, std::span<const Index> samples) {
  return gather_samples(x.layout_pointer(), x.local(), samples);
}

void gather_rows(double scale, ConstView x, std::span<const Index> samples, View y, int threads) {
  stkr::gather_rows(scale, x.local(), local_samples(x.layout_pointer(), samples), y.local(),
                    threads);
}

void scatter_rows(ConstView x, std::span<const Index> samples, View y, int threads) {
  stkr::scatter_rows(x.local(), local_samples(y.layout_pointer(), samples), y.local(), threads);
}

namespace {

// Uᵀ x for the rows of this process, summed over processes where they share eigenvectors.
Matrix coefficients(const KnownEigenspace& space, ConstView x, int threads) {
  const RowLayout& layout = *x.layout_pointer();
  if (space.shared_groups() > 0) {
    Matrix result = space.coefficients(x.local(), threads);
    layout.sum(result.topRows(space.shared_groups()));
    return result;
  }
  Matrix result = Matrix::Zero(space.dimension(), x.cols());
  for (Index i = 0; i < layout.count(); ++i) {
    const Index sample = layout.first() + i;
    const std::int32_t group = space.group(sample);
    if (group >= 0) result.row(group) += space.weights()[sample] * x.local().row(i);
  }
  layout.sum(result);
  return result;
}

void add(const KnownEigenspace& space, const Matrix& coefficients, View y, int threads) {
  if (space.shared_groups() > 0) return space.add(coefficients, y.local(), threads);
  const RowLayout& layout = *y.layout_pointer();
  MatrixRef rows = y.local();
  for (Index i = 0; i < layout.count(); ++i) {
    const Index sample = layout.first() + i;
    const std::int32_t group = space.group(sample);
    if (group >= 0) rows.row(i) += space.weights()[sample] * coefficients.row(group);
  }
}

}  // namespace

void project_out(const KnownEigenspace& space, View x, int threads) {
  add(space, -coefficients(space, x, threads), x, threads);
}

void add_projection(const KnownEigenspace& space, double a, ConstView x, View y, int threads) {
  add(space, a * coefficients(space, x, threads), y, threads);
}

}  // namespace stkr::petsc
