#pragma once

#include "stkr/gram/graph_gram.hpp"
#include "stkr/model/fit_model.hpp"

namespace stkr {

// Gives samples the weights of the specification, and centers the kernel, if it says so. `kernels`:
// how many were added up. `graph`: of the nodes, if the gram is that of one graph kernel. Throws
// ValueError if the specification asks for what the gram does not have.
void weight_and_center(const Specification& spec, std::size_t kernels, const GraphDegrees* graph,
                       PreparedGram& result);

}  // namespace stkr
