#pragma once

#include "stkr/linop/linear_operator.hpp"
#include "stkr/linop/random.hpp"

namespace stkr {

// Columns of norm 1. Zero and non-finite ones are replaced by random ones.
void normalize_columns(Matrix& x, Random& random, int threads);

// X ← X - Q Qᵀ X for an orthonormal Q.
void project_out(const Matrix& q, Matrix& x, int threads);

// Makes the columns orthonormal up to about 1e-2, which is what a second pass needs to be exact.
// Cholesky QR in the order of the columns: what a filter left of earlier columns in later ones is
// taken out of the later ones.
void nearly_orthonormalize(Matrix& x, Random& random, int threads);

// Rotates the columns of x, orthonormal up to rounding or only nearly, to orthonormal Ritz vectors
// of `op` in their span. Returns the Ritz values, largest first. Cost: one product.
Vector rayleigh_ritz(const LinearOperator& op, Matrix& x, Random& random, int threads);

// ‖A x_c - θ_c x_c‖ for every column, from a product of its own.
Vector residual_norms(const LinearOperator& op, ConstMatrixRef x, const Vector& theta, int threads);

}  // namespace stkr
