#include "solver/minres_template.hpp"

namespace stkr {

template SolveResult solve_minres(const LinearOperator&, ConstMatrixRef, const SolverOptions&,
                                  const Context&);

}  // namespace stkr
