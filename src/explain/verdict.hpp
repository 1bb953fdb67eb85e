#pragma once

#include <string>
#include <vector>

#include "stkr/explain/explain.hpp"

namespace stkr {

// What an explanation says, in plain sentences, the most important first. A difference counts if it
// is more than two standard errors.
std::vector<std::string> verdict_of(const Explanation& found);

// How many labels it would take to see a difference of `difference` between two errors whose
// difference has this standard error with n labels.
Index labels_to_see(double difference, double standard_error, Index labels);

// "12.3% ± 1.2%", or "0.123 ± 0.012" of the variance for numbers.
std::string error_text(double error, double standard_error, bool classes);

}  // namespace stkr
