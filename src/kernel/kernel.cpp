#include "stkr/kernel/kernel.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "stkr/error.hpp"

namespace stkr {
namespace {

// Of the kernels that a name and numbers determine.
constexpr std::array<std::pair<KernelKind, std::string_view>, 9> names{{
    {KernelKind::linear, "linear"},
    {KernelKind::polynomial, "polynomial"},
    {KernelKind::cosine, "cosine"},
    {KernelKind::rbf, "rbf"},
    {KernelKind::laplacian, "laplacian"},
    {KernelKind::matern12, "matern12"},
    {KernelKind::matern32, "matern32"},
    {KernelKind::matern52, "matern52"},
    {KernelKind::epsilon_neighbor, "epsilon_neighbor"},
}};

std::optional<KernelKind> find_kind(std::string_view wanted) {
  if (wanted == "epsilon_neighbour") return KernelKind::epsilon_neighbor;  // in models of 0.1
  for (const auto& [kind, name] : names) {
    if (name == wanted) return kind;
  }
  return std::nullopt;
}

double inner_product(std::span<const double> x, std::span<const double> y) {
  double sum = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] * y[k];
  return sum;
}

}  // namespace

std::string_view kernel_name(KernelKind kind) {
  for (const auto& [candidate, name] : names) {
    if (candidate == kind) return name;
  }
  if (kind == KernelKind::custom) return "custom";
  throw ValueError(fmt::format("kernel_name: {} is not a KernelKind", static_cast<int>(kind)));
}

bool is_kernel_name(std::string_view name) { return find_kind(name).has_value(); }

Kernel Kernel::with_length(KernelKind kind, double length_scale) {
  if (!(length_scale > 0.0) || !std::isfinite(length_scale)) {
    const bool radius = kind == KernelKind::epsilon_neighbor;
    throw ParameterError(fmt::format("kernel {}: the {} is {}; expected a positive number",
                                     kernel_name(kind), radius ? "radius" : "length scale",
                                     length_scale));
  }
  Kernel kernel(kind);
  kernel.length_scale_ = length_scale;
  return kernel;
}

Kernel Kernel::linear() { return Kernel(KernelKind::linear); }
Kernel Kernel::cosine() { return Kernel(KernelKind::cosine); }

Kernel Kernel::polynomial(int degree, double gamma, double coef0) {
  if (degree < 1) {
    throw ParameterError(fmt::format("kernel polynomial: degree = {}; expected 1 or more", degree));
  }
  if (!std::isfinite(gamma) || gamma == 0.0) {
    throw ParameterError(
        fmt::format("kernel polynomial: gamma = {}; expected a finite number other than 0", gamma));
  }
  if (!std::isfinite(coef0)) {
    throw ParameterError(
        fmt::format("kernel polynomial: coef0 = {}; expected a finite number", coef0));
  }
  Kernel kernel(KernelKind::polynomial);
  kernel.degree_ = degree;
  kernel.gamma_ = gamma;
  kernel.coef0_ = coef0;
  return kernel;
}

Kernel Kernel::rbf(double l) { return with_length(KernelKind::rbf, l); }
Kernel Kernel::laplacian(double l) { return with_length(KernelKind::laplacian, l); }
Kernel Kernel::matern12(double l) { return with_length(KernelKind::matern12, l); }
Kernel Kernel::matern32(double l) { return with_length(KernelKind::matern32, l); }
Kernel Kernel::matern52(double l) { return with_length(KernelKind::matern52, l); }
Kernel Kernel::epsilon_neighbor(double radius) {
  return with_length(KernelKind::epsilon_neighbor, radius);
}

Kernel Kernel::custom(CustomKernel custom) {
  custom.check();
  if (is_kernel_name(custom.name)) {
    throw ValueError(
        fmt::format("kernel '{}' is a kernel of the library; choose another name", custom.name));
  }
  Kernel kernel(KernelKind::custom);
  kernel.custom_ = std::make_shared<const CustomKernel>(std::move(custom));
  return kernel;
}

Kernel Kernel::from_parameters(const KernelParameters& p) {
  if (const std::optional<KernelKind> kind = find_kind(p.name)) {
    if (kind == KernelKind::polynomial) return polynomial(p.degree, p.gamma, p.coef0);
    if (kind == KernelKind::linear || kind == KernelKind::cosine) return Kernel(*kind);
    return with_length(*kind, p.length_scale);
  }
  std::string known;
  for (const auto& [kind, name] : names)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
  throw ParameterError(fmt::format("kernel '{}' is unknown; expected one of {}", p.name, known));
}

Kernel Kernel::with_length_scale(double length_scale) const {
  if (!has_length_scale()) throw ValueError(fmt::format("kernel {} has no length scale", name()));
  return with_length(kind_, length_scale);
}

KernelParameters Kernel::parameters() const {
  return {std::string(name()), length_scale_, gamma_, coef0_, degree_};
}

