#include "solver/nystrom_preconditioner_template.hpp"

namespace stkr {

template class BasicNystromPreconditioner<Matrix>;

}  // namespace stkr
