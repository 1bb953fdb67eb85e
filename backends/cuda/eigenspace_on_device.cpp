#include "eigenspace_on_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "block_algebra_kernels.hpp"
#include "eigenspace_on_device_kernels.hpp"
#include "stkr/error.hpp"

namespace stkr::cuda {
namespace {

constexpr std::size_t kept_spaces = 4;

// Samples per piece: a few thousand pieces keep the device busy, and more would only add to the
// partial sums.
Index piece_size(Index size) { return std::max<Index>(512, (size + 4095) / 4096); }

Index most_pieces(Index size, Index groups) {
  return groups + (size + piece_size(size) - 1) / piece_size(size);
}

template <class T>
DeviceArray<T> to_device(const std::vector<T>& host) {
  return DeviceArray<T>(std::span<const T>(host));
}

struct Cache {
  std::mutex mutex;
  std::deque<std::pair<std::uint64_t, std::shared_ptr<const EigenspaceOnDevice>>> spaces;
};

Cache& cache() {
  // Never destroyed: at exit the device may be gone before.
  static Cache& cache = *new Cache;
  return cache;
}

}  // namespace

EigenspaceOnDevice::EigenspaceOnDevice(const KnownEigenspace& space)
    : size_(space.size()), groups_(space.dimension()) {
  const std::span<const std::int32_t> group = space.groups();
  weight_ = DeviceArray<double>(
      std::span(space.weights().data(), static_cast<std::size_t>(space.size())));
  // A counting sort by group; samples of a group stay in order.
  std::vector<std::int64_t> begin(groups_ + 1, 0);
  for (const std::int32_t g : group) {
    if (g >= 0) ++begin[g + 1];
  }
  for (Index g = 0; g < groups_; ++g) begin[g + 1] += begin[g];
  std::vector<std::int64_t> sample(begin[groups_]), next(begin.begin(), begin.end() - 1);
  for (Index i = 0; i < size_; ++i) {
    if (group[i] >= 0) sample[next[group[i]]++] = i;
  }
  bool in_order = true;
  for (std::size_t k = 0; k < sample.size() && in_order; ++k) {
    in_order = sample[k] == static_cast<std::int64_t>(k);
  }
  if (!in_order) sample_ = to_device(sample);
  if (groups_ != 1 || begin[groups_] != size_) group_ = DeviceArray<std::int32_t>(group);
  std::vector<std::int64_t> piece_start, group_start;
  for (Index g = 0; g < groups_; ++g) {
    group_start.push_back(static_cast<std::int64_t>(piece_start.size()));
    for (std::int64_t k = begin[g]; k < begin[g + 1]; k += piece_size(size_)) {
      piece_start.push_back(k);
    }
  }
  group_start.push_back(static_cast<std::int64_t>(piece_start.size()));
  piece_start.push_back(begin[groups_]);
  piece_start_ = to_device(piece_start);
  group_start_ = to_device(group_start);
}

CudaBlock EigenspaceOnDevice::coefficients(ConstCudaView x) const {
  if (x.rows() != size_) {
    throw ShapeError(fmt::format("EigenspaceOnDevice: the block has {} rows, the eigenvectors {}",
                                 x.rows(), size_));
  }
  CudaBlock result(groups_, x.cols());
  const Index pieces = static_cast<Index>(piece_start_.size()) - 1;
  DeviceArray<double> partial(static_cast<std::size_t>(pieces * x.cols()));
  kernels::sum_pieces(weight_.data(), sample_.data(), piece_start_.data(), pieces, x,
                      partial.data());
  kernels::sum_groups(partial.data(), group_start_.data(), result);
  return result;
}

void EigenspaceOnDevice::add_projection(double a, ConstCudaView x, CudaView y) const {
  if (y.rows() != size_ || y.cols() != x.cols()) {
    throw ShapeError(fmt::format("EigenspaceOnDevice: {} x {} and {} x {} blocks; expected {} rows",
                                 x.rows(), x.cols(), y.rows(), y.cols(), size_));
  }
  if (groups_ == 0) return;
  kernels::add_groups(a, weight_.data(), group_.data(), coefficients(x), y);
}

std::uint64_t EigenspaceOnDevice::device_bytes(Index size, Index dimension) {
  return static_cast<std::uint64_t>(20 * size + 8 * (most_pieces(size, dimension) + dimension + 2));
}

std::uint64_t EigenspaceOnDevice::work_bytes(Index size, Index dimension, Index columns) {
  return static_cast<std::uint64_t>(8 * columns * most_pieces(size, dimension) +
                                    8 * row_stride(columns) * dimension);
}

std::shared_ptr<const EigenspaceOnDevice> on_device(const KnownEigenspace& space) {
  Cache& kept = cache();
  const std::scoped_lock lock(kept.mutex);
  const auto found =
      std::ranges::find(kept.spaces, space.id(), [](const auto& s) { return s.first; });
  if (found != kept.spaces.end()) {
    std::rotate(kept.spaces.begin(), found, found + 1);
  } else {
    kept.spaces.emplace_front(space.id(), std::make_shared<EigenspaceOnDevice>(space));
    if (kept.spaces.size() > kept_spaces) kept.spaces.pop_back();
  }
  return kept.spaces.front().second;
}

void clear_eigenspaces() {
  Cache& kept = cache();
  const std::scoped_lock lock(kept.mutex);
  kept.spaces.clear();
}

void project_out(const KnownEigenspace& space, CudaView x, int) {
  on_device(space)->project_out(x);
}

void add_projection(const KnownEigenspace& space, double a, ConstCudaView x, CudaView y, int) {
  on_device(space)->add_projection(a, x, y);
}

}  // namespace stkr::cuda
