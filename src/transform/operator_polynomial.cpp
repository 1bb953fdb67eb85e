#include "transform/operator_polynomial_template.hpp"

namespace stkr {

template void apply_polynomial(const LinearOperator&, const std::vector<double>&, ConstMatrixRef,
                               MatrixRef, Matrix*, int);

}  // namespace stkr
