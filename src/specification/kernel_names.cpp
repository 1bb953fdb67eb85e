#include "specification/kernel_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "gram/gram_names.hpp"
#include "runtime/suggestion.hpp"

namespace stkr {
namespace {

constexpr std::array<std::pair<std::string_view, Measure>, 2> kMeasures{{
    {"uniform", Measure::uniform},
    {"degree", Measure::degree},
}};

// What other libraries call these kernels.
constexpr std::array<std::pair<std::string_view, KernelKind>, 6> kElsewhere{{
    {"gaussian", KernelKind::rbf},
    {"heat", KernelKind::rbf},
    {"squared-exponential", KernelKind::rbf},
    {"poly", KernelKind::polynomial},
    {"exponential", KernelKind::matern12},
    {"radius", KernelKind::epsilon_neighbor},
}};
constexpr std::string_view kNeighborGraphElsewhere = "nearest-neighbors";

constexpr std::array kPointKernels{
    KernelKind::rbf,      KernelKind::laplacian,  KernelKind::matern12,
    KernelKind::matern32, KernelKind::matern52,   KernelKind::cosine,
    KernelKind::linear,   KernelKind::polynomial, KernelKind::epsilon_neighbor};
constexpr std::array kWeights{EdgeWeight::self_tuning, EdgeWeight::binary, EdgeWeight::heat,
                              EdgeWeight::cosine};
constexpr std::array kRules{EdgeRule::either, EdgeRule::mutual};

constexpr const char* kWithLengthScale = "kernels with a length scale";

template <class Values, class Name>
std::vector<std::string> names_of(const Values& values, Name&& name) {
  std::vector<std::string> names;
  for (const auto& value : values) names.emplace_back(name(value));
  return names;
}

void require(bool applies, bool given, const char* option, const std::string& to) {
  if (given && !applies) throw OptionError(option, "applies only to " + to);
}

bool is_graph_kernel(const std::string& name) {
  return std::any_of(kGraphKernelNames.begin(), kGraphKernelNames.end(),
                     [&](const auto& named) { return named.second == name; });
}

// Options that one kind of kernel has.
void check_options(const KernelOptions& options) {
  const bool neighbors = options.name == kNeighborGraphName;
  const std::string of_neighbors = fmt::format("kernel {}", kNeighborGraphName);
  require(neighbors, options.neighbors.has_value(), "neighbors", of_neighbors);
  require(neighbors, !options.edge_weight.empty(), "edge-weight", of_neighbors);
  require(neighbors, !options.edge_rule.empty(), "edges", of_neighbors);
  require(neighbors, options.recall.has_value(), "recall", of_neighbors);
  require(neighbors, options.principal_components.has_value(), "principal-components",
          of_neighbors);
  if (options.principal_components.value_or(1) < 1) {
    throw OptionError("principal-components",
                      fmt::format("is {}; expected 1 or more", *options.principal_components));
  }
  const std::string_view polynomial = kernel_name(KernelKind::polynomial);
  const std::string of_polynomial = fmt::format("kernel {}", polynomial);
  require(options.name == polynomial, options.coef0.has_value(), "coef0", of_polynomial);
  require(options.name == polynomial, options.degree.has_value(), "degree", of_polynomial);
  const bool points = !options.name.empty() && !neighbors && !is_graph_kernel(options.name) &&
                      options.name != kPrecomputedName;
  require(points, options.smoothing.has_value(), "smooth", "point kernels of node features");
  if (options.smoothing.value_or(0) < 0) {
    throw OptionError("smooth", fmt::format("is {}; expected 0 (the features themselves) or more",
                                            *options.smoothing));
  }
  require(options.name.empty() || is_graph_kernel(options.name), options.self_loops, "self-loops",
          "graph kernels");
}

// The length scale that `length_scale` or `gamma` gives to a kernel.
LengthScale length_scale_of(const KernelOptions& options, KernelKind kind) {
  if (!options.gamma) return options.length_scale.value_or(LengthScale{});
  if (options.length_scale) {
    throw OptionError("gamma", "cannot be combined with length-scale; give one of them");
  }
  const double gamma = *options.gamma;
  if (!(gamma > 0.0)) throw OptionError("gamma", "must be a positive number");
  if (kind == KernelKind::rbf) return LengthScale::absolute(std::sqrt(0.5 / gamma));
  if (kind == KernelKind::laplacian) return LengthScale::absolute(1.0 / gamma);
  throw OptionError(
      "gamma",
      fmt::format("applies only to {}, {} and {}; use length-scale", kernel_name(KernelKind::rbf),
                  kernel_name(KernelKind::laplacian), kernel_name(KernelKind::polynomial)));
}

KernelSpec point_kernel(const KernelOptions& options) {
  const KernelParameters defaults;
  PointKernelSpec spec;
  spec.kernel = Kernel::from_parameters({.name = options.name,
                                         .length_scale = 1.0,
                                         .gamma = options.gamma.value_or(defaults.gamma),
                                         .coef0 = options.coef0.value_or(defaults.coef0),
                                         .degree = options.degree.value_or(defaults.degree)});
  spec.normalize = options.normalize;
  spec.smoothing = options.smoothing.value_or(0);
  require(spec.kernel.has_length_scale(), options.length_scale.has_value(), "length-scale",
          kWithLengthScale);
  if (spec.kernel.kind() != KernelKind::polynomial) {
    spec.length_scale = length_scale_of(options, spec.kernel.kind());
  }
  return spec;
}

KernelSpec neighbor_graph_kernel(const KernelOptions& options) {
  NeighborGraphSpec spec{.neighbors = options.neighbors};
  if (options.recall) spec.recall = *options.recall;
  spec.components = options.principal_components.value_or(0);
  if (!options.edge_weight.empty()) spec.weight = edge_weight_from_name(options.edge_weight);
  if (!options.edge_rule.empty()) spec.rule = edge_rule_from_name(options.edge_rule);
  if (options.length_scale) {
    if (options.length_scale->relative || options.length_scale->median) {
      throw ParameterError(fmt::format(
          "kernel {} takes no relative length scale; give an absolute one", kNeighborGraphName));
    }
    if (spec.weight != EdgeWeight::heat) {
      throw ParameterError(
          fmt::format("a length scale does not apply to {} edges; it is for {} edges",
                      to_string(spec.weight), to_string(EdgeWeight::heat)));
    }
    spec.length_scale = options.length_scale->value;
  }
  if (options.normalize) {
    throw OptionError("normalize",
                      fmt::format("does not apply to kernel {}, which is already normalized",
                                  kNeighborGraphName));
  }
  return spec;
}

}  // namespace

KernelSpec kernel_spec(const KernelOptions& given) {
  KernelOptions options = given;
  if (auto name = same_name(options.name, kernel_names())) options.name = *std::move(name);
  const bool has_neighbor_options = options.neighbors || options.recall ||
                                    options.principal_components || !options.edge_weight.empty() ||
                                    !options.edge_rule.empty();
  if (options.name.empty() && has_neighbor_options) options.name = kNeighborGraphName;
  check_options(options);
  if (options.name == kNeighborGraphName) return neighbor_graph_kernel(options);
  if (options.name.empty()) {
    return AutomaticKernelSpec{length_scale_of(options, KernelKind::rbf), options.normalize,
                               options.self_loops};
  }
  if (!is_graph_kernel(options.name) && options.name != kPrecomputedName)
    return point_kernel(options);
  require(false, options.length_scale.has_value(), "length-scale", kWithLengthScale);
  require(false, options.gamma.has_value(), "gamma", "point kernels");
  for (const auto& [normalization, name] : kGraphKernelNames) {
    if (name == options.name) {
      return GraphKernelSpec{normalization, options.self_loops, options.normalize};
    }
  }
  return PrecomputedKernelSpec{options.normalize};
}

std::string name_of(const KernelSpec& kernel) {
  if (const auto* points = kernel.get_if<PointKernelSpec>()) {
    return std::string(points->kernel.name());
  }
  if (const auto* graph = kernel.get_if<GraphKernelSpec>()) {
    for (const auto& [normalization, name] : kGraphKernelNames) {
      if (normalization == graph->normalization) return std::string(name);
    }
  }
  if (kernel.get_if<NeighborGraphSpec>()) return std::string(kNeighborGraphName);
  return kernel.get_if<PrecomputedKernelSpec>() ? std::string(kPrecomputedName) : "";
}

std::string text_of(const LengthScale& scale) {
  if (scale.median) return "median";
  return fmt::format("{:g}{}", scale.value, scale.relative ? "x" : "");
}

std::string describe(const KernelSpec& kernel, bool scaled) {
  std::string text = name_of(kernel);
  if (const auto* points = kernel.get_if<PointKernelSpec>()) {
    const bool shown = scaled || !points->length_scale.is_default();
    if (kernel.has_length_scale() && shown) text += " " + text_of(points->length_scale);
    if (points->smoothing > 0) text += fmt::format(" smooth={}", points->smoothing);
  }
  if (const auto* graph = kernel.get_if<NeighborGraphSpec>(); graph && graph->neighbors) {
    text += fmt::format(" k={}", *graph->neighbors);
    if (graph->components > 0) text += fmt::format(" in {} components", graph->components);
  }
  return text;
}

std::vector<std::string> point_kernel_names() {
  std::vector<std::string> names = names_of(kPointKernels, kernel_name);
  names.emplace_back(kNeighborGraphName);
  return names;
}

std::vector<std::string> graph_kernel_names() {
  return names_of(kGraphKernelNames, [](const auto& named) { return named.second; });
}

std::vector<std::string> kernel_names() {
  std::vector<std::string> names = point_kernel_names();
  for (std::string& name : graph_kernel_names()) names.push_back(std::move(name));
  names.emplace_back(kPrecomputedName);
  return names;
}

std::string known_kernel_name(const std::string& name) {
  // The last spelling of a kernel that was renamed; accepted until 0.3.
  const std::string_view neighbor = kernel_name(KernelKind::epsilon_neighbor);
  if (name == fmt::format("{}our", neighbor.substr(0, neighbor.size() - 2))) {
    return std::string(neighbor);
  }
  const std::vector<std::string> names = kernel_names();
  if (auto known = same_name(name, names)) return *std::move(known);
  const auto is_called = [&](std::string_view here) {
    return ParameterError(
        fmt::format("kernel '{}' is called {} here; choose one of {}", name, here, joined(names)));
  };
  if (name == kNeighborGraphElsewhere) throw is_called(kNeighborGraphName);
  for (const auto& [elsewhere, kind] : kElsewhere) {
    if (name == elsewhere) throw is_called(kernel_name(kind));
  }
  throw ParameterError(fmt::format("kernel {}", unknown_name(name, names)));
}

std::vector<std::string> edge_weight_names() {
  return names_of(kWeights, [](EdgeWeight weight) { return to_string(weight); });
}

std::vector<std::string> edge_rule_names() {
  return names_of(kRules, [](EdgeRule rule) { return to_string(rule); });
}

std::vector<std::string> measure_names() {
  return names_of(kMeasures, [](const auto& named) { return named.first; });
}

Measure measure_from_name(const std::string& name) {
  if (name.empty()) return Measure::automatic;
  const std::string wanted = known_name(name, measure_names(), "measure");
  const auto found = std::find_if(kMeasures.begin(), kMeasures.end(),
                                  [&](const auto& named) { return named.first == wanted; });
  return found->second;
}

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace stkr
