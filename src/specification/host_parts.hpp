#pragma once

#include <string>

#include "stkr/dataset/dataset.hpp"
#include "stkr/runtime/device.hpp"
#include "stkr/specification/specification.hpp"

namespace stkr {

// Whether the host evaluates a point kernel of the specification: always on the CPU, and on a
// device if that does not support the kernel or the points.
bool host_evaluates(const ProblemShape& shape, const Specification& spec, const Device& device);

// What a fit on `device` still computes on the host, and why, in one line for a warning. Empty if
// that is nothing, and on the CPU.
std::string left_to_host(const ProblemShape& shape, const Specification& spec,
                         const Device& device);

}  // namespace stkr
