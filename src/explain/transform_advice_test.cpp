#include "explain/transform_advice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace stkr::transform_advice_test {
namespace {

constexpr Index kSamples = 300;

Vector walk_spectrum() {
  Vector values(kSamples);
  for (Index i = 0; i < kSamples; ++i) {
    values[i] = 1.0 - 0.9 * static_cast<double>(i) / static_cast<double>(kSamples);
  }
  return values;
}

SpectralDensity density_of(const Vector& values) {
  return {values.size(),
          true,
          {values.reverse()},
          {Vector::Constant(values.size(), 1.0 / static_cast<double>(values.size()))}};
}

// The energy that K_s expects, with noise of a share, in bands with a given error.
LabelEnergy expected_energy(const SpectralTransform& s, double noise, Index d, double error) {
  const Vector values = walk_spectrum();
  Vector energy(kSamples);
  for (Index i = 0; i < kSamples; ++i) energy[i] = s(values[i]);
  energy *= (1.0 - noise) / energy.sum();
  energy.array() += noise / static_cast<double>(kSamples);
  LabelEnergy result;
  result.variance = 1.0;
  result.labels = 50;
  for (Index first = 0; first < d;) {
    const Index last = std::min(2 * first + 1, d);
    result.bands.push_back({first + 1, last, values[first], values[last - 1],
                            energy.segment(first, last - first).sum(), error});
    first = last;
  }
  result.rest = {d + 1, kSamples, values[d - 1], 0.0, energy.tail(kSamples - d).sum(), error};
  return result;
}

TransformAdvice advice_for(const SpectralTransform& s, double noise, double error) {
  const Index d = 100;
  return advise_transform(expected_energy(s, noise, d, error), walk_spectrum().head(d),
                          density_of(walk_spectrum()));
}

TEST(TransformAdvice, FindsTheTransformWhoseEnergyItSees) {
  for (const SpectralTransform& s :
       {SpectralTransform::power(2), SpectralTransform::power(8), SpectralTransform::power(32),
        SpectralTransform::inverse_laplacian(0.9), SpectralTransform::inverse_laplacian(0.999)}) {
    for (const double noise : {0.0, 0.3}) {
      const TransformAdvice found = advice_for(s, noise, 0.002);
      ASSERT_TRUE(found.unknown.empty()) << found.unknown;
      EXPECT_EQ(found.candidates.front().transform.describe(), s.describe()) << noise;
      EXPECT_LT(found.candidates.front().misfit, 0.01);
    }
  }
}

TEST(TransformAdvice, ListsWhatFewLabelsDoNotTellApart) {
  const std::size_t certain = advice_for(SpectralTransform::power(8), 0.1, 0.001).candidates.size();
  const TransformAdvice open = advice_for(SpectralTransform::power(8), 0.1, 0.1);
  EXPECT_GT(open.candidates.size(), 3 * certain);
  for (std::size_t k = 1; k < open.candidates.size(); ++k) {
    EXPECT_GE(open.candidates[k].misfit, open.candidates[k - 1].misfit);
    EXPECT_LE(open.candidates[k].misfit, open.candidates.front().misfit + 4.0);
  }
}

TEST(TransformAdvice, SaysIfNoTransformExpectsTheLabels) {
  EXPECT_TRUE(advice_for(SpectralTransform::power(8), 0.1, 0.01).agrees);
  LabelEnergy late = expected_energy(SpectralTransform::power(8), 0.0, 100, 0.01);
  for (EnergyBand& band : late.bands) band.share = band.first == 64 ? 0.9 : 0.0;
  late.rest.share = 0.1;
  const TransformAdvice found =
      advise_transform(late, walk_spectrum().head(100), density_of(walk_spectrum()));
  EXPECT_FALSE(found.agrees);
  ASSERT_FALSE(found.candidates.empty());
  // Noise has the same energy everywhere.
  LabelEnergy noise = late;
  for (EnergyBand& band : noise.bands) band.share = static_cast<double>(band.count()) / kSamples;
  noise.rest.share = static_cast<double>(noise.rest.count()) / kSamples;
  const TransformAdvice of_noise =
      advise_transform(noise, walk_spectrum().head(100), density_of(walk_spectrum()));
  EXPECT_FALSE(of_noise.agrees);
}

TEST(TransformAdvice, SaysIfThereIsNothingToCompare) {
  LabelEnergy none;
  none.unknown = "3 labels do not tell";
  EXPECT_EQ(advise_transform(none, walk_spectrum(), density_of(walk_spectrum())).unknown,
            "3 labels do not tell");
  const LabelEnergy two = expected_energy(SpectralTransform::power(1), 0.0, 2, 0.01);
  EXPECT_FALSE(
      advise_transform(two, walk_spectrum().head(2), density_of(walk_spectrum())).unknown.empty());
}

}  // namespace
}  // namespace stkr::transform_advice_test
