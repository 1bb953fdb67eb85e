#pragma once

#include "stkr/linop/csr_matrix.hpp"
#include "stkr/linop/matrix.hpp"

namespace stkr {

// y = A x for an A.cols × C block x. Threads take row chunks of about equal work; each row is
// summed in storage order, so the result does not depend on the number of threads. Memory-bound:
// about 12 + 8C bytes per entry. x and y do not overlap; `matrix` is one that check_csr accepts.
void multiply(const CsrMatrix& matrix, ConstMatrixRef x, MatrixRef y, int threads = 0);

}  // namespace stkr
