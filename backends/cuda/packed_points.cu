#include <algorithm>
#include <cmath>
#include <utility>

#include "packed_points.hpp"
#include "packed_points_kernels.cuh"
#include "packed_points_storage.hpp"
#include "stkr/error.hpp"

namespace stkr::cuda {
namespace {

constexpr std::size_t upload_bytes = std::size_t{1} << 30;

// 1 if this file was compiled for the tensor cores of compute capability 9.0 and runs there.
__global__ void probe_wgmma(int* found) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  *found = 1;
#else
  *found = 0;
#endif
}

// Calls f(device points, first row, rows) for pieces of host points that fit into device memory.
template <class T>
class Uploaded {
 public:
  Uploaded(const T* points, std::size_t count, std::size_t features)
      : points_(points),
        count_(count),
        features_(features),
        piece_(std::clamp<std::size_t>(upload_bytes / (sizeof(T) * features), 1, count)),
        device_(piece_ * features) {}

  template <class F>
  void for_each_piece(F f) {
    for (std::size_t first = 0; first < count_; first += piece_) {
      const std::size_t rows = std::min(piece_, count_ - first);
      if (!resident_) {
        check(cudaMemcpy(device_.data(), points_ + first * features_, rows * features_ * sizeof(T),
                         cudaMemcpyHostToDevice),
              "copying points to the device");
      }
      resident_ = piece_ == count_;
      f(device_.data(), first, rows);
    }
  }

 private:
  const T* points_;
  std::size_t count_;
  std::size_t features_;
  std::size_t piece_;
  DeviceArray<T> device_;
  bool resident_ = false;  // the only piece
};

template <class T>
std::vector<double> means(Uploaded<T>& points, std::size_t count, std::size_t features,
                          const double* center, bool squares) {
  const int threads = 128;
  const auto blocks = static_cast<unsigned>((features + threads - 1) / threads);
  DeviceArray<double> total(std::span<const double>(std::vector<double>(features, 0.0)));
  points.for_each_piece([&](const T* piece, std::size_t, std::size_t rows) {
    // The grid's second extent is limited to 65,535.
    const std::size_t most_rows = std::size_t{65535} * rows_per_sum;
    for (std::size_t begin = 0; begin < rows; begin += most_rows) {
      const std::size_t part_rows = std::min(most_rows, rows - begin);
      const auto parts = static_cast<unsigned>((part_rows + rows_per_sum - 1) / rows_per_sum);
      DeviceArray<double> sums(std::size_t{parts} * features);
      partial_sums<<<dim3(blocks, parts), threads>>>(piece + begin * features, part_rows, features,
                                                     center, squares, sums.data());
      check_launch("partial_sums");
      add_partial_sums<<<blocks, threads>>>(sums.data(), parts, features, total.data());
      check_launch("add_partial_sums");
    }
  });
  std::vector<double> mean = total.download();
  for (double& value : mean) value /= static_cast<double>(count);
  return mean;
}

PackedLayout layout_for(FormulaKind kind, ProductPrecision precision, bool wgmma) {
  const bool full = precision == ProductPrecision::full;
  switch (kind) {
    case FormulaKind::linear:
    case FormulaKind::cosine:
      return full ? PackedLayout::features64 : PackedLayout::features32;
    case FormulaKind::laplacian:
      return full ? PackedLayout::plain64 : PackedLayout::plain32;
    case FormulaKind::epsilon_neighbor:
      return PackedLayout::plain64;
    default:
      if (!wgmma) return full ? PackedLayout::plain64 : PackedLayout::plain32;
      return full ? PackedLayout::full_tiles : PackedLayout::half_tiles;
  }
}

}  // namespace

bool device_has_wgmma() {
  static const bool has = [] {
    DeviceArray<int> found(1);
    probe_wgmma<<<1, 1>>>(found.data());
    check_launch("probe_wgmma");
    return found.download()[0] == 1;
  }();
  return has;
}

int device_multiprocessors() {
  int device = 0;
  int count = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
        "cudaDeviceGetAttribute");
  return count;
}