std::string Kernel::describe() const {
  switch (kind_) {
    case KernelKind::linear:
    case KernelKind::cosine:
      return std::string(name());
    case KernelKind::polynomial:
      return fmt::format("polynomial(degree={}, gamma={:.4g}, coef0={:.4g})", degree_, gamma_,
                         coef0_);
    case KernelKind::epsilon_neighbor:
      return fmt::format("epsilon_neighbor(radius={:.4g})", length_scale_);
    case KernelKind::custom: {
      std::string list;
      for (const auto& [parameter, value] : custom_->parameters) {
        list += fmt::format("{}{}={:.4g}", list.empty() ? "" : ", ", parameter, value);
      }
      return list.empty() ? custom_->name : fmt::format("{}({})", custom_->name, list);
    }
    default:
      return fmt::format("{}(length_scale={:.4g})", name(), length_scale_);
  }
}

bool Kernel::positive_semidefinite() const {
  if (custom_) return custom_->positive_semidefinite;
  if (kind_ == KernelKind::epsilon_neighbor) return false;
  // A sum of products of PSD kernels if no coefficient of the expansion is negative.
  if (kind_ == KernelKind::polynomial) return gamma_ > 0.0 && coef0_ >= 0.0;
  return true;
}

bool Kernel::euclidean() const {
  switch (kind_) {
    case KernelKind::rbf:
    case KernelKind::matern12:
    case KernelKind::matern32:
    case KernelKind::matern52:
    case KernelKind::epsilon_neighbor:
      return true;
    case KernelKind::custom:
      return std::holds_alternative<OfSquaredDistance>(custom_->formula);
    default:
      return false;
  }
}

bool Kernel::of_points() const {
  return custom_ && std::holds_alternative<OfPoints>(custom_->formula);
}

bool Kernel::stationary() const {
  if (custom_) return euclidean() && of_squared_distance(0.0) == 1.0;
  return euclidean() || kind_ == KernelKind::laplacian;
}

bool Kernel::nonnegative() const {
  if (custom_) return custom_->nonnegative;
  return stationary() || (kind_ == KernelKind::polynomial && degree_ % 2 == 0);
}

double Kernel::of_squared_distance(double squared_distance) const {
  if (custom_ && euclidean()) {
    return std::get<OfSquaredDistance>(custom_->formula).f(squared_distance);
  }
  const double d = std::sqrt(squared_distance);
  switch (kind_) {
    case KernelKind::rbf:
      return std::exp(-squared_distance / (2.0 * length_scale_ * length_scale_));
    case KernelKind::matern12:
      return std::exp(-d / length_scale_);
    case KernelKind::matern32: {
      const double t = std::sqrt(3.0) * d / length_scale_;
      return (1.0 + t) * std::exp(-t);
    }
    case KernelKind::matern52: {
      const double t = std::sqrt(5.0) * d / length_scale_;
      return (1.0 + t + t * t / 3.0) * std::exp(-t);
    }
    case KernelKind::epsilon_neighbor:
      return d <= length_scale_ ? 1.0 : 0.0;
    default:
      throw ValueError(
          fmt::format("Kernel::of_squared_distance: {} is not a function of ‖x-y‖₂", name()));
  }
}

double Kernel::operator()(std::span<const double> x, std::span<const double> y) const {
  if (x.size() != y.size()) {
    throw ShapeError(fmt::format("Kernel: x has {} features but y has {}", x.size(), y.size()));
  }
  switch (kind_) {
    case KernelKind::custom:
      return (*custom_)(x, y);
    case KernelKind::linear:
      return inner_product(x, y);
    case KernelKind::polynomial:
      return std::pow(gamma_ * inner_product(x, y) + coef0_, degree_);
    case KernelKind::cosine: {
      const double norms = std::sqrt(inner_product(x, x)) * std::sqrt(inner_product(y, y));
      return norms > 0.0 ? inner_product(x, y) / norms : 0.0;
    }
    case KernelKind::laplacian: {
      double distance = 0.0;
      for (std::size_t k = 0; k < x.size(); ++k) distance += std::abs(x[k] - y[k]);
      return std::exp(-distance / length_scale_);
    }
    default: {
      double squared_distance = 0.0;
      for (std::size_t k = 0; k < x.size(); ++k) squared_distance += (x[k] - y[k]) * (x[k] - y[k]);
      return of_squared_distance(squared_distance);
    }
  }
}

double Kernel::distance(std::span<const double> x, std::span<const double> y) const {
  if (custom_ && custom_->distance) return custom_->distance(x, y);
  if (!euclidean() && kind_ != KernelKind::laplacian) {
    return std::sqrt(std::max(0.0, (*this)(x, x) + (*this)(y, y) - 2.0 * (*this)(x, y)));
  }
  double sum = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double difference = x[k] - y[k];
    sum += kind_ == KernelKind::laplacian ? std::abs(difference) : difference * difference;
  }
  return kind_ == KernelKind::laplacian ? sum : std::sqrt(sum);
}

double Kernel::at_itself(double squared_norm) const {
  switch (kind_) {
    case KernelKind::custom:
      if (of_points()) {
        throw ValueError(
            fmt::format("Kernel::at_itself: '{}' is not a function of the norm of a point; call "
                        "the kernel with the point twice",
                        name()));
      }
      if (euclidean()) return of_squared_distance(0.0);
      return std::get<OfInnerProduct>(custom_->formula).f(squared_norm);
    case KernelKind::linear:
      return squared_norm;
    case KernelKind::polynomial:
      return std::pow(gamma_ * squared_norm + coef0_, degree_);
    case KernelKind::cosine:
      return squared_norm > 0.0 ? 1.0 : 0.0;
    default:
      return 1.0;
  }
}

}  // namespace stkr
