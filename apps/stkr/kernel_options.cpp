#include "kernel_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "cli.hpp"
#include "command.hpp"
#include "runtime/suggestion.hpp"
#include "specification_options.hpp"
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

// In full, so that the option gives the same kernel.
std::string length_text(const LengthScale& scale) {
  if (scale.median) return "median";
  return fmt::format("{}{}", scale.value, scale.relative ? "x" : "");
}

// The length scale of a kernel, if it is not the default.
std::string length_text(const KernelSpec& kernel) {
  LengthScale scale;
  if (const auto* points = kernel.get_if<PointKernelSpec>()) scale = points->length_scale;
  if (const auto* automatic = kernel.get_if<AutomaticKernelSpec>()) scale = automatic->length_scale;
  return kernel.has_length_scale() && !scale.is_default() ? length_text(scale) : "";
}

// A kernel of a list, with those options of a single kernel that apply to it.
KernelSpec named(const std::string& name, KernelOptions options) {
  options.name = name;
  const bool neighbors = kernel_spec(name).get_if<NeighborGraphSpec>() != nullptr;
  if (!neighbors) {
    options.neighbors.reset();
    options.recall.reset();
    options.principal_components.reset();
    options.edge_weight.clear();
    options.edge_rule.clear();
  }
  return from_options([&] { return kernel_spec(options); });
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
  KernelOptions kernel{.name = pieces.front()};
  std::vector<std::string> names = point_kernel_names();
  for (std::string& name : graph_kernel_names()) names.push_back(std::move(name));
  try {
    kernel.name = known_name(known_kernel_name(kernel.name), names, "kernel");
  } catch (const ParameterError& error) {
    refuse(error.what());
  }
  std::optional<double> given;
  for (std::size_t k = 1; k < pieces.size(); ++k) {
    const std::string& piece = pieces[k];
    constexpr std::string_view kLength = "length-scale=", kSmooth = "smooth=";
    double share = 0.0;
    if (piece.starts_with(kLength)) {
      kernel.length_scale = parse_length_scale(piece.substr(kLength.size()), "--add-kernel");
    } else if (piece.starts_with(kSmooth)) {
      double steps = 0.0;
      if (!parse_number(piece.substr(kSmooth.size()), steps) || steps != std::floor(steps) ||
          !(steps >= 0.0 && steps <= 1000)) {
        refuse(
            fmt::format("'{}' is not understood; expected smooth=K with 0 to 1000 steps", piece));
      }
      kernel.smoothing = static_cast<Index>(steps);
    } else if (!given && parse_number(piece, share)) {
      if (!(share >= 0.0 && share <= 1.0)) {
        refuse(
            fmt::format("the share is {}; expected a number from 0 to 1 (--kernel gets "
                        "the rest)",
                        piece));
      }
      given = share;
    } else {
      refuse(fmt::format(
          "'{}' is not understood; expected NAME[:SHARE][:length-scale=L][:smooth=K]", piece));
    }
  }
  try {
    return {kernel_spec(kernel), given};
  } catch (const OptionError& error) {
    refuse(error.what());
  }
  return {};
}

std::vector<std::string> kernel_words(const Specification& spec) {
  std::vector<std::string> words;
  const auto add = [&](const char* name, std::string value) {
    words.emplace_back(name);
    words.push_back(std::move(value));
  };
  if (const std::string name = name_of(spec.kernel); !name.empty()) add("--kernel", name);
  if (const std::string length = length_text(spec.kernel); !length.empty()) {
    add("--length-scale", length);
  }
  if (const auto* graph = spec.kernel.get_if<NeighborGraphSpec>(); graph && graph->neighbors) {
    add("--neighbors", fmt::format("{}", *graph->neighbors));
    if (graph->components > 0) {
      add("--principal-components", fmt::format("{}", graph->components));
    }
  }
  if (const auto* point = spec.kernel.get_if<PointKernelSpec>(); point && point->normalize) {
    words.emplace_back(*point->normalize ? "--normalize" : "--no-normalize");
  }
  if (spec.center) words.emplace_back("--center");
  for (const AddedKernel& added : spec.added) {
    if (added.share == 0.0) continue;
    std::string one = name_of(added.kernel);
    if (added.share) one += fmt::format(":{}", *added.share);
    if (const std::string length = length_text(added.kernel); !length.empty()) {
      one += fmt::format(":length-scale={}", length);
    }
    if (const Index steps = added.kernel.smoothing(); steps > 0) {
      one += fmt::format(":smooth={}", steps);
    }
    add("--add-kernel", std::move(one));
  }
  return words;
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
      ->transform(is_kernel_name());
  add("--length-scales", options.length_scales,
      "For point kernels: 0.5x,1x,2x are relative to the default, 3.5 is absolute, median is the "
      "median distance between points");
  add("--neighbor-counts,--neighbour-counts", options.neighbor_counts, "For knn: 5,10,20");
  add("--mixes", options.mixes,
      "Share of the added kernel in the sum, 0 to 1, e.g. 0,0.25,0.5,0.75,1; for a graph, the "
      "kernel of its node features (rbf, or the one of --add-kernel)");
  add("--smoothings", options.smoothings,
      "For node features: how often they are averaged over the graph, e.g. 0,1,2,4 (kernel: cosine "
      "alone, or that of --add-kernel and --mixes)");
}

KernelGrid finish_kernel_grid(const KernelGridOptions& options, const KernelOptions& kernel) {
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
  for (const std::string& name : options.kernels) grid.kernels.push_back(named(name, kernel));
  grid.neighbor_counts = options.neighbor_counts;
  grid.mixes = options.mixes;
  grid.smoothings = options.smoothings;
  for (const std::string& text : options.length_scales) {
    grid.length_scales.push_back(parse_length_scale(text, "--length-scales"));
  }
  check_kernel_grid(grid);
  return grid;
}

}  // namespace stkr::app
