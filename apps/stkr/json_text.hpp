#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace stkr::app {

// A document for --json. JSON is UTF-8, but file names need not be: invalid bytes are written as
// the replacement character instead of failing after all the work is done.
std::string json_text(const nlohmann::json& document, int indent = 2);

}  // namespace stkr::app
