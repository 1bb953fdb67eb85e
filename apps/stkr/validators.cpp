#include <fmt/format.h>

#include "cli.hpp"
#include "command.hpp"

namespace stkr::app {

CLI::Validator at_least(long long least) {
  return CLI::Validator(
      [least](std::string& text) {
        long long value = 0;
        const bool whole = CLI::detail::lexical_cast(text, value);
        return whole && value >= least
                   ? std::string()
                   : fmt::format("{} given; expected a whole number, {} or more", text, least);
      },
      "");
}

CLI::Validator not_empty() {
  return CLI::Validator(
      [](std::string& text) { return std::string(text.empty() ? "is empty" : ""); }, "");
}

}  // namespace stkr::app
