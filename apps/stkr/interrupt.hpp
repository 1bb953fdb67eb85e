#pragma once

#include <stop_token>

namespace stkr::app {

// After the first call, Ctrl-C and SIGTERM request a stop through this token; a second signal ends
// the process immediately.
std::stop_token interrupt_token();

// For work that checks no token and leaves nothing behind when stopped: while such an object
// exists, the first signal ends the process too, with the usual message and exit code.
class EndsAtOnce {
 public:
  EndsAtOnce();  // throws Cancelled if a signal arrived before
  ~EndsAtOnce();
  EndsAtOnce(const EndsAtOnce&) = delete;
  EndsAtOnce& operator=(const EndsAtOnce&) = delete;
};

inline constexpr const char* kInterruptedMessage = "interrupted; nothing was written";

}  // namespace stkr::app
