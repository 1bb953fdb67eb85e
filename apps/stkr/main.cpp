#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <new>

#include "blas_threads.hpp"
#include "cli.hpp"
#include "command.hpp"
#include "help_formatter.hpp"
#include "interrupt.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"
#include "stkr/version.hpp"
#include "usage_error.hpp"

namespace stkr::app {

void add_threads_option(CLI::App& command, int& threads) {
  command
      .add_option("--threads", threads,
                  "Threads to use (default: OMP_NUM_THREADS, else one per available core)")
      ->check(CLI::Range(1, 4096))
      ->option_text("N");
}

void add_device_option(CLI::App& command, Device& device) {
  command
      .add_option_function<std::string>(
          "--device",
          [&device](const std::string& name) {
            try {
              device = Device::named(name);
            } catch (const ValueError& error) {
              throw CLI::ValidationError("--device", error.what());
            }
          },
          "What runs the products: cpu, or cuda if 'stkr --version' lists it (default: cpu)")
      ->option_text("NAME");
}

void add_common_options(CLI::App& command, CommonOptions& options) {
  command.add_flag("--json", options.json, "Print one JSON document on stdout instead of text");
  add_threads_option(command, options.threads);
  add_device_option(command, options.device);
  command.add_option("--seed", options.seed, "Seed for all random choices (default: 1)")
      ->check(at_least(0))
      ->option_text("N");
  add_verbosity_options(command, options.verbosity);
}

void add_verbosity_options(CLI::App& command, Verbosity& verbosity) {
  CLI::Option* verbose = command.add_flag_callback(
      "-v,--verbose", [&verbosity] { verbosity = Verbosity::verbose; },
      "Print the time of every phase on stderr");
  command
      .add_flag_callback(
          "-q,--quiet",
          [&verbosity] {
            verbosity = Verbosity::quiet;
            keep_quiet();
          },
          "Print nothing but errors, and what --json asks for")
      ->excludes(verbose);
}

Context context_of(const CommonOptions& options, std::uint64_t memory) {
  return {.threads = options.threads,
          .seed = options.seed,
          .cancel = interrupt_token(),
          .memory = memory,
          .device = options.device};
}

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

constexpr const char* kNoOutput = "cannot write to standard output";

int report_usage(const CLI::App& app, const std::string& problem) {
  return report(usage_message(app, problem), kUsage);
}

int run(int argc, char** argv) {
  CLI::App app(
      "stkr learns from few labels and many unlabeled samples by spectrally transformed kernel\n"
      "regression, and predicts both training samples and new ones.",
      "stkr");
  app.set_version_flag("--version", fmt::format("stkr {}\ndevices: {}", kVersion,
                                                fmt::join(Device::describe(), ", ")));
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
    if (error.get_exit_code() != 0) return report_usage(app, error.what());
    app.exit(error);  // prints help, or the version
    return flush_output() ? kDone : report(kNoOutput, kFailed);
  }
  interrupt_token();
  try {
    for (const Command& command : commands) {
      if (!command.app->parsed()) continue;
      const int code = command.run();
      return flush_output() ? code : report(kNoOutput, kFailed);
    }
  } catch (const Cancelled&) {
    return report(kInterruptedMessage, kInterrupted);
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error.what());
  } catch (const ParameterError& error) {
    return report_usage(app, error.what());
  } catch (const DataError& error) {
    // A read interrupted by a signal looks like an unreadable file.
    if (interrupt_token().stop_requested()) {
      return report(kInterruptedMessage, kInterrupted);
    }
    return report(error.what(), kBadData);
  } catch (const MemoryError& error) {
    return report(error.what(), kOutOfMemory);
  } catch (const WriteError& error) {
    return report(error.what(), kFailed);
  } catch (const Error& error) {
    return report(error.what(), kBadData);
  } catch (const std::bad_alloc&) {
    return report(
        "out of memory; set --memory to a size that is free, so that the run is planned to fit",
        kOutOfMemory);
  } catch (const std::exception& error) {
    // fmt fails if printed output does not fit into the buffer.
    if (std::ferror(stdout) != 0) return report(kNoOutput, kFailed);
    return report(fmt::format("unexpected error: {}", error.what()), kFailed);
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
