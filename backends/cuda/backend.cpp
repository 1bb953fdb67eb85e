#include <algorithm>
#include <memory>
#include <utility>

#include "device/device_operator_template.hpp"
#include "device_memory.hpp"
#include "graph_operator.hpp"
#include "kernel_operator.hpp"
#include "kernel_product.hpp"
#include "linop/device_backend.hpp"
#include "neighbor_search.hpp"
#include "stkr/error.hpp"
#include "stkr/kernel/kernel.hpp"
#include "stkr/kernel/nearest_neighbors.hpp"

// What stkr::Device gets from this folder: graphs, points and neighbor searches on the current
// card.
namespace stkr::cuda {
namespace {

std::shared_ptr<const DeviceOperator> wrapped(SharedOperator<CudaBlock> op) {
  return std::make_shared<const DeviceOperatorOf<CudaBlock>>(std::move(op));
}

KernelFormula formula_of(const Kernel& kernel) {
  static_assert(static_cast<int>(FormulaKind::epsilon_neighbor) ==
                static_cast<int>(KernelKind::epsilon_neighbor));
  return {.kind = static_cast<FormulaKind>(kernel.kind()),
          .length_scale = kernel.length_scale(),
          .gamma = kernel.gamma(),
          .coef0 = kernel.coef0(),
          .degree = kernel.degree()};
}

// Single precision on the host corresponds to fp16x3 here, which is at least as precise.
ProductPrecision precise(bool single) {
  return single ? ProductPrecision::half3 : ProductPrecision::full;
}
ProductPrecision rough(bool single) {
  return single ? ProductPrecision::half : ProductPrecision::half3;
}
// These are products of thin matrices, or steps that rounding would misplace.
bool has_rough(const Kernel& kernel) {
  return kernel.kind() != KernelKind::linear && kernel.kind() != KernelKind::cosine &&
         kernel.kind() != KernelKind::epsilon_neighbor;
}

PackedPoints packed(const PointsView& points, const KernelFormula& formula,
                    ProductPrecision precision) {
  const auto count = static_cast<std::size_t>(points.count);
  const auto features = static_cast<std::size_t>(points.features);
  if (points.single) return {points.single, count, features, formula, precision};
  return {points.full, count, features, formula, precision};
}

class Points : public DevicePoints {
 public:
  Points(const PointsView& points, const Kernel& kernel)
      : precise_(std::make_shared<const PackedPoints>(
            packed(points, formula_of(kernel), precise(points.single != nullptr)))) {
    if (!has_rough(kernel)) return;
    rough_ = std::make_shared<const PackedPoints>(
        packed(points, formula_of(kernel), rough(points.single != nullptr)));
  }

  std::shared_ptr<const DeviceOperator> gram() const override {
    return wrapped(std::make_shared<const KernelOperator>(precise_, rough_));
  }

  Matrix cross_product(const PointsView& fresh, ConstMatrixRef c) const override {
    constexpr Index kAtOnce = Index{1} << 18;  // new points, to limit their copies
    CudaBlock coefficients(c.rows(), c.cols());
    upload(c, coefficients);
    Matrix result(fresh.count, c.cols());
    for (Index first = 0; first < fresh.count; first += kAtOnce) {
      const Index count = std::min(kAtOnce, fresh.count - first);
      const auto points = static_cast<std::size_t>(count);
      const PackedPoints rows =
          fresh.single
              ? PackedPoints::like(*precise_, fresh.single + first * fresh.features, points)
              : PackedPoints::like(*precise_, fresh.full + first * fresh.features, points);
      CudaBlock product(count, c.cols());
      cuda::cross_product(
          rows, *precise_, coefficients.data(), static_cast<std::size_t>(coefficients.stride()),
          static_cast<int>(c.cols()), product.data(), static_cast<std::size_t>(product.stride()));
      result.middleRows(first, count) = download(product);
    }
    return result;
  }

 private:
  std::shared_ptr<const PackedPoints> precise_, rough_;
};

class Searched : public DeviceNeighbors {
 public:
  Searched(const PointsView& points, std::stop_token cancel)
      : search_(points.single, points.count, points.features,
                {.between = [cancel] { throw_if_cancelled(cancel); }}) {}

  Neighbors among_themselves(Index k) const override {
    return neighbors(search_.among_themselves(static_cast<int>(k)), search_.size(), k);
  }
  Neighbors of(const PointsView& queries, Index k) const override {
    return neighbors(search_.of(queries.single, queries.count, static_cast<int>(k)), queries.count,
                     k);
  }
  ReachedBy reaching(const PointsView& queries, const Vector& reach) const override {
    ReachingPoints found = search_.reaching(queries.single, queries.count,
                                            {reach.data(), static_cast<std::size_t>(reach.size())});
    return {std::move(found.row_start), std::move(found.index), std::move(found.distance)};
  }

 private:
  static Neighbors neighbors(NearestPoints found, Index count, Index k) {
    return {count, k, std::move(found.index), std::move(found.distance)};
  }

  mutable NeighborSearch search_;  // its functions use memory of its own
};

class Backend : public DeviceBackend {
 public:
  std::shared_ptr<const DeviceOperator> sparse(const CsrMatrix& a, double diagonal) const override {
    return wrapped(std::make_shared<const GraphOperator>(a, diagonal));
  }

  std::unique_ptr<const DevicePoints> points(const PointsView& points,
                                             const Kernel& kernel) const override {
    if (kernel.custom()) return nullptr;
    return std::make_unique<const Points>(points, kernel);
  }

  std::unique_ptr<const DeviceNeighbors> neighbors(const PointsView& points, Index k,
                                                   std::stop_token cancel) const override {
    if (k > kMostNeighbors) return nullptr;
    return std::make_unique<const Searched>(points, std::move(cancel));
  }

  std::uint64_t free_bytes() const override { return cuda::free_bytes(); }
  std::uint64_t sparse_bytes(Index rows, std::int64_t entries) const override {
    return CsrOnDevice::device_bytes(rows, entries, entries, CsrValues::doubles);
  }
  std::uint64_t point_bytes(Index points, Index features, bool single) const override {
    const auto count = static_cast<std::size_t>(points);
    const auto dimension = static_cast<std::size_t>(features);
    const KernelFormula formula;
    return PackedPoints::device_bytes(count, dimension, formula, precise(single)) +
           PackedPoints::device_bytes(count, dimension, formula, rough(single)) +
           std::max(PackedPoints::packing_bytes(count, dimension),
                    product_workspace_bytes(count, count, dimension, formula, precise(single)));
  }
  std::uint64_t block_bytes(Index rows, Index columns) const override {
    return sizeof(double) * static_cast<std::uint64_t>(rows * row_stride(columns));
  }
  std::uint64_t neighbor_bytes(Index points, Index features, Index k) const override {
    return neighbor_search_bytes(points, features, 0,
                                 static_cast<int>(std::min<Index>(k, kMostNeighbors)));
  }
};

}  // namespace

const DeviceBackend& backend() {
  static const Backend only;
  return only;
}

}  // namespace stkr::cuda
