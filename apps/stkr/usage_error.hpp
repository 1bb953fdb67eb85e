#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace stkr::app {

// The message for a wrong command line, with the name that a misspelled command or option probably
// means, and how to get help.
std::string usage_message(const CLI::App& app, const std::string& problem);

// Whether the first argument is a command that does not exist.
bool names_unknown_command(const CLI::App& app, const std::vector<std::string>& arguments);

// `stkr help fit` means `stkr fit --help`.
std::vector<std::string> with_help_option(std::vector<std::string> arguments);

}  // namespace stkr::app
