// Option values of the command: names, lists, grids, sizes, row references.

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <sstream>

#include "grid_options.hpp"
#include "kernel_options.hpp"
#include "load_options.hpp"
#include "parsed.hpp"
#include "runtime/memory.hpp"
#include "specification_options.hpp"
#include "stkr/error.hpp"
#include "target.hpp"

namespace stkr::fuzz {
namespace {

// A value is accepted, or rejected with one of these exceptions.
template <class F>
void refuse_or_take(F&& f) {
  try {
    f();
  } catch (const CLI::ParseError&) {
  } catch (const Error&) {
  }
}

void parse_fit(std::vector<std::string> arguments) {
  CLI::App app;
  LoadOptions load;
  app::SpecificationOptions spec;
  app::add_load_options(app, load);
  app::add_specification_options(app, spec);
  app.parse(std::move(arguments));
  app::kernel_words(app::finish_specification(spec));
}

void parse_select(std::vector<std::string> arguments) {
  CLI::App app;
  app::SpecificationOptions spec;
  app::GridOptions grid;
  app::KernelGridOptions kernels;
  app::add_kernel_options(app, spec);
  app::add_prior_option(app, spec);
  app::add_grid_options(app, grid);
  app::add_kernel_grid_options(app, kernels);
  app.parse(std::move(arguments));
  app::finish_grid(grid);
  kernel_candidates(app::finish_kernel_grid(kernels), app::finish_specification(spec),
                    DatasetKind::points);
}

}  // namespace

// One argument per line. If the first line is not an option, it is a single value.
void run_options(Bytes input) {
  std::istringstream lines(std::string(input.begin(), input.end()));
  std::vector<std::string> arguments;
  for (std::string line; arguments.size() < 64 && std::getline(lines, line);) {
    arguments.push_back(line);
  }
  if (arguments.empty()) return;
  const std::string& first = arguments.front();
  if (!first.starts_with("--")) {
    refuse_or_take([&] { parse_memory(first, std::uint64_t{1} << 34); });
    refuse_or_take([&] { detail::parse_row_reference(first); });
    refuse_or_take([&] { app::parse_length_scale(first, "--length-scale"); });
    refuse_or_take([&] { app::parse_added_kernel(first); });
    return;
  }
  std::reverse(arguments.begin(), arguments.end());  // the order that CLI11 expects
  refuse_or_take([&] { parse_fit(arguments); });
  refuse_or_take([&] { parse_select(arguments); });
}

}  // namespace stkr::fuzz
