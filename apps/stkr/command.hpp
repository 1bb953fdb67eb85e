#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

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

// What a command says besides its results.
enum class Verbosity {
  quiet,    // errors only
  normal,   // its report, notes and warnings; progress on a terminal
  verbose,  // also the time of every phase
};

struct CommonOptions {
  bool json = false;
  Verbosity verbosity = Verbosity::normal;
  int threads = 0;
  std::uint64_t seed = 1;
  Device device{};
};

// The context of a command: its threads, seed and device, and Ctrl-C as the request to stop.
Context context_of(const CommonOptions& options, std::uint64_t memory = 0);

// --json, --threads, --device, --seed, -v and -q, which nearly every command has.
void add_common_options(CLI::App& command, CommonOptions& options);
void add_threads_option(CLI::App& command, int& threads);
void add_device_option(CLI::App& command, Device& device);
void add_verbosity_options(CLI::App& command, Verbosity& verbosity);

// Validators with readable messages.
CLI::Validator at_least(long long least);
CLI::Validator not_empty();
CLI::Validator number(std::string expected, std::function<bool(double)> allowed);
CLI::Validator positive();
// One of some names, with '-' or '_'. For Option::transform: the text becomes the name.
CLI::Validator one_of(std::vector<std::string> names);

// Each function adds a command to the application. `run` is called only if the command was chosen,
// and returns the exit code.
struct Command {
  CLI::App* app;
  std::function<int()> run;
};
Command add_fit_command(CLI::App& app);
Command add_predict_command(CLI::App& app);
Command add_suggest_command(CLI::App& app);
Command add_score_command(CLI::App& app);
Command add_select_command(CLI::App& app);
Command add_explain_command(CLI::App& app);
Command add_graph_command(CLI::App& app);
// `processes` share the samples unless --ranks says how many; 0: this program plans for itself.
Command add_plan_command(CLI::App& app, int processes = 0);
Command add_data_command(CLI::App& app);
Command add_reproduce_command(CLI::App& app);
Command add_demo_command(CLI::App& app);

}  // namespace stkr::app
