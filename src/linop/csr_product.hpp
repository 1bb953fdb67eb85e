#pragma once

#include "stkr/linop/csr_matrix.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

// y = A x for an A.cols × C block x. Threads process row chunks of about equal work; each row is
// summed in storage order, so the result does not depend on the number of threads. Memory-bound:
// about 12 + 8C bytes per entry. x and y must not overlap; `matrix` must pass check_csr.
void multiply(const CsrMatrix& matrix, ConstMatrixRef x, MatrixRef y, int threads = 0);

// y ← a A x + b x + c y for a square A, in one pass. With c = 0, y is not read.
void multiply_step(const CsrMatrix& matrix, double a, ConstMatrixRef x, double b, double c,
                   MatrixRef y, int threads = 0);

// y += a A x for any A.
void multiply_add(const CsrMatrix& matrix, double a, ConstMatrixRef x, MatrixRef y,
                  int threads = 0);

// The number of columns of two blocks with `rows` rows that stay in cache together, which makes
// repeated products with the same columns fast.
Index cached_columns(Index rows);

}  // namespace stkr
