#include "selection/answer_scores.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "stkr/error.hpp"

namespace stkr::answer_scores_test {
namespace {

using ::testing::ElementsAre;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Counted by hand: a a a b b, predicted a a b b c; the last sample has no truth.
TEST(AnswerScores, OfClasses) {
  const ClassLabels truth{.names = {"a", "b"}, .code = {0, 0, 0, 1, 1, kUnlabeled}};
  const std::vector<std::string> predicted{"a", "a", "b", "b", "c", "a"};
  const ClassScores scores = score_classes(truth, predicted);
  EXPECT_EQ(scores.samples, 5);
  EXPECT_NEAR(scores.accuracy, 3.0 / 5.0, 1e-15);
  EXPECT_NEAR(scores.balanced_accuracy, 0.5 * (2.0 / 3.0 + 1.0 / 2.0), 1e-15);
  EXPECT_NEAR(scores.macro_f1, 0.5 * (2.0 * 2 / (3 + 2) + 2.0 * 1 / (2 + 2)), 1e-15);
  EXPECT_THAT(scores.classes, ElementsAre("a", "b", "c"));
  EXPECT_THAT(scores.confusion,
              ElementsAre(ElementsAre(2, 1, 0), ElementsAre(0, 1, 1), ElementsAre(0, 0, 0)));
  EXPECT_EQ(scores.log_loss, std::nullopt);
}

TEST(AnswerScores, LogLossIsOfTheTrueClass) {
  const ClassLabels truth{.names = {"a", "b", "z"}, .code = {0, 1, kUnlabeled, 2}};
  const std::vector<std::string> predicted{"a", "a", "b", "a"}, columns{"b", "a"};
  Matrix probabilities(4, 2);
  probabilities << 0.25, 0.75, 0.5, 0.5, 0.9, 0.1, 0.5, 0.5;
  const double least = std::numeric_limits<double>::epsilon();
  const auto loss = score_classes(truth, predicted, probabilities, columns).log_loss;
  ASSERT_TRUE(loss.has_value());
  EXPECT_NEAR(*loss, -(std::log(0.75) + std::log(0.5) + std::log(least)) / 3.0, 1e-12);
}

TEST(AnswerScores, OfNumbers) {
  TargetValues truth{.names = {"y"}, .values = Matrix(4, 1)};
  truth.values << 1.0, 2.0, 6.0, kMissing;
  Matrix predicted(4, 1);
  predicted << 1.0, 4.0, 5.0, 100.0;
  const TargetScores scores = score_targets(truth, predicted);
  EXPECT_EQ(scores.samples, 3);
  EXPECT_NEAR(scores.mean_absolute_error, 1.0, 1e-15);
  EXPECT_NEAR(scores.root_mean_squared_error, std::sqrt(5.0 / 3.0), 1e-15);
  EXPECT_NEAR(scores.r2, 1.0 - 5.0 / 14.0, 1e-15);
}

TEST(AnswerScores, RefuseWhatCannotBeScored) {
  const ClassLabels truth{.names = {"a"}, .code = {0, kUnlabeled}};
  const ClassLabels none{.names = {"a"}, .code = {kUnlabeled}};
  const std::vector<std::string> one{"a"};
  EXPECT_THROW(score_classes(truth, one), ShapeError);
  EXPECT_THROW(score_classes(none, one), ValueError);
  const TargetValues targets{.names = {"y"}, .values = Matrix::Constant(1, 1, kMissing)};
  EXPECT_THROW(score_targets(targets, Matrix::Zero(1, 1)), ValueError);
  EXPECT_THROW(score_targets(targets, Matrix::Zero(1, 2)), ShapeError);
}

}  // namespace
}  // namespace stkr::answer_scores_test
