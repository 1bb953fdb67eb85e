#pragma once

#include <span>
#include <string>
#include <string_view>

#include "stkr/matrix.hpp"

namespace stkr {

enum class KernelKind {
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

// "rbf", "matern32", ...: the names used in files and on the command line.
std::string_view kernel_name(KernelKind kind);

// All parameters of a kernel, for files and command lines. Fields that a kind does not use keep
// their defaults.
struct KernelParameters {
  std::string name = "rbf";
  double length_scale = 1.0;  // ℓ; the radius ε for epsilon_neighbor
  double gamma = 1.0;         // γ of polynomial
  double coef0 = 1.0;         // c₀ of polynomial
  int degree = 2;             // degree of polynomial
};

// The base kernel K(x, y) on points. A small value type, cheap to copy.
class Kernel {
 public:
  // <x, y>
  static Kernel linear();
  // (γ<x, y> + c₀)^degree
  static Kernel polynomial(int degree, double gamma = 1.0, double coef0 = 1.0);
  // <x, y>/(‖x‖‖y‖), 0 if either vector is zero
  static Kernel cosine();
  // exp(-‖x-y‖₂²/(2ℓ²))
  static Kernel rbf(double length_scale);
  // exp(-‖x-y‖₁/ℓ)
  static Kernel laplacian(double length_scale);
  // Matérn with ν = 1/2, 3/2, 5/2 in ‖x-y‖₂: exp(-t), (1+t)exp(-t), (1+t+t²/3)exp(-t) with
  // t = √(2ν)‖x-y‖₂/ℓ
  static Kernel matern12(double length_scale);
  static Kernel matern32(double length_scale);
  static Kernel matern52(double length_scale);
  // 1 if ‖x-y‖₂ ≤ ε, else 0
  static Kernel epsilon_neighbor(double radius);

  // Throws ValueError for an unknown name and lists the known ones.
  static Kernel from_parameters(const KernelParameters& parameters);
  KernelParameters parameters() const;

  // The same kernel with another ℓ. Throws ValueError if it has none.
  Kernel with_length_scale(double length_scale) const;

  bool operator==(const Kernel&) const = default;

  KernelKind kind() const { return kind_; }
  std::string_view name() const { return kernel_name(kind_); }
  double length_scale() const { return length_scale_; }
  double gamma() const { return gamma_; }
  double coef0() const { return coef0_; }
  int degree() const { return degree_; }

  // "rbf(length_scale=2)"
  std::string describe() const;

  // Whether every Gram matrix of this kernel is positive semidefinite.
  bool positive_semidefinite() const;
  // Whether K depends on x - y only, with K(x, x) = 1.
  bool stationary() const;
  // Whether K is a function of ‖x-y‖₂; tiles may then use inner products of shifted points.
  bool euclidean() const;
  // Whether K(x, y) ≥ 0 for all x and y.
  bool nonnegative() const;

  // K(x, y) term by term in double: the definition against which every faster path is tested.
  double operator()(std::span<const double> x, std::span<const double> y) const;

  // The kernel's own distance: ‖x-y‖₂ for kernels that decrease with it, ‖x-y‖₁ for the Laplacian,
  // else the distance in feature space, √(K(x,x) + K(y,y) - 2K(x,y)).
  double distance(std::span<const double> x, std::span<const double> y) const;

  // K(x, x) for a point with this ‖x‖₂².
  double at_itself(double squared_norm) const;

  // K as a function of ‖x-y‖₂² for the euclidean kinds.
  double of_squared_distance(double squared_distance) const;

 private:
  explicit Kernel(KernelKind kind) : kind_(kind) {}
  static Kernel with_length(KernelKind kind, double length_scale);

  KernelKind kind_;
  double length_scale_ = 1.0;
  double gamma_ = 1.0;
  double coef0_ = 1.0;
  int degree_ = 2;
};

}  // namespace stkr
