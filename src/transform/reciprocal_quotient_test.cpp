#include "transform/reciprocal_quotient.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "transform/divided_difference.hpp"

namespace stkr::reciprocal_quotient_test {
namespace {

TEST(ShiftedQuotient, IsThatOfTheDifferenceOfTheTransform) {
  for (const ReciprocalTransform& reciprocal :
       {ReciprocalTransform{{1.0, -0.9}, 1}, ReciprocalTransform{{2.0, -0.5, 0.25}, 1},
        ReciprocalTransform{{1.0, 0.3}, 3}, ReciprocalTransform{{0.5}, 2}}) {
    const auto s = [&](double x) { return std::pow(x, reciprocal.r) / reciprocal.rho(x); };
    for (const double delta : {-0.2, 0.0, 0.5}) {
      const std::vector<double> q = shifted_quotient(reciprocal, delta);
      for (const double x : {-0.7, 0.1, 0.9}) {
        EXPECT_NEAR(polynomial_value(q, x) / reciprocal.rho(x), (s(x) - s(delta)) / (x - delta),
                    1e-13)
            << delta << ' ' << x;
      }
    }
  }
}

}  // namespace
}  // namespace stkr::reciprocal_quotient_test
