#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>

#include "linop/device_operator.hpp"
#include "stkr/linop/csr_matrix.hpp"

namespace stkr {

// Of the layer above.
class Kernel;
struct Neighbors;
struct ReachedBy;

// Points in host memory, one per row without gaps, of one of two types.
struct PointsView {
  const float* single = nullptr;
  const double* full = nullptr;
  Index count = 0;
  Index features = 0;

  static PointsView of(const MatrixF& points) {
    return {.single = points.data(), .count = points.rows(), .features = points.cols()};
  }
};

// Known points on a device.
class DevicePoints {
 public:
  virtual ~DevicePoints() = default;

  // S = K(X, X)/N
  virtual std::shared_ptr<const DeviceOperator> gram() const = 0;

  // K(new, known) c for new points of the type of the known ones.
  virtual Matrix cross_product(const PointsView& fresh, ConstMatrixRef c) const = 0;
};

// Points on a device that are searched for nearest neighbors, in single precision. Results are
// those of the host (kernel/nearest_neighbors), bit for bit.
class DeviceNeighbors {
 public:
  virtual ~DeviceNeighbors() = default;

  // The k nearest other points of every point.
  virtual Neighbors among_themselves(Index k) const = 0;
  // The k nearest points of every query.
  virtual Neighbors of(const PointsView& queries, Index k) const = 0;
  // The points y with ‖x - y‖ ≤ reach[y] for every query x.
  virtual ReachedBy reaching(const PointsView& queries, const Vector& reach) const = 0;
};

// What a backend (a GPU) makes of the host's data. All data are copied. A function that returns
// null says that the device does not support this: the host computes it.
class DeviceBackend {
 public:
  virtual ~DeviceBackend() = default;

  // A + diagonal·I for a symmetric sparse A.
  virtual std::shared_ptr<const DeviceOperator> sparse(const CsrMatrix& a,
                                                       double diagonal) const = 0;

  // Dense points; all kernels of the library.
  virtual std::unique_ptr<const DevicePoints> points(const PointsView& points,
                                                     const Kernel& kernel) const = 0;

  // Null also if the device has no search for this many neighbors. A search checks `cancel`.
  virtual std::unique_ptr<const DeviceNeighbors> neighbors(const PointsView& points, Index k,
                                                           std::stop_token cancel) const = 0;

  // Bytes of device memory: what is free now, and what these need.
  virtual std::uint64_t free_bytes() const = 0;
  virtual std::uint64_t sparse_bytes(Index rows, std::int64_t entries) const = 0;
  virtual std::uint64_t point_bytes(Index points, Index features, bool single) const = 0;
  virtual std::uint64_t block_bytes(Index rows, Index columns) const = 0;
  virtual std::uint64_t neighbor_bytes(Index points, Index features, Index k) const = 0;
};

}  // namespace stkr
