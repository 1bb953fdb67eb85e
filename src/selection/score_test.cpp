#include "stkr/selection/score.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "stkr/error.hpp"

namespace stkr {
namespace {

std::vector<Index> first(Index count) {
  std::vector<Index> samples(count);
  std::iota(samples.begin(), samples.end(), 0);
  return samples;
}

Predictions answers(std::vector<Index> classes) {
  Predictions predictions;
  predictions.class_index = std::move(classes);
  return predictions;
}

Predictions numbers(Matrix values) {
  Predictions predictions;
  predictions.scores = std::move(values);
  return predictions;
}

// Truth a a a a b b c; answers a a a b b c c: 3 of 4, 1 of 2 and 1 of 1 are found.
const Labels kTruth = ClassLabels{{"a", "b", "c"}, {0, 0, 0, 0, 1, 1, 2}};
const Predictions kAnswers = answers({0, 0, 0, 1, 1, 2, 2});

TEST(Score, CountsRightAnswers) {
  EXPECT_DOUBLE_EQ(evaluate(Score::accuracy, kAnswers, kTruth, first(7)), 5.0 / 7.0);
}

TEST(Score, AveragesOverClasses) {
  EXPECT_DOUBLE_EQ(evaluate(Score::balanced_accuracy, kAnswers, kTruth, first(7)),
                   (0.75 + 0.5 + 1.0) / 3.0);
  // F1 = 2TP/(2TP + FP + FN): 6/7, 2/4, 2/3.
  EXPECT_DOUBLE_EQ(evaluate(Score::macro_f1, kAnswers, kTruth, first(7)),
                   (6.0 / 7.0 + 0.5 + 2.0 / 3.0) / 3.0);
}

TEST(Score, LeavesOutClassesWithoutASampleHere) {
  // Only a and b: of a the one that is left is found, of b one of two; c was answered wrongly.
  const std::vector<Index> samples{0, 4, 5};
  const Predictions predictions = answers({0, 1, 2});
  EXPECT_DOUBLE_EQ(evaluate(Score::balanced_accuracy, predictions, kTruth, samples), 0.75);
  EXPECT_DOUBLE_EQ(evaluate(Score::macro_f1, predictions, kTruth, samples),
                   (1.0 + 2.0 / 3.0) / 2.0);
}

TEST(Score, TakesSamplesInTheOrderGiven) {
  const std::vector<Index> samples{6, 0};
  EXPECT_EQ(evaluate(Score::accuracy, answers({2, 0}), kTruth, samples), 1.0);
  EXPECT_EQ(evaluate(Score::accuracy, answers({0, 2}), kTruth, samples), 0.0);
}

TEST(Score, SkipsUnlabelledSamplesAndSaysNothingWithoutAny) {
  const Labels truth = ClassLabels{{"a", "b"}, {0, kUnlabeled, 1}};
  EXPECT_EQ(evaluate(Score::accuracy, answers({0, 0, 1}), truth, first(3)), 1.0);
  const std::vector<Index> unlabeled{1};
  for (const Score score : {Score::accuracy, Score::balanced_accuracy, Score::macro_f1}) {
    EXPECT_TRUE(std::isnan(evaluate(score, answers({0}), truth, unlabeled)));
    EXPECT_TRUE(std::isnan(evaluate(score, answers({}), truth, {})));
  }
  const Labels targets = TargetValues{{"t"}, Matrix::Constant(2, 1, std::nan(""))};
  EXPECT_TRUE(std::isnan(evaluate(Score::mse, numbers(Matrix::Zero(2, 1)), targets, first(2))));
}

TEST(Score, MeasuresSquaredErrorsOfNumbers) {
  Matrix truth(4, 2), predicted(4, 2);
  truth << 1, 10, 2, 20, 3, 30, std::nan(""), std::nan("");
  predicted << 1, 12, 3, 20, 3, 26, 99, 99;
  const Labels labels = TargetValues{{"s", "t"}, truth};
  // Squared errors 0 + 1 + 0 and 4 + 0 + 16; spreads around the means 2 and 20: 2 and 200.
  EXPECT_DOUBLE_EQ(evaluate(Score::mse, numbers(predicted), labels, first(4)),
                   (1.0 / 3.0 + 20.0 / 3.0) / 2.0);
  EXPECT_DOUBLE_EQ(evaluate(Score::r2, numbers(predicted), labels, first(4)),
                   ((1.0 - 1.0 / 2.0) + (1.0 - 20.0 / 200.0)) / 2.0);
}

TEST(Score, CallsAConstantTargetRightOrWrong) {
  const Labels labels = TargetValues{{"t"}, Matrix::Constant(3, 1, 5.0)};
  EXPECT_EQ(evaluate(Score::r2, numbers(Matrix::Constant(3, 1, 5.0)), labels, first(3)), 1.0);
  EXPECT_EQ(evaluate(Score::r2, numbers(Matrix::Constant(3, 1, 4.0)), labels, first(3)), 0.0);
}

TEST(Score, HasANameBothWays) {
  for (const Score score :
       {Score::accuracy, Score::balanced_accuracy, Score::macro_f1, Score::mse, Score::r2}) {
    EXPECT_EQ(score_from_name(to_string(score)), score);
    EXPECT_EQ(higher_is_better(score), score != Score::mse);
  }
  EXPECT_THROW(score_from_name("auc"), ValueError);
  EXPECT_THROW(score_from_name(""), ValueError);
}

TEST(Score, IsForOneKindOfLabels) {
  const Labels targets = TargetValues{{"t"}, Matrix::Ones(2, 1)};
  for (const Score score : {Score::accuracy, Score::balanced_accuracy, Score::macro_f1}) {
    EXPECT_NO_THROW(check_score(score, kTruth));
    EXPECT_THROW(check_score(score, targets), ValueError);
  }
  for (const Score score : {Score::mse, Score::r2}) {
    EXPECT_NO_THROW(check_score(score, targets));
    EXPECT_THROW(check_score(score, kTruth), ValueError);
  }
}

}  // namespace
}  // namespace stkr
