#include "packed_points_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace stkr::cuda {

ProductPrecision suitable_precision(const KernelFormula& formula, ProductPrecision requested,
                                    const std::vector<double>& second_moments, double largest_norm,
                                    std::string& reason) {
  if (formula.kind == FormulaKind::epsilon_neighbor && requested != ProductPrecision::full) {
    reason = "a step function needs double precision";
    return ProductPrecision::full;
  }
  if (requested == ProductPrecision::full) return requested;
  if (formula.kind == FormulaKind::polynomial) {
    // Rounding of few features does not average out, and powers multiply it.
    if (requested == ProductPrecision::half && (formula.degree > 3 || second_moments.size() < 8)) {
      reason = "powers of few features or high degree are too inexact in half precision";
      return ProductPrecision::half3;
    }
    return requested;
  }
  if (!is_euclidean(formula.kind)) return requested;
  if (!(largest_norm <= largest_half_norm)) {
    reason =
        fmt::format("the largest norm, {:.3g} length scales, exceeds half precision", largest_norm);
    return ProductPrecision::full;
  }
  double sum = 0.0;
  double squares = 0.0;
  for (const double moment : second_moments) {
    sum += moment;
    squares += moment * moment;
  }
  const auto d = static_cast<double>(second_moments.size());
  const double spread = sum > 0.0 ? std::sqrt(squares / sum) : 0.0;
  if (requested == ProductPrecision::half) {
    if (spread <= largest_half_spread && exponent_sum_error(sum, d) <= largest_half_sum_error) {
      return requested;
    }
    reason =
        fmt::format("features of {:.3g} length scales are too coarse in half precision", spread);
  }
  if (exponent_sum_error(sum, 3.0 * d) <= largest_half3_sum_error) return ProductPrecision::half3;
  reason = fmt::format("norms of {:.3g} length scales lose too many digits in single precision",
                       std::sqrt(sum));
  return ProductPrecision::full;
}

double half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const double mantissa = bits & 0x3ff;
  const double sign = bits & 0x8000 ? -1.0 : 1.0;
  if (exponent == 0x1f) return mantissa ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024.0 + mantissa, exponent - 25);
}

std::uint16_t half_bits(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::abs(value);
  if (!(magnitude < 65520.0)) return sign | (std::isnan(value) ? 0x7e00 : 0x7c00);
  if (magnitude < std::ldexp(1.0, -14)) {
    return sign | static_cast<std::uint16_t>(std::nearbyint(std::ldexp(magnitude, 24)));
  }
  const int exponent = std::ilogb(magnitude);
  // The carry of a mantissa that rounds up to 2048 enters the exponent.
  const auto mantissa = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  return sign | static_cast<std::uint16_t>((exponent + 15 - 1) * 1024 + mantissa);
}

HalfPoints pack_half_on_host(const double* points, std::size_t count, std::size_t features,
                             const KernelFormula& formula, const std::vector<double>& center,
                             ProductPrecision precision) {
  const HalfLayout layout = HalfLayout::of(count, features);
  const bool three = precision == ProductPrecision::half3;
  HalfPoints packed{layout,
                    std::vector<std::uint16_t>(layout.leading_size()),
                    std::vector<std::uint16_t>(three ? layout.trailing_size() : 0),
                    {}};
  const bool polynomial = formula.kind == FormulaKind::polynomial;
  if (polynomial) packed.weights.assign(layout.rows, 0.0);
  const double scale = point_scale(formula);
  const auto put_tail = [&](std::size_t row, int slot, double value) {
    packed.leading[layout.tail_index(row, slot)] = half_bits(value);
    return half_value(half_bits(value));
  };
  for (std::size_t row = 0; row < layout.rows; ++row) {
    double factor = scale;
    double squared = 0.0;
    if (row < count) {
      for (std::size_t k = 0; k < features; ++k) {
        const double x = scale * (points[row * features + k] - (center.empty() ? 0.0 : center[k]));
        squared += x * x;
      }
    }
    const double norm = std::sqrt(squared);
    if (polynomial) {
      const double r = row < count ? std::sqrt(squared + std::abs(formula.coef0)) : 0.0;
      factor = r > 0.0 ? scale / r : 0.0;
      packed.weights[row] = std::pow(r, formula.degree);
      const double constant = r > 0.0 ? std::sqrt(std::abs(formula.coef0) / 2.0) / r : 0.0;
      const double sign = (formula.coef0 < 0.0) != (formula.gamma < 0.0) ? -1.0 : 1.0;
      // (h, h, l)·(h', l', h') twice: the product of two terms each, without the smallest.
      const double high = half_value(half_bits(constant));
      const double a[3] = {high, high, constant - high};
      const double b[3] = {high, constant - high, high};
      for (int slot = 0; slot < 3; ++slot) {
        put_tail(row, slot, a[slot]);
        put_tail(row, 8 + slot, sign * b[slot]);
        put_tail(row, 16 + slot, a[slot]);
      }
    } else if (norm > clamped_half_norm) {
      factor *= clamped_half_norm / norm;
    }
    double rounded_norm2 = 0.0;
    for (std::size_t k = 0; k < features && row < count; ++k) {
      const double x = factor * (points[row * features + k] - (center.empty() ? 0.0 : center[k]));
      const std::uint16_t leading = half_bits(x);
      double rounded = half_value(leading);
      packed.leading[layout.index(row, k)] = leading;
      if (three) {
        const std::uint16_t trailing = half_bits(x - rounded);
        packed.trailing[layout.index(row, k)] = trailing;
        rounded += half_value(trailing);
      }
      rounded_norm2 += rounded * rounded;
    }
    if (polynomial) continue;
    double rest = half_offset(formula.kind) - 0.5 * rounded_norm2;
    for (int slot = 0; slot < 3; ++slot) {
      put_tail(row, 8 + slot, 1.0);
      put_tail(row, 16 + slot, rest);
      rest -= put_tail(row, slot, rest);
    }
  }
  return packed;
}

}  // namespace stkr::cuda
