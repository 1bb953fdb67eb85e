#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "stkr/explain/explain.hpp"

namespace stkr::report {

// Everything in an explanation, except the density, whose quantiles are given.
nlohmann::json explanation_json(const Explanation& found);
// The same as text.
std::string explanation_text(const Explanation& found);

}  // namespace stkr::report
