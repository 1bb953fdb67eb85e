#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "stkr/gram/gram_operator.hpp"
#include "stkr/kernel/kernel.hpp"
#include "stkr/linop/feature_matrix.hpp"
#include "stkr/runtime/device.hpp"

namespace stkr {

template <class Scalar>
class KnownPoints;

// Whether a point gram stores the tiles of K between products.
enum class Tiles {
  evaluated,  // recomputed each time: memory beyond the points is a few MB per thread
  kept,       // stored: N²/2 values; pays off with many features and few columns
};

// S = K(X, X)/N from points. One product costs N²/2 kernel evaluations regardless of the number of
// columns, so pass all columns at once. Tiles of K are discarded or kept, with bit-identical
// results. Sparse points are in double precision, and stay sparse.
//
// Each tile of a pair of blocks (I, J) contributes to y_I and y_J. The tiles follow a round-robin
// tournament in which each block meets its opponents in a fixed order: y_I is summed in that order,
// by any thread, so the result is the same for any number of threads.
template <class Scalar>
class PointGram final : public GramOperator {
 public:
  // threads: 0 for all cores. Products throw Cancelled if cancellation is requested.
  // On a device, tiles are never kept, and double precision means products in double there; single
  // precision means products that are at least as precise as single ones.
  PointGram(FeatureMatrix points, Kernel kernel, int threads = 0, Tiles tiles = Tiles::evaluated,
            std::stop_token cancel = {}, const Device& device = {});
  // The same for known points that others keep too.
  PointGram(std::shared_ptr<const KnownPoints<Scalar>> points, int threads, std::stop_token cancel);

  // An upper bound on the memory of kept tiles; for sparse points, features per point.
  static std::uint64_t tile_bytes(Index points, Index features);

  Index size() const override;
  void apply(ConstMatrixRef x, MatrixRef y) const override;
  void apply_roughly(ConstMatrixRef x, MatrixRef y) const override;
  RoughProducts rough() const override;
  std::shared_ptr<const DeviceOperator> on_device() const override { return on_device_; }
  Matrix block(std::span<const Index> rows, std::span<const Index> columns) const override;
  // A copy of those points, so that a product evaluates their pairs only.
  std::unique_ptr<LinearOperator> restricted(std::vector<Index> samples,
                                             double scale) const override;
  SpectrumBounds bounds() const override;
  bool nonnegative() const override { return kernel().nonnegative(); }
  std::optional<std::vector<Index>> nearest(std::span<const Index> samples,
                                            std::span<const Index> among) const override;
  std::unique_ptr<CrossKernel> cross_kernel() const override;

  const Kernel& kernel() const;
  Index features() const;

 private:
  void check_cancelled() const;
  Matrix kept_block(std::span<const Index> rows, std::span<const Index> columns) const;

  std::shared_ptr<const KnownPoints<Scalar>> points_;
  int threads_;
  std::stop_token cancel_;
  std::unique_ptr<Scalar[]> kept_;       // tiles in the order of the tournament, or null
  std::vector<std::size_t> tile_start_;  // offsets in `kept_`
  std::vector<std::int32_t> tile_of_;    // blocks × blocks: the tile of each pair, or -1
  std::shared_ptr<const DeviceOperator> on_device_;  // null: the CPU
};

// K(new points, known points).
template <class Scalar>
class PointCrossKernel final : public CrossKernel {
 public:
  PointCrossKernel(std::shared_ptr<const KnownPoints<Scalar>> points, int threads);

  Index known() const override;
  std::optional<Index> features() const override;
  std::unique_ptr<PlacedSamples> place(const NewSamples& samples) const override;
  std::optional<std::vector<Index>> nearest(std::span<const Index> samples,
                                            std::span<const Index> among) const override;
  void save(CrossKernelSink& sink) const override;

 private:
  class Placed;

  std::shared_ptr<const KnownPoints<Scalar>> points_;
  int threads_;
  std::vector<std::int32_t> counts_;  // entries of sparse points, as saved
};

}  // namespace stkr
