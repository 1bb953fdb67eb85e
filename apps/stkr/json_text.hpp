#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace stkr::app {

// A document for --json. JSON is UTF-8, but the name of a file need not be: bytes that are not are
// written as the replacement character rather than refused, when all the work is done.
std::string json_text(const nlohmann::json& document, int indent = 2);

}  // namespace stkr::app
