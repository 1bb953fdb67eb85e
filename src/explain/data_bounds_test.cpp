#include "explain/data_bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace stkr::data_bounds_test {
namespace {

struct Case {
  KernelFacts kernel;
  LabelEnergy energy;
  SuggestedFit fit;
};

Case small_case() {
  Case result;
  result.kernel.samples = result.kernel.analyzed = 400;
  result.kernel.eigenvalues.resize(20);
  for (Index i = 0; i < 20; ++i) result.kernel.eigenvalues[i] = 0.5 / static_cast<double>(i + 1);
  result.kernel.bound.kappa_squared = 2.0;
  result.energy.variance = 0.5;
  result.energy.bands = {
      {1, 1, 0.5, 0.5, 0.2, 0.0}, {2, 3, 0.25, 0.1, 0.4, 0.0}, {4, 7, 0.1, 0.07, 0.3, 0.0}};
  result.energy.rest = {8, 400, 0.07, 0.0, 0.1, 0.0};
  result.fit.transform = SpectralTransform::power(2);
  result.fit.beta = 0.3;
  result.fit.decay.p = 0.5;
  result.fit.norm_squared = 6.0;
  result.fit.mean_square = 0.25;
  result.fit.noise = 0.2;
  result.fit.largest_miss = 0.7;
  return result;
}

const Bound& named(const std::vector<Bound>& bounds, const char* label, std::size_t skip = 0) {
  for (const Bound& bound : bounds) {
    if (bound.label == label && skip-- == 0) return bound;
  }
  throw std::runtime_error(label);
}

double input(const Bound& bound, const char* name) {
  for (const BoundInput& one : bound.inputs) {
    if (one.name == name) return one.value;
  }
  throw std::runtime_error(name);
}

TEST(DataBounds, TakesItsInputsFromTheData) {
  const Case data = small_case();
  std::vector<std::pair<std::string, std::string>> missing;
  const std::vector<Bound> found =
      data_bounds(data.kernel, data.energy, data.fit, 40, 1.5, 5, 0.1, missing);
  EXPECT_TRUE(missing.empty());
  ASSERT_EQ(found.size(), 11u);

  const Bound& estimation = named(found, "thm:est");
  EXPECT_EQ(input(estimation, "n"), 40.0);
  EXPECT_DOUBLE_EQ(input(estimation, "M"), 0.5);  // s(λ₁)/λ₁ = λ₁
  EXPECT_DOUBLE_EQ(input(estimation, "ε"), 24.0);
  EXPECT_DOUBLE_EQ(input(estimation, "B"), 0.5);
  EXPECT_DOUBLE_EQ(input(estimation, "σ"), 0.2);
  EXPECT_DOUBLE_EQ(input(estimation, "L"), 0.7);
  EXPECT_DOUBLE_EQ(input(estimation, "p"), 0.5);

  const Bound& approximation = named(found, "thm:approx");
  EXPECT_EQ(input(approximation, "m"), 360.0);
  EXPECT_DOUBLE_EQ(input(approximation, "λ_max"), 0.5);
  EXPECT_DOUBLE_EQ(input(approximation, "‖y‖²/n"), 1.5);
  EXPECT_DOUBLE_EQ(input(approximation, "β_n"), 0.3);
  EXPECT_DOUBLE_EQ(approximation.value, approximation_bound({.transform = data.fit.transform,
                                                             .n = 40,
                                                             .m = 360,
                                                             .kappa_squared = 2.0,
                                                             .lambda = 0.5,
                                                             .beta = 0.3,
                                                             .delta = 0.1,
                                                             .mean_square_y = 1.5})
                                            .value);

  // d = 5: the first two bands and half of the third, 0.2 + 0.4 + 0.15.
  const Bound& projected = named(found, "thm:topd-est");
  EXPECT_DOUBLE_EQ(input(projected, "‖f* - f̃_d‖²_P"), 0.25 * 0.5);
  EXPECT_DOUBLE_EQ(input(projected, "λ̃_d"), 0.1);
  EXPECT_DOUBLE_EQ(input(projected, "‖f* - f̃_d‖²_K"), 0.25 * 0.5 / (0.5 / 6.0));
  EXPECT_DOUBLE_EQ(input(named(found, "prop:top-d-lower"), "s(λ_(d+1))"), std::pow(0.5 / 6.0, 2));
  EXPECT_EQ(input(named(found, "thm:topd-approx", 2), "d"), 5.0);
}

TEST(DataBounds, SaysWhichCannotBeComputed) {
  Case data = small_case();
  data.fit.beta = 0.0;
  std::vector<std::pair<std::string, std::string>> missing;
  const std::vector<Bound> found =
      data_bounds(data.kernel, data.energy, data.fit, 40, 1.5, 25, 0.1, missing);
  ASSERT_EQ(missing.size(), 2u);
  EXPECT_EQ(missing[0].first, "Theorem 3");
  EXPECT_NE(missing[1].second.find("fewer eigenvalues"), std::string::npos);
  EXPECT_EQ(found.size(), 5u);
}

}  // namespace
}  // namespace stkr::data_bounds_test
