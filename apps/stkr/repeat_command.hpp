#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace stkr::app {

// The arguments of the `stkr fit` that repeats a choice: INPUT and the options of `command` (fit or
// select) as they were given, except those that `chosen` replaces, that only select has, or that a
// fit does not depend on, then `chosen` (--kernel, knn, --transform, power, --power, 8).
std::vector<std::string> repeat_words(const CLI::App& command,
                                      const std::vector<std::string>& chosen);

// The same as a command for a shell, with -o.
std::string repeat_command(const CLI::App& command, const std::vector<std::string>& chosen,
                           const std::string& output);

}  // namespace stkr::app
