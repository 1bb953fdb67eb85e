#include "report/answer_summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stkr::report::answer_summary_test {
namespace {

using ::testing::ElementsAre;

ClassDecision three_classes() {
  return {.names = {"a", "b", "c"}, .prior = Vector::Constant(3, 1.0 / 3)};
}

Predictions answers(const Matrix& scores) {
  return decide(three_classes(), scores, std::vector<char>(scores.rows(), 1));
}

TEST(AnswerSummary, CountsPartsAndKeepsTheMostDoubtful) {
  AnswerSummary summary(three_classes(), 2);
  Matrix first(2, 3), second(3, 3);
  first << 0.9, 0.1, 0.0, 0.3, 0.4, 0.2;
  second << 0.0, 2.0, 1.9, -1.0, 0.6, 0.2, 5.0, 4.0, 0.0;
  summary.add(answers(first));
  const std::vector<std::string> names{"x", "y", "z"};
  summary.add(answers(second), names, {}, [](Index k) { return Vector::Constant(1, double(k)); });
  EXPECT_EQ(summary.samples(), 5);
  EXPECT_THAT(summary.answers(), ElementsAre(2, 3, 0));
  // Margins: 0.8, 1/9, 0.1/3.9, 0.5 (negative scores do not count), 1/9; the first of equals stays.
  ASSERT_EQ(summary.doubtful().size(), 2u);
  const DoubtfulSample& most = summary.doubtful()[0];
  EXPECT_EQ(most.index, 2);
  EXPECT_EQ(most.name, "x");
  EXPECT_EQ(most.first, 1);
  EXPECT_EQ(most.second, 2);
  EXPECT_NEAR(most.first_share, 2.0 / 3.9, 1e-12);
  EXPECT_EQ(most.features[0], 0.0);
  EXPECT_EQ(summary.doubtful()[1].index, 1);
}

TEST(AnswerSummary, DoesNotDoubtLabelsOrGuesses) {
  AnswerSummary summary(three_classes());
  Matrix scores(3, 3);
  scores << 1, 1, 0, 1, 1, 0, 0, 0, 0;
  Predictions predictions = answers(scores);
  predictions.evidence[1] = 0;
  predictions.tied[1] = 1;
  const std::vector<char> labeled{1, 0, 0};
  summary.add(predictions, {}, labeled);
  EXPECT_TRUE(summary.doubtful().empty());
  EXPECT_EQ(summary.without_evidence(), 1);
  EXPECT_EQ(summary.tied(), 1);
}

TEST(AnswerSummary, TakesOneClassAndNumbers) {
  AnswerSummary one(ClassDecision{.names = {"only"}, .prior = Vector::Ones(1)});
  one.add(decide(ClassDecision{.names = {"only"}, .prior = Vector::Ones(1)}, Matrix::Ones(2, 1),
                 {1, 1}));
  EXPECT_THAT(one.answers(), ElementsAre(2));
  EXPECT_TRUE(one.doubtful().empty());
  const TargetDecision target{{"price"}, Vector::Zero(1)};
  AnswerSummary numbers(target);
  Matrix scores(3, 1);
  scores << 2, -1, 5;
  numbers.add(decide(target, scores, {1, 1, 0}));
  EXPECT_EQ(numbers.ranges().front().low, -1);
  EXPECT_EQ(numbers.ranges().front().high, 2);  // without evidence, the mean is predicted: 0
  EXPECT_EQ(numbers.ranges().front().sum, 1);
  EXPECT_EQ(numbers.without_evidence(), 1);
}

}  // namespace
}  // namespace stkr::report::answer_summary_test
