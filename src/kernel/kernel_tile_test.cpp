#include "kernel/kernel_tile.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "stkr/error.hpp"
#include "stkr/linop/feature_matrix.hpp"

namespace stkr::kernel_tile_test {
namespace {

std::vector<Kernel> all_kernels() {
  return {Kernel::linear(),      Kernel::polynomial(3, 0.2, 0.5), Kernel::cosine(),
          Kernel::rbf(1.7),      Kernel::laplacian(2.3),          Kernel::matern12(1.3),
          Kernel::matern32(1.1), Kernel::matern52(0.9),           Kernel::epsilon_neighbor(2.0)};
}

// Kernels of all three forms that equal one of the library.
std::vector<std::pair<Kernel, Kernel>> custom_kernels() {
  const auto rbf = [](auto row) {
    for (auto& d2 : row) d2 = std::exp(-d2 / 8);
  };
  const auto quadratic = [](auto row) {
    for (auto& product : row) product = (product + 1) * (product + 1);
  };
  return {
      {Kernel::custom({.name = "own_rbf", .formula = OfSquaredDistance{rbf}}), Kernel::rbf(2.0)},
      {Kernel::custom({.name = "own_quadratic", .formula = OfInnerProduct{quadratic}}),
       Kernel::polynomial(2)},
      {Kernel::custom({.name = "own_laplacian", .formula = OfPoints{Kernel::laplacian(3.0)}}),
       Kernel::laplacian(3.0)}};
}

template <class Scalar>
using Points = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class Scalar>
Points<Scalar> random_points(Index count, Index features, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Points<Scalar> points(count, features);
  for (Index i = 0; i < points.size(); ++i) {
    points.data()[i] = static_cast<Scalar>(normal(random));
  }
  return points;
}

template <class Scalar>
std::vector<Scalar> norms(const Points<Scalar>& points) {
  std::vector<Scalar> result;
  for (Index i = 0; i < points.rows(); ++i) {
    result.push_back(static_cast<Scalar>(squared_norm(points.row(i).data(), points.cols())));
  }
  return result;
}

template <class Scalar>
Matrix tile(const Kernel& kernel, const Points<Scalar>& x, const Points<Scalar>& y) {
  const auto x_norms = norms(x);
  const auto y_norms = norms(y);
  PackedPoints<Scalar> packed;
  packed.pack({y.data(), y.rows(), y.cols(), y_norms.data()});
  const Index stride = packed.padded_count();
  std::vector<Scalar> values(x.rows() * stride);
  evaluate_tile<Scalar>(kernel, {x.data(), x.rows(), x.cols(), x_norms.data()}, packed,
                        values.data(), stride);
  Matrix result(x.rows(), y.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < y.rows(); ++j) result(i, j) = values[i * stride + j];
  }
  return result;
}

template <class Scalar>
Matrix reference(const Kernel& kernel, const Points<Scalar>& x, const Points<Scalar>& y) {
  const Matrix xd = x.template cast<double>();
  const Matrix yd = y.template cast<double>();
  const auto features = static_cast<std::size_t>(x.cols());
  Matrix result(x.rows(), y.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < y.rows(); ++j) {
      result(i, j) = kernel({xd.row(i).data(), features}, {yd.row(j).data(), features});
    }
  }
  return result;
}

