#include <gtest/gtest.h>

#include <cmath>

#include "dense_operator.hpp"
#include "on_blocks.hpp"
#include "stkr/error.hpp"
#include "transform/chebyshev_template.hpp"

namespace stkr::chebyshev_test {
namespace {

template <class Block>
class ChebyshevOf : public OnBlocks<Block> {};
TYPED_TEST_SUITE(ChebyshevOf, BlockTypes, BlockNames);

TEST(Chebyshev, ReproducesPolynomialsExactly) {
  const auto s = [](double x) { return 2 * x - x * x + 0.5 * x * x * x; };
  for (const SpectrumBounds interval : {SpectrumBounds{-1, 1}, SpectrumBounds{0, 3},
                                        SpectrumBounds{-0.1, 0.7}, SpectrumBounds{0.2, 1}}) {
    const ChebyshevSeries g = chebyshev_quotient(s, interval);
    EXPECT_LT(g.error, 1e-13);
    for (double x = g.lower; x <= g.upper; x += 0.01) {
      EXPECT_NEAR(g(x), 2 - x + 0.5 * x * x, 1e-11) << x;
    }
  }
}

TEST(Chebyshev, ReportsTheErrorItReaches) {
  const auto smooth = [](double x) { return std::expm1(4 * x); };
  const ChebyshevSeries g = chebyshev_quotient(smooth, {-1, 1});
  EXPECT_LE(g.error, 1e-12 * std::expm1(4));
  // A kink converges slowly: `error` reports it and agrees with the measured error.
  const auto kink = [](double x) { return std::max(0.0, x - 0.3); };
  const ChebyshevSeries rough = chebyshev_quotient(kink, {0, 1}, {.max_degree = 64});
  EXPECT_GT(rough.error, 1e-4);
  double worst = 0.0;
  for (double x = 0; x <= 1; x += 1e-4) worst = std::max(worst, std::abs(x * rough(x) - kink(x)));
  EXPECT_NEAR(worst, rough.error, 0.2 * rough.error);
}

TEST(Chebyshev, StopsWhereRoundingIsReached) {
  // No series meets this tolerance; returns the shortest one with the best accuracy.
  const auto smooth = [](double x) { return std::expm1(2 * x); };
  for (const SpectrumBounds interval : {SpectrumBounds{-1, 1}, SpectrumBounds{0, 1}}) {
    const ChebyshevSeries g = chebyshev_quotient(smooth, interval, {.tolerance = 1e-18});
    EXPECT_LT(g.error, 1e-14);
    EXPECT_LE(g.coefficients.size(), 64u);
    // Checks g itself, not only λ·g: g(0) = s'(0).
    EXPECT_NEAR(g(0.0), 2.0, 1e-11);
  }
}

TYPED_TEST(ChebyshevOf, ActsOnBlocksLikeOnTheSpectrum) {
  const Vector spectrum = Vector::LinSpaced(40, -0.8, 1.1);
  const DenseOperator a(with_spectrum(spectrum, 1));
  const Matrix x = random_matrix(40, 3, 2);
  const ChebyshevSeries g =
      chebyshev_quotient([](double t) { return std::expm1(3 * t); }, {-0.8, 1.1});
  const Matrix y = chebyshev_on<TypeParam>(a, g, x);
  // A g(A) x = (e^{3A} - 1) x
  const Vector mapped = spectrum.unaryExpr([](double t) { return std::expm1(3 * t); });
  EXPECT_LT((a.matrix() * y - with_spectrum(mapped, 1) * x).norm(), 1e-10);
}

TEST(Chebyshev, RefusesFunctionsThatAreNotFinite) {
  EXPECT_THROW(chebyshev_quotient([](double x) { return std::log(x); }, {-1, 1}), ValueError);
}

}  // namespace
}  // namespace stkr::chebyshev_test
