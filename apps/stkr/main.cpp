#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>

#include "blas_threads.hpp"
#include "cli.hpp"
#include "command.hpp"
#include "engine.hpp"
#include "help_formatter.hpp"
#include "interrupt.hpp"
#include "program.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"
#include "stkr/version.hpp"
#include "usage_error.hpp"

namespace stkr::app {

namespace {

constexpr const char* kFooter =
    "First steps:\n"
    "  stkr demo                                    learn from a few labels per class\n"
    "  stkr data make two-moons -o moons.csv --per-class 3\n"
    "  stkr fit moons.csv -o model.npz              defaults are chosen and printed\n"
    "  stkr predict model.npz -o answers.csv        the samples it was fitted on\n"
    "  stkr predict model.npz new.csv -o more.csv   samples it has never seen\n"
    "  stkr score answers.csv truth.csv             how good the answers are\n"
    "  stkr suggest model.npz                       which samples to label next\n"
    "  stkr plan moons.csv                          memory and work, before running\n"
    "\n"
    "Exit codes: 0 done, 2 wrong usage, 3 unreadable or invalid data, 4 did not converge (results\n"
    "are written and marked), 5 would exceed the memory budget, 130 interrupted, 1 anything else.";

int report(std::string_view message, int code) {
  say(message);
  return code;
}

int run(int argc, char** argv) {
  CLI::App app(
      "stkr learns from few labels and many unlabeled samples by spectrally transformed kernel\n"
      "regression, and predicts both training samples and new ones.",
      "stkr");
  app.set_version_flag("--version", fmt::format("stkr {}\ndevices: {}\nengines: {}", kVersion,
                                                fmt::join(Device::describe(), ", "), engines()));
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", "Print the options to know first, and exit");
  app.set_help_all_flag("--help-all", "Print all options and exit");
  app.formatter(std::make_shared<HelpFormatter>());
  const Command commands[] = {
      add_fit_command(app),       add_predict_command(app), add_suggest_command(app),
      add_score_command(app),     add_select_command(app),  add_explain_command(app),
      add_graph_command(app),     add_plan_command(app),    add_data_command(app),
      add_reproduce_command(app), add_demo_command(app)};
  app.footer(kFooter);  // last, because subcommands inherit it
  try {
    std::vector<std::string> arguments = with_help_option({argv + 1, argv + argc});
    // Otherwise --help after an unknown command would print the general help.
    if (names_unknown_command(app, arguments)) arguments.resize(1);
    std::reverse(arguments.begin(), arguments.end());  // the order that the parser expects
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    const bool failed = error.get_exit_code() != 0;
    for (const Command& command : commands) {
      if (command.app->parsed()) hand_over_message(*command.app, argv, failed);
    }
    if (failed) return report(usage_message(app, error.what()), kUsage);
    app.exit(error);  // prints help, or the version
    return flush_output() ? kDone : report(kNoOutput, kFailed);
  }
  interrupt_token();
  try {
    for (const Command& command : commands) {
      if (!command.app->parsed()) continue;
      hand_over(*command.app, argv);
      const int code = command.run();
      return flush_output() ? code : report(kNoOutput, kFailed);
    }
  } catch (...) {
    const Failure failure = failure_of(app, std::current_exception());
    return report(failure.message, failure.code);
  }
  return kUsage;
}

}  // namespace
}  // namespace stkr::app

int main(int argc, char** argv) {
  stkr::app::reserve_standard_streams();
  stkr::app::keep_blas_serial(argv);
  std::signal(SIGXFSZ, SIG_IGN);  // exceeding a file size limit becomes a write error
  return stkr::app::run(argc, argv);
}
