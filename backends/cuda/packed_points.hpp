#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace stkr::cuda {

// What a product computes with. Errors are relative to the norm of the product.
enum class ProductPrecision {
  half,   // fp16 tensor cores: about 3e-4
  half3,  // each product as three of halves: about 1e-6, better than single precision
  full,   // double: about 1e-14
};

// stkr::KernelKind without custom kernels, which are functions on the host.
enum class FormulaKind {
  linear,
  polynomial,
  cosine,
  rbf,
  laplacian,
  matern12,
  matern32,
  matern52,
  epsilon_neighbor,
};

// A kernel of the library: see stkr::Kernel for the formulas.
struct KernelFormula {
  FormulaKind kind = FormulaKind::rbf;
  double length_scale = 1.0;  // ℓ; the radius ε for epsilon_neighbor
  double gamma = 1.0;         // γ of polynomial
  double coef0 = 1.0;         // c₀ of polynomial
  int degree = 2;             // degree of polynomial

  bool operator==(const KernelFormula&) const = default;
};

// How points are laid out on the device.
enum class PackedLayout {
  half_tiles,  // fp16 core matrices for wgmma, see packed_layout
  full_tiles,  // double, for fp64 tensor cores
  plain32,     // float, for CUDA cores: devices without wgmma, and L1 distances
  plain64,     // double, for CUDA cores
  features32,  // row-major float, for the product of two thin matrices (linear, cosine)
  features64,  // the same in double
};

struct PackedStorage;  // the device arrays

// Points on the device in the form that products with one kernel need.
//
// Functions of distances get centered points, since rounding grows with norms. All are scaled so
// that the kernel is a function without parameters. Norms are those of the rounded points: the
// matrix is then the exact kernel matrix of slightly moved points, and its diagonal is exact.
class PackedPoints {
 public:
  // Row-major points on the host, `count` × `features`, all finite. If the values do not suit
  // `precision` (norms beyond the range of half precision, or a rounding error that would be larger
  // than promised), the next higher precision is taken.
  PackedPoints(const double* points, std::size_t count, std::size_t features,
               const KernelFormula& formula, ProductPrecision precision);
  PackedPoints(const float* points, std::size_t count, std::size_t features,
               const KernelFormula& formula, ProductPrecision precision);

  // Other points for products with `known`: the same center, scale and precision.
  static PackedPoints like(const PackedPoints& known, const double* points, std::size_t count);
  static PackedPoints like(const PackedPoints& known, const float* points, std::size_t count);

  PackedPoints(PackedPoints&&) noexcept;
  PackedPoints& operator=(PackedPoints&&) noexcept;
  ~PackedPoints();

  std::size_t count() const { return count_; }
  std::size_t features() const { return features_; }
  const KernelFormula& formula() const { return formula_; }
  ProductPrecision requested() const { return requested_; }
  ProductPrecision precision() const { return precision_; }                // the one taken
  const std::string& fallback_reason() const { return fallback_reason_; }  // empty: as requested
  PackedLayout layout() const { return layout_; }
  std::uint64_t device_bytes() const;

  // An upper bound of device_bytes() before packing, if `precision` suits the points: take the
  // largest over the precisions from it on to be sure. Packing itself needs up to
  // packing_bytes(...) more for a moment.
  static std::uint64_t device_bytes(std::size_t count, std::size_t features,
                                    const KernelFormula& formula, ProductPrecision precision);
  static std::uint64_t packing_bytes(std::size_t count, std::size_t features);

  const PackedStorage& storage() const { return *storage_; }

 private:
  PackedPoints();
  void adopt(const PackedPoints& known, std::size_t count);
  template <class T>
  void pack(const T* points, const PackedPoints* known);

  std::size_t count_ = 0;
  std::size_t features_ = 0;
  KernelFormula formula_;
  ProductPrecision requested_ = ProductPrecision::half;
  ProductPrecision precision_ = ProductPrecision::half;
  std::string fallback_reason_;
  PackedLayout layout_ = PackedLayout::plain64;
  std::unique_ptr<PackedStorage> storage_;
};

}  // namespace stkr::cuda
