#pragma once

#include <span>

#include "stkr/matrix.hpp"

namespace stkr {

class Random;  // runtime/random

// Block operations on host memory: row-major N × C blocks, with one scalar per column where a
// vector is given. Solvers touch blocks by these functions only, found by overload, so a backend
// that provides them for its own block type gets every solver (linop/block.hpp). Work is split
// into fixed chunks of rows, added in order, so no result depends on `threads`. An output may be
// one of the inputs of an element-by-element operation.

// An uninitialized block with the rows of x.
Matrix block_like(ConstMatrixRef x, Index columns);

// An uninitialized block for the given rows of x alone.
Matrix block_of_rows(ConstMatrixRef x, std::span<const Index> samples, Index columns);

// Columns [first, first + count) in place.
ConstMatrixRef columns_of(ConstMatrixRef x, Index first, Index count);
MatrixRef mutable_columns(MatrixRef x, Index first, Index count);

// Transfers between host memory and a block, all rows in order. Here they are already on the host:
// download() returns a view, valid as long as x.
ConstMatrixRef download(ConstMatrixRef x);
void upload(ConstMatrixRef host, MatrixRef x);

void set_zero(MatrixRef x, int threads);

// Standard normal numbers: the next of `random`, row by row. Rows beyond the first 65,536 come from
// generators of their own, so that many rows are made on all threads; the numbers do not depend on
// these.
void fill_normal(Random& random, MatrixRef x);

bool all_finite(ConstMatrixRef x, int threads);

// y = x
void copy_block(ConstMatrixRef x, MatrixRef y, int threads);

// y = the columns of x with these numbers. x and y do not overlap.
void gather_columns(ConstMatrixRef x, std::span<const Index> columns, MatrixRef y, int threads);

// y ← a x + b y. With b = 0, y is not read.
void axpby(double a, ConstMatrixRef x, double b, MatrixRef y, int threads);

// y ← a u + b x + c y: a step of a three-term recurrence with u = A x. With c = 0, y is not read.
void recurrence_step(double a, ConstMatrixRef u, double b, ConstMatrixRef x, double c, MatrixRef y,
                     int threads);

// Σ_i x_ic y_ic for every column c.
Vector column_dots(ConstMatrixRef x, ConstMatrixRef y, int threads);

// ‖x_c‖₂ for every column c.
Vector column_norms(ConstMatrixRef x, int threads);

// y_c = a_c x_c
void scale_columns(const Vector& a, ConstMatrixRef x, MatrixRef y, int threads);

// y_c = x_c / a_c
void divide_columns(const Vector& a, ConstMatrixRef x, MatrixRef y, int threads);

// y_c += a_c x_c
void add_scaled(const Vector& a, ConstMatrixRef x, MatrixRef y, int threads);

// y_c = x_c + a_c y_c
void scale_and_add(const Vector& a, ConstMatrixRef x, MatrixRef y, int threads);

// The scalars of one step of MINRES, one per column.
struct DirectionStep {
  Vector scale, older, old, length;
};
// w_c = scale_c (v_c - older_c w1_c - old_c w2_c), then x_c += length_c w_c, in one pass.
void direction_step(const DirectionStep& step, ConstMatrixRef v, ConstMatrixRef w1,
                    ConstMatrixRef w2, MatrixRef w, MatrixRef x, int threads);

// y_i = w_i x_i for every row i; w has one column.
void scale_rows(ConstMatrixRef w, ConstMatrixRef x, MatrixRef y, int threads);

// y_i = w_i (y_i + t_i x_i) for every row i; w and t have one column.
void add_and_scale_rows(ConstMatrixRef w, ConstMatrixRef t, ConstMatrixRef x, MatrixRef y,
                        int threads);

// Xᵀ Y for tall blocks, computed by chunks of rows.
Matrix tall_product(ConstMatrixRef x, ConstMatrixRef y, int threads);

// Xᵀ Y if it is known to be symmetric (Y = X, or A X for a symmetric A): half the work.
Matrix symmetric_tall_product(ConstMatrixRef x, ConstMatrixRef y, int threads);

// X M for a tall block X and a small matrix M.
Matrix tall_times_small(ConstMatrixRef x, ConstMatrixRef m, int threads);

// Y -= X M
void subtract_product(ConstMatrixRef x, ConstMatrixRef m, MatrixRef y, int threads);

// X ← X M for an upper triangular M: half the work, without a second block.
void multiply_by_upper(MatrixRef x, ConstMatrixRef m, int threads);

// E: places `rows` at rows `samples` of an N-row block of zeros. Eᵀ: extracts those rows.
Matrix scatter_rows(ConstMatrixRef rows, std::span<const Index> samples, Index size);
Matrix gather_rows(ConstMatrixRef block, std::span<const Index> samples);

// y = E x, and y = scale Eᵀ x.
void scatter_rows(ConstMatrixRef x, std::span<const Index> samples, MatrixRef y, int threads);
void gather_rows(double scale, ConstMatrixRef x, std::span<const Index> samples, MatrixRef y,
                 int threads);

}  // namespace stkr
