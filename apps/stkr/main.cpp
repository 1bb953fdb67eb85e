#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <new>

#include "blas_threads.hpp"
#include "cli.hpp"
#include "command.hpp"
#include "interrupt.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"
#include "stkr/version.hpp"

namespace stkr::app {

void add_common_options(CLI::App& command, CommonOptions& options) {
  command.add_flag("--json", options.json, "Print one JSON document on stdout instead of text");
  command
      .add_option("--threads", options.threads,
                  "Threads to use (default: OMP_NUM_THREADS, else one per available core)")
      ->check(CLI::Range(1, 4096))
      ->option_text("N");
  command.add_option("--seed", options.seed, "Seed for all random choices (default: 1)")
      ->check(at_least(0))
      ->option_text("N");
}

Context context_of(const CommonOptions& options, std::uint64_t memory) {
  return {.threads = options.threads,
          .seed = options.seed,
          .cancel = interrupt_token(),
          .memory = memory};
}

namespace {

constexpr const char* kFooter =
    "First steps:\n"
    "  stkr demo                                    learn from a few labels per class\n"
    "  stkr data make two-moons -o moons.csv --per-class 3\n"
    "  stkr fit moons.csv -o model.npz              defaults are chosen and printed\n"
    "  stkr predict model.npz -o answers.csv        the samples it was fitted on\n"
    "  stkr predict model.npz new.csv -o more.csv   samples it has never seen\n"
    "  stkr plan moons.csv                          memory and work, before running\n"
    "\n"
    "Exit codes: 0 done, 2 wrong usage, 3 unreadable or invalid data, 4 did not converge (results\n"
    "are written and marked), 5 would exceed the memory budget, 130 interrupted, 1 anything else.";

constexpr std::size_t kNameColumn = 34;
constexpr std::size_t kWidth = 100;

// Wraps option descriptions at the line width.
class WrappedFormatter : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override {
    std::string lines, line;
    for (const std::string& word : CLI::detail::split(option->get_description(), ' ')) {
      if (!line.empty() && line.size() + 1 + word.size() > kWidth - kNameColumn) {
        lines += line + "\n";
        line.clear();
      }
      line += (line.empty() ? "" : " ") + word;
    }
    return lines + line;
  }
};

int report(std::string_view message, int code) {
  say(message);
  return code;
}

constexpr const char* kNoOutput = "cannot write to standard output";

// Reports a command line error and how to get help.
int report_usage(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* at = &app;
  std::string command = "stkr";
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    command += " " + at->get_name();
  }
  std::string message = error.what();
  const bool takes_command = at->get_require_subcommand_min() > 0;
  if (takes_command && !at->remaining().empty()) {
    message = fmt::format("unknown command '{} {}'", command, at->remaining().front());
  } else if (takes_command) {
    message = fmt::format("'{}' needs a command", command);
  }
  return report(fmt::format("{}\nRun '{} --help' for usage.", message, command), kUsage);
}

int run(int argc, char** argv) {
  CLI::App app(
      "stkr learns from few labels and many unlabeled samples by spectrally transformed kernel\n"
      "regression, and predicts both training samples and new ones.",
      "stkr");
  app.set_version_flag("--version", fmt::format("stkr {}", kVersion));
  app.require_subcommand(1);
  const auto formatter = std::make_shared<WrappedFormatter>();
  formatter->column_width(kNameColumn);
  app.formatter(formatter);
  const Command commands[] = {add_fit_command(app),       add_predict_command(app),
                              add_select_command(app),    add_graph_command(app),
                              add_plan_command(app),      add_data_command(app),
                              add_reproduce_command(app), add_demo_command(app)};
  app.footer(kFooter);  // last, because subcommands inherit it
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return report_usage(app, error);
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
    return report_usage(app, error);
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
