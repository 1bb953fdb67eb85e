#pragma once

#include "stkr/linop/matrix.hpp"

namespace stkr {

// Eigenpairs of an explicit symmetric matrix, largest eigenvalue first, orthonormal vectors in
// columns. Computed by LAPACK on one thread: the result must not depend on a thread count.
struct SymmetricEigen {
  Vector values;
  Matrix vectors;
};

SymmetricEigen symmetric_eigen(ConstMatrixRef a);

// Only the `count` pairs with the largest eigenvalues.
SymmetricEigen symmetric_eigen_top(ConstMatrixRef a, Index count);

}  // namespace stkr
