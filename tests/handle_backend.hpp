#pragma once

#include "stkr/runtime/device.hpp"

namespace stkr::handle {

// A device for tests, whose blocks are those of handle_block.hpp: everything that a GPU would run
// as a whole runs there, with the numbers out of the host's reach. Products are those of the host;
// rough ones are rounded to single precision.
stkr::Device test_device();

}  // namespace stkr::handle
