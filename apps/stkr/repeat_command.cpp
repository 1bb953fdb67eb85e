#include "repeat_command.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "cli.hpp"
#include "shell_word.hpp"

namespace stkr::app {
namespace {

// Options that say the same: one of them replaces the others.
const std::array<std::vector<std::string_view>, 3> kAlternatives{{
    {"ridge", "beta"},
    {"length-scale", "gamma"},
    {"transform", "method", "eta", "power", "time", "d", "coefficients", "r", "iterations"},
}};

// What a choice does not depend on, and what is written besides the model.
constexpr std::array<std::string_view, 17> kLeftOut{"output",
                                                    "engine",
                                                    "json",
                                                    "html",
                                                    "plot",
                                                    "plot-transform",
                                                    "list-unreached",
                                                    "checkpoint",
                                                    "top",
                                                    "quiet",
                                                    "verbose",
                                                    "threads",
                                                    "image",
                                                    "checkpoint-interval",
                                                    "suggest",
                                                    "no-curves",
                                                    "draws"};

// Groups of options that only select has.
constexpr std::array<std::string_view, 3> kOfSelect{"Grid", "Kernels to try", "Validation"};

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

std::vector<std::string> repeat_words(const CLI::App& command,
                                      const std::vector<std::string>& chosen) {
  std::vector<std::string> names, words, options;
  for (const std::string& word : chosen) {
    if (word.starts_with("--")) names.push_back(word.substr(2));
  }
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0) continue;
    if (option->get_lnames().empty()) {  // positional
      words.insert(words.end(), option->results().begin(), option->results().end());
      continue;
    }
    const std::string& name = option->get_lnames().front();
    if (contains(kLeftOut, name) || replaced(name, names) || only_of_select(command, *option)) {
      continue;
    }
    if (option->get_expected_max() == 0) {
      options.push_back("--" + name);
      continue;
    }
    const bool joined = option->get_delimiter() != '\0';
    std::string values;
    for (const std::string& value : option->results()) {
      if (joined) {
        values += (values.empty() ? "" : std::string(1, option->get_delimiter())) + value;
      } else {
        options.push_back("--" + name);
        options.push_back(value);
      }
    }
    if (joined) {
      options.push_back("--" + name);
      options.push_back(values);
    }
  }
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), chosen.begin(), chosen.end());
  return words;
}

std::string repeat_command(const CLI::App& command, const std::vector<std::string>& chosen,
                           const std::string& output) {
  return "stkr fit " + shell_text(repeat_words(command, chosen)) + " -o " + shell_word(output);
}

}  // namespace stkr::app
