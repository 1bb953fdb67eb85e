#include <fmt/format.h>

#include "cli.hpp"
#include "command.hpp"
#include "interrupt.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"

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

}  // namespace stkr::app
