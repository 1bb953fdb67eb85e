#include "solver/resolvent_space_template.hpp"

namespace stkr {

template class BasicResolventSpace<Matrix>;

}  // namespace stkr
