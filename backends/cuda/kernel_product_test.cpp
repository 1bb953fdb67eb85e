#include "kernel_product.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "device_memory.hpp"

namespace stkr::cuda {
namespace {

// The definition, term by term.
double kernel_value(const KernelFormula& f, const double* x, const double* y, std::size_t d) {
  double inner = 0.0, xx = 0.0, yy = 0.0, squared = 0.0, absolute = 0.0;
  for (std::size_t k = 0; k < d; ++k) {
    inner += x[k] * y[k];
    xx += x[k] * x[k];
    yy += y[k] * y[k];
    squared += (x[k] - y[k]) * (x[k] - y[k]);
    absolute += std::abs(x[k] - y[k]);
  }
  const double distance = std::sqrt(squared);
  const double t3 = std::sqrt(3.0) * distance / f.length_scale;
  const double t5 = std::sqrt(5.0) * distance / f.length_scale;
  switch (f.kind) {
    case FormulaKind::linear:
      return inner;
    case FormulaKind::polynomial:
      return std::pow(f.gamma * inner + f.coef0, f.degree);
    case FormulaKind::cosine:
      return xx > 0.0 && yy > 0.0 ? inner / (std::sqrt(xx) * std::sqrt(yy)) : 0.0;
    case FormulaKind::rbf:
      return std::exp(-squared / (2.0 * f.length_scale * f.length_scale));
    case FormulaKind::laplacian:
      return std::exp(-absolute / f.length_scale);
    case FormulaKind::matern12:
      return std::exp(-distance / f.length_scale);
    case FormulaKind::matern32:
      return (1.0 + t3) * std::exp(-t3);
    case FormulaKind::matern52:
      return (1.0 + t5 + t5 * t5 / 3.0) * std::exp(-t5);
    case FormulaKind::epsilon_neighbor:
      return distance <= f.length_scale ? 1.0 : 0.0;
  }
  return 0.0;
}

std::vector<double> normal_values(std::size_t count, unsigned seed, double scale = 1.0) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(count);
  for (double& value : values) value = scale * normal(random);
  return values;
}

// Some rows of K(A, B) V on the host against those of y; the norm of the difference over that of
// the expected values.
double relative_error(const KernelFormula& formula, const std::vector<double>& a,
                      const std::vector<double>& b, std::size_t d, const std::vector<double>& v,
                      int columns, const std::vector<double>& y, double scale) {
  const std::size_t rows = a.size() / d;
  const std::size_t others = b.size() / d;
  const std::size_t step = std::max<std::size_t>(1, rows * others / 60000 * d / 64);
  double difference = 0.0;
  double size = 0.0;
  std::vector<double> expected(columns);
  for (std::size_t i = 0; i < rows; i += i + step < rows || i + 1 == rows ? step : rows - 1 - i) {
    std::fill(expected.begin(), expected.end(), 0.0);
    for (std::size_t j = 0; j < others; ++j) {
      const double value = kernel_value(formula, &a[i * d], &b[j * d], d);
      for (int c = 0; c < columns; ++c) expected[c] += value * v[j * columns + c];
    }
    for (int c = 0; c < columns; ++c) {
      const double error = y[i * columns + c] - scale * expected[c];
      if (!(error == error)) return INFINITY;
      difference += error * error;
      size += scale * scale * expected[c] * expected[c];
    }
  }
  return size > 0.0 ? std::sqrt(difference / size) : std::sqrt(difference);
}

double promised(ProductPrecision precision) {
  if (precision == ProductPrecision::half) return 8e-4;
  return precision == ProductPrecision::half3 ? 1e-5 : 1e-12;
}

class KernelProduct : public testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
      GTEST_SKIP() << "skipped: no device";
    }
  }

  static std::vector<double> symmetric(const PackedPoints& points, const std::vector<double>& v,
                                       int columns, double scale) {
    const DeviceArray<double> device_v{std::span<const double>(v)};
    // Every value must be written.
    DeviceArray<double> device_y{std::span<const double>(std::vector<double>(v.size(), NAN))};
    symmetric_product(points, device_v.data(), columns, columns, device_y.data(), columns, scale);
    return device_y.download();
  }

  static void expect_close(const KernelFormula& formula, const std::vector<double>& x,
                           std::size_t d, int columns, ProductPrecision precision,
                           const std::string& what, double slack = 1.0) {
    const std::size_t n = x.size() / d;
    const PackedPoints points(x.data(), n, d, formula, precision);
    const std::vector<double> v = normal_values(n * columns, 99);
    const std::vector<double> y = symmetric(points, v, columns, 0.25);
    const double error = relative_error(formula, x, x, d, v, columns, y, 0.25);
    EXPECT_LE(error, slack * promised(points.precision()))
        << what << ": kind " << static_cast<int>(formula.kind) << " N " << n << " d " << d
        << " columns " << columns << " precision " << static_cast<int>(precision) << " taken "
        << static_cast<int>(points.precision()) << " " << points.fallback_reason();
    EXPECT_GE(static_cast<int>(points.precision()), static_cast<int>(precision));
    EXPECT_LE(points.device_bytes(), PackedPoints::device_bytes(n, d, formula, points.precision()));
    const std::vector<double> again = symmetric(points, v, columns, 0.25);
    EXPECT_EQ(0, std::memcmp(y.data(), again.data(), y.size() * sizeof(double)))
        << what << ": a second run differs; N " << n << " d " << d;
  }
};

