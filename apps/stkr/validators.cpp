#include <fmt/format.h>

#include "cli.hpp"
#include "command.hpp"
#include "runtime/suggestion.hpp"

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

CLI::Validator one_of(std::vector<std::string> names) {
  return CLI::Validator(
      [names = std::move(names)](std::string& text) {
        auto name = same_name(text, names);
        if (!name) return unknown_name(text, names);
        text = *std::move(name);
        return std::string();
      },
      "");
}

CLI::Validator number(std::string expected, std::function<bool(double)> allowed) {
  return CLI::Validator(
      [expected = std::move(expected), allowed = std::move(allowed)](std::string& text) {
        double value = 0.0;
        const bool read = CLI::detail::lexical_cast(text, value);
        return read && allowed(value) ? std::string()
                                      : fmt::format("{} given; expected {}", text, expected);
      },
      "");
}

CLI::Validator positive() {
  return number("a positive number", [](double value) { return value > 0.0 && value < 1e308; });
}

CLI::Validator not_empty() {
  return CLI::Validator(
      [](std::string& text) { return std::string(text.empty() ? "is empty" : ""); }, "");
}

}  // namespace stkr::app
