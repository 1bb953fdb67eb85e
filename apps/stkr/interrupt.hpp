#pragma once

#include <stop_token>

namespace stkr::app {

// From the first call on, Ctrl-C and SIGTERM ask for a stop through this token; a second one ends
// the process at once.
std::stop_token interrupt_token();

}  // namespace stkr::app
