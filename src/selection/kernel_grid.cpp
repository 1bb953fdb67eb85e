#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "specification/kernel_names.hpp"
#include "specification/kernel_parts.hpp"
#include "stkr/error.hpp"
#include "stkr/selection/grid.hpp"

namespace stkr {
namespace {

template <class Value, class Show>
void check_values(const std::vector<Value>& values, const char* name, const char* expected,
                  Show&& show, bool (*allowed)(const Value&)) {
  for (auto at = values.begin(); at != values.end(); ++at) {
    if (!allowed(*at)) {
      throw ParameterError(fmt::format("{} = {}; expected {}", name, show(*at), expected));
    }
    if (std::find(values.begin(), at, *at) != at) {
      throw ParameterError(fmt::format("{} = {} is listed twice", name, show(*at)));
    }
  }
}

// One dimension: repeats every kernel that it `concerns` once per value, and keeps the others.
template <class Value, class Concerns, class Set>
void vary(std::vector<KernelSpec>& kernels, const std::vector<Value>& values, Concerns&& concerns,
          Set&& set) {
  if (values.empty()) return;
  std::vector<KernelSpec> varied;
  for (const KernelSpec& kernel : kernels) {
    if (!concerns(kernel)) {
      varied.push_back(kernel);
      continue;
    }
    for (const Value& value : values) set(varied.emplace_back(kernel), value);
  }
  kernels = std::move(varied);
}

std::string describe(const std::vector<KernelPart>& parts, bool scaled) {
  if (parts.size() == 1) return describe(parts.front().kernel, scaled);
  std::string text;
  for (const KernelPart& part : parts) {
    if (!text.empty()) text += " + ";
    text += fmt::format("{:g} {}", part.share, describe(part.kernel, scaled));
  }
  return text;
}

// The first added kernel of the features; null if there is none.
AddedKernel* feature_kernel(Specification& spec) {
  for (AddedKernel& added : spec.added) {
    if (!added.kernel.takes_graph()) return &added;
  }
  return nullptr;
}

}  // namespace

void check_kernel_grid(const KernelGrid& grid) {
  const auto number = [](double value) { return fmt::format("{:g}", value); };
  check_values<KernelSpec>(
      grid.kernels, "kernel", "a kernel", [](const KernelSpec& kernel) { return name_of(kernel); },
      [](const KernelSpec&) { return true; });
  check_values<LengthScale>(
      grid.length_scales, "length scale", "a positive number, or one such as 0.5x", text_of,
      [](const LengthScale& scale) { return std::isfinite(scale.value) && scale.value > 0.0; });
  check_values<Index>(
      grid.neighbor_counts, "neighbors", "1 or more",
      [](Index count) { return fmt::format("{}", count); },
      [](const Index& count) { return count >= 1; });
  check_values<Index>(
      grid.smoothings, "smoothing", "0 or more steps",
      [](Index steps) { return fmt::format("{}", steps); },
      [](const Index& steps) { return steps >= 0; });
  check_values<double>(grid.mixes, "mix", "the share of the added kernel, from 0 to 1", number,
                       [](const double& mix) { return mix >= 0.0 && mix <= 1.0; });
}

std::vector<KernelCandidate> kernel_candidates(const KernelGrid& grid, const Specification& spec,
                                               DatasetKind kind) {
  check_kernel_grid(grid);
  if (grid.empty()) return {{spec, {}}};
  Specification base = spec;
  if (!grid.smoothings.empty()) {
    if (kind != DatasetKind::graph) {
      throw ValueError(
          "smoothings average node features over the edges of a graph; these data are no graph");
    }
    if (feature_kernel(base) == nullptr) {
      base.added.push_back({PointKernelSpec{.kernel = Kernel::cosine()}, 1.0});
    }
  }
  if (!grid.mixes.empty()) {
    if (base.added.empty() && kind == DatasetKind::graph) {
      base.added.push_back({PointKernelSpec{}});
    }
    if (base.added.size() != 1) {
      throw ValueError(fmt::format(
          "mixes set the share of one added kernel, but there are {}; name one kernel to add",
          base.added.size()));
    }
  }
  // For a graph, the point kernel is the added one, otherwise the first.
  AddedKernel* beside = kind == DatasetKind::graph ? feature_kernel(base) : nullptr;
  std::vector<KernelSpec> firsts, besides;
  for (const KernelSpec& kernel : grid.kernels) {
    (beside && !kernel.takes_graph() ? besides : firsts).push_back(kernel);
  }
  if (firsts.empty()) firsts.push_back(base.kernel);
  if (besides.empty()) besides.push_back(beside ? beside->kernel : KernelSpec{});
  std::vector<KernelSpec>& of_points = beside ? besides : firsts;
  vary(
      of_points, grid.length_scales, [](const KernelSpec& k) { return k.has_length_scale(); },
      [](KernelSpec& kernel, const LengthScale& scale) { kernel.set_length_scale(scale); });
  vary(
      of_points, grid.neighbor_counts,
      [](const KernelSpec& k) { return k.get_if<NeighborGraphSpec>() != nullptr; },
      [](KernelSpec& kernel, Index count) {
        kernel.get_if<NeighborGraphSpec>()->neighbors = count;
      });
  vary(
      besides, grid.smoothings,
      [](const KernelSpec& k) { return k.get_if<PointKernelSpec>() != nullptr; },
      [](KernelSpec& kernel, Index steps) { kernel.get_if<PointKernelSpec>()->smoothing = steps; });

  std::vector<KernelCandidate> candidates;
  std::vector<std::vector<KernelPart>> seen;
  const auto same_part = [](const KernelPart& p, const KernelPart& q) {
    return p.share == q.share && p.features == q.features && p.kernel == q.kernel;
  };
  const auto add = [&](const Specification& one) {
    std::vector<KernelPart> parts;
    try {
      parts = kernel_parts(kind, one);
    } catch (const ValueError&) {
      // It does not apply to these data: selection leaves it out, with the reason.
      candidates.push_back({one, describe(one.kernel)});
      return;
    }
    const auto same = [&](const auto& others) {
      return std::ranges::equal(parts, others, same_part);
    };
    if (std::any_of(seen.begin(), seen.end(), same)) return;
    candidates.push_back({one, describe(parts, !grid.length_scales.empty())});
    seen.push_back(std::move(parts));
  };
  Specification one = base;
  for (const KernelSpec& first : firsts) {
    one.kernel = first;
    for (const KernelSpec& other : besides) {
      if (beside) feature_kernel(one)->kernel = other;
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