const ProductPrecision all_precisions[] = {ProductPrecision::half, ProductPrecision::half3,
                                           ProductPrecision::full};
const FormulaKind all_kinds[] = {
    FormulaKind::linear,   FormulaKind::polynomial, FormulaKind::cosine,
    FormulaKind::rbf,      FormulaKind::laplacian,  FormulaKind::matern12,
    FormulaKind::matern32, FormulaKind::matern52,   FormulaKind::epsilon_neighbor};

KernelFormula formula_for(FormulaKind kind, std::size_t d) {
  KernelFormula formula{.kind = kind, .length_scale = std::sqrt(static_cast<double>(d))};
  if (kind == FormulaKind::laplacian) formula.length_scale = static_cast<double>(d);
  if (kind == FormulaKind::epsilon_neighbor) formula.length_scale *= 1.414;
  formula.gamma = 1.0 / static_cast<double>(d);
  return formula;
}

TEST_F(KernelProduct, FitsAnyNumberOfPoints) {
  for (const std::size_t n : {1, 2, 63, 64, 65, 257, 1000, 4099}) {
    for (const ProductPrecision precision : all_precisions) {
      expect_close(formula_for(FormulaKind::rbf, 64), normal_values(n * 64, 1), 64, 16, precision,
                   "count");
    }
  }
}

TEST_F(KernelProduct, FitsAnyNumberOfFeatures) {
  for (const std::size_t d : {1, 3, 16, 17, 33, 64, 65, 128, 129, 200, 784, 4099}) {
    for (const ProductPrecision precision : all_precisions) {
      expect_close(formula_for(FormulaKind::rbf, d), normal_values(517 * d, 2), d, 5, precision,
                   "features");
    }
  }
}

TEST_F(KernelProduct, FitsAnyNumberOfColumns) {
  for (const int columns : {1, 7, 16, 33, 300}) {
    for (const ProductPrecision precision : all_precisions) {
      expect_close(formula_for(FormulaKind::rbf, 20), normal_values(700 * 20, 3), 20, columns,
                   precision, "columns");
    }
  }
}

TEST_F(KernelProduct, KnowsEveryKernel) {
  for (const FormulaKind kind : all_kinds) {
    for (const std::size_t d : {3, 40, 100, 300}) {
      for (const ProductPrecision precision : all_precisions) {
        // Thin products and CUDA cores keep the promise of a better precision, too.
        expect_close(formula_for(kind, d), normal_values(1301 * d, 4), d, 10, precision, "kernel");
      }
    }
  }
}

