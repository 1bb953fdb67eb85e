#include "runtime/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "stkr/error.hpp"

namespace stkr {

double Random::uniform() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }

Index Random::below(Index count) {
  if (count <= 0) throw ValueError(fmt::format("Random::below: count is {}, expected > 0", count));
  const auto range = static_cast<std::uint64_t>(count);
  // Without rejection the first (2⁶⁴ mod range) values would be slightly more likely.
  const std::uint64_t rejected = (0 - range) % range;
  std::uint64_t drawn = bits_();
  while (drawn < rejected) drawn = bits_();
  return static_cast<Index>(drawn % range);
}

// Marsaglia's polar method (SIAM Review 6, 1964).
double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  double x = 0.0;
  double y = 0.0;
  double square = 0.0;
  do {
    x = 2.0 * uniform() - 1.0;
    y = 2.0 * uniform() - 1.0;
    square = x * x + y * y;
  } while (square >= 1.0 || square == 0.0);
  const double scale = std::sqrt(-2.0 * portable_log(square) / square);
  spare_ = y * scale;
  has_spare_ = true;
  return x * scale;
}

Index Random::geometric(double log_failure) {
  if (log_failure == -std::numeric_limits<double>::infinity()) return 0;  // p = 1
  if (!(log_failure < 0.0)) return std::numeric_limits<Index>::max();     // p = 0
  const double skipped = std::floor(portable_log(1.0 - uniform()) / log_failure);
  constexpr double kMost = 9e18;
  return skipped < kMost ? static_cast<Index>(skipped) : std::numeric_limits<Index>::max();
}

void Random::shuffle(std::span<Index> values) {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[static_cast<std::size_t>(below(static_cast<Index>(i)))]);
  }
}

std::vector<Index> Random::sample(Index total, Index count) {
  if (count < 0 || count > total) {
    throw ValueError(fmt::format("Random::sample: cannot take {} of {}", count, total));
  }
  std::vector<Index> all(static_cast<std::size_t>(total));
  std::iota(all.begin(), all.end(), Index{0});
  for (Index i = 0; i < count; ++i) {
    std::swap(all[static_cast<std::size_t>(i)],
              all[static_cast<std::size_t>(i + below(total - i))]);
  }
  all.resize(static_cast<std::size_t>(count));
  std::sort(all.begin(), all.end());
  return all;
}

// x = m 2ᵉ with m in [√½, √2), and ln m = 2 artanh z with z = (m-1)/(m+1), |z| < 0.172.
double portable_log(double x) {
  if (x == 0.0) return -std::numeric_limits<double>::infinity();
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < std::numbers::sqrt2 / 2) {
    m *= 2.0;
    --exponent;
  }
  const double z = (m - 1.0) / (m + 1.0);
  const double square = z * z;
  double sum = 0.0;
  for (int k = 23; k >= 3; k -= 2) sum = (sum + 1.0 / k) * square;
  // ln 2 in two parts, so that the product with the exponent is exact.
  constexpr double kHigh = 0x1.62e42fefa0000p-1;
  constexpr double kLow = 0x1.cf79abc9e3b39p-40;
  return exponent * kHigh + (2.0 * z + (2.0 * z * sum + exponent * kLow));
}

namespace {

// Taylor series on |x| ≤ π/4.
double small_sine(double x) {
  const double square = x * x;
  double sum = 0.0;
  for (int k = 17; k >= 3; k -= 2) sum = (1.0 + sum) * (-square / (k * (k - 1)));
  return x + x * sum;
}

double small_cosine(double x) {
  const double square = x * x;
  double sum = 0.0;
  for (int k = 18; k >= 2; k -= 2) sum = (1.0 + sum) * (-square / (k * (k - 1)));
  return 1.0 + sum;
}

// x minus a multiple of π/2, and its quadrant.
struct Reduced {
  double x;
  long quadrant;
};
Reduced reduce(double x) {
  const double turns = std::floor(x * (2.0 / std::numbers::pi) + 0.5);
  constexpr double kHigh = 0x1.921fb54400000p+0;  // π/2 in two parts
  constexpr double kLow = 0x1.0b4611a626331p-34;
  return {(x - turns * kHigh) - turns * kLow, static_cast<long>(turns) & 3};
}

double sine_of(const Reduced& reduced, long shift) {
  switch ((reduced.quadrant + shift) & 3) {
    case 0:
      return small_sine(reduced.x);
    case 1:
      return small_cosine(reduced.x);
    case 2:
      return -small_sine(reduced.x);
    default:
      return -small_cosine(reduced.x);
  }
}

}  // namespace

double portable_sine(double x) { return sine_of(reduce(x), 0); }

double log_of_failure(double p) {
  if (p > 1e-5) return portable_log(1.0 - p);
  return -p * (1.0 + p * (0.5 + p / 3.0));
}

double portable_cosine(double x) { return sine_of(reduce(x), 1); }

}  // namespace stkr
