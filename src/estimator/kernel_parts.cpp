#include "estimator/kernel_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

constexpr std::array<std::string_view, 4> kGraphKernels = {"lazy-walk", "symmetric", "probability",
                                                           "adjacency"};
constexpr double kRounding = 1e-12;  // of shares that sum to 1

// The share of the main kernel, then those of the added kernels.
std::vector<double> shares(const Recipe& recipe) {
  double given = 0.0;
  int open = 1;
  for (const AddedKernel& added : recipe.added) {
    if (!added.share) {
      ++open;
      continue;
    }
    if (!(*added.share >= 0.0 && *added.share <= 1.0)) {
      throw ValueError(fmt::format(
          "the share of kernel '{}' is {}; expected a number from 0 to 1: the first kernel "
          "gets what the added kernels leave",
          added.kernel, *added.share));
    }
    given += *added.share;
  }
  if (given > 1.0 + kRounding) {
    throw ValueError(fmt::format(
        "the shares of the added kernels sum to {:g}; expected 1 or less: the first kernel gets "
        "the rest",
        given));
  }
  const double left = given > 1.0 - kRounding ? 0.0 : 1.0 - given;
  std::vector<double> result{left / open};
  for (const AddedKernel& added : recipe.added) result.push_back(added.share.value_or(left / open));
  return result;
}

NewSamples as_new_part(const Dataset& dataset, bool features, std::span<const Index> fresh,
                       std::span<const Index> known) {
  if (features) return {dataset.features->values.gather(fresh)};
  switch (dataset.kind()) {
    case DatasetKind::graph:
      return {cross_edges(dataset.graph().adjacency, fresh, known)};
    case DatasetKind::points:
      return {dataset.points().values.gather(fresh)};
    default: {
      Matrix rows(fresh.size(), known.size());
      for (std::size_t i = 0; i < fresh.size(); ++i) {
        for (std::size_t j = 0; j < known.size(); ++j) {
          rows(i, j) = dataset.kernel().values(fresh[i], known[j]);
        }
      }
      return {std::move(rows)};
    }
  }
}

}  // namespace

bool is_graph_kernel(const std::string& name) {
  return std::find(kGraphKernels.begin(), kGraphKernels.end(), name) != kGraphKernels.end();
}

bool has_length_scale(const std::string& kernel) {
  return kernel != "linear" && kernel != "cosine" && kernel != "polynomial" && kernel != "knn";
}

Kernel named_kernel(const KernelRecipe& recipe, double length_scale) {
  return Kernel::from_parameters({.name = recipe.kernel.empty() ? "rbf" : recipe.kernel,
                                  .length_scale = length_scale,
                                  .gamma = recipe.gamma,
                                  .coef0 = recipe.coef0,
                                  .degree = recipe.degree});
}

bool is_normalized(DatasetKind kind, const KernelRecipe& recipe) {
  if (recipe.normalize) return *recipe.normalize;
  // Names of graph kernels are rejected when the gram is built.
  if (kind != DatasetKind::points || recipe.kernel == "knn" || is_graph_kernel(recipe.kernel)) {
    return false;
  }
  return named_kernel(recipe, 1.0).nonnegative();
}

std::vector<KernelPart> kernel_parts(DatasetKind kind, const Recipe& recipe) {
  const std::vector<double> share = shares(recipe);
  std::vector<KernelPart> parts;
  const auto add = [&](const KernelRecipe& kernel, std::size_t place) {
    if (share[place] == 0.0) return;
    KernelPart& part = parts.emplace_back(KernelPart{recipe, share[place]});
    static_cast<KernelRecipe&>(part.recipe) = kernel;
    part.recipe.added.clear();
    part.features = place > 0 && kind == DatasetKind::graph && !is_graph_kernel(kernel.kernel);
    part.recipe.single_precision = recipe.single_precision;
  };
  add(recipe, 0);
  for (std::size_t k = 0; k < recipe.added.size(); ++k) add(recipe.added[k], k + 1);
  // If there is a kernel of features, single precision applies to it.
  if (std::any_of(parts.begin(), parts.end(), [](const KernelPart& p) { return p.features; })) {
    for (KernelPart& part : parts) part.recipe.single_precision &= part.features;
  }
  return parts;
}

bool may_be_indefinite(DatasetKind kind, const Recipe& recipe) {
  const std::vector<KernelPart> parts = kernel_parts(kind, recipe);
  return std::any_of(parts.begin(), parts.end(), [&](const KernelPart& part) {
    const std::string& name = part.recipe.kernel;
    const bool points = part.features || kind == DatasetKind::points;
    if (kind == DatasetKind::kernel) return true;
    if (!points || is_graph_kernel(name)) return !name.empty() && name != "lazy-walk";
    // A neighbor graph is a lazy walk.
    return name != "knn" && !named_kernel(part.recipe, 1.0).positive_semidefinite();
  });
}

void check_has_features(const Dataset& dataset, const std::string& kernel) {
  if (dataset.features) return;
  throw ValueError(fmt::format(
      "kernel '{}' is a point kernel, but the graph has no node features; give node features, or "
      "a data file that has both",
      kernel.empty() ? "rbf" : kernel));
}

std::string sample_kinds(DatasetKind kind, const Recipe& recipe) {
  std::string result;
  for (const KernelPart& part : kernel_parts(kind, recipe)) {
    if (!result.empty()) result += "+";
    result += kind_name(part.features ? DatasetKind::points : kind);
  }
  return result;
}

NewSamples as_new_samples(const Dataset& dataset, const Recipe& recipe,
                          std::span<const Index> fresh, std::span<const Index> known) {
  std::vector<NewSamples> samples;
  for (const KernelPart& part : kernel_parts(dataset.kind(), recipe)) {
    if (part.features) check_has_features(dataset, part.recipe.kernel);
    samples.push_back(as_new_part(dataset, part.features, fresh, known));
  }
  if (samples.size() == 1) return std::move(samples.front());
  return {std::move(samples)};
}

}  // namespace stkr
