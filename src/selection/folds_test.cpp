#include "selection/folds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "stkr/error.hpp"

namespace stkr::folds_test {
namespace {

// Of 60 samples every third is unlabeled; classes of 25, 11, 3 and 1 samples.
Labels uneven_classes() {
  ClassLabels labels{{"a", "b", "c", "d"}, std::vector<std::int32_t>(60, kUnlabeled)};
  int k = 0;
  for (Index i = 0; i < 60; ++i) {
    if (i % 3 == 2) continue;
    labels.code[i] = k < 25 ? 0 : k < 36 ? 1 : k < 39 ? 2 : 3;
    ++k;
  }
  return labels;
}

Labels numbers(Index count) { return TargetValues{{"t"}, Vector::LinSpaced(count, 0.0, 1.0)}; }

std::vector<Index> all_of(const std::vector<std::vector<Index>>& folds) {
  std::vector<Index> joined;
  for (const auto& fold : folds) joined.insert(joined.end(), fold.begin(), fold.end());
  std::sort(joined.begin(), joined.end());
  return joined;
}

TEST(Folds, HoldEveryLabeledSampleOutOnce) {
  for (const int k : {2, 3, 5, 40}) {
    const auto folds = labeled_folds(uneven_classes(), k, 1);
    ASSERT_EQ(folds.size(), static_cast<std::size_t>(k));
    const std::vector<Index> joined = all_of(folds);
    ASSERT_EQ(joined.size(), 40u);
    for (Index i = 0; i < 40; ++i) EXPECT_EQ(joined[i], i);
    for (const auto& fold : folds) EXPECT_TRUE(std::is_sorted(fold.begin(), fold.end()));
  }
}

TEST(Folds, AreStratifiedAndOfEqualSize) {
  const Labels labels = uneven_classes();
  const auto& code = std::get<ClassLabels>(labels).code;
  const std::vector<Index> labeled = labeled_indices(labels);
  for (const int k : {2, 5, 7}) {
    const auto folds = labeled_folds(labels, k, 3);
    for (int c = 0; c < 4; ++c) {
      std::vector<long> counts;
      for (const auto& fold : folds) {
        counts.push_back(std::count_if(fold.begin(), fold.end(),
                                       [&](Index i) { return code[labeled[i]] == c; }));
      }
      const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
      EXPECT_LE(*most - *least, 1) << k << " folds, class " << c;
    }
    for (const auto& fold : folds) {
      EXPECT_GE(fold.size(), std::size_t(40 / k));
      EXPECT_LE(fold.size(), std::size_t(40 / k + 1));
    }
  }
}

TEST(Folds, FollowTheSeed) {
  EXPECT_EQ(labeled_folds(uneven_classes(), 5, 1), labeled_folds(uneven_classes(), 5, 1));
  EXPECT_NE(labeled_folds(uneven_classes(), 5, 1), labeled_folds(uneven_classes(), 5, 2));
  EXPECT_NE(labeled_folds(numbers(20), 4, 1), labeled_folds(numbers(20), 4, 2));
}

TEST(Folds, DealNumbersOutEvenly) {
  for (const auto& fold : labeled_folds(numbers(20), 4, 1)) EXPECT_EQ(fold.size(), 5u);
}

TEST(Folds, RejectFewerThanTwoAndMoreThanThereAreSamples) {
  EXPECT_THROW(labeled_folds(numbers(20), 1, 1), ValueError);
  EXPECT_THROW(labeled_folds(numbers(20), 0, 1), ValueError);
  EXPECT_THROW(labeled_folds(numbers(20), -2, 1), ValueError);
  EXPECT_THROW(labeled_folds(numbers(20), 21, 1), ValueError);
  EXPECT_THROW(labeled_folds(Labels{}, 2, 1), ValueError);
  EXPECT_NO_THROW(labeled_folds(numbers(20), 20, 1));
}

TEST(Folds, OfTheCallersOwnAreConvertedToPositions) {
  // Labeled are 0, 1, 3, 4, 6, ...
  const std::vector<Fold> folds =
      by_position({{{4, 0}, {1, 3}}, {{0, 1, 3}, {6}}}, uneven_classes());
  ASSERT_EQ(folds.size(), 2u);
  EXPECT_EQ(folds[0].train, (std::vector<Index>{0, 3}));
  EXPECT_EQ(folds[0].held_out, (std::vector<Index>{1, 2}));
  EXPECT_EQ(folds[1].train, (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(folds[1].held_out, (std::vector<Index>{4}));
}

TEST(Folds, OfTheCallersOwnAreChecked) {
  const auto message = [](const std::vector<Fold>& folds) -> std::string {
    try {
      by_position(folds, uneven_classes());
    } catch (const ValueError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({}), "no folds; expected at least one");
  EXPECT_EQ(message({{{0}, {1}}, {{}, {1}}}), "fold 1: train is empty; expected labeled samples");
  EXPECT_EQ(message({{{0}, {}}}), "fold 0: held_out is empty; expected labeled samples");
  EXPECT_EQ(
      message({{{0}, {2}}}),
      "fold 0: sample 2 in held_out has no label; expected labeled samples, counted from 0 to "
      "59");
  EXPECT_EQ(
      message({{{-1}, {1}}}),
      "fold 0: sample -1 in train does not exist; expected labeled samples, counted from 0 to "
      "59");
  EXPECT_EQ(message({{{0, 1}, {1}}}), "fold 0: sample 1 is listed twice");
}

TEST(Folds, HaveARowForEverySampleThatTheyHoldOut) {
  const HeldOutRows rows = held_out_rows({{{0}, {3, 5}}, {{1}, {0, 3}}, {{2}, {4}}});
  EXPECT_EQ(rows.position, (std::vector<Index>{0, 3, 3, 4, 5}));
  EXPECT_EQ(rows.fold, (std::vector<Index>{1, 0, 1, 2, 0}));
  EXPECT_EQ(rows.rows, (std::vector<std::vector<Index>>{{1, 4}, {0, 2}, {3}}));
  const std::vector<Fold> others = fitted_to_the_others({{0, 2}, {1}}, 4);
  EXPECT_EQ(others[0].train, (std::vector<Index>{1, 3}));
  EXPECT_EQ(others[1].train, (std::vector<Index>{0, 2, 3}));
}

}  // namespace
}  // namespace stkr::folds_test