template <class Scalar>
class KernelTile : public testing::Test {
 public:
  static constexpr double tolerance = std::is_same_v<Scalar, double> ? 1e-12 : 3e-4;
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(KernelTile, Scalars);

TYPED_TEST(KernelTile, AgreesWithTheDefinitionForEverySizeAndKernel) {
  for (const Kernel& kernel : all_kernels()) {
    for (const Index features : {1, 2, 8, 9, 20}) {
      for (const Index count : {1, 7, 8, 50}) {
        auto x = random_points<TypeParam>(count, features, 1);
        auto y = random_points<TypeParam>(count + 3, features, 2);
        y.row(0) = x.row(0);
        y.row(1).setZero();
        EXPECT_LT((tile(kernel, x, y) - reference(kernel, x, y)).cwiseAbs().maxCoeff() /
                      std::max(1.0, reference(kernel, x, y).cwiseAbs().maxCoeff()),
                  this->tolerance)
            << kernel.describe() << ", " << count << " points, " << features << " features";
      }
    }
  }
}

TYPED_TEST(KernelTile, OfACustomKernelAgreesWithTheOneOfTheLibrary) {
  for (const auto& [custom, kernel] : custom_kernels()) {
    for (const Index features : {1, 8, 9, 20}) {
      for (const Index count : {1, 7, 50}) {
        auto x = random_points<TypeParam>(count, features, 1);
        auto y = random_points<TypeParam>(count + 3, features, 2);
        y.row(0) = x.row(0);
        EXPECT_LT((tile(custom, x, y) - reference(kernel, x, y)).cwiseAbs().maxCoeff() /
                      std::max(1.0, reference(kernel, x, y).cwiseAbs().maxCoeff()),
                  this->tolerance)
            << custom.describe() << ", " << count << " points, " << features << " features";
      }
    }
  }
}

TYPED_TEST(KernelTile, RefusesACustomKernelThatIsNotFinite) {
  auto x = random_points<TypeParam>(5, 12, 1);
  const Kernel inverse =
      Kernel::custom({.name = "inverse", .formula = OfSquaredDistance{[](auto row) {
                                           for (auto& d2 : row) d2 = 1 / d2;
                                         }}});
  const auto y = random_points<TypeParam>(7, 12, 2);
  EXPECT_NO_THROW(tile(inverse, x, y));
  x.row(3) = y.row(6);
  EXPECT_THROW(tile(inverse, x, y), ValueError);
  const Kernel nan =
      Kernel::custom({.name = "nan", .formula = OfPoints{[](auto, auto) { return std::nan(""); }}});
  EXPECT_THROW(tile(nan, x, y), ValueError);
}

TYPED_TEST(KernelTile, ShowsACustomKernelOnlyValuesOfPairs) {
  // All products are at least 1, so that a point of padding would be noticed.
  const Points<TypeParam> x = Points<TypeParam>::Constant(5, 3, 1);
  const Kernel kernel = Kernel::custom({.name = "above_1", .formula = OfInnerProduct{[](auto row) {
                                                             for (auto& v : row)
                                                               v = v > 1 ? v : std::nan("");
                                                           }}});
  EXPECT_EQ(tile(kernel, x, x), Matrix::Constant(5, 5, 3.0));
}

TYPED_TEST(KernelTile, IsExactlySymmetric) {
  std::vector<Kernel> kernels = all_kernels();
  for (const auto& [custom, kernel] : custom_kernels()) kernels.push_back(custom);
  for (const Kernel& kernel : kernels) {
    const auto x = random_points<TypeParam>(61, 12, 3);
    const Matrix k = tile(kernel, x, x);
    EXPECT_EQ(k, Matrix(k.transpose())) << kernel.describe();
  }
}

TYPED_TEST(KernelTile, IsRightForDuplicatesAndNearDuplicates) {
  // Matérn 1/2 decreases linearly from 1: an error of 1e-14 in d² would be an error of 1e-7 in K.
  auto x = random_points<TypeParam>(40, 30, 4);
  auto y = x;
  for (Index i = 0; i < y.rows(); i += 2) {
    y.row(i).array() += static_cast<TypeParam>(std::is_same_v<TypeParam, double> ? 1e-9 : 1e-4);
  }
  for (const Kernel& kernel : {Kernel::matern12(0.01), Kernel::rbf(0.5), Kernel::matern32(0.1)}) {
    const Matrix error = tile(kernel, x, y) - reference(kernel, x, y);
    EXPECT_LT(error.diagonal().cwiseAbs().maxCoeff(),
              (std::is_same_v<TypeParam, double> ? 1e-14 : 1e-6))
        << kernel.describe();
  }
}

TYPED_TEST(KernelTile, DecidesNeighborsOnTheRadius) {
  // Grid points at a distance of exactly 3 are neighbors for ε = 3.
  Points<TypeParam> x = Points<TypeParam>::Zero(30, 12);
  for (Index i = 0; i < 30; ++i) {
    x(i, 0) = static_cast<TypeParam>(100 + i);
    x(i, 5) = static_cast<TypeParam>(7);
  }
  const Kernel kernel = Kernel::epsilon_neighbor(3.0);
  EXPECT_EQ(tile(kernel, x, x), reference(kernel, x, x));
}

// A fifth of the coordinates; two points are equal, one is zero, two nearly cancel.
Points<double> sparse_points(Index count, Index features, unsigned seed) {
  Points<double> points = random_points<double>(count, features, seed);
  const Points<double> chosen = random_points<double>(count, features, seed + 1);
  points = (chosen.array() > 0.8).select(points, 0.0);
  if (count > 4) {
    points.row(1) = points.row(0);
    points.row(2).setZero();
    points.row(4) = (1.0 + 1e-9) * points.row(3);
  }
  return points;
}

TEST(KernelTile, SparsePointsHaveTheValuesOfDenseOnes) {
  std::vector<Kernel> kernels = all_kernels();
  for (const auto& [own, equal] : custom_kernels()) kernels.push_back(own);
  for (const auto& [rows, columns, features] :
       {std::tuple<Index, Index, Index>{1, 1, 1}, {7, 30, 12}, {64, 100, 300}}) {
    const Points<double> x = sparse_points(rows, features, 1),
                         y = sparse_points(columns, features, 1);
    const CsrMatrix sparse_x = sparse_of(x), sparse_y = sparse_of(y);
    const auto x_norms = norms(x), y_norms = norms(y);
    const PointRows<double> x_rows{nullptr, rows, features, x_norms.data(), &sparse_x};
    PackedPoints<double> packed;
    packed.pack({nullptr, columns, features, y_norms.data(), &sparse_y});
    const Index stride = packed.padded_count();
    std::vector<double> values(rows * stride), last(stride);
    for (const Kernel& kernel : kernels) {
      evaluate_tile<double>(kernel, x_rows, packed, values.data(), stride);
      evaluate_tile<double>(kernel, x_rows.slice(rows - 1, 1), packed, last.data(), stride);
      for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < columns; ++j) {
          const auto count = static_cast<std::size_t>(features);
          const double expected = kernel({x.row(i).data(), count}, {y.row(j).data(), count});
          EXPECT_NEAR(values[i * stride + j], expected, 1e-10 * std::max(1.0, std::abs(expected)))
              << kernel.describe() << " of " << i << " and " << j;
        }
      }
      for (Index j = 0; j < columns; ++j) EXPECT_EQ(last[j], values[(rows - 1) * stride + j]);
    }
  }
}

}  // namespace
}  // namespace stkr::kernel_tile_test
