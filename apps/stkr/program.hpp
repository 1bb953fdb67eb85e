#pragma once

#include <exception>
#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace stkr::app {

inline constexpr const char* kNoOutput = "cannot write to standard output";

// What an exception of a command means for its caller: what the program says, and how it ends.
struct Failure {
  std::string message;
  int code;
};
Failure failure_of(const CLI::App& app, const std::exception_ptr& error);

}  // namespace stkr::app
