#include "theory_run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>

#include "blas_threads.hpp"
#include "cli.hpp"
#include "console.hpp"
#include "format/atomic_file.hpp"
#include "interrupt.hpp"
#include "json_text.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"
#include "theory_report.hpp"

namespace stkr::app {
namespace {

void write_pictures(const std::string& plot, const std::vector<TheoryTable>& tables) {
  const std::string stem = plot.substr(0, plot.size() - std::strlen(".svg"));
  for (const TheoryTable& table : tables) {
    std::string svg = theory_figure(table);
    if (svg.empty()) continue;
    // In a separate file its ink is black, so it needs a white background.
    const std::size_t style = svg.find("style=\"");
    if (style != std::string::npos) svg.insert(style + 7, "background:#fff;");
    write_atomically(fmt::format("{}-{}.svg", stem, table.name),
                     [&](FileSink& sink) { sink.write(svg); });
  }
}

}  // namespace

void add_theory_options(CLI::App& command, TheoryArguments& arguments) {
  CLI::Option* theory = command.add_flag(
      "--theory", arguments.given,
      "Test the paper's theorems on distributions with known spectra instead; needs no data");
  command
      .add_option("--repetitions", arguments.repetitions,
                  "With --theory: random samples per number (default: 40)")
      ->check(at_least(2))
      ->needs(theory)
      ->option_text("N");
  command
      .add_option("--samples", arguments.samples,
                  "With --theory: the largest number of samples (default: 2048)")
      ->check(at_least(64))
      ->needs(theory)
      ->option_text("N");
  command.add_option("--seed", arguments.seed, "With --theory: the seed (default: 1)")
      ->needs(theory)
      ->option_text("N");
}

int run_theory(const TheoryArguments& arguments) {
  if (!arguments.plot.empty() && !arguments.plot.ends_with(".svg")) {
    throw CLI::ValidationError("--plot", "expected a name that ends in .svg");
  }
  TheoryReport report{.repetitions = arguments.repetitions, .seed = arguments.seed};
  TheoryOptions options;
  options.repetitions = arguments.repetitions;
  options.most_samples = arguments.samples;
  report.delta = options.delta;
  const int threads = reserve_blas_buffers(arguments.threads);
  ProgressBar bar(arguments.verbosity, arguments.json);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  options.watch = [&](const std::string& what, double share) {
    bar.show(what, share, share > 0.0 ? elapsed() * (1.0 - share) / share : -1.0);
  };
  try {
    report.tables = theory_tables(
        options, {.threads = threads, .seed = arguments.seed, .cancel = interrupt_token()});
    bar.clear();
  } catch (const Cancelled&) {
    bar.clear();
    say("interrupted; nothing is saved");
    return kInterrupted;
  }
  report.seconds = elapsed();
  if (arguments.json) {
    fmt::print("{}\n", json_text(theory_json(report), 1));
  } else if (arguments.verbosity != Verbosity::quiet) {
    fmt::print("{}", theory_text(report));
  }
  if (!arguments.plot.empty()) write_pictures(arguments.plot, report.tables);
  for (const TheoryTable& table : report.tables) {
    if (!table.holds()) {
      std::fflush(stdout);
      say(fmt::format("does not hold: {}", table.title));
    }
  }
  return report.holds() ? kDone : kFailed;
}

}  // namespace stkr::app