template <class T>
void PackedPoints::pack(const T* points, const PackedPoints* known) {
  if (count_ == 0 || features_ == 0) {
    throw ShapeError("PackedPoints: expected at least one point with at least one feature");
  }
  storage_ = std::make_unique<PackedStorage>();
  PackedStorage& to = *storage_;
  Uploaded<T> uploaded(points, count_, features_);
  const double scale = point_scale(formula_);
  DeviceArray<double> center;
  if (known) {
    to.center = known->storage_->center;
    if (!to.center.empty()) center = DeviceArray<double>(std::span<const double>(to.center));
    layout_ = known->layout_;
  } else {
    std::vector<double> moments(features_, 0.0);
    if (is_euclidean(formula_.kind)) {
      to.center = means(uploaded, count_, features_, nullptr, false);
      center = DeviceArray<double>(std::span<const double>(to.center));
      moments = means(uploaded, count_, features_, center.data(), true);
      for (double& moment : moments) moment *= scale * scale;
      DeviceArray<unsigned long long> largest(
          std::span<const unsigned long long>(std::vector<unsigned long long>{0}));
      uploaded.for_each_piece([&](const T* piece, std::size_t, std::size_t rows) {
        largest_norm2<<<static_cast<unsigned>((rows + 7) / 8), 256>>>(
            piece, rows, features_, center.data(), largest.data());
        check_launch("largest_norm2");
      });
      const unsigned long long bits = largest.download()[0];
      double norm2;
      static_assert(sizeof(norm2) == sizeof(bits));
      std::copy_n(reinterpret_cast<const char*>(&bits), sizeof(bits),
                  reinterpret_cast<char*>(&norm2));
      to.largest_norm = scale * std::sqrt(norm2);
    }
    precision_ =
        suitable_precision(formula_, requested_, moments, to.largest_norm, fallback_reason_);
    layout_ = layout_for(formula_.kind, precision_, device_has_wgmma());
  }

  to.rows = rounded_up(count_, packed_row_block);
  to.half = HalfLayout::of(count_, features_);
  to.full = FullLayout::of(count_, features_);
  switch (layout_) {
    case PackedLayout::half_tiles:
      to.leading = DeviceArray<std::uint16_t>(to.half.leading_size());
      if (precision_ == ProductPrecision::half3) {
        to.trailing = DeviceArray<std::uint16_t>(to.half.trailing_size());
      }
      break;
    case PackedLayout::full_tiles:
      to.values64 = DeviceArray<double>(to.full.size());
      break;
    case PackedLayout::plain64:
    case PackedLayout::features64:
      to.values64 = DeviceArray<double>(to.rows * features_);
      break;
    case PackedLayout::plain32:
    case PackedLayout::features32:
      to.values32 = DeviceArray<float>(to.rows * features_);
      break;
  }
  to.norms = DeviceArray<double>(to.rows);
  if (formula_.kind == FormulaKind::polynomial) to.weights = DeviceArray<double>(to.rows);
  const auto clear = [](auto& array) {
    if (array.size() == 0) return;
    check(cudaMemsetAsync(array.data(), 0, array.size() * sizeof(*array.data()), nullptr),
          "clearing packed points");
  };
  clear(to.leading);
  clear(to.trailing);
  clear(to.values64);
  clear(to.values32);

  const bool opposite = (formula_.coef0 < 0.0) != (formula_.gamma < 0.0);
  const PackTarget target{layout_,
                          to.half,
                          to.full,
                          to.rows,
                          to.leading.data(),
                          to.trailing.data(),
                          to.values64.data(),
                          to.values32.data(),
                          to.norms.data(),
                          to.weights.data(),
                          formula_.kind,
                          scale,
                          half_offset(formula_.kind),
                          std::abs(formula_.coef0),
                          opposite ? -1.0 : 1.0,
                          formula_.degree};
  uploaded.for_each_piece([&](const T* piece, std::size_t first, std::size_t rows) {
    const std::size_t last = first + rows == count_ ? to.rows : first + rows;
    pack_rows<<<static_cast<unsigned>((last - first + 7) / 8), 256>>>(
        piece, first, rows, last, features_, center.data(), target);
    check_launch("pack_rows");
  });
  // The host's points and the uploaded piece may go away now.
  check(cudaDeviceSynchronize(), "packing points");
}

PackedPoints::PackedPoints() = default;
PackedPoints::PackedPoints(PackedPoints&&) noexcept = default;
PackedPoints& PackedPoints::operator=(PackedPoints&&) noexcept = default;
PackedPoints::~PackedPoints() = default;

PackedPoints::PackedPoints(const double* points, std::size_t count, std::size_t features,
                           const KernelFormula& formula, ProductPrecision precision)
    : count_(count), features_(features), formula_(formula), requested_(precision) {
  pack(points, nullptr);
}

PackedPoints::PackedPoints(const float* points, std::size_t count, std::size_t features,
                           const KernelFormula& formula, ProductPrecision precision)
    : count_(count), features_(features), formula_(formula), requested_(precision) {
  pack(points, nullptr);
}

PackedPoints PackedPoints::like(const PackedPoints& known, const double* points,
                                std::size_t count) {
  PackedPoints packed;
  packed.adopt(known, count);
  packed.pack(points, &known);
  return packed;
}

PackedPoints PackedPoints::like(const PackedPoints& known, const float* points, std::size_t count) {
  PackedPoints packed;
  packed.adopt(known, count);
  packed.pack(points, &known);
  return packed;
}

void PackedPoints::adopt(const PackedPoints& known, std::size_t count) {
  count_ = count;
  features_ = known.features_;
  formula_ = known.formula_;
  requested_ = known.requested_;
  precision_ = known.precision_;
  fallback_reason_ = known.fallback_reason_;
}

std::uint64_t PackedPoints::device_bytes() const { return storage_->bytes(); }

std::uint64_t PackedPoints::device_bytes(std::size_t count, std::size_t features,
                                         const KernelFormula& formula, ProductPrecision precision) {
  const std::size_t rows = rounded_up(count, packed_row_block);
  const std::uint64_t plain = std::uint64_t{rows} * features;
  const std::uint64_t scalars =
      8 * rows * (formula.kind == FormulaKind::polynomial ? std::uint64_t{2} : std::uint64_t{1});
  if (precision == ProductPrecision::full || formula.kind == FormulaKind::epsilon_neighbor) {
    return scalars + 8 * std::max<std::uint64_t>(plain, FullLayout::of(count, features).size());
  }
  const HalfLayout half = HalfLayout::of(count, features);
  const std::uint64_t terms =
      half.leading_size() + (precision == ProductPrecision::half3 ? half.trailing_size() : 0);
  return scalars + std::max(4 * plain, 2 * terms);
}

std::uint64_t PackedPoints::packing_bytes(std::size_t count, std::size_t features) {
  const std::uint64_t row = 8 * std::uint64_t{features};
  const std::uint64_t piece = std::max<std::uint64_t>(upload_bytes, row);
  const std::uint64_t all = std::uint64_t{count} * row;
  return std::min(piece, all) + (std::min(piece, all) / rows_per_sum + 3 * row);
}

}  // namespace stkr::cuda
