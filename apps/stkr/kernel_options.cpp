#include "kernel_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "cli.hpp"
#include "command.hpp"
#include "recipe_options.hpp"
#include "stkr/error.hpp"

namespace stkr::app {
namespace {

// CLI11's own conversion reads "0.5x" as 0.5.
bool parse_number(const std::string& text, double& value) {
  std::size_t end = 0;
  try {
    value = std::stod(text, &end);
  } catch (const std::exception&) {
    return false;
  }
  return end == text.size() && std::isfinite(value);
}

std::string length_text(const KernelRecipe& kernel) {
  if (kernel.length_scale) return fmt::format("{}", *kernel.length_scale);
  if (kernel.median_scale) return "median";
  return kernel.scale_factor == 1.0 ? "" : fmt::format("{}x", kernel.scale_factor);
}

}  // namespace

LengthScale parse_length_scale(const std::string& text, const char* option) {
  LengthScale scale;
  scale.median = text == "median";
  if (scale.median) return scale;
  scale.relative = text.ends_with("x");
  const std::string number = scale.relative ? text.substr(0, text.size() - 1) : text;
  // The kernel itself rejects an absolute scale that is not positive, but not a relative one.
  if (!parse_number(number, scale.value) || (scale.relative && !(scale.value > 0.0))) {
    throw CLI::ValidationError(
        option, fmt::format("'{}' is not a length scale; expected a positive number, 0.5x "
                            "for half the default, or median",
                            text));
  }
  return scale;
}

AddedKernel parse_added_kernel(const std::string& text) {
  const auto refuse = [&](const std::string& what) {
    throw CLI::ValidationError("--add-kernel", fmt::format("'{}': {}", text, what));
  };
  const std::vector<std::string> pieces = CLI::detail::split(text, ':');
  AddedKernel kernel;
  kernel.kernel = pieces.front();
  std::vector<std::string> names = kernel_names();
  std::erase(names, "precomputed");
  if (std::find(names.begin(), names.end(), kernel.kernel) == names.end()) {
    refuse(fmt::format("kernel '{}' is unknown; expected one of {}", kernel.kernel,
                       fmt::join(names, ", ")));
  }
  for (std::size_t k = 1; k < pieces.size(); ++k) {
    const std::string& piece = pieces[k];
    constexpr std::string_view kLength = "length-scale=";
    double share = 0.0;
    if (piece.starts_with(kLength)) {
      set_length_scale(parse_length_scale(piece.substr(kLength.size()), "--add-kernel"), kernel);
    } else if (!kernel.share && parse_number(piece, share)) {
      if (!(share >= 0.0 && share <= 1.0)) {
        refuse(
            fmt::format("the share is {}; expected a number from 0 to 1 (--kernel gets "
                        "the rest)",
                        piece));
      }
      kernel.share = share;
    } else {
      refuse(fmt::format("'{}' is not understood; expected NAME[:SHARE][:length-scale=L]", piece));
    }
  }
  return kernel;
}

std::string kernel_options(const Recipe& recipe) {
  std::vector<std::string> options;
  if (!recipe.kernel.empty()) options.push_back(fmt::format("--kernel {}", recipe.kernel));
  if (const std::string length = length_text(recipe); !length.empty()) {
    options.push_back(fmt::format("--length-scale {}", length));
  }
  if (recipe.neighbors) options.push_back(fmt::format("--neighbors {}", *recipe.neighbors));
  for (const AddedKernel& added : recipe.added) {
    if (added.share == 0.0) continue;
    std::string& one = options.emplace_back(fmt::format("--add-kernel {}", added.kernel));
    if (added.share) one += fmt::format(":{}", *added.share);
    if (const std::string length = length_text(added); !length.empty()) {
      one += fmt::format(":length-scale={}", length);
    }
  }
  return fmt::format("{}", fmt::join(options, " "));
}

void add_kernel_grid_options(CLI::App& command, KernelGridOptions& options) {
  options.command = &command;
  const std::string group = "Kernels to try (comma-separated values; the grid is run for each)";
  const auto add = [&](const char* name, auto& values, const char* text) {
    return command.add_option(name, values, text)
        ->delimiter(',')
        ->check(not_empty())
        ->option_text("LIST")
        ->group(group);
  };
  add("--kernels", options.kernels,
      "Names as for --kernel; for a graph with node features, point kernels apply to the "
      "features")
      ->check(is_kernel_name());
  add("--length-scales", options.length_scales,
      "For point kernels: 0.5x,1x,2x are relative to the default, 3.5 is absolute, median is the "
      "median distance between points");
  add("--neighbor-counts,--neighbour-counts", options.neighbor_counts, "For knn: 5,10,20");
  add("--mixes", options.mixes,
      "Share of the added kernel in the sum, 0 to 1, e.g. 0,0.25,0.5,0.75,1; for a graph, the "
      "kernel of its node features (rbf, or the one of --add-kernel)");
}

KernelGrid finish_kernel_grid(const KernelGridOptions& options) {
  const auto exclusive = [&](const char* list, std::initializer_list<const char*> singles) {
    if (options.command->get_option(list)->count() == 0) return;
    for (const char* single : singles) {
      if (options.command->get_option(single)->count() > 0) {
        throw CLI::ValidationError(
            list, fmt::format("cannot be combined with {}; give one of them", single));
      }
    }
  };
  exclusive("--kernels", {"--kernel"});
  exclusive("--length-scales", {"--length-scale", "--gamma"});
  exclusive("--neighbor-counts", {"--neighbors"});
  KernelGrid grid;
  grid.kernels = options.kernels;
  grid.neighbor_counts = options.neighbor_counts;
  grid.mixes = options.mixes;
  for (const std::string& text : options.length_scales) {
    grid.length_scales.push_back(parse_length_scale(text, "--length-scales"));
  }
  try {
    check_kernel_grid(grid);
  } catch (const ValueError& error) {  // caused by options, not by data: a usage error
    throw CLI::ValidationError(error.what(), CLI::ExitCodes::ValidationError);
  }
  return grid;
}

}  // namespace stkr::app
