#include "stkr/specification/kernel_spec.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specification/kernel_names.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

const char* data_name(DatasetKind kind) {
  switch (kind) {
    case DatasetKind::points:
      return "points";
    case DatasetKind::graph:
      return "a graph";
    case DatasetKind::kernel:
      return "a precomputed kernel";
  }
  return "";
}

[[noreturn]] void refuse(DatasetKind kind, const std::string& what, const std::string& remedy) {
  throw ParameterError(fmt::format("{} does not apply to {}; {}", what, data_name(kind), remedy));
}

KernelSpec default_kernel(const AutomaticKernelSpec& spec, DatasetKind kind) {
  if (kind != DatasetKind::points && !spec.length_scale.is_default()) {
    refuse(kind, "a length scale", "it is for point kernels");
  }
  if (kind != DatasetKind::graph && spec.self_loops) {
    refuse(kind, "adding self-loops", "it is for graphs");
  }
  switch (kind) {
    case DatasetKind::points:
      return PointKernelSpec{.length_scale = spec.length_scale, .normalize = spec.normalize};
    case DatasetKind::graph:
      return GraphKernelSpec{.self_loops = spec.self_loops, .normalize = spec.normalize};
    case DatasetKind::kernel:
      break;
  }
  return PrecomputedKernelSpec{spec.normalize};
}

}  // namespace

KernelSpec::KernelSpec() = default;
KernelSpec::KernelSpec(const Kernel& kernel)
    : form_(PointKernelSpec{kernel, LengthScale::absolute(kernel.length_scale())}) {}
KernelSpec::KernelSpec(AutomaticKernelSpec form) : form_(std::move(form)) {}
KernelSpec::KernelSpec(PointKernelSpec form) : form_(std::move(form)) {}
KernelSpec::KernelSpec(NeighborGraphSpec form) : form_(std::move(form)) {}
KernelSpec::KernelSpec(GraphKernelSpec form) : form_(std::move(form)) {}
KernelSpec::KernelSpec(PrecomputedKernelSpec form) : form_(std::move(form)) {}
KernelSpec::KernelSpec(const KernelSpec&) = default;
KernelSpec::KernelSpec(KernelSpec&&) noexcept = default;
KernelSpec& KernelSpec::operator=(const KernelSpec&) = default;
KernelSpec& KernelSpec::operator=(KernelSpec&&) noexcept = default;
KernelSpec::~KernelSpec() = default;
bool KernelSpec::operator==(const KernelSpec&) const = default;

KernelSpec KernelSpec::resolved(DatasetKind kind) const {
  if (const auto* automatic = get_if<AutomaticKernelSpec>())
    return default_kernel(*automatic, kind);
  const std::string name = fmt::format("kernel '{}'", name_of(*this));
  switch (kind) {
    case DatasetKind::points:
      if (takes_points()) break;
      refuse(kind, name,
             takes_graph() ? fmt::format("it is a graph kernel; {} is usual for points",
                                         name_of(KernelSpec(PointKernelSpec{})))
                           : "it is for data that are kernel values");
    case DatasetKind::graph:
      if (takes_graph()) break;
      refuse(kind, name,
             get_if<NeighborGraphSpec>() ? "it builds a graph from points"
                                         : "expected one of " + joined(graph_kernel_names()));
    case DatasetKind::kernel:
      if (!get_if<PrecomputedKernelSpec>()) refuse(kind, name, "leave it out");
  }
  return *this;
}

bool KernelSpec::takes_points() const {
  return get_if<PointKernelSpec>() || get_if<NeighborGraphSpec>();
}

bool KernelSpec::takes_graph() const { return get_if<GraphKernelSpec>() != nullptr; }

Index KernelSpec::smoothing() const {
  const auto* points = get_if<PointKernelSpec>();
  return points ? points->smoothing : 0;
}

bool KernelSpec::has_length_scale() const {
  if (const auto* points = get_if<PointKernelSpec>()) return points->kernel.has_length_scale();
  return get_if<AutomaticKernelSpec>() != nullptr;
}

void KernelSpec::set_length_scale(const LengthScale& scale) {
  if (!has_length_scale()) return;
  if (auto* points = get_if<PointKernelSpec>()) points->length_scale = scale;
  if (auto* automatic = get_if<AutomaticKernelSpec>()) automatic->length_scale = scale;
}

bool KernelSpec::sparse() const { return takes_graph() || get_if<NeighborGraphSpec>(); }

bool KernelSpec::positive_semidefinite() const {
  if (const auto* points = get_if<PointKernelSpec>()) return points->kernel.positive_semidefinite();
  if (const auto* graph = get_if<GraphKernelSpec>()) {
    return graph->normalization == GraphNormalization::lazy_walk;
  }
  return get_if<NeighborGraphSpec>() != nullptr;  // a lazy walk
}

bool KernelSpec::normalized() const {
  if (const auto* points = get_if<PointKernelSpec>()) {
    return points->normalize.value_or(points->kernel.nonnegative());
  }
  if (const auto* graph = get_if<GraphKernelSpec>()) return graph->normalize.value_or(false);
  if (const auto* given = get_if<PrecomputedKernelSpec>()) return given->normalize.value_or(false);
  return false;
}

Index neighbor_count(const NeighborGraphSpec& spec, Index points) {
  return spec.neighbors.value_or(std::clamp<Index>(points - 1, 1, NeighborGraphOptions{}.k));
}

}  // namespace stkr
