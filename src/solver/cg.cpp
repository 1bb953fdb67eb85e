#include "solver/cg_template.hpp"

namespace stkr {

template SolveResult solve_cg(const LinearOperator&, ConstMatrixRef, const CgOptions&,
                              const Context&);

}  // namespace stkr
