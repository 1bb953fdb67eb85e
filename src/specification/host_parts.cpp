#include "specification/host_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "kernel/neighbor_cells.hpp"
#include "linop/device_backend.hpp"
#include "specification/kernel_names.hpp"
#include "specification/kernel_parts.hpp"

namespace stkr {
namespace {

// Why products with a point kernel are the host's; none if a device has them. As KnownPoints
// decides.
std::optional<std::string> why_evaluated(const PointKernelSpec& points, bool sparse) {
  if (points.kernel.custom()) return "a kernel of one's own";
  if (sparse) return "sparse points";
  return std::nullopt;
}

// Why neighbors are searched by the host. As NeighborIndex decides, which asks the device.
std::optional<std::string> why_searched(const NeighborGraphSpec& graph, const ProblemShape& shape,
                                        const DeviceBackend& backend) {
  if (shape.feature_entries > 0) return "sparse points";
  if (graph.recall < 1.0 && shape.samples >= kCellsFrom) {
    return fmt::format("approximate, recall {:g}", graph.recall);
  }
  const Index k = neighbor_count(graph, shape.samples);
  const MatrixF one = MatrixF::Zero(1, 1);
  if (!backend.neighbors(PointsView::of(one), k, {})) {
    return fmt::format("{} neighbors, more than the device searches for", k);
  }
  return std::nullopt;
}

// "the neighbor search (sparse points)"
std::optional<std::string> host_part(const KernelPart& part, const ProblemShape& shape,
                                     const DeviceBackend& backend) {
  const auto text = [](const std::string& what, const std::optional<std::string>& why) {
    return why ? std::optional(fmt::format("{} ({})", what, *why)) : std::nullopt;
  };
  const bool sparse = shape.feature_entries > 0;
  if (const auto* graph = part.kernel.get_if<NeighborGraphSpec>()) {
    return text("the neighbor search", why_searched(*graph, shape, backend));
  }
  const std::string products = fmt::format("products with kernel {}", name_of(part.kernel));
  if (part.kernel.get_if<PrecomputedKernelSpec>()) return text(products, "a given matrix");
  const auto* points = part.kernel.get_if<PointKernelSpec>();
  if (!points) return std::nullopt;
  if (points->smoothing > 0) return text(products, "smoothed node features");
  if (part.factored(sparse)) return text(products, "sparse node features");
  return text(products, why_evaluated(*points, sparse));
}

}  // namespace

bool host_evaluates(const ProblemShape& shape, const Specification& spec, const Device& device) {
  if (!device.backend()) return true;
  const std::vector<KernelPart> parts = kernel_parts(shape.kind, spec);
  return std::any_of(parts.begin(), parts.end(), [&](const KernelPart& part) {
    const auto* points = part.kernel.get_if<PointKernelSpec>();
    return points && why_evaluated(*points, shape.feature_entries > 0);
  });
}

std::string left_to_host(const ProblemShape& shape, const Specification& spec,
                         const Device& device) {
  const DeviceBackend* backend = device.backend();
  if (!backend) return "";
  std::vector<std::string> texts;
  for (const KernelPart& part : kernel_parts(shape.kind, spec)) {
    if (const auto text = host_part(part, shape, *backend)) texts.push_back(*text);
  }
  if (texts.empty()) return "";
  return fmt::format("device {} leaves to the host: {}", device.name(), fmt::join(texts, ", "));
}

}  // namespace stkr
