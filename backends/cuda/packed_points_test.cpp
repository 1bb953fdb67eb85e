#include "packed_points.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "kernel_product_turns.hpp"
#include "packed_points_layout.hpp"

// Layouts, rounding and the order of tiles, on the host alone.
namespace stkr::cuda {
namespace {

TEST(PackedPoints, RoundsHalvesToNearestEven) {
  for (int bits = 0; bits < 0x7c00; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    EXPECT_EQ(half_bits(half_value(half)), half);
    EXPECT_EQ(half_bits(-half_value(half)), half | 0x8000);
  }
  EXPECT_EQ(half_value(half_bits(1.0 + std::ldexp(1.0, -11))), 1.0);
  EXPECT_EQ(half_value(half_bits(1.0 + std::ldexp(3.0, -11))), 1.0 + std::ldexp(1.0, -9));
  EXPECT_EQ(half_value(half_bits(2047.9)), 2048.0);
  EXPECT_EQ(half_value(half_bits(std::ldexp(1.0, -25))), 0.0);
  EXPECT_EQ(half_value(half_bits(std::ldexp(1.5, -25))), std::ldexp(1.0, -24));
  EXPECT_TRUE(std::isinf(half_value(half_bits(65520.0))));
}

TEST(PackedPoints, GivesEveryValueItsOwnPlace) {
  for (const std::size_t d : {1, 16, 17, 33, 64, 65, 200}) {
    const HalfLayout half = HalfLayout::of(300, d);
    std::vector<bool> taken(half.leading_size());
    const auto take = [&](std::size_t index) {
      ASSERT_LT(index, taken.size());
      EXPECT_FALSE(taken[index]);
      taken[index] = true;
    };
    for (std::size_t row = 0; row < half.rows; ++row) {
      for (std::size_t k = 0; k < half.features; ++k) take(half.index(row, k));
      for (std::size_t slot = 0; slot < HalfLayout::tail; ++slot) take(half.tail_index(row, slot));
    }
    const FullLayout full = FullLayout::of(300, d);
    std::set<std::size_t> places;
    for (std::size_t row = 0; row < full.rows; ++row) {
      for (std::size_t k = 0; k < full.features; ++k) places.insert(full.index(row, k));
    }
    EXPECT_EQ(places.size(), full.size());
    EXPECT_LT(*places.rbegin(), full.size());
  }
}

TEST(PackedPoints, KeepsTilesOfEightRowsTogether) {
  const HalfLayout half = HalfLayout::of(1000, 100);
  for (std::size_t row = 0; row < 64; row += 8) {
    for (std::size_t k = 0; k < 64; ++k) {
      EXPECT_EQ(half.index(row + 8, k) - half.index(row, k), half.chunk * 8);
    }
  }
  EXPECT_EQ(half.index(0, 8) - half.index(0, 0), 64u);
  EXPECT_EQ(half.index(1, 0) - half.index(0, 0), 8u);
}

// (a, b) of one point with (b, a) of the other: what a tile adds to the inner product.
double tail_product(const HalfPoints& packed, std::size_t i, std::size_t j) {
  double sum = 0.0;
  for (std::size_t slot = 0; slot < 16; ++slot) {
    sum += half_value(packed.leading[packed.layout.tail_index(i, slot)]) *
           half_value(packed.leading[packed.layout.tail_index(j, slot + 8)]);
  }
  return sum;
}

double inner_product(const HalfPoints& packed, std::size_t i, std::size_t j) {
  const auto value = [&](const std::vector<std::uint16_t>& from, std::size_t row, std::size_t k) {
    return half_value(from[packed.layout.index(row, k)]);
  };
  double sum = 0.0;
  for (std::size_t k = 0; k < packed.layout.features; ++k) {
    sum += value(packed.leading, i, k) * value(packed.leading, j, k);
    if (packed.trailing.empty()) continue;
    sum += value(packed.leading, i, k) * value(packed.trailing, j, k);
    sum += value(packed.trailing, i, k) * value(packed.leading, j, k);
  }
  return sum;
}

std::vector<double> random_points(std::size_t count, std::size_t d) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<double> points(count * d);
  for (double& x : points) x = normal(random);
  return points;
}

TEST(PackedPoints, LeavesExponentsOfRbfInTheAccumulator) {
  const std::size_t d = 21;
  const std::vector<double> x = random_points(40, d);
  const KernelFormula formula{.kind = FormulaKind::rbf, .length_scale = 4.0};
  for (const ProductPrecision precision : {ProductPrecision::half, ProductPrecision::half3}) {
    const HalfPoints packed = pack_half_on_host(x.data(), 40, d, formula, {}, precision);
    const double tolerance = precision == ProductPrecision::half ? 3e-3 : 1e-6;
    for (std::size_t i = 0; i < 40; ++i) {
      for (std::size_t j = 0; j < 40; ++j) {
        double squared = 0.0;
        for (std::size_t k = 0; k < d; ++k) squared += std::pow(x[i * d + k] - x[j * d + k], 2);
        const double exponent = inner_product(packed, i, j) + tail_product(packed, i, j);
        EXPECT_NEAR(exponent, kernel_shift - squared / 32.0 / std::log(2.0), tolerance);
      }
    }
  }
}

TEST(PackedPoints, LeavesBasesOfPowersInTheAccumulator) {
  const std::size_t d = 9;
  const std::vector<double> x = random_points(20, d);
  for (const double coef0 : {2.0, 0.0, -0.7}) {
    const KernelFormula formula{
        .kind = FormulaKind::polynomial, .gamma = 0.3, .coef0 = coef0, .degree = 3};
    const HalfPoints packed =
        pack_half_on_host(x.data(), 20, d, formula, {}, ProductPrecision::half3);
    for (std::size_t i = 0; i < 20; ++i) {
      for (std::size_t j = 0; j < 20; ++j) {
        double inner = 0.0;
        for (std::size_t k = 0; k < d; ++k) inner += x[i * d + k] * x[j * d + k];
        const double base = inner_product(packed, i, j) + tail_product(packed, i, j);
        const double norms = packed.weights[i] * packed.weights[j];
        EXPECT_NEAR(std::pow(base, 3) * norms, std::pow(0.3 * inner + coef0, 3), 1e-5 * norms);
      }
    }
  }
}

TEST(PackedPoints, ChoosesThePrecisionThatKeepsItsPromise) {
  const KernelFormula rbf{.kind = FormulaKind::rbf};
  std::string reason;
  const auto chosen = [&](ProductPrecision requested, std::size_t d, double moment, double norm) {
    reason.clear();
    return suitable_precision(rbf, requested, std::vector<double>(d, moment), norm, reason);
  };
  EXPECT_EQ(chosen(ProductPrecision::half, 64, 0.0225, 3.0), ProductPrecision::half);
  EXPECT_TRUE(reason.empty());
  EXPECT_EQ(chosen(ProductPrecision::half, 2, 4.0, 9.0), ProductPrecision::half3);
  EXPECT_FALSE(reason.empty());
  EXPECT_EQ(chosen(ProductPrecision::half, 64, 4.0, 50.0), ProductPrecision::full);
  EXPECT_EQ(chosen(ProductPrecision::half3, 64, 0.01, 1e5), ProductPrecision::full);
  EXPECT_EQ(chosen(ProductPrecision::half, 784, 0.02, 30.0), ProductPrecision::half);
  EXPECT_EQ(chosen(ProductPrecision::half3, 784, 0.02, 30.0), ProductPrecision::full);
  EXPECT_EQ(chosen(ProductPrecision::full, 64, 1e9, 1e9), ProductPrecision::full);
  EXPECT_TRUE(reason.empty());
}

// Runs a schedule with every worker doing one block at a time.
TEST(TileSchedule, AddsEveryPairOnceInOrderAndNeverStops) {
  for (const int n : {1, 2, 3, 4, 5, 8, 13, 40}) {
    for (const int workers : {1, 2, 5, 7, 40, 132}) {
      for (const int strips : {1, 2, 3, 9}) {
        const TileSchedule schedule = TileSchedule::symmetric_tiles(n, workers, strips);
        std::vector<int> met(n * n, 0);
        std::vector<int> turns(schedule.strips * n, 0);
        std::vector<int> unit(schedule.workers), distance(schedule.workers);
        for (int w = 0; w < schedule.workers; ++w) {
          unit[w] = w;
          distance[w] = schedule.strip_begin(w / n);
        }
        int finished = 0;
        for (bool moved = true; moved;) {
          moved = false;
          for (int w = 0; w < schedule.workers; ++w) {
            if (unit[w] >= schedule.units()) continue;
            const int strip = unit[w] / n;
            const int row = unit[w] % n;
            const int column = schedule.column_block(row, distance[w]);
            if (schedule.adds_to_columns(distance[w])) {
              int& turn = turns[strip * n + column];
              if (turn != schedule.turn(strip, row, distance[w])) continue;
              ++turn;
              ++met[column * n + row];
            }
            ++met[row * n + column];
            moved = true;
            if (++distance[w] == schedule.strip_begin(strip + 1)) {
              ++finished;
              unit[w] += schedule.workers;
              if (unit[w] < schedule.units()) distance[w] = schedule.strip_begin(unit[w] / n);
            }
          }
        }
        EXPECT_EQ(finished, schedule.units()) << n << " " << workers << " " << strips;
        for (const int times : met) EXPECT_EQ(times, 1) << n << " " << workers << " " << strips;
      }
    }
  }
}

}  // namespace
}  // namespace stkr::cuda
