#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "stkr/matrix.hpp"

namespace stkr {

// A function that replaces every value v of a row by f(v), in both precisions: any object that can
// be called with a std::span<double> and with a std::span<float>, such as a lambda with an `auto`
// parameter. A plain loop over the span is vectorized. Several threads call it at once, and it must
// give the same result for a value wherever it stands in the row.
class RowMap {
 public:
  template <class Map>
  requires(!std::same_as<Map, RowMap> && std::invocable<const Map&, std::span<double>> &&
           std::invocable<const Map&, std::span<float>>) RowMap(Map map)
      : of_doubles_(map), of_floats_(std::move(map)) {}

  void operator()(std::span<double> row) const { of_doubles_(row); }
  void operator()(std::span<float> row) const { of_floats_(row); }
  double operator()(double value) const;

 private:
  std::function<void(std::span<double>)> of_doubles_;
  std::function<void(std::span<float>)> of_floats_;
};

// Replaces every value v by eᵛ, within 2 ulp, many times faster than std::exp in a loop: for row
// maps.
void exp_in_place(std::span<double> row);
void exp_in_place(std::span<float> row);

// A function of two points. Several threads call it at once.
using PointFunction = std::function<double(std::span<const double> x, std::span<const double> y)>;

// K(x, y) = f(‖x-y‖₂²) or f(<x, y>): the library computes distances and products as fast as for its
// own kernels.
struct OfSquaredDistance {
  RowMap f;
};
struct OfInnerProduct {
  RowMap f;
};
// K(x, y) = f(x, y): one call per pair. f must be symmetric.
struct OfPoints {
  PointFunction f;
};

// A kernel that the library does not know; Kernel::custom makes it a Kernel. The library relies on
// what it claims, so leave a claim false if in doubt: fits then use slower solvers.
struct CustomKernel {
  std::string name;  // for messages and model files; not the name of a kernel of the library
  std::variant<OfSquaredDistance, OfInnerProduct, OfPoints> formula;
  bool positive_semidefinite = false;          // every Gram matrix is
  bool nonnegative = false;                    // K(x, y) ≥ 0 for all x and y
  std::map<std::string, double> parameters{};  // model files store them; see CrossKernelRegistry
  // Says which labeled point is nearest. None: ‖x-y‖₂ if K is a function of it, else the distance
  // in feature space, √(K(x,x) + K(y,y) - 2K(x,y)).
  PointFunction distance{};

  // Throws ValueError if the name or a function is empty, or a parameter is not finite.
  void check() const;

  // K(x, y) for points with the same number of features.
  double operator()(std::span<const double> x, std::span<const double> y) const;
};

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
  custom,
};

// "rbf", "matern32", ...: the names used in files and on the command line.
std::string_view kernel_name(KernelKind kind);
// Whether a kernel of the library has this name.
bool is_kernel_name(std::string_view name);

// All parameters of a kernel, for files and command lines. Fields that a kind does not use keep
// their defaults.
struct KernelParameters {
  std::string name{kernel_name(KernelKind::rbf)};
  double length_scale = 1.0;  // ℓ; the radius ε for epsilon_neighbor
  double gamma = 1.0;         // γ of polynomial
  double coef0 = 1.0;         // c₀ of polynomial
  int degree = 2;             // degree of polynomial
};

// The base kernel K(x, y) on points. A small value type, cheap to copy.
//
// A kernel of your own, here 1/(1 + ‖x-y‖²/ℓ²), works wherever those of the library do:
//
//   stkr::CustomKernel cauchy(double length) {
//     return {.name = "cauchy",
//             .formula = stkr::OfSquaredDistance{[=](auto row) {
//               for (auto& d2 : row) d2 = 1 / (1 + d2 / (length * length));
//             }},
//             .positive_semidefinite = true,
//             .nonnegative = true,
//             .parameters = {{"length", length}}};
//   }
//   const stkr::PointGram<double> gram(points, stkr::Kernel::custom(cauchy(0.5)));
//
// To load a model that uses it, tell Model::load how to make it: see CrossKernelRegistry.
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
  // A function of your own. Copies share it. Throws ValueError if the name belongs to a kernel of
  // the library, or as CustomKernel::check does.
  static Kernel custom(CustomKernel kernel);

  // Throws ValueError for an unknown name and lists the known ones.
  static Kernel from_parameters(const KernelParameters& parameters);
  // Of a custom kernel only the name.
  KernelParameters parameters() const;

  // The same kernel with another ℓ. Throws ValueError if it has none.
  Kernel with_length_scale(double length_scale) const;

  bool operator==(const Kernel&) const = default;

  KernelKind kind() const { return kind_; }
  std::string_view name() const { return custom_ ? custom_->name : kernel_name(kind_); }
  const CustomKernel* custom() const { return custom_.get(); }  // null: of the library
  double length_scale() const { return length_scale_; }
  double gamma() const { return gamma_; }
  double coef0() const { return coef0_; }
  int degree() const { return degree_; }

  // "rbf(length_scale=2)"
  std::string describe() const;

  // Whether every Gram matrix of this kernel is positive semidefinite.
  bool positive_semidefinite() const;
  // Whether K is known to depend on x - y only, with K(x, x) = 1.
  bool stationary() const;
  // Whether K has an ℓ that can be replaced: the stationary kernels of the library.
  bool has_length_scale() const { return stationary() && !custom_; }
  // Whether K is a function of ‖x-y‖₂; tiles may then use inner products of shifted points.
  bool euclidean() const;
  // Whether K is a custom function of two points: nothing is known from distances or norms.
  bool of_points() const;
  // Whether K(x, y) ≥ 0 for all x and y.
  bool nonnegative() const;

  // K(x, y) term by term in double: the definition against which every faster path is tested.
  double operator()(std::span<const double> x, std::span<const double> y) const;

  // The kernel's own distance: ‖x-y‖₂ for functions of it, ‖x-y‖₁ for the Laplacian, else the
  // distance in feature space, √(K(x,x) + K(y,y) - 2K(x,y)). A custom kernel may define another.
  double distance(std::span<const double> x, std::span<const double> y) const;

  // K(x, x) for a point with this ‖x‖₂². Throws ValueError for of_points().
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
  std::shared_ptr<const CustomKernel> custom_;
};

}  // namespace stkr
