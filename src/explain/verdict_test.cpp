#include "explain/verdict.hpp"

#include <gtest/gtest.h>

namespace stkr::verdict_test {
namespace {

Explanation plain() {
  Explanation found;
  found.classes = true;
  found.labels = found.labels_used = 100;
  found.compared = {{kSuggestedFit, 0.1, 0.03},
                    {kSelectedFit, 0.08, 0.03, -0.02, 0.005},
                    {kLabelsAlone, 0.3, 0.05, 0.2, 0.04},
                    {kNoFit, 0.5, 0.05, 0.4, 0.05}};
  found.energy.bands = {
      {1, 1, 1.0, 1.0, 0.1, 0.03}, {2, 3, 0.9, 0.8, 0.75, 0.04}, {4, 7, 0.7, 0.6, 0.1, 0.1}};
  found.energy.rest = {8, 500};
  found.energy.labels = 100;
  found.advice.candidates = {{SpectralTransform::power(8), 0.1}};
  found.advice.agrees = true;
  found.suggestion.emplace();
  found.suggestion->transform = SpectralTransform::power(8);
  found.with_labels.gain = 0.05;
  found.with_labels.gain_error = 0.01;
  found.with_samples.gain = 0.01;
  found.with_samples.gain_error = 0.01;
  return found;
}

bool says(const Explanation& found, const std::string& text) {
  for (const std::string& sentence : verdict_of(found)) {
    if (sentence.find(text) != std::string::npos) return true;
  }
  return false;
}

TEST(Verdict, ExpectsWhatTheBetterFitMissed) {
  EXPECT_TRUE(says(plain(), "Expect about 8.0% ± 3.0% wrong"));
  Explanation alone = plain();
  alone.compared.erase(alone.compared.begin() + 1);
  EXPECT_TRUE(says(alone, "Expect about 10.0% ± 3.0% wrong with the suggested fit"));
}

TEST(Verdict, SaysWhetherUnlabeledSamplesHelp) {
  Explanation found = plain();
  EXPECT_TRUE(
      says(found,
           "Unlabeled samples help: kernel ridge regression on the labels alone has 30.0% ± 5.0%"));
  found.compared[2].more = -0.2;
  EXPECT_TRUE(says(found, "Unlabeled samples mislead"));
  found.compared[2] = {kLabelsAlone, 0.1, 0.03, 0.0, 0.005};
  EXPECT_TRUE(says(found, "on the labels alone would do"));
  found.compared[2] = {kLabelsAlone, 0.15, 0.03, 0.05, 0.03};
  EXPECT_TRUE(says(found, "Whether unlabeled samples help is open"));
  found.compared[3].more = 0.01;
  EXPECT_TRUE(says(found, "No fit is clearly better than answering the most frequent class"));
}

TEST(Verdict, NamesTheTransformAndWhy) {
  Explanation found = plain();
  EXPECT_TRUE(says(
      found,
      "power p=8, which expects the labels where they are: 85% ± 5% of their variance is in the "
      "first 3 of 500 eigenvectors. No other transform that was compared does."));
  found.advice.candidates.push_back({SpectralTransform::power(6), 1.0});
  EXPECT_TRUE(says(found, "100 labels do not tell it from 1 other that was compared"));
  found.advice.agrees = false;
  EXPECT_TRUE(says(found, "power p=8 for want of a better one"));
  found.suggestion.reset();
  found.advice.unknown = "3 labels do not tell";
  EXPECT_TRUE(says(found, "Nothing can be said about the transform: 3 labels do not tell."));
}

TEST(Verdict, ComparesWhatToBuy) {
  Explanation found = plain();
  EXPECT_TRUE(says(
      found,
      "More labels are the better buy: the last doubling of the labels gained 5.0% ± 1.0%, that of "
      "the unlabeled samples 1.0% ± 1.0%"));
  std::swap(found.with_labels, found.with_samples);
  EXPECT_TRUE(says(found, "More unlabeled samples are the better buy"));
  found.with_labels.gain = 0.05;
  EXPECT_TRUE(says(found, "Both help about as much"));
  found.with_labels.gain = found.with_samples.gain = 0.01;
  found.with_labels.gain_error = 0.03;
  // 100 labels, twice 0.03 of 0.02: nine times as many.
  EXPECT_TRUE(
      says(found, "Neither clearly helps; a gain of 2.0% would show with about 900 labels"));
  found.with_labels.gain_error = found.with_samples.gain_error = 0.0;
  found.with_labels.gain = found.with_samples.gain = 0.0;
  EXPECT_TRUE(says(found, "Neither helps any more"));
  found.with_labels = {};
  found.with_labels.unknown = "4 labels; a curve needs at least 8";
  EXPECT_TRUE(says(
      found, "Whether more labels would help is unknown: 4 labels; a curve needs at least 8."));
}

TEST(Verdict, SaysWhatFollowingTheAdviceCosts) {
  Explanation found = plain();
  EXPECT_TRUE(says(found, "instead of the full selection costs 2.0% ± 0.5%."));
  found.compared[1].more = 0.001;
  EXPECT_TRUE(says(
      found,
      "instead of the full selection gains 0.1% ± 0.5%, which the labels cannot tell from none."));
}

TEST(Verdict, WarnsAboutKernelsAndComponents) {
  Explanation found = plain();
  EXPECT_FALSE(says(found, "Attention"));
  found.kernel.definiteness.semidefinite = false;
  found.kernel.definiteness.remedy = "use the lazy walk";
  EXPECT_TRUE(says(found, "Attention: use the lazy walk."));
  found.kernel.samples = 500;
  found.kernel.reach = LabelReach{{}, {400, 60, 40}, {1, 0, 0}};
  EXPECT_TRUE(says(found, "100 of 500 samples are in 2 components without a label"));
}

TEST(Verdict, OfNumbersSpeaksOfVariance) {
  Explanation found = plain();
  found.classes = false;
  EXPECT_TRUE(says(found, "Expect about 0.08 ± 0.03 of the variance missed"));
  EXPECT_EQ(error_text(-0.1234, 0.01, false), "-0.123 ± 0.01");
}

}  // namespace
}  // namespace stkr::verdict_test
