#include "solver/orthonormal_basis_template.hpp"

namespace stkr {

template OrthonormalBasis orthonormal_basis(const Matrix&, double,
                                            const std::vector<ConstMatrixRef>&, int);

}  // namespace stkr
