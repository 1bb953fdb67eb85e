#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "stkr/runtime/context.hpp"

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace stkr::app {

// Exit codes, the same for every command.
enum ExitCode : int {
  kDone = 0,
  kFailed = 1,        // anything not below
  kUsage = 2,         // wrong usage
  kBadData = 3,       // unreadable or invalid data
  kNotConverged = 4,  // results are written and marked
  kOutOfMemory = 5,   // would exceed the memory budget
  kInterrupted = 130,
};

struct CommonOptions {
  bool json = false;
  int threads = 0;
  std::uint64_t seed = 1;
};

// The context of a command: its threads and seed, and Ctrl-C as the request to stop.
Context context_of(const CommonOptions& options, std::uint64_t memory = 0);

// --json, --threads and --seed, which every command has.
void add_common_options(CLI::App& command, CommonOptions& options);

// Validators with readable messages.
CLI::Validator at_least(long long least);
CLI::Validator not_empty();

// Each function adds a command to the application. `run` is called only if the command was chosen,
// and returns the exit code.
struct Command {
  CLI::App* app;
  std::function<int()> run;
};
Command add_fit_command(CLI::App& app);
Command add_predict_command(CLI::App& app);
Command add_select_command(CLI::App& app);
Command add_graph_command(CLI::App& app);
Command add_plan_command(CLI::App& app);
Command add_data_command(CLI::App& app);
Command add_reproduce_command(CLI::App& app);
Command add_demo_command(CLI::App& app);

}  // namespace stkr::app
