#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "stkr/error.hpp"
#include "stkr/kernel/kernel.hpp"

namespace stkr::custom_kernel_test {
namespace {

const std::vector<double> x{1.0, 2.0};
const std::vector<double> y{4.0, -2.0};  // ‖x-y‖² = 25, <x, y> = 0

CustomKernel cauchy(double length) {
  return {.name = "cauchy",
          .formula = OfSquaredDistance{[=](auto row) {
            for (auto& d2 : row) d2 = 1 / (1 + d2 / (length * length));
          }},
          .positive_semidefinite = true,
          .nonnegative = true,
          .parameters = {{"length", length}}};
}

CustomKernel exponential_product() {
  return {.name = "exponential_product", .formula = OfInnerProduct{[](auto row) {
                                           for (auto& product : row) product = std::exp(product);
                                         }}};
}

CustomKernel overlap() {
  return {.name = "overlap", .formula = OfPoints{[](auto a, auto b) {
                               double sum = 0.0;
                               for (std::size_t k = 0; k < a.size(); ++k)
                                 sum += std::min(a[k], b[k]);
                               return sum;
                             }}};
}

TEST(CustomKernel, IsItsFunction) {
  EXPECT_EQ(Kernel::custom(cauchy(5.0))(x, y), 0.5);
  EXPECT_EQ(Kernel::custom(cauchy(5.0)).of_squared_distance(75.0), 0.25);
  EXPECT_EQ(Kernel::custom(exponential_product())(x, y), 1.0);
  EXPECT_EQ(Kernel::custom(exponential_product())(x, x), std::exp(5.0));
  EXPECT_EQ(Kernel::custom(overlap())(x, y), -1.0);
  EXPECT_THROW(Kernel::custom(overlap())(x, {{1.0}}), ShapeError);
}

TEST(ExpInPlace, IsTheExponentialForEveryLength) {
  for (const std::size_t length : {0, 1, 7, 16, 37}) {
    std::vector<double> wide(length);
    std::vector<float> narrow(length);
    for (std::size_t k = 0; k < length; ++k) wide[k] = narrow[k] = 1.5f - static_cast<float>(k);
    exp_in_place(wide);
    exp_in_place(narrow);
    for (std::size_t k = 0; k < length; ++k) {
      const double expected = std::exp(1.5 - static_cast<double>(k));
      EXPECT_NEAR(wide[k], expected, 1e-15 * expected);
      EXPECT_NEAR(narrow[k], expected, 3e-7 * expected);
    }
  }
}

TEST(CustomKernel, KnowsItsValueAtItself) {
  EXPECT_EQ(Kernel::custom(cauchy(2.0)).at_itself(5.0), 1.0);
  EXPECT_EQ(Kernel::custom(exponential_product()).at_itself(5.0), std::exp(5.0));
  EXPECT_THROW(Kernel::custom(overlap()).at_itself(5.0), ValueError);
}

TEST(CustomKernel, HasTheTraitsItClaims) {
  const Kernel kernel = Kernel::custom(cauchy(2.0));
  EXPECT_EQ(kernel.kind(), KernelKind::custom);
  EXPECT_TRUE(kernel.positive_semidefinite());
  EXPECT_TRUE(kernel.nonnegative());
  EXPECT_TRUE(kernel.euclidean());
  EXPECT_TRUE(kernel.stationary());
  EXPECT_FALSE(kernel.of_points());
  const Kernel product = Kernel::custom(exponential_product());
  EXPECT_FALSE(product.positive_semidefinite());
  EXPECT_FALSE(product.nonnegative());
  EXPECT_FALSE(product.euclidean());
  EXPECT_FALSE(product.stationary());
  EXPECT_TRUE(Kernel::custom(overlap()).of_points());
}

TEST(CustomKernel, HasADistance) {
  EXPECT_EQ(Kernel::custom(cauchy(2.0)).distance(x, y), 5.0);
  EXPECT_NEAR(Kernel::custom(exponential_product()).distance(x, y),
              std::sqrt(std::exp(5.0) + std::exp(20.0) - 2.0), 1e-9);
  CustomKernel own = overlap();
  own.distance = [](auto a, auto b) { return std::abs(a[0] - b[0]); };
  EXPECT_EQ(Kernel::custom(own).distance(x, y), 3.0);
}

TEST(CustomKernel, DescribesItself) {
  EXPECT_EQ(Kernel::custom(cauchy(2.0)).describe(), "cauchy(length=2)");
  EXPECT_EQ(Kernel::custom(overlap()).describe(), "overlap");
  EXPECT_EQ(Kernel::custom(overlap()).parameters().name, "overlap");
}

TEST(CustomKernel, RefusesWhatCannotBeAKernel) {
  const auto with = [](auto change) {
    CustomKernel kernel = cauchy(1.0);
    change(kernel);
    return kernel;
  };
  EXPECT_THROW(Kernel::custom(with([](auto& k) { k.name = ""; })), ValueError);
  EXPECT_THROW(Kernel::custom(with([](auto& k) { k.name = "rbf"; })), ValueError);
  EXPECT_THROW(Kernel::custom(with([](auto& k) { k.name = "epsilon_neighbour"; })), ValueError);
  EXPECT_THROW(Kernel::custom(with([](auto& k) { k.formula = OfPoints{}; })), ValueError);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW(Kernel::custom(with([&](auto& k) { k.parameters["length"] = infinity; })),
               ValueError);
  EXPECT_THROW(Kernel::from_parameters({.name = "custom"}), ValueError);
}

}  // namespace
}  // namespace stkr::custom_kernel_test
