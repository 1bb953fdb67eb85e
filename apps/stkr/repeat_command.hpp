#pragma once

#include <string>

namespace CLI {
class App;
}

namespace stkr::app {

// The `stkr fit` command that repeats a choice: INPUT and the options of `command` (fit or select)
// as they were given, except those that `chosen` replaces or that only select has, then `chosen`
// ("--kernel knn --transform power --power 8 --beta 0.001"), and -o. Quoted for a shell.
std::string repeat_command(const CLI::App& command, const std::string& chosen,
                           const std::string& output);

// `text` as one word of a shell.
std::string shell_word(const std::string& text);

}  // namespace stkr::app