TEST_F(KernelProduct, TakesPolynomialsOfAnySign) {
  for (const double gamma : {0.05, -0.05}) {
    for (const double coef0 : {1.5, 0.0, -0.5}) {
      for (const int degree : {1, 2, 3, 5}) {
        for (const ProductPrecision precision : all_precisions) {
          const KernelFormula formula{
              .kind = FormulaKind::polynomial, .gamma = gamma, .coef0 = coef0, .degree = degree};
          // Values far below the product of norms keep only the digits relative to that product.
          expect_close(formula, normal_values(900 * 24, 5), 24, 6, precision, "polynomial", 30.0);
        }
      }
    }
  }
}

TEST_F(KernelProduct, SuitsClusteredPoints) {
  for (const std::size_t d : {8, 64, 200}) {
    std::vector<double> x = normal_values(1500 * d, 6, 0.3);
    const std::vector<double> centers = normal_values(7 * d, 7, 3.0);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += centers[i / d % 7 * d + i % d];
    for (const FormulaKind kind : {FormulaKind::rbf, FormulaKind::matern32}) {
      for (const ProductPrecision precision : all_precisions) {
        expect_close(formula_for(kind, d), x, d, 9, precision, "clusters", 2.0);
      }
    }
  }
}

TEST_F(KernelProduct, SuitsHugeAndTinyNorms) {
  for (const double scale : {1e-9, 1e-3, 30.0, 1e4}) {
    const std::vector<double> x = normal_values(800 * 32, 8, scale);
    for (const FormulaKind kind : {FormulaKind::rbf, FormulaKind::matern12}) {
      for (const ProductPrecision precision : all_precisions) {
        expect_close(formula_for(kind, 32), x, 32, 4, precision, "norms");
      }
    }
  }
  // Far from the origin: centering keeps the digits.
  std::vector<double> far = normal_values(800 * 32, 9);
  for (double& value : far) value += 1000.0;
  for (const ProductPrecision precision : all_precisions) {
    expect_close(formula_for(FormulaKind::rbf, 32), far, 32, 4, precision, "far", 10.0);
  }
}

TEST_F(KernelProduct, SuitsOneOutlier) {
  std::vector<double> x = normal_values(600 * 16, 10);
  for (std::size_t k = 0; k < 16; ++k) x[5 * 16 + k] = 1e6;
  for (const ProductPrecision precision : all_precisions) {
    expect_close(formula_for(FormulaKind::rbf, 16), x, 16, 4, precision, "outlier", 1e3);
  }
}

TEST_F(KernelProduct, SuitsDuplicatedPoints) {
  std::vector<double> x = normal_values(1024 * 48, 11);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i / 48 % 16 * 48 + i % 48];
  for (const FormulaKind kind :
       {FormulaKind::rbf, FormulaKind::matern12, FormulaKind::epsilon_neighbor}) {
    for (const ProductPrecision precision : all_precisions) {
      // The slope of matern12 at zero turns the rounding of D² into its root.
      const double slack = precision == ProductPrecision::full    ? 1e5
                           : precision == ProductPrecision::half3 ? 100.0
                                                                  : 2.0;
      expect_close(formula_for(kind, 48), x, 48, 8, precision, "duplicates",
                   kind == FormulaKind::matern12 ? slack : 1.0);
    }
  }
}

