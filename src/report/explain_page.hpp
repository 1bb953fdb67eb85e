#pragma once

#include <string>

#include "report/html_parts.hpp"
#include "stkr/explain/explain.hpp"

namespace stkr::report {

// A page about an explanation: the verdict, pictures, numbers, and how each was computed. `repeat`:
// what the caller knows about repeating it. One self-contained file, as pages of runs are.
std::string explain_page(const Explanation& found, const Facts& repeat);

}  // namespace stkr::report
