#include <fmt/format.h>

#include <new>

#include "command.hpp"
#include "interrupt.hpp"
#include "stkr/error.hpp"
#include "stkr/version.hpp"

namespace stkr::app {

void add_common_options(CLI::App& command, CommonOptions& options) {
  command.add_flag("--json", options.json, "Print one JSON document on stdout instead of text");
  command.add_option("--threads", options.threads, "Threads to use (default: all cores)")
      ->check(CLI::Range(1, 4096));
  command.add_option("--seed", options.seed, "Seed of everything random")->capture_default_str();
}

namespace {

constexpr const char* kFooter =
    "First steps:\n"
    "  stkr demo                                    see it learn from ten labels a class\n"
    "  stkr data make two-moons -o moons.csv --per-class 3\n"
    "  stkr fit moons.csv -o model.npz              defaults are chosen and printed\n"
    "  stkr predict model.npz -o answers.csv        the samples it was fitted on\n"
    "  stkr predict model.npz new.csv -o more.csv   samples it has never seen\n"
    "\n"
    "Exit codes: 0 done, 2 wrong usage, 3 unreadable or invalid data, 4 did not converge (results\n"
    "are written and marked), 5 would exceed the memory allowed, 130 interrupted, 1 anything else.";

int report(const char* kind, const char* message, int code) {
  fmt::print(stderr, "stkr: {}{}\n", kind, message);
  return code;
}

int run(int argc, char** argv) {
  CLI::App app(
      "stkr learns from few labels and many unlabelled samples by spectrally transformed kernel\n"
      "regression, and predicts for samples it has seen and for new ones.",
      "stkr");
  app.set_version_flag("--version", fmt::format("stkr {}", kVersion));
  app.require_subcommand(1);
  app.footer(kFooter);
  app.get_formatter()->column_width(34);
  const Command commands[] = {add_fit_command(app), add_predict_command(app), add_data_command(app),
                              add_demo_command(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kUsage;
  }
  interrupt_token();
  try {
    for (const Command& command : commands) {
      if (command.app->parsed()) return command.run();
    }
  } catch (const Cancelled&) {
    return report("", "interrupted; nothing was written", kInterrupted);
  } catch (const CLI::ParseError& error) {
    return report("", error.what(), kUsage);
  } catch (const WriteError& error) {
    return report("cannot write: ", error.what(), kFailed);
  } catch (const Error& error) {
    return report("", error.what(), kBadData);
  } catch (const std::bad_alloc&) {
    return report("", "out of memory; use fewer samples, or --precision single for points",
                  kOutOfMemory);
  } catch (const std::exception& error) {
    return report("unexpected error: ", error.what(), kFailed);
  }
  return kUsage;
}

}  // namespace
}  // namespace stkr::app

int main(int argc, char** argv) { return stkr::app::run(argc, argv); }
