#include "selection/known_labels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stkr/estimator/fit.hpp"

namespace stkr::known_labels_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const ClassLabels kLabels{{"a", "b"}, {kUnlabeled, 0, kUnlabeled, 1, 1}};

TEST(KnownLabels, AreThoseOfAllSamplesOnOneMachine) {
  const KnownLabels known = known_labels(kLabels, nullptr);
  EXPECT_EQ(std::get<ClassLabels>(known.labels), kLabels);
  EXPECT_THAT(known.samples(std::vector<Index>{1, 4}), ElementsAre(1, 4));
  EXPECT_THAT(known.places(std::vector<Index>{1, 4}), ElementsAre(1, 4));
  const FourWaySplit split{{1, 3}, {4}, {0}, {2}};
  EXPECT_THAT(known_split(kLabels, split, nullptr).split.val, ElementsAre(4));
}

// Three processes' rows, of which this one has the second and third sample; sums of the others'
// labels arrive as zeros.
class TwoOfFive final : public SharedRows {
 public:
  Index size() const override { return 5; }
  Index first() const override { return 1; }
  Index count() const override { return 2; }
  Index most() const override { return 2; }
  void sum(MatrixRef) const override {}
  void largest(MatrixRef) const override {}
  std::vector<Index> joined(std::span<const Index> own) const override {
    std::vector<Index> all(own.begin(), own.end());
    all.push_back(4);
    return all;
  }
};

TEST(KnownLabels, AreNumberedAmongThemselvesInSeveralProcesses) {
  const TwoOfFive rows;
  const Labels own = ClassLabels{{"a", "b"}, {1, kUnlabeled}};
  const KnownLabels known = known_labels(own, &rows);
  EXPECT_THAT(known.numbers, ElementsAre(1, 4));
  EXPECT_THAT(std::get<ClassLabels>(known.labels).code, ElementsAre(1, 0));
  EXPECT_THAT(known.samples(std::vector<Index>{1}), ElementsAre(4));
  EXPECT_THAT(known.places(std::vector<Index>{4, 1}), ElementsAre(1, 0));
  const KnownSplit parts = known_split(own, {{4, 1}, {3}, {2}, {0}}, &rows);
  EXPECT_THAT(parts.labels.numbers, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(std::get<ClassLabels>(parts.labels.labels).code, ElementsAre(1, kUnlabeled, 0, 0));
  EXPECT_THAT(parts.split.train, ElementsAre(3, 0));
  EXPECT_THAT(parts.split.val, ElementsAre(2));
  EXPECT_THAT(parts.split.test, ElementsAre(1));
  EXPECT_THAT(parts.split.other, IsEmpty());
}

TEST(KnownLabels, OfOthersAreSpreadOverThem) {
  for (const std::vector<Index>& labeled :
       {std::vector<Index>{}, {0, 1, 2}, {17, 3, 19}, {5, 6, 7, 8}}) {
    const std::vector<Index> all = unlabeled_samples(20, labeled);
    for (const Index count : {1, 7, 16, 30}) {
      std::vector<Index> expected;
      const Index taken = std::min<Index>(count, std::ssize(all));
      for (Index k = 0; k < taken; ++k) {
        expected.push_back(all[static_cast<std::size_t>(k * std::ssize(all) / taken)]);
      }
      EXPECT_EQ(some_unlabeled(20, labeled, count), expected);
    }
  }
  EXPECT_THAT(some_unlabeled(2, std::vector<Index>{0, 1}, 5), IsEmpty());
}

}  // namespace stkr::known_labels_test
