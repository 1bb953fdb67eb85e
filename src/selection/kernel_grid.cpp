#include "stkr/selection/kernel_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimator/kernel_parts.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

template <class Value, class Show>
void check_values(const std::vector<Value>& values, const char* name, const char* expected,
                  Show&& show, bool (*allowed)(const Value&)) {
  for (auto at = values.begin(); at != values.end(); ++at) {
    if (!allowed(*at)) {
      throw ValueError(fmt::format("grid: {} = {}; expected {}", name, show(*at), expected));
    }
    if (std::find(values.begin(), at, *at) != at) {
      throw ValueError(fmt::format("grid: {} = {} is listed twice", name, show(*at)));
    }
  }
}

std::string show_scale(const LengthScale& scale) {
  if (scale.median) return "median";
  return fmt::format("{:g}{}", scale.value, scale.relative ? "x" : "");
}

// One dimension: repeats every kernel that it `concerns` once per value, and keeps the others.
template <class Value, class Set>
void vary(std::vector<KernelRecipe>& kernels, const std::vector<Value>& values,
          bool (*concerns)(const std::string& name), Set&& set) {
  if (values.empty()) return;
  std::vector<KernelRecipe> varied;
  for (const KernelRecipe& kernel : kernels) {
    if (!concerns(kernel.kernel)) {
      varied.push_back(kernel);
      continue;
    }
    for (const Value& value : values) set(varied.emplace_back(kernel), value);
  }
  kernels = std::move(varied);
}

bool is_neighbor_graph(const std::string& name) { return name == "knn"; }

// `base` with each of the names, or unchanged if there are none. The settings of the neighbor graph
// apply to knn only.
std::vector<KernelRecipe> with_names(const KernelRecipe& base,
                                     const std::vector<std::string>& names) {
  std::vector<KernelRecipe> kernels;
  for (const std::string& name : names) {
    KernelRecipe& kernel = kernels.emplace_back(base);
    kernel.kernel = name;
    if (is_neighbor_graph(name)) continue;
    kernel.neighbors.reset();
    kernel.recall.reset();
    kernel.edge_weight.clear();
    kernel.edge_rule.clear();
  }
  if (kernels.empty()) kernels.push_back(base);
  return kernels;
}

std::string describe_kernel(const KernelPart& part, DatasetKind kind, bool scaled) {
  const KernelRecipe& kernel = part.recipe;
  const bool points = part.features || kind == DatasetKind::points;
  std::string text = !kernel.kernel.empty()       ? kernel.kernel
                     : points                     ? "rbf"
                     : kind == DatasetKind::graph ? "lazy-walk"
                                                  : "precomputed";
  if (points && has_length_scale(kernel.kernel)) {
    if (kernel.length_scale) {
      text += fmt::format(" {:g}", *kernel.length_scale);
    } else if (kernel.median_scale) {
      text += " median";
    } else if (scaled || kernel.scale_factor != 1.0) {
      text += fmt::format(" {:g}x", kernel.scale_factor);
    }
  }
  if (kernel.neighbors) text += fmt::format(" k={}", *kernel.neighbors);
  return text;
}

std::string describe(const Recipe& recipe, DatasetKind kind, bool scaled) {
  const std::vector<KernelPart> parts = kernel_parts(kind, recipe);
  if (parts.size() == 1) return describe_kernel(parts[0], kind, scaled);
  std::string text;
  for (const KernelPart& part : parts) {
    if (!text.empty()) text += " + ";
    text += fmt::format("{:g} {}", part.share, describe_kernel(part, kind, scaled));
  }
  return text;
}

// Whether two recipes have the same kernel, as far as a grid distinguishes kernels.
bool same_kernel(const Recipe& a, const Recipe& b, DatasetKind kind) {
  const auto same_part = [](const KernelPart& p, const KernelPart& q) {
    return p.share == q.share && p.features == q.features && p.recipe.kernel == q.recipe.kernel &&
           p.recipe.length_scale == q.recipe.length_scale &&
           p.recipe.scale_factor == q.recipe.scale_factor &&
           p.recipe.median_scale == q.recipe.median_scale &&
           p.recipe.neighbors == q.recipe.neighbors;
  };
  return std::ranges::equal(kernel_parts(kind, a), kernel_parts(kind, b), same_part);
}

