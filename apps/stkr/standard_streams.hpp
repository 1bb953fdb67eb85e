#pragma once

#include <string>
#include <string_view>

namespace stkr::app {

// Reserves descriptors 0 to 2 for the standard streams even if the caller closed them: otherwise a
// file opened later would get such a number, and messages would be written into it. Call this
// before opening anything.
void reserve_standard_streams();

// Writes a line to standard error. Write errors are ignored: a full disk under a log must not end a
// run.
void say(std::string_view text);   // "stkr: text"
void note(std::string_view text);  // "stkr: note: text"
void warn(std::string_view text);  // "stkr: warning: text"

// Whether output to this path is shown on a terminal.
bool is_terminal(const std::string& output);

// Prints what a command reports about its output: on standard output, or on standard error if the
// output itself goes to a stream.
void print_report(const std::string& output, std::string_view text);

// From now on, `note` and `warn` write nothing.
void keep_quiet();

// Writes text to standard error unchanged; ignores write errors as well.
void write_message(std::string_view text);

// Whether everything printed has reached standard output.
bool flush_output();

}  // namespace stkr::app
