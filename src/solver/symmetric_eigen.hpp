#pragma once

#include <stop_token>

#include "stkr/matrix.hpp"

namespace stkr {

// Eigenpairs of an explicit symmetric matrix, largest eigenvalue first, with orthonormal vectors in
// columns. Computed by LAPACK on one thread, so that the result does not depend on a thread count.
struct SymmetricEigen {
  Vector values;
  Matrix vectors;
};

// Throws Cancelled if cancellation is requested. LAPACK cannot be interrupted: for a large matrix,
// it continues in the background (runtime/abandonable).
SymmetricEigen symmetric_eigen(ConstMatrixRef a, const std::stop_token& cancel = {});

// Only the `count` pairs with the largest eigenvalues.
SymmetricEigen symmetric_eigen_top(ConstMatrixRef a, Index count,
                                   const std::stop_token& cancel = {});

}  // namespace stkr
