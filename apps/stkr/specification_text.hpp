#pragma once

#include <string>
#include <vector>

#include "stkr/specification/specification.hpp"

namespace stkr::app {

// The options of `stkr fit` that give this specification, with numbers in full, so that copying
// them repeats the fit: those of the method, and with those of the kernel (kernel_words).
std::vector<std::string> method_words(const Specification& spec);
std::vector<std::string> option_words(const Specification& spec);

}  // namespace stkr::app
