#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "stkr/gram/gram_operator.hpp"
#include "stkr/kernel/kernel.hpp"
#include "stkr/kernel/kernel_tile.hpp"
#include "stkr/linop/shared_matrix.hpp"

namespace stkr {

// The samples of a point gram as the tiles read them. Translating all points does not change
// Euclidean kernels, so points far from the origin are shifted there; otherwise ‖x‖²+‖y‖²-2<x,y>
// would lose the distance in rounding. The points themselves are not modified, and not copied if
// they are of type Scalar: tiles subtract the shift when they read.
template <class Scalar>
class KnownPoints {
 public:
  using Points = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  // Throws ValueError if a coordinate is not finite or a norm overflows, ShapeError without points
  // or features. `who` starts the message.
  KnownPoints(SharedMatrix points, Kernel kernel, const char* who);

  Index count() const { return points_.rows(); }
  Index features() const { return points_.cols(); }
  const Kernel& kernel() const { return kernel_; }
  const SharedMatrix& points() const { return points_; }

  // ‖x - shift‖₂²
  const std::vector<Scalar>& squared_norms() const { return squared_norms_; }

  // Points [begin, begin + count) minus the shift: in `buffer`, or in place if there is no shift.
  PointRows<Scalar> rows(Index begin, Index count, std::vector<Scalar>& buffer) const;
  // The same for arbitrary samples.
  PointRows<Scalar> gather(std::span<const Index> samples, std::vector<Scalar>& buffer,
                           std::vector<Scalar>& norms) const;

  // New points, checked, shifted and rounded to Scalar exactly like the known ones.
  Points place(ConstMatrixRef points, const char* who) const;

  // The sample of `among` nearest to each point by Kernel::distance. Ties are broken by the order
  // of `among`.
  std::vector<Index> nearest(ConstMatrixRef points, std::span<const Index> among) const;
  // The same for some of the known points.
  std::vector<Index> nearest(std::span<const Index> samples, std::span<const Index> among) const;

  // A subset of the points, with the same shift.
  KnownPoints chosen(std::span<const Index> samples) const;

 private:
  KnownPoints() = default;
  void shift_row(const Scalar* from, Scalar* to) const;

  Kernel kernel_ = Kernel::linear();
  Vector shift_;  // empty: none
  SharedMatrix points_;
  std::vector<Scalar> squared_norms_;
};

// Whether a point gram stores the tiles of K between products.
enum class Tiles {
  evaluated,  // recomputed each time: memory beyond the points is a few MB per thread
  kept,       // stored: N²/2 values; pays off with many features and few columns
};

// S = K(X, X)/N from points. One product costs N²/2 kernel evaluations regardless of the number of
// columns, so pass all columns at once. Tiles of K are discarded or kept, with bit-identical
// results.
//
// Each tile of a pair of blocks (I, J) contributes to y_I and y_J. The tiles follow a round-robin
// tournament in which each block meets its opponents in a fixed order: y_I is summed in that order,
// by any thread, so the result is the same for any number of threads.
template <class Scalar>
class PointGram final : public GramOperator {
 public:
  using Points = typename KnownPoints<Scalar>::Points;

  // threads: 0 for all cores. Products throw Cancelled if cancellation is requested.
  PointGram(SharedMatrix points, Kernel kernel, int threads = 0, Tiles tiles = Tiles::evaluated,
            std::stop_token cancel = {});

  // An upper bound on the memory of kept tiles.
  static std::uint64_t tile_bytes(Index points, Index features);

  Index size() const override { return points_.count(); }
  void apply(ConstMatrixRef x, MatrixRef y) const override;
  Matrix block(std::span<const Index> rows, std::span<const Index> columns) const override;
  // A copy of those points, so that a product evaluates their pairs only.
  std::unique_ptr<LinearOperator> restricted(std::vector<Index> samples,
                                             double scale) const override;
  SpectrumBounds bounds() const override;
  bool nonnegative() const override { return points_.kernel().nonnegative(); }
  std::optional<std::vector<Index>> nearest(std::span<const Index> samples,
                                            std::span<const Index> among) const override {
    return points_.nearest(samples, among);
  }
  std::unique_ptr<CrossKernel> into_cross_kernel() && override;

  const Kernel& kernel() const { return points_.kernel(); }
  Index features() const { return points_.features(); }

 private:
  PointGram(KnownPoints<Scalar> points, int threads, std::stop_token cancel);
  void check_cancelled() const;

  KnownPoints<Scalar> points_;
  int threads_;
  std::stop_token cancel_;
  std::unique_ptr<Scalar[]> kept_;       // tiles in the order of the tournament, or null
  std::vector<std::size_t> tile_start_;  // offsets in `kept_`
};

// K(new points, known points).
template <class Scalar>
class PointCrossKernel final : public CrossKernel {
 public:
  PointCrossKernel(KnownPoints<Scalar> points, int threads);

  Index known() const override { return points_.count(); }
  std::optional<Index> features() const override { return points_.features(); }
  std::unique_ptr<PlacedSamples> place(const NewSamples& samples) const override;
  std::optional<std::vector<Index>> nearest(std::span<const Index> samples,
                                            std::span<const Index> among) const override {
    return points_.nearest(samples, among);
  }
  void save(CrossKernelSink& sink) const override;

 private:
  class Placed;

  KnownPoints<Scalar> points_;
  int threads_;
};

}  // namespace stkr
