#pragma once

#include "stkr/model/fit_model.hpp"

namespace stkr {

// How a summary names the kernel of a graph. `is_default`: the user named none.
Choice graph_kernel_choice(const GraphKernelSpec& spec, bool is_default);

}  // namespace stkr
