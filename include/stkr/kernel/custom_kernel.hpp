#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <variant>

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

}  // namespace stkr
