#include "solver/eigenpairs_template.hpp"

namespace stkr {

template Eigenpairs top_eigenpairs(const LinearOperator&, Index, const EigenpairOptions&,
                                   const Context&);

}  // namespace stkr
