#include "usage_error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "cli.hpp"
#include "runtime/suggestion.hpp"

namespace stkr::app {
namespace {

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  return names;
}

// Options of other programs, and what they are called here.
constexpr std::array<std::array<std::string_view, 2>, 13> kOtherNames{
    {{"lambda", "ridge"},
     {"alpha", "ridge"},
     {"regularization", "ridge"},
     {"tol", "tolerance"},
     {"sigma", "length-scale"},
     {"bandwidth", "length-scale"},
     {"k", "neighbors"},
     {"n-neighbors", "neighbors"},
     {"jobs", "threads"},
     {"n-jobs", "threads"},
     {"target", "labels"},
     {"index", "id"},
     {"cv", "folds"}}};

std::string option_suggestion(const CLI::App& command, std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  const std::vector<std::string> options = option_names(command);
  for (const auto& [other, here] : kOtherNames) {
    const bool has = std::find(options.begin(), options.end(), here) != options.end();
    if (name == other && has) return fmt::format("; did you mean --{}?", here);
  }
  return suggestion(name, options, "--");
}

// "unexpected arguments: --etta 1; did you mean --eta?"
std::string unexpected(const CLI::App& command, const std::vector<std::string>& arguments) {
  std::string text = fmt::format("unexpected argument{}: {}", arguments.size() > 1 ? "s" : "",
                                 fmt::join(arguments, " "));
  for (const std::string& argument : arguments) {
    if (!argument.starts_with("--")) continue;
    const std::string name = argument.substr(2, argument.find('=') - 2);
    return text + option_suggestion(command, name);
  }
  return text;
}

}  // namespace

std::string usage_message(const CLI::App& app, const std::string& problem) {
  const CLI::App* at = &app;
  std::string command = "stkr";
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    command += " " + at->get_name();
  }
  std::string message = problem;
  const std::vector<std::string> rest = at->remaining();
  const bool takes_command = at->get_require_subcommand_min() > 0;
  if (takes_command && !rest.empty()) {
    message = rest.front().starts_with("-")
                  ? unexpected(*at, rest)
                  : fmt::format("unknown command '{} {}'{}", command, rest.front(),
                                suggestion(rest.front(), command_names(*at), command + " "));
  } else if (takes_command) {
    message = fmt::format("'{}' needs a command: {}", command, fmt::join(command_names(*at), ", "));
  } else if (!rest.empty()) {
    message = unexpected(*at, rest);
  }
  return fmt::format("{}\nRun '{} --help' for usage.", message, command);
}

bool names_unknown_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with("-")) return false;
  const std::vector<std::string> names = command_names(app);
  return std::find(names.begin(), names.end(), arguments.front()) == names.end();
}

std::vector<std::string> with_help_option(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() != "help") return arguments;
  arguments.erase(arguments.begin());
  arguments.emplace_back("--help");
  return arguments;
}

}  // namespace stkr::app
