#pragma once

#include <span>

#include "stkr/matrix.hpp"

namespace stkr {

// Vector operations for the iterative solvers, on row-major N × C blocks with one scalar per
// column. Sums run over fixed chunks of rows, added in order, so no result depends on `threads`.

// Σ_i x_ic y_ic for every column c.
Vector column_dots(ConstMatrixRef x, ConstMatrixRef y, int threads);

// ‖x_c‖₂ for every column c.
Vector column_norms(ConstMatrixRef x, int threads);

// y_c = a_c x_c
void scale_columns(const Vector& a, ConstMatrixRef x, MatrixRef y, int threads);

// y_c += a_c x_c
void add_scaled(const Vector& a, ConstMatrixRef x, MatrixRef y, int threads);

// y_c = x_c + a_c y_c
void scale_and_add(const Vector& a, ConstMatrixRef x, MatrixRef y, int threads);

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

}  // namespace stkr
