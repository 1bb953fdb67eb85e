#pragma once

#include <cstdint>
#include <memory>

#include "cuda_block.hpp"

namespace stkr::cuda {

// A KnownEigenspace in device memory: 12 bytes per sample, and 8 more unless every group is a range
// of samples. Samples are sorted by group and sums run in that order, in pieces that depend only on
// the groups, so that results repeat bit for bit.
class EigenspaceOnDevice {
 public:
  explicit EigenspaceOnDevice(const KnownEigenspace& space);

  Index size() const { return size_; }
  Index dimension() const { return groups_; }

  // x -= U Uᵀ x
  void project_out(CudaView x) const { add_projection(-1.0, x, x); }

  // y += a U Uᵀ x
  void add_projection(double a, ConstCudaView x, CudaView y) const;

  // Uᵀ x, one row per eigenvector.
  CudaBlock coefficients(ConstCudaView x) const;

  // An upper bound of the memory that a space of this size takes, and one projection of a block.
  static std::uint64_t device_bytes(Index size, Index dimension);
  static std::uint64_t work_bytes(Index size, Index dimension, Index columns);

 private:
  Index size_, groups_;
  DeviceArray<double> weight_;        // by sample
  DeviceArray<std::int32_t> group_;   // by sample; empty if all are in group 0
  DeviceArray<std::int64_t> sample_;  // sorted by group; empty if samples are in that order
  // Piece k adds samples [piece_start[k], piece_start[k+1]) of that order; group g consists of the
  // pieces [group_start[g], group_start[g+1]).
  DeviceArray<std::int64_t> piece_start_, group_start_;
};

// The device copy of a space. The last four used are kept, by KnownEigenspace::id(), because a
// solver projects in every step; clear_eigenspaces() releases them.
std::shared_ptr<const EigenspaceOnDevice> on_device(const KnownEigenspace& space);
void clear_eigenspaces();

}  // namespace stkr::cuda
