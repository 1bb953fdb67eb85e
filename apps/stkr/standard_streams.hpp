#pragma once

#include <string_view>

namespace stkr::app {

// Descriptors 0 to 2 are those of the standard streams even where the caller closed them: a file
// that is opened later would otherwise get such a number, and messages would land in it. To be
// called before anything is opened.
void reserve_standard_streams();

// Lines on the standard error. What cannot be written there is lost: a full disk under a log is no
// reason to end a run.
void say(std::string_view text);   // "stkr: text"
void note(std::string_view text);  // "stkr: note: text"
void warn(std::string_view text);  // "stkr: warning: text"

// Text on the standard error as it is; lost like the others.
void write_message(std::string_view text);

// Whether all that was printed has reached the standard output.
bool flush_output();

}  // namespace stkr::app
