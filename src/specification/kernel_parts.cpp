#include "specification/kernel_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specification/kernel_names.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr double kRounding = 1e-12;  // of shares that sum to 1

// The share of the main kernel, then those of the added kernels.
std::vector<double> shares(const Specification& spec) {
  double given = 0.0;
  int open = 1;
  for (const AddedKernel& added : spec.added) {
    if (!added.share) {
      ++open;
      continue;
    }
    if (!(*added.share >= 0.0 && *added.share <= 1.0)) {
      throw ParameterError(fmt::format(
          "the share of kernel '{}' is {}; expected a number from 0 to 1: the first kernel "
          "gets what the added kernels leave",
          name_of(added.kernel), *added.share));
    }
    given += *added.share;
  }
  if (given > 1.0 + kRounding) {
    throw ParameterError(fmt::format(
        "the shares of the added kernels sum to {:g}; expected 1 or less: the first kernel gets "
        "the rest",
        given));
  }
  const double left = given > 1.0 - kRounding ? 0.0 : 1.0 - given;
  std::vector<double> result{left / open};
  for (const AddedKernel& added : spec.added) result.push_back(added.share.value_or(left / open));
  return result;
}

NewSamples new_points(const FeatureMatrix& values, std::span<const Index> fresh) {
  if (values.sparse()) return {chosen_rows(*values.sparse(), fresh)};
  return {values.dense().gather(fresh)};
}

NewSamples as_new_part(const Dataset& dataset, const KernelPart& part, std::span<const Index> fresh,
                       std::span<const Index> known) {
  if (part.features) {
    NewSamples own = new_points(dataset.features->values, fresh);
    if (!part.needs_edges()) return own;
    return {std::vector<NewSamples>{{cross_edges(dataset.graph().adjacency, fresh, known)},
                                    std::move(own)}};
  }
  switch (dataset.kind()) {
    case DatasetKind::graph:
      return {cross_edges(dataset.graph().adjacency, fresh, known)};
    case DatasetKind::points:
      return new_points(dataset.points().values, fresh);
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

void check_smoothing(const KernelPart& part) {
  const Index steps = part.kernel.smoothing();
  if (steps == 0) return;
  if (steps < 0) {
    throw ParameterError(
        fmt::format("kernel '{}': {} smoothing steps; expected 0 (the features themselves) or more",
                    name_of(part.kernel), steps));
  }
  if (!part.features) {
    throw ParameterError(fmt::format(
        "kernel '{}': smoothing averages node features over the edges of a graph, which these data "
        "do not have; omit it",
        name_of(part.kernel)));
  }
}

}  // namespace

bool KernelPart::factored(bool sparse_features) const {
  const auto* points = kernel.get_if<PointKernelSpec>();
  return features && points && points->has_factors() && (points->smoothing > 0 || sparse_features);
}

std::vector<KernelPart> kernel_parts(DatasetKind kind, const Specification& spec) {
  const std::vector<double> share = shares(spec);
  std::vector<KernelPart> parts;
  if (share.front() > 0.0) parts.push_back({spec.kernel.resolved(kind), share.front()});
  for (std::size_t k = 0; k < spec.added.size(); ++k) {
    if (share[k + 1] == 0.0) continue;
    const KernelSpec& kernel = spec.added[k].kernel;
    const bool features = kind == DatasetKind::graph && !kernel.takes_graph();
    parts.push_back(
        {kernel.resolved(features ? DatasetKind::points : kind), share[k + 1], features});
  }
  for (const KernelPart& part : parts) check_smoothing(part);
  return parts;
}

bool may_be_indefinite(DatasetKind kind, const Specification& spec) {
  const std::vector<KernelPart> parts = kernel_parts(kind, spec);
  return std::any_of(parts.begin(), parts.end(),
                     [](const KernelPart& part) { return !part.kernel.positive_semidefinite(); });
}

void check_has_features(const Dataset& dataset, const KernelPart& part) {
  if (dataset.features || !part.features) return;
  throw ParameterError(fmt::format(
      "kernel '{}' is a point kernel, but the graph has no node features; give node features, or "
      "a data file that has both",
      name_of(part.kernel)));
}

std::string sample_kinds(DatasetKind kind, const Specification& spec) {
  std::string result;
  for (const KernelPart& part : kernel_parts(kind, spec)) {
    if (!result.empty()) result += "+";
    if (part.features && part.needs_edges()) {
      result += "nodes";
    } else {
      result += kind_name(part.features ? DatasetKind::points : kind);
    }
  }
  return result;
}

NewSamples as_new_samples(const Dataset& dataset, const Specification& spec,
                          std::span<const Index> fresh, std::span<const Index> known) {
  std::vector<NewSamples> samples;
  for (const KernelPart& part : kernel_parts(dataset.kind(), spec)) {
    check_has_features(dataset, part);
    samples.push_back(as_new_part(dataset, part, fresh, known));
  }
  if (samples.size() == 1) return std::move(samples.front());
  return {std::move(samples)};
}

}  // namespace stkr