TEST_F(KernelProduct, HasAnExactDiagonal) {
  // Points so far apart that only the diagonal remains.
  const std::size_t n = 700;
  std::vector<double> x(n * 2);
  for (std::size_t i = 0; i < n; ++i)
    x[2 * i] = 10.0 * static_cast<double>(i % 30),
          x[2 * i + 1] = 10.0 * static_cast<double>(i / 30);
  for (const ProductPrecision precision : all_precisions) {
    const PackedPoints points(x.data(), n, 2, {.kind = FormulaKind::rbf, .length_scale = 0.5},
                              precision);
    std::vector<double> v(n * 3);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<double>(i % 127) - 63.0;
    const std::vector<double> y = symmetric(points, v, 3, 1.0);
    for (std::size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(y[i], v[i], 1e-60);
  }
}

TEST_F(KernelProduct, MultipliesWithNewPoints) {
  for (const FormulaKind kind : all_kinds) {
    for (const std::size_t d : {5, 64, 150}) {
      for (const ProductPrecision precision : all_precisions) {
        const KernelFormula formula = formula_for(kind, d);
        const std::vector<double> b = normal_values(777 * d, 12);
        std::vector<double> a = normal_values(300 * d, 13);
        for (std::size_t k = 0; k < d; ++k) a[k] *= 1e5;  // one far away
        if (kind == FormulaKind::linear || kind == FormulaKind::polynomial) {
          for (std::size_t k = 0; k < d; ++k) a[k] *= 1e-5;
        }
        const PackedPoints known(b.data(), 777, d, formula, precision);
        const PackedPoints fresh = PackedPoints::like(known, a.data(), 300);
        const int columns = 11;
        const std::vector<double> v = normal_values(777 * columns, 14);
        const DeviceArray<double> device_v{std::span<const double>(v)};
        DeviceArray<double> device_y{
            std::span<const double>(std::vector<double>(300 * columns, NAN))};
        cross_product(fresh, known, device_v.data(), columns, columns, device_y.data(), columns,
                      2.0);
        const double error = relative_error(formula, a, b, d, v, columns, device_y.download(), 2.0);
        EXPECT_LE(error, promised(known.precision()))
            << "kind " << static_cast<int>(kind) << " d " << d << " precision "
            << static_cast<int>(precision);
      }
    }
  }
}

TEST_F(KernelProduct, TakesFloatsAndLeadingDimensions) {
  const std::size_t n = 333;
  const std::vector<double> x = normal_values(n * 12, 15);
  const std::vector<float> single(x.begin(), x.end());
  const std::vector<double> rounded(single.begin(), single.end());
  const KernelFormula formula = formula_for(FormulaKind::rbf, 12);
  const PackedPoints points(single.data(), n, 12, formula, ProductPrecision::full);
  const std::vector<double> wide = normal_values(n * 20, 16);
  const DeviceArray<double> v{std::span<const double>(wide)};
  DeviceArray<double> y{std::span<const double>(std::vector<double>(n * 9, -1.0))};
  symmetric_product(points, v.data() + 3, 20, 6, y.data() + 2, 9, 1.0);
  const std::vector<double> all = y.download();
  std::vector<double> used_v(n * 6), used_y(n * 6);
  for (std::size_t i = 0; i < n * 6; ++i) {
    used_v[i] = wide[i / 6 * 20 + 3 + i % 6];
    used_y[i] = all[i / 6 * 9 + 2 + i % 6];
  }
  EXPECT_LE(relative_error(formula, rounded, rounded, 12, used_v, 6, used_y, 1.0), 1e-12);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(all[i * 9 + 1], -1.0);
    EXPECT_EQ(all[i * 9 + 8], -1.0);
  }
}

TEST_F(KernelProduct, SaysThatPrecisionWasRaised) {
  const std::vector<double> x = normal_values(100 * 4, 17, 1e4);
  const PackedPoints points(x.data(), 100, 4, formula_for(FormulaKind::rbf, 4),
                            ProductPrecision::half);
  EXPECT_EQ(points.precision(), ProductPrecision::full);
  EXPECT_EQ(points.requested(), ProductPrecision::half);
  EXPECT_FALSE(points.fallback_reason().empty());
  const PackedPoints steps(x.data(), 100, 4, formula_for(FormulaKind::epsilon_neighbor, 4),
                           ProductPrecision::half);
  EXPECT_EQ(steps.precision(), ProductPrecision::full);
}

}  // namespace
}  // namespace stkr::cuda
