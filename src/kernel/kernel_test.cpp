#include "stkr/kernel/kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "stkr/error.hpp"

namespace stkr::kernel_test {
namespace {

const std::vector<double> x{1.0, 2.0};
const std::vector<double> y{4.0, -2.0};  // x - y = (-3, 4)
const std::vector<double> zero{0.0, 0.0};

TEST(Kernel, ChangesItsLengthScaleIfItHasOne) {
  EXPECT_EQ(Kernel::rbf(1.0).with_length_scale(2.0), Kernel::rbf(2.0));
  EXPECT_FALSE(Kernel::rbf(1.0) == Kernel::rbf(2.0));
  EXPECT_TRUE(Kernel::epsilon_neighbor(1.0).has_length_scale());
  EXPECT_FALSE(Kernel::polynomial(2).has_length_scale());
  EXPECT_THROW(Kernel::linear().with_length_scale(1.0), ValueError);
  EXPECT_THROW(Kernel::rbf(1.0).with_length_scale(0.0), ValueError);
}

TEST(Kernel, FollowsItsFormula) {
  EXPECT_EQ(Kernel::linear()(x, y), 0.0);
  EXPECT_EQ(Kernel::polynomial(3, 0.5, 2.0)(x, x), std::pow(0.5 * 5.0 + 2.0, 3));
  EXPECT_EQ(Kernel::cosine()(x, y), 0.0);
  EXPECT_NEAR(Kernel::cosine()(x, {{2.0, 4.0}}), 1.0, 1e-15);
  EXPECT_EQ(Kernel::rbf(2.0)(x, y), std::exp(-25.0 / 8.0));
  EXPECT_EQ(Kernel::laplacian(2.0)(x, y), std::exp(-3.5));
  EXPECT_EQ(Kernel::matern12(2.0)(x, y), std::exp(-2.5));
  const double t = std::sqrt(3.0) * 2.5;
  EXPECT_NEAR(Kernel::matern32(2.0)(x, y), (1.0 + t) * std::exp(-t), 1e-15);
  const double u = std::sqrt(5.0) * 2.5;
  EXPECT_NEAR(Kernel::matern52(2.0)(x, y), (1.0 + u + u * u / 3.0) * std::exp(-u), 1e-15);
  EXPECT_EQ(Kernel::epsilon_neighbor(5.0)(x, y), 1.0);
  EXPECT_EQ(Kernel::epsilon_neighbor(4.999)(x, y), 0.0);
}

TEST(Kernel, GivesZeroCosineForZeroVectors) {
  EXPECT_EQ(Kernel::cosine()(x, zero), 0.0);
  EXPECT_EQ(Kernel::cosine()(zero, zero), 0.0);
}

TEST(Kernel, IsRebuiltFromItsParameters) {
  for (const Kernel& kernel :
       {Kernel::linear(), Kernel::polynomial(4, 0.3, 0.7), Kernel::cosine(), Kernel::rbf(1.5),
        Kernel::laplacian(0.4), Kernel::matern12(2.5), Kernel::matern32(3.5), Kernel::matern52(4.5),
        Kernel::epsilon_neighbor(5.5)}) {
    const Kernel copy = Kernel::from_parameters(kernel.parameters());
    EXPECT_EQ(copy.kind(), kernel.kind());
    EXPECT_EQ(copy.describe(), kernel.describe());
    EXPECT_EQ(copy(x, y), kernel(x, y));
  }
}

TEST(Kernel, DescribesItself) {
  EXPECT_EQ(Kernel::rbf(2.0).describe(), "rbf(length_scale=2)");
  // Models of version 0.1 use the old spelling.
  EXPECT_EQ(Kernel::from_parameters({"epsilon_neighbour", 0.5}).describe(),
            "epsilon_neighbor(radius=0.5)");
  EXPECT_EQ(Kernel::epsilon_neighbor(0.5).describe(), "epsilon_neighbor(radius=0.5)");
  EXPECT_EQ(Kernel::linear().describe(), "linear");
  EXPECT_EQ(Kernel::polynomial(3).describe(), "polynomial(degree=3, gamma=1, coef0=1)");
}

TEST(Kernel, KnowsItsProperties) {
  EXPECT_TRUE(Kernel::rbf(1.0).positive_semidefinite());
  EXPECT_FALSE(Kernel::epsilon_neighbor(1.0).positive_semidefinite());
  EXPECT_FALSE(Kernel::polynomial(2, 1.0, -1.0).positive_semidefinite());
  EXPECT_TRUE(Kernel::laplacian(1.0).stationary());
  EXPECT_FALSE(Kernel::cosine().stationary());
  EXPECT_FALSE(Kernel::linear().nonnegative());
  EXPECT_TRUE(Kernel::polynomial(2).nonnegative());
  for (const Kernel& kernel : {Kernel::linear(), Kernel::polynomial(2), Kernel::cosine(),
                               Kernel::rbf(3.0), Kernel::matern52(3.0)}) {
    EXPECT_NEAR(kernel.at_itself(5.0), kernel(x, x), 1e-14) << kernel.describe();
    EXPECT_EQ(kernel.at_itself(0.0), kernel(zero, zero)) << kernel.describe();
  }
}

TEST(Kernel, RefusesParametersOutsideTheirDomain) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(Kernel::rbf(0.0), ValueError);
  EXPECT_THROW(Kernel::rbf(-1.0), ValueError);
  EXPECT_THROW(Kernel::matern12(nan), ValueError);
  EXPECT_THROW(Kernel::laplacian(std::numeric_limits<double>::infinity()), ValueError);
  EXPECT_THROW(Kernel::epsilon_neighbor(0.0), ValueError);
  EXPECT_THROW(Kernel::polynomial(0), ValueError);
  EXPECT_THROW(Kernel::polynomial(2, nan), ValueError);
  EXPECT_THROW(Kernel::polynomial(2, 1.0, nan), ValueError);
  EXPECT_THROW(Kernel::rbf(1.0)(x, {{1.0}}), ShapeError);
}

TEST(Kernel, ListsTheNamesItKnows) {
  try {
    Kernel::from_parameters({.name = "gauss"});
    FAIL() << "expected ValueError";
  } catch (const ValueError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("gauss"), std::string::npos);
    EXPECT_NE(message.find("matern32"), std::string::npos);
  }
}

}  // namespace
}  // namespace stkr::kernel_test
