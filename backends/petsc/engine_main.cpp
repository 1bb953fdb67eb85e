// The program stkr-petsc: stkr --engine petsc replaces itself by it (apps/stkr/engine).

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <thread>

#include "blas_threads.hpp"
#include "cli.hpp"
#include "engine_commands.hpp"
#include "help_formatter.hpp"
#include "interrupt.hpp"
#include "program.hpp"
#include "runtime/thread_count.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"
#include "stkr/version.hpp"
#include "usage_error.hpp"

namespace stkr::petsc {

void agree(const Session& session, const std::function<void()>& work) {
  agree(session.comm(), [&] {
    try {
      work();
    } catch (const CLI::ParseError& error) {
      throw ParameterError(error.what());
    }
  });
}

void refuse(const std::string& option, const std::string& instead) {
  throw CLI::ValidationError(
      option, fmt::format("the PETSc engine does not support this yet; {}", instead));
}

void refuse_standard_input(const std::string& input) {
  if (input != "-" && input != "/dev/stdin") return;
  refuse("standard input", "name a file, which every process reads");
}

int threads_of(const Session& session, int asked) {
  if (asked > 0) return asked;
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(session.comm(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int here = 1;
  MPI_Comm_size(node, &here);
  MPI_Comm_free(&node);
  // A process that mpirun bound to some cores has them for itself.
  const auto all = static_cast<int>(std::thread::hardware_concurrency());
  const int available = default_threads();
  return available < all ? available : std::max(1, available / here);
}

namespace {

// Whether all processes come here within some seconds. An exception that all throw together ends
// the run in order; one that a process throws alone leaves the others waiting for it.
bool all_arrive(const Session& session) {
  constexpr auto kPatience = std::chrono::seconds(5);
  const auto start = std::chrono::steady_clock::now();
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(session.comm(), &request);
  int done = 0;
  while (!done) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (std::chrono::steady_clock::now() - start > kPatience) return false;
    if (!done) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

// Treats SIGUSR1 as SIGTERM: mpirun passes it on to all processes without ending them itself.
void watch_signals() {
  app::interrupt_token();
  struct sigaction action = {};
  sigaction(SIGTERM, nullptr, &action);
  sigaction(SIGUSR1, &action, nullptr);
}

// Ends a run that failed: one message, the same exit code everywhere.
int end(const Session& session, const app::Failure& failure) {
  const bool together = all_arrive(session);
  if (!together || session.rank() == 0) app::say(failure.message);
  if (!together) session.abort(failure.code);
  return failure.code;
}

int run(const Session& session, int argc, char** argv) {
  const bool speaks = session.rank() == 0;
  CLI::App app("stkr on many processes: see docs/distributed.md", "stkr");
  app.set_version_flag("--version", fmt::format("stkr {}\nengine: petsc", kVersion));
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", "Print the options to know first, and exit");
  app.set_help_all_flag("--help-all", "Print all options and exit");
  app.formatter(std::make_shared<app::HelpFormatter>());
  const app::Command commands[] = {add_fit(app, session), add_predict(app, session),
                                   add_select(app, session), add_graph(app, session),
                                   add_plan(app, session)};
  try {
    std::vector<std::string> arguments = app::with_help_option({argv + 1, argv + argc});
    if (app::names_unknown_command(app, arguments)) arguments.resize(1);
    std::reverse(arguments.begin(), arguments.end());
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      if (speaks) app::say(app::usage_message(app, error.what()));
      return app::kUsage;
    }
    if (speaks) app.exit(error);
    return app::flush_output() ? app::kDone : app::kFailed;
  }
  watch_signals();
  try {
    for (const app::Command& command : commands) {
      if (!command.app->parsed()) continue;
      const int code = command.run();
      if (app::flush_output()) return code;
      app::say(app::kNoOutput);
      session.abort(app::kFailed);
    }
  } catch (...) {
    return end(session, app::failure_of(app, std::current_exception()));
  }
  return app::kUsage;
}

}  // namespace
}  // namespace stkr::petsc

int main(int argc, char** argv) {
  stkr::app::reserve_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const stkr::petsc::Session session(argc, argv);
    if (session.rank() > 0) stkr::app::keep_quiet();
    return stkr::petsc::run(session, argc, argv);
  } catch (const stkr::Error& error) {
    stkr::app::say(error.what());
    return stkr::app::kBadData;
  }
}
