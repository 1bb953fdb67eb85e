#include "transform/action_parts.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stkr::action_parts_test {
namespace {

TEST(ActionParts, KeepReciprocalsApartAndTheOthersTogether) {
  const auto power = SpectralTransform::power(2),
             laplacian = SpectralTransform::inverse_laplacian(0.9),
             diffusion = SpectralTransform::diffusion(1.0);
  // Nothing to divide.
  for (const SpectralTransform& whole :
       {power, laplacian, diffusion, SpectralTransform::sum({{1.0, power}, {2.0, power}}),
        SpectralTransform::sum({{1.0, diffusion}, {2.0, diffusion}})}) {
    ASSERT_EQ(action_parts(whole).size(), 1u);
    EXPECT_EQ(action_parts(whole).front().transform.describe(), whole.describe());
  }
  const auto sum = SpectralTransform::sum(
      {{0.5, power}, {2.0, laplacian}, {3.0, diffusion}, {1.5, SpectralTransform::power(3)}});
  const std::vector<TransformTerm> parts = action_parts(sum);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts.front().weight, 2.0);
  EXPECT_TRUE(parts[0].transform.reciprocal_form().has_value());
  EXPECT_TRUE(parts[1].transform.polynomial_coefficients().has_value());
  for (const double lambda : {0.0, 0.3, 1.0}) {
    double value = 0.0;
    for (const TransformTerm& part : parts) value += part.weight * part.transform(lambda);
    EXPECT_NEAR(value, sum(lambda), 1e-14 * std::abs(sum(lambda)));
  }
}

}  // namespace
}  // namespace stkr::action_parts_test
