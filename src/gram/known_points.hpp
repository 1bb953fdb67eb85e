#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kernel/kernel_tile.hpp"
#include "linop/device_backend.hpp"
#include "stkr/kernel/kernel.hpp"
#include "stkr/linop/feature_matrix.hpp"
#include "stkr/linop/linear_operator.hpp"
#include "stkr/runtime/device.hpp"

namespace stkr {

// Dense rows for a device.
template <class Scalar>
PointsView view_of(const PointRows<Scalar>& rows);

// The samples of a point gram as the tiles read them. Translating all points does not change
// Euclidean kernels, so points far from the origin are shifted there; otherwise ‖x‖²+‖y‖²-2<x,y>
// would lose the distance in rounding. The points themselves are not modified, and not copied if
// they are of type Scalar: tiles subtract the shift when they read. Sparse points are not shifted,
// and in double precision only.
template <class Scalar>
class KnownPoints {
 public:
  // Points copied out of their order, or new ones, in the form of the known ones.
  struct Copied {
    Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> dense;
    CsrMatrix sparse;
    std::vector<Scalar> squared_norms;

    PointRows<Scalar> rows() const;
  };

  // Throws ValueError if a coordinate is not finite, a norm overflows, or sparse points are asked
  // for in single precision, and ShapeError without points or features. `who` starts the message.
  KnownPoints(FeatureMatrix points, Kernel kernel, const char* who, const Device& device = {});

  // Some of the dense points that processes share: the shift is that of all of them, and messages
  // number rows from `first` on. There may be none.
  KnownPoints(SharedMatrix points, Kernel kernel, Vector shift, Index first, const char* who);

  Index count() const { return points_.rows(); }
  Index features() const { return points_.cols(); }
  const Kernel& kernel() const { return kernel_; }
  const FeatureMatrix& points() const { return points_; }
  // Numbers per point that a tile packs.
  Index packed_features() const;

  // ‖x - shift‖₂²
  const std::vector<Scalar>& squared_norms() const { return squared_norms_; }

  // K(x_i, x_i)
  double at_itself(Index i) const;

  // Points [begin, begin + count) minus the shift: in `buffer`, or in place if there is no shift.
  PointRows<Scalar> rows(Index begin, Index count, std::vector<Scalar>& buffer) const;
  // The same for arbitrary samples.
  Copied gather(std::span<const Index> samples) const;

  // New points, checked, shifted and rounded to Scalar exactly like the known ones.
  Copied place(const FeatureMatrix& points, const char* who) const;

  // The sample of `among` nearest to each point by Kernel::distance. Ties are broken by the order
  // of `among`.
  std::vector<Index> nearest(const FeatureMatrix& points, std::span<const Index> among) const;
  // The same for some of the known points.
  std::vector<Index> nearest(std::span<const Index> samples, std::span<const Index> among) const;

  // The points on their device; null on the CPU, and if the device lacks their kernel.
  const DevicePoints* on_device() const { return on_device_.get(); }

  // A subset of the points, with the same shift.
  KnownPoints chosen(std::span<const Index> samples) const;

 private:
  KnownPoints() = default;
  void measure(Index first, const char* who);
  void shift_row(const Scalar* from, Scalar* to) const;
  void place_on_device();

  Kernel kernel_ = Kernel::linear();
  Vector shift_;  // empty: none
  FeatureMatrix points_;
  std::vector<Scalar> squared_norms_;
  Device device_;
  std::shared_ptr<const DevicePoints> on_device_;
};

// Bounds on the spectrum of the gram, from the mean of K(x, x) and the largest ‖x‖².
SpectrumBounds kernel_bounds(const Kernel& kernel, double mean_at_itself, double largest_square);

}  // namespace stkr
