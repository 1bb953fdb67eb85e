#include "repeat_command.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "cli.hpp"

namespace stkr::app {
namespace {

// Options that say the same: one of them replaces the others.
const std::array<std::vector<std::string_view>, 3> kAlternatives{{
    {"ridge", "beta"},
    {"length-scale", "gamma"},
    {"transform", "method", "eta", "power", "time", "d", "coefficients", "r", "iterations"},
}};

// What a choice does not depend on, and what is written besides the model.
constexpr std::array<std::string_view, 14> kLeftOut{
    "output", "json",  "html",    "plot",    "plot-transform", "list-unreached",      "checkpoint",
    "top",    "quiet", "verbose", "threads", "image",          "checkpoint-interval", "suggest"};

// Groups of options that only select has.
constexpr std::array<std::string_view, 3> kOfSelect{"Grid", "Kernels to try", "Validation"};

std::vector<std::string> option_words(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = text.find("--"); at != std::string_view::npos; at = text.find("--", at)) {
    const bool starts = at == 0 || text[at - 1] == ' ';
    at += 2;
    if (starts) names.emplace_back(text.substr(at, text.find(' ', at) - at));
  }
  return names;
}

template <class Range>
bool contains(const Range& range, std::string_view wanted) {
  return std::find(range.begin(), range.end(), wanted) != range.end();
}

bool replaced(const std::string& name, const std::vector<std::string>& chosen) {
  if (contains(chosen, name)) return true;
  return std::any_of(kAlternatives.begin(), kAlternatives.end(), [&](const auto& same) {
    return contains(same, name) &&
           std::any_of(chosen.begin(), chosen.end(),
                       [&](const std::string& other) { return contains(same, other); });
  });
}

bool only_of_select(const CLI::App& command, const CLI::Option& option) {
  if (command.get_name() != "select") return false;
  // select has --class-mass with a value; the chosen one is in `chosen`.
  if (option.check_lname("class-mass")) return true;
  return std::any_of(kOfSelect.begin(), kOfSelect.end(),
                     [&](std::string_view group) { return option.get_group().starts_with(group); });
}

}  // namespace

std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string repeat_command(const CLI::App& command, const std::string& chosen,
                           const std::string& output) {
  const std::vector<std::string> names = option_words(chosen);
  std::string input, options;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0) continue;
    if (option->get_lnames().empty()) {  // positional
      for (const std::string& word : option->results()) input += " " + shell_word(word);
      continue;
    }
    const std::string& name = option->get_lnames().front();
    if (contains(kLeftOut, name) || replaced(name, names) || only_of_select(command, *option)) {
      continue;
    }
    if (option->get_expected_max() == 0) {
      options += " --" + name;
      continue;
    }
    const bool joined = option->get_delimiter() != '\0';
    std::string values;
    for (const std::string& value : option->results()) {
      if (joined) {
        values += (values.empty() ? "" : std::string(1, option->get_delimiter())) + value;
      } else {
        options += " --" + name + " " + shell_word(value);
      }
    }
    if (joined) options += " --" + name + " " + shell_word(values);
  }
  return "stkr fit" + input + options + (chosen.empty() ? "" : " " + chosen) + " -o " +
         shell_word(output);
}

}  // namespace stkr::app
