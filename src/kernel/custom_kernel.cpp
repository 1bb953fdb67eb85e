#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernel/fast_exp.hpp"
#include "stkr/error.hpp"
#include "stkr/kernel/kernel.hpp"

namespace stkr {
namespace {

template <class Scalar>
void exp_of_row(std::span<Scalar> row) {
  constexpr std::size_t lanes = simd::lanes<Scalar>;
  const std::size_t whole = row.size() / lanes * lanes;
  for (std::size_t j = 0; j < whole; j += lanes) {
    simd::store<Scalar, lanes>(row.data() + j,
                               fast_exp<lanes>(simd::load<Scalar, lanes>(row.data() + j)));
  }
  if (whole == row.size()) return;
  std::array<Scalar, lanes> rest{};
  std::copy(row.begin() + whole, row.end(), rest.begin());
  exp_of_row(std::span<Scalar>(rest));
  std::copy_n(rest.begin(), row.size() - whole, row.begin() + whole);
}

}  // namespace

void exp_in_place(std::span<double> row) { exp_of_row(row); }
void exp_in_place(std::span<float> row) { exp_of_row(row); }

double RowMap::operator()(double value) const {
  of_doubles_({&value, 1});
  return value;
}

void CustomKernel::check() const {
  if (name.empty()) {
    throw ValueError("CustomKernel: the name is empty; model files need one to load the kernel");
  }
  const auto* of_points = std::get_if<OfPoints>(&formula);
  if (of_points != nullptr && !of_points->f) {
    throw ValueError(fmt::format("CustomKernel '{}': OfPoints holds no function", name));
  }
  for (const auto& [parameter, value] : parameters) {
    if (!std::isfinite(value)) {
      throw ValueError(fmt::format("CustomKernel '{}': parameter '{}' is {} but must be finite",
                                   name, parameter, value));
    }
  }
}

double CustomKernel::operator()(std::span<const double> x, std::span<const double> y) const {
  if (const auto* points = std::get_if<OfPoints>(&formula)) return points->f(x, y);
  double squared_distance = 0.0, product = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    squared_distance += (x[k] - y[k]) * (x[k] - y[k]);
    product += x[k] * y[k];
  }
  if (const auto* distances = std::get_if<OfSquaredDistance>(&formula)) {
    return distances->f(squared_distance);
  }
  return std::get<OfInnerProduct>(formula).f(product);
}

}  // namespace stkr
