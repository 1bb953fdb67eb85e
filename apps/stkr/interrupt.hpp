#pragma once

#include <stop_token>

namespace stkr::app {

// From the first call on, Ctrl-C and SIGTERM ask for a stop through this token; a second one ends
// the process at once.
std::stop_token interrupt_token();

// For work that looks at no token and leaves nothing behind where it stops: while one lives, the
// first of these signals ends the process too, with the usual message and exit code.
class EndsAtOnce {
 public:
  EndsAtOnce();  // throws Cancelled where a signal came before
  ~EndsAtOnce();
  EndsAtOnce(const EndsAtOnce&) = delete;
  EndsAtOnce& operator=(const EndsAtOnce&) = delete;
};

inline constexpr const char* kInterruptedMessage = "interrupted; nothing was written";

}  // namespace stkr::app
