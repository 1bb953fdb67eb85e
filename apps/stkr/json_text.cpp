#include "json_text.hpp"

#include <nlohmann/json.hpp>

namespace stkr::app {

std::string json_text(const nlohmann::json& document, int indent) {
  return document.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace stkr::app
