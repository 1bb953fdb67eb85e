#pragma once

#include <string>

#include "stkr/specification/specification.hpp"

namespace stkr::app {

// The options of `stkr fit` that give this specification, with numbers in full, so that copying
// them repeats the fit: those of the method, and with those of the kernel (kernel_options).
std::string method_text(const Specification& spec);
std::string options_text(const Specification& spec);

}  // namespace stkr::app
