#include "neighbor_bound.hpp"

#include <gtest/gtest.h>

#include "neighbor_test_points.hpp"

// The bound on rounding, with the tensor cores emulated at their worst. Needs no device.
namespace stkr::cuda::neighbor {
namespace {

using namespace cuda::testing;

struct Rounded {
  std::vector<double> exact;   // scaled
  std::vector<float> rounded;  // to half precision
  double half_norm = 0.0, r2 = 0.0, u2 = 0.0;
};

Rounded round_row(const float* row, std::int64_t features, int exponent) {
  Rounded result;
  double rounded_norm = 0.0;
  for (std::int64_t f = 0; f < features; ++f) {
    const double value = std::ldexp(static_cast<double>(row[f]), exponent);
    const float near = __half2float(__float2half_rn(static_cast<float>(value)));
    result.exact.push_back(value);
    result.rounded.push_back(near);
    result.half_norm += 0.5 * value * value;
    rounded_norm += static_cast<double>(near) * near;
    result.r2 += (value - near) * (value - near);
  }
  result.u2 = std::max(2.0 * result.half_norm, rounded_norm);
  return result;
}

// Keeps 24 bits of a sum, truncating towards zero.
double truncated(double value) {
  if (value == 0.0) return 0.0;
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::ldexp(std::trunc(std::ldexp(value, 24 - exponent)), exponent - 24);
}

// A sum in steps of 8 whose addends are aligned to the largest one and truncated to 24 bits.
double tensor_core_sum(const std::vector<double>& products) {
  double sum = 0.0;
  for (std::size_t begin = 0; begin < products.size(); begin += 8) {
    const std::size_t end = std::min(products.size(), begin + 8);
    double largest = std::abs(sum);
    for (std::size_t i = begin; i < end; ++i) largest = std::max(largest, std::abs(products[i]));
    if (largest == 0.0) continue;
    int exponent = 0;
    std::frexp(largest, &exponent);
    const double unit = std::ldexp(1.0, exponent - 24);
    double step = std::trunc(sum / unit) * unit;
    for (std::size_t i = begin; i < end; ++i) step += std::trunc(products[i] / unit) * unit;
    sum = truncated(step);
  }
  return sum;
}

TEST(NeighborBound, EnclosesDistancesForAnyPoints) {
  for (const TestPoints& points : difficult_points()) {
    SCOPED_TRACE(points.name);
    const std::int64_t sample = std::min<std::int64_t>(points.count, 40);
    double largest = 0.0;
    for (std::int64_t i = 0; i < points.count; ++i) {
      largest = std::max(largest, round_row(points.row(i), points.features, 0).half_norm);
    }
    const int exponent = scale_exponent(largest);
    if (largest > 0.0) {
      EXPECT_GE(std::ldexp(largest, 2 * exponent), 0x1p24);
      EXPECT_LT(std::ldexp(largest, 2 * exponent), 0x1p26);
    }
    const int inner = static_cast<int>(points.features) + 16;
    for (const double theta : {0x1p-24, 1e-4, 1.0}) {
      for (std::int64_t i = 0; i < sample; ++i) {
        const Rounded x = round_row(points.row(i), points.features, exponent);
        const Bound a = bound_of(x.half_norm, x.r2, x.u2, theta, inner);
        for (std::int64_t j = 0; j < sample; ++j) {
          const Rounded y = round_row(points.row(j), points.features, exponent);
          const Bound b = bound_of(y.half_norm, y.r2, y.u2, theta, inner);
          std::vector<double> products;
          double apart = 0.0;
          for (std::int64_t f = 0; f < points.features; ++f) {
            products.push_back(static_cast<double>(x.rounded[f]) * y.rounded[f]);
            apart += 0.5 * (x.exact[f] - y.exact[f]) * (x.exact[f] - y.exact[f]);
          }
          for (int p = 0; p < 3; ++p) {
            products.push_back(-static_cast<double>(__half2float(a.piece[p])) * piece_weight(p));
            products.push_back(-static_cast<double>(__half2float(b.piece[p])) * piece_weight(p));
          }
          const double value = tensor_core_sum(products);
          ASSERT_LE(-value, apart) << i << ", " << j << ", theta = " << theta;
          ASSERT_GE(-value + static_cast<double>(a.sigma) + b.sigma, apart) << i << ", " << j;
        }
      }
    }
  }
}

TEST(NeighborBound, IsTightForUsualPoints) {
  const TestPoints points = normal_points(200, 64);
  const int exponent = scale_exponent(50.0);
  double r2 = 0.0, u2 = 0.0;
  std::vector<Rounded> rows;
  for (std::int64_t i = 0; i < points.count; ++i) {
    rows.push_back(round_row(points.row(i), points.features, exponent));
    r2 += rows.back().r2;
    u2 += rows.back().u2;
  }
  for (const Rounded& x : rows) {
    const Bound bound = bound_of(x.half_norm, x.r2, x.u2, std::sqrt(r2 / u2), 80);
    EXPECT_LT(bound.sigma, 7e-4 * x.u2);
  }
}

TEST(NeighborBound, PiecesRepresentTheHalfNorm) {
  for (const double h : {0.0, 1e-20, 1e-3, 1.0, 12345.678, 0x1p24, 0x1.fffp25, 0x1p30}) {
    const Bound bound = bound_of(h, 0.0, 0.0, 1e-4, 16);
    double a = 0.0;
    for (int p = 0; p < 3; ++p) {
      a += static_cast<double>(__half2float(bound.piece[p])) * piece_weight(p);
    }
    EXPECT_LE(a, h);
    EXPECT_GE(a, h * (1.0 - 0x1p-30) - 0x1p-30) << h;
    EXPECT_GE(bound.sigma, h - a);
  }
}

TEST(OrderedDistance, RoundsSquaresBeforeItAddsThem) {
  const float x[] = {1.0F, 0x1p-20F, 3.0F}, y[] = {0.0F, 0.0F, -1.0F};
  EXPECT_EQ(ordered_distance(x, y, 0), 0.0);
  EXPECT_EQ(ordered_distance(x, y, 1), 1.0);
  EXPECT_EQ(ordered_distance(x, y, 3), std::sqrt(1.0 + 0x1p-40 + 16.0));
}

}  // namespace
}  // namespace stkr::cuda::neighbor
