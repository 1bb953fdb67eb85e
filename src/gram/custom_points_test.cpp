// Custom kernels in point grams: products, new points, threads, files.

#include <Eigen/Eigenvalues>
#include <cmath>

#include "gram_checks.hpp"
#include "memory_store.hpp"
#include "stkr/error.hpp"
#include "stkr/gram/point_gram.hpp"

namespace stkr::custom_points_test {
namespace {

CustomKernel cauchy(double length) {
  return {.name = "cauchy",
          .formula = OfSquaredDistance{[=](auto row) {
            for (auto& d2 : row) d2 = 1 / (1 + d2 / (length * length));
          }},
          .positive_semidefinite = true,
          .nonnegative = true,
          .parameters = {{"length", length}}};
}

CustomKernel saturated_product() {
  return {.name = "saturated_product", .formula = OfInnerProduct{[](auto row) {
                                         for (auto& product : row) product = std::tanh(product / 5);
                                       }}};
}

// Not stationary, and K(x, x) depends on more than ‖x‖.
CustomKernel weighted_minimum() {
  return {.name = "weighted_minimum", .formula = OfPoints{[](auto x, auto y) {
                                        double sum = 0.0;
                                        for (std::size_t k = 0; k < x.size(); ++k) {
                                          sum += std::min(std::abs(x[k]), std::abs(y[k])) /
                                                 double(k + 1);
                                        }
                                        return sum;
                                      }}};
}

std::vector<CustomKernel> all_kernels() {
  return {cauchy(2.0), saturated_product(), weighted_minimum()};
}

// From the formulas, without the library.
Matrix kernel_matrix(const std::string& name, const Matrix& x, const Matrix& y) {
  Matrix result(x.rows(), y.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < y.rows(); ++j) {
      double sum = 0.0;
      for (Index k = 0; k < x.cols(); ++k) {
        const double a = x(i, k), b = y(j, k);
        if (name == "cauchy") sum += (a - b) * (a - b);
        if (name == "saturated_product") sum += a * b;
        if (name == "weighted_minimum") sum += std::min(std::abs(a), std::abs(b)) / double(k + 1);
      }
      if (name == "cauchy") sum = 1.0 / (1.0 + sum / 4.0);
      if (name == "saturated_product") sum = std::tanh(sum / 5.0);
      result(i, j) = sum;
    }
  }
  return result;
}

template <class Scalar>
class CustomPoints : public testing::Test {
 public:
  static constexpr double tolerance = std::is_same_v<Scalar, double> ? 1e-12 : 2e-5;

