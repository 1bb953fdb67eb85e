#pragma once

#include <stop_token>

#include "stkr/linop/matrix.hpp"

namespace stkr {

// Eigenpairs of an explicit symmetric matrix, largest eigenvalue first, orthonormal vectors in
// columns. Computed by LAPACK on one thread: the result must not depend on a thread count.
struct SymmetricEigen {
  Vector values;
  Matrix vectors;
};

// LAPACK cannot be stopped: where `cancel` comes, a large matrix is left to it (linop/abandonable)
// and Cancelled is thrown.
SymmetricEigen symmetric_eigen(ConstMatrixRef a, const std::stop_token& cancel = {});

// Only the `count` pairs with the largest eigenvalues.
SymmetricEigen symmetric_eigen_top(ConstMatrixRef a, Index count,
                                   const std::stop_token& cancel = {});

}  // namespace stkr
