#include "solver/richardson_template.hpp"

namespace stkr {

template SolveResult solve_richardson(const LinearOperator&, ConstMatrixRef,
                                      const RichardsonOptions&, const Context&);

}  // namespace stkr