  // Points that Scalar represents exactly.
  static Matrix points(Index count, Index features, unsigned seed = 1) {
    return random_normals(count, features, seed).cast<float>().cast<double>();
  }
  static PointGram<Scalar> gram(const Matrix& x, const CustomKernel& kernel, int threads = 1,
                                Tiles tiles = Tiles::evaluated) {
    return PointGram<Scalar>(x.cast<Scalar>(), Kernel::custom(kernel), threads, tiles);
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(CustomPoints, Scalars);

TYPED_TEST(CustomPoints, GramAgreesWithTheKernelMatrix) {
  for (const CustomKernel& kernel : all_kernels()) {
    for (const auto& [count, features] : {std::pair<Index, Index>{1, 1}, {47, 3}, {131, 12}}) {
      const Matrix x = this->points(count, features);
      const Matrix k = kernel_matrix(kernel.name, x, x);
      expect_gram(this->gram(x, kernel), k, this->tolerance, kernel.name);
      expect_gram(this->gram(x, kernel, 2, Tiles::kept), k, this->tolerance, kernel.name);
      const Eigen::SelfAdjointEigenSolver<Matrix> eigen(k / double(count));
      expect_bounds(this->gram(x, kernel), eigen.eigenvalues());
    }
  }
}

TYPED_TEST(CustomPoints, FarFromTheOriginKeepTheirDistances) {
  Matrix x = this->points(60, 12);
  const Matrix k = kernel_matrix("cauchy", x, x);
  x.array() += 1024.0;
  EXPECT_LT(largest_difference(this->gram(x, cauchy(2.0)).columns(all_samples(60)), k), 1e-3);
}

TYPED_TEST(CustomPoints, ResultDoesNotDependOnTheNumberOfThreads) {
  const Matrix x = this->points(700, 10);
  const Matrix v = random_normals(700, 3, 5);
  const NewSamples samples{this->points(300, 10, 7)};
  for (const CustomKernel& kernel : all_kernels()) {
    const auto one = this->gram(x, kernel, 1);
    for (const int threads : {2, 5}) {
      const auto more = this->gram(x, kernel, threads);
      EXPECT_EQ(product(more, v), product(one, v)) << kernel.name;
      EXPECT_EQ(more.cross_kernel()->apply(samples, v), one.cross_kernel()->apply(samples, v));
    }
  }
}

TYPED_TEST(CustomPoints, NewPointsGetTheirRowsAlsoFromAFile) {
  CrossKernelRegistry registry;
  registry.add_kernel("cauchy", [](const auto& saved) { return cauchy(saved.at("length")); });
  registry.add_kernel("saturated_product", [](const auto&) { return saturated_product(); });
  registry.add_kernel("weighted_minimum", [](const auto&) { return weighted_minimum(); });
  const Matrix x = this->points(90, 6);
  const NewSamples samples{this->points(20, 6, 7)};
  const Matrix c = random_normals(90, 2, 3);
  for (const CustomKernel& kernel : all_kernels()) {
    const auto cross = this->gram(x, kernel).cross_kernel();
    const Matrix expected =
        kernel_matrix(kernel.name, std::get<Matrix>(samples.data), x).lazyProduct(c);
    EXPECT_LT(largest_difference(cross->apply(samples, c), expected), 100 * this->tolerance);
    const auto loaded = save_and_load(*cross, registry);
    EXPECT_EQ(loaded->apply(samples, c), cross->apply(samples, c)) << kernel.name;
    EXPECT_EQ(save_and_load(*loaded, registry)->apply(samples, c), cross->apply(samples, c));
  }
}

TEST(CustomPointsFile, NamesTheKernelThatNobodyRegistered) {
  const auto cross =
      PointGram<double>(random_normals(5, 2, 1), Kernel::custom(cauchy(1.0))).cross_kernel();
  const auto message = message_of<DataError>([&] { save_and_load(*cross); });
  EXPECT_NE(message.find("add_kernel(\"cauchy\""), std::string::npos) << message;

  const auto load_with = [&](CustomKernelMaker make) {
    return message_of<DataError>([&] {
      save_and_load(*cross, CrossKernelRegistry().add_kernel("cauchy", std::move(make)));
    });
  };
  EXPECT_NE(load_with([](const auto&) { return saturated_product(); }).find("saturated_product"),
            std::string::npos);
  EXPECT_NE(load_with([](const auto& saved) { return cauchy(saved.at("width")); }).find("'cauchy'"),
            std::string::npos);
}

TEST(CustomPointsErrors, ReachTheCallerFromEveryThread) {
  const Kernel kernel = Kernel::custom({.name = "partial", .formula = OfPoints{[](auto x, auto y) {
                                                             if (x[0] + y[0] > 3.0)
                                                               throw ValueError("outside");
                                                             return 1.0;
                                                           }}});
  const Matrix x = random_normals(400, 2, 1);
  for (const int threads : {1, 4}) {
    const PointGram<double> gram(x, kernel, threads);
    EXPECT_THROW(product(gram, Matrix::Ones(400, 1)), ValueError);
    EXPECT_THROW(gram.columns(all_samples(400)), ValueError);
    EXPECT_THROW(PointGram<double>(x, kernel, threads, Tiles::kept), ValueError);
  }
}

}  // namespace
}  // namespace stkr::custom_points_test
