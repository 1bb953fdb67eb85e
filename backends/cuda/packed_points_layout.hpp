#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "packed_points.hpp"

#ifdef __CUDACC__
#define STKR_HOST_DEVICE __host__ __device__
#else
#define STKR_HOST_DEVICE
#endif

// Where values stand in packed points and vectors, and how points are scaled: shared by the device
// code and by a host reference, so that packing is tested without a device.
namespace stkr::cuda {

// Points come in whole blocks of this many rows; the others are zero.
inline constexpr std::size_t packed_row_block = 256;

constexpr std::size_t rounded_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

// The layout of fp16 points: core matrices of 8 rows × 8 features (128 bytes each), as wgmma reads
// them without swizzle. Features come in chunks of `chunk`; a chunk holds all rows, so that a tile
// of any multiple of 8 rows is one piece of memory in each chunk. After the chunks comes the tail:
// three core matrices a, b, a per 8 rows. Its 16 columns (a, b) on the left side of the product
// meet (b, a) on the right side, which adds what depends on one point only, such as -‖x‖²/2.
struct HalfLayout {
  std::size_t rows = 0;      // padded
  std::size_t features = 0;  // padded
  std::size_t chunk = 0;

  STKR_HOST_DEVICE std::size_t index(std::size_t row, std::size_t feature) const {
    const std::size_t within = feature % chunk;
    return feature / chunk * rows * chunk + row / 8 * chunk * 8 + within / 8 * 64 + row % 8 * 8 +
           within % 8;
  }
  STKR_HOST_DEVICE std::size_t tail_index(std::size_t row, std::size_t slot) const {
    return features * rows + row / 8 * tail * 8 + slot / 8 * 64 + row % 8 * 8 + slot % 8;
  }
  // Values of the leading terms (with tail) and of the trailing ones of half3.
  STKR_HOST_DEVICE std::size_t leading_size() const { return rows * (features + tail); }
  STKR_HOST_DEVICE std::size_t trailing_size() const { return rows * features; }

  static constexpr std::size_t tail = 24;

  static HalfLayout of(std::size_t count, std::size_t features) {
    const std::size_t chunk = features <= 16 ? 16 : features <= 32 ? 32 : 64;
    return {rounded_up(count, packed_row_block), rounded_up(features, chunk), chunk};
  }
};

// Double points for fp64 tensor cores: chunks of 8 features, in each of them rows of 64 bytes.
struct FullLayout {
  std::size_t rows = 0;
  std::size_t features = 0;  // padded to 16

  STKR_HOST_DEVICE std::size_t index(std::size_t row, std::size_t feature) const {
    return feature / 8 * rows * 8 + row * 8 + feature % 8;
  }
  STKR_HOST_DEVICE std::size_t size() const { return rows * features; }

  static FullLayout of(std::size_t count, std::size_t features) {
    return {rounded_up(count, packed_row_block), rounded_up(features, 16)};
  }
};

// Vectors in fp16 as the right operand: for 8 rows, `width` columns of 8 values.
STKR_HOST_DEVICE constexpr std::size_t vector_index(std::size_t row, std::size_t column,
                                                    std::size_t width) {
  return (row / 8 * width + column) * 8 + row % 8;
}

// Values of the kernel are multiplied by 2^kernel_shift before they are rounded to half precision,
// so that small ones survive: half precision ends at 2^-24, kernel values then at 2^-38.
inline constexpr int kernel_shift = 14;
// Columns of vectors are scaled to a largest magnitude in [2^(vector_shift-1), 2^vector_shift).
inline constexpr int vector_shift = 8;

// Norms of scaled points up to which half precision holds ‖x‖²/2, and to which farther new points
// are pulled: beyond the known ones by so much that the kernel is zero in either place.
inline constexpr double largest_half_norm = 300.0;
inline constexpr double clamped_half_norm = 345.0;

inline bool is_euclidean(FormulaKind kind) {
  return kind == FormulaKind::rbf || kind == FormulaKind::matern12 ||
         kind == FormulaKind::matern32 || kind == FormulaKind::matern52;
}

// The factor of points that makes the kernel free of parameters: 2^(-D²/2) for rbf; for matern and
// laplacian a function of D with 2^-D in it, D being the distance of scaled points.
inline double point_scale(const KernelFormula& formula) {
  const double log2e = 1.4426950408889634;
  switch (formula.kind) {
    case FormulaKind::rbf:
      return std::sqrt(log2e) / formula.length_scale;
    case FormulaKind::matern12:
    case FormulaKind::laplacian:
      return log2e / formula.length_scale;
    case FormulaKind::matern32:
      return std::sqrt(3.0) * log2e / formula.length_scale;
    case FormulaKind::matern52:
      return std::sqrt(5.0) * log2e / formula.length_scale;
    case FormulaKind::polynomial:
      return std::sqrt(std::abs(formula.gamma));
    default:
      return 1.0;
  }
}

// What the accumulator of a pair holds for equal points of a euclidean kernel.
inline double half_offset(FormulaKind kind) {
  return kind == FormulaKind::rbf ? kernel_shift / 2.0 : 0.0;
}

// Rounding of points to 11 bits moves the exponents of near pairs by about u √2 D ln 2 · r with
// r² = Σσ_k⁴/Σσ_k² over the second moments σ_k² of scaled features. With r = 0.7 and the pairs that
// matter (D about 2), the error of a product is 4e-4 together with the rounding of kernel and
// vectors.
inline constexpr double largest_half_spread = 0.7;
// Tensor cores sum exponents in single precision and round toward zero after every 16 features
// (three times in half3): for near pairs far from the center an error of 2^-25 ‖x‖² each.
inline constexpr double largest_half_sum_error = 3e-4;
inline constexpr double largest_half3_sum_error = 4e-5;
inline double exponent_sum_error(double mean_norm2, double products) {
  return std::ldexp(mean_norm2, -25) * (products / 16.0 + 1.0);
}

// The lowest precision, from `requested` on, that keeps its promise for points with these second
// moments of scaled (and centered) features and this largest norm; `reason` is set if it is
// another.
ProductPrecision suitable_precision(const KernelFormula& formula, ProductPrecision requested,
                                    const std::vector<double>& second_moments, double largest_norm,
                                    std::string& reason);

// The host reference. Row-major points, `count` × `features`.
std::uint16_t half_bits(double value);  // rounded to nearest even
double half_value(std::uint16_t bits);

struct HalfPoints {
  HalfLayout layout;
  std::vector<std::uint16_t> leading;   // layout.leading_size()
  std::vector<std::uint16_t> trailing;  // layout.trailing_size() for half3, else empty
  std::vector<double> weights;          // of polynomial: (|γ|‖x‖² + |c₀|)^(degree/2)
};
HalfPoints pack_half_on_host(const double* points, std::size_t count, std::size_t features,
                             const KernelFormula& formula, const std::vector<double>& center,
                             ProductPrecision precision);

}  // namespace stkr::cuda
