#pragma once

#include <vector>

#include "report/run_page.hpp"
#include "stkr/explain/explain.hpp"

namespace stkr::report {

// The numbers of an explanation as texts, for pages and terminals. What is unknown is left out.
Facts kernel_numbers(const Explanation& found);
Facts fit_numbers(const Explanation& found);
PageTable energy_table(const Explanation& found);
PageTable compared_table(const Explanation& found);
PageTable curve_table(const Explanation& found);
// "vacuous", "does not apply" or "says something".
std::string bound_verdict(const Bound& bound);
PageTable bounds_table(const Explanation& found);

}  // namespace stkr::report
