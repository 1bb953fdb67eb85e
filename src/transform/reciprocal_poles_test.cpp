#include "transform/reciprocal_poles.hpp"

#include <gtest/gtest.h>

namespace stkr::reciprocal_poles_test {
namespace {

TEST(ReciprocalPoles, AreWhereEtaReachesTheTopOfTheSpectrum) {
  for (const double eta : {0.5, 1.0, 3.0}) {
    const ReciprocalTransform laplacian{{1.0, -eta}, 1};
    EXPECT_TRUE(pole_free(laplacian, -1.0, 0.999999 / eta)) << eta;
    EXPECT_FALSE(pole_free(laplacian, -1.0, 1.0 / eta)) << eta;
    EXPECT_FALSE(pole_free(laplacian, -1.0, 2.0 / eta)) << eta;
  }
}

// 1 - 6λ + 9λ² = (1 - 3λ)² touches zero at 1/3, between two points of any grid; with a little more
// it stays positive.
TEST(ReciprocalPoles, AreFoundWhereRhoOnlyTouchesZero) {
  EXPECT_FALSE(pole_free({{1.0, -6.0, 9.0}, 1}, 0.0, 1.0));
  EXPECT_TRUE(pole_free({{1.0 + 1e-9, -6.0, 9.0}, 1}, 0.0, 1.0));
  EXPECT_TRUE(pole_free({{1.0, -6.0, 9.0}, 1}, 0.4, 1.0));
}

TEST(ReciprocalPoles, OfOnePointIsTheValueThere) {
  EXPECT_TRUE(pole_free({{1.0, -1.0}, 2}, 0.5, 0.5));
  EXPECT_FALSE(pole_free({{1.0, -1.0}, 2}, 1.0, 1.0));
}

}  // namespace
}  // namespace stkr::reciprocal_poles_test