// The first added kernel of the features; null if there is none.
AddedKernel* feature_kernel(Recipe& recipe) {
  for (AddedKernel& added : recipe.added) {
    if (!is_graph_kernel(added.kernel)) return &added;
  }
  return nullptr;
}

}  // namespace

void set_length_scale(const LengthScale& scale, KernelRecipe& kernel) {
  kernel.length_scale.reset();
  kernel.scale_factor = 1.0;
  kernel.median_scale = scale.median;
  if (scale.median) return;
  if (scale.relative) {
    kernel.scale_factor = scale.value;
  } else {
    kernel.length_scale = scale.value;
  }
}

void check_kernel_grid(const KernelGrid& grid) {
  const auto name = [](const std::string& text) { return text; };
  const auto number = [](double value) { return fmt::format("{:g}", value); };
  check_values<std::string>(grid.kernels, "kernel", "a name", name,
                            [](const std::string& text) { return !text.empty(); });
  check_values<LengthScale>(
      grid.length_scales, "length scale", "a positive number, or one such as 0.5x", show_scale,
      [](const LengthScale& scale) { return std::isfinite(scale.value) && scale.value > 0.0; });
  check_values<Index>(
      grid.neighbor_counts, "neighbors", "1 or more",
      [](Index count) { return fmt::format("{}", count); },
      [](const Index& count) { return count >= 1; });
  check_values<double>(grid.mixes, "mix", "the share of the added kernel, from 0 to 1", number,
                       [](const double& mix) { return mix >= 0.0 && mix <= 1.0; });
}

std::vector<KernelCandidate> kernel_candidates(const KernelGrid& grid, const Recipe& recipe,
                                               DatasetKind kind) {
  check_kernel_grid(grid);
  if (grid.empty()) return {{recipe, {}}};
  Recipe base = recipe;
  if (!grid.mixes.empty()) {
    if (base.added.empty() && kind == DatasetKind::graph) base.added.emplace_back().kernel = "rbf";
    if (base.added.size() != 1) {
      throw ValueError(fmt::format(
          "mixes set the share of one added kernel, but there are {}; name one kernel to add",
          base.added.size()));
    }
  }
  // For a graph, the point kernel is the added one, otherwise the first.
  AddedKernel* beside = kind == DatasetKind::graph ? feature_kernel(base) : nullptr;
  std::vector<std::string> names, names_beside;
  for (const std::string& name : grid.kernels) {
    (beside && !is_graph_kernel(name) ? names_beside : names).push_back(name);
  }
  std::vector<KernelRecipe> firsts = with_names(base, names);
  std::vector<KernelRecipe> besides =
      beside ? with_names(*beside, names_beside) : std::vector<KernelRecipe>(1);
  std::vector<KernelRecipe>& of_points = beside ? besides : firsts;
  vary(of_points, grid.length_scales, has_length_scale,
       [](KernelRecipe& kernel, const LengthScale& scale) { set_length_scale(scale, kernel); });

  vary(of_points, grid.neighbor_counts, is_neighbor_graph,
       [](KernelRecipe& kernel, Index count) { kernel.neighbors = count; });

  std::vector<KernelCandidate> candidates;
  const auto add = [&](const Recipe& one) {
    const auto same = [&](const KernelCandidate& c) { return same_kernel(c.recipe, one, kind); };
    if (std::any_of(candidates.begin(), candidates.end(), same)) return;
    candidates.push_back({one, describe(one, kind, !grid.length_scales.empty())});
  };
  Recipe one = base;
  for (const KernelRecipe& first : firsts) {
    static_cast<KernelRecipe&>(one) = first;
    for (const KernelRecipe& other : besides) {
      if (beside) static_cast<KernelRecipe&>(*feature_kernel(one)) = other;
      if (grid.mixes.empty()) add(one);
      for (const double mix : grid.mixes) {
        one.added.front().share = mix;
        add(one);
      }
    }
  }
  return candidates;
}

}  // namespace stkr
