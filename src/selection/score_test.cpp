#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/random.hpp"
#include "stkr/error.hpp"
#include "stkr/selection/select.hpp"

namespace stkr::score_test {
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

// Truth a a a a b b c; predictions a a a b b c c: 3 of 4, 1 of 2 and 1 of 1 are found.
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
  // Only a and b: the one sample of a is found, and one of two of b; c was predicted wrongly.
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

TEST(Score, SkipsUnlabeledSamplesAndSaysNothingWithoutAny) {
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

Predictions shares(Matrix scores) {
  Predictions predictions = numbers(std::move(scores));
  for (Index i = 0; i < predictions.scores.rows(); ++i) {
    Index best = 0;
    predictions.scores.row(i).maxCoeff(&best);
    predictions.class_index.push_back(best);
  }
  return predictions;
}

TEST(SmoothLoss, IsTheSquaredErrorOfShares) {
  const Labels truth = ClassLabels{{"a", "b"}, {0, 1, 0, kUnlabeled}};
  Matrix scores(4, 2);
  scores << 3, 1, -2, 6, 0, 0, 9, 9;
  // Shares 3/4 and 1/4; 0 and 1, since a negative score counts as 0; 1/2 each without any.
  const double expected = (2.0 / 16.0 + 0.0 + 2.0 / 4.0) / 3.0;
  EXPECT_DOUBLE_EQ(smooth_loss(shares(scores), truth, first(4)), expected);
  EXPECT_DOUBLE_EQ(smooth_loss(shares(1e-30 * scores), truth, first(4)), expected) << "no unit";
  const Labels targets = TargetValues{{"t"}, Matrix::Constant(3, 1, 5.0)};
  EXPECT_DOUBLE_EQ(smooth_loss(numbers(Matrix::Constant(3, 1, 3.0)), targets, first(3)), 4.0);
}

// Outcomes of points with the given `accuracies`, independent per sample.
std::vector<std::vector<float>> random_outcomes(const ClassLabels& truth,
                                                const std::vector<double>& accuracies,
                                                std::uint64_t seed) {
  Random random(seed);
  std::vector<std::vector<float>> all;
  for (const double accuracy : accuracies) {
    Predictions predictions;
    for (const std::int32_t code : truth.code) {
      predictions.class_index.push_back(random.uniform() < accuracy ? code : 1 - code);
    }
    all.push_back(
        outcomes(predictions, Labels(truth), first(static_cast<Index>(truth.code.size()))));
  }
  return all;
}

std::vector<const std::vector<float>*> pointers(const std::vector<std::vector<float>>& all) {
  std::vector<const std::vector<float>*> result;
  for (const auto& one : all) result.push_back(&one);
  return result;
}

TEST(ExpectedBest, TakesOffWhatTheBestOfManyFlatters) {
  ClassLabels truth{{"a", "b"}, {}};
  for (Index i = 0; i < 80; ++i) truth.code.push_back(i % 2);
  const auto chance = random_outcomes(truth, std::vector<double>(300, 0.5), 11);
  double best = 0.0;
  for (const auto& point : chance) {
    double right = 0.0;
    for (std::size_t k = 0; k < point.size(); ++k) right += point[k] == truth.code[k];
    best = std::max(best, right / 80.0);
  }
  EXPECT_GT(best, 0.62);
  const auto expected =
      expected_best(Score::accuracy, pointers(chance), truth, first(80), 12).value();
  EXPECT_NEAR(expected, 0.5, 0.06);
  EXPECT_EQ(expected_best(Score::accuracy, pointers(chance), truth, first(80), 12), expected);
  EXPECT_NE(expected_best(Score::accuracy, pointers(chance), truth, first(80), 13), expected);

  // One point that is truly better would be chosen: its own accuracy.
  std::vector<double> accuracies(20, 0.5);
  accuracies[7] = 0.95;
  const auto one_good = random_outcomes(truth, accuracies, 14);
  double right = 0.0;
  for (std::size_t k = 0; k < 80; ++k) right += one_good[7][k] == truth.code[k];
  EXPECT_NEAR(expected_best(Score::accuracy, pointers(one_good), truth, first(80), 15).value(),
              right / 80.0, 0.02);
  // Points without errors need no correction.
  const auto perfect = random_outcomes(truth, {1.0, 1.0, 0.6}, 16);
  EXPECT_EQ(expected_best(Score::accuracy, pointers(perfect), truth, first(80), 17), 1.0);
}

TEST(ExpectedBest, AveragesTargetsAsTheScoreDoes) {
  // Two targets with units a factor of a thousand apart; one point, twice, so that the same one is
  // always chosen.
  const Index n = 200;
  Random random(18);
  Matrix truth(n, 2), predicted(n, 2);
  for (Index i = 0; i < n; ++i) {
    truth(i, 0) = random.normal();
    truth(i, 1) = 1000.0 * random.normal();
    predicted(i, 0) = truth(i, 0) + 0.8 * random.normal();    // R² about 0.36
    predicted(i, 1) = truth(i, 1) + 100.0 * random.normal();  // R² about 0.99
  }
  const Labels labels = TargetValues{{"s", "t"}, truth};
  const std::vector<float> one = outcomes(numbers(predicted), labels, first(n));
  const std::vector<std::vector<float>> points{one, one};
  for (const Score score : {Score::r2, Score::mse}) {
    const double own = evaluate(score, numbers(predicted), labels, first(n));
    const double expected = expected_best(score, pointers(points), labels, first(n), 19).value();
    EXPECT_NEAR(expected / own, 1.0, 0.05) << to_string(score);
  }
}

TEST(ExpectedBest, IsNotForFewSamplesOrOnePoint) {
  const ClassLabels truth{{"a", "b"}, {0, 1, kUnlabeled, 1, 0, 0, 1}};
  const auto two = random_outcomes(truth, {0.9, 0.5}, 20);
  std::vector<std::vector<float>> short_ones;
  for (const auto& point : two) short_ones.emplace_back(point.begin(), point.begin() + 4);
  EXPECT_TRUE(expected_best(Score::accuracy, pointers(two), truth, first(7), 1).has_value());
  EXPECT_FALSE(expected_best(Score::accuracy, pointers(short_ones), truth, first(4), 1));
  EXPECT_FALSE(expected_best(Score::accuracy, {{&two[0]}}, truth, first(7), 1));
  EXPECT_FALSE(expected_best(Score::accuracy, {}, truth, first(7), 1));
}

TEST(Score, DeviatesOverFolds) {
  // Classes 0 1 0 1 0 1, of which the second and the last are wrong; three folds.
  const Labels truth = ClassLabels{{"a", "b"}, {0, 1, 0, 1, 0, 1}};
  const std::vector<float> answers{0, 0, 0, 1, 0, 0};
  const std::vector<Index> fold{0, 0, 1, 1, 1, 2};
  // 1/2, 1 and 0.
  EXPECT_NEAR(score_deviation(Score::accuracy, answers, truth, first(6), fold),
              std::sqrt(1.0 / 6.0), 1e-12);
  // Squared errors 1, 3 and 2, 2: means 2 and 2.
  const Labels targets = TargetValues{{"t"}, Vector::LinSpaced(4, 0.0, 3.0)};
  const std::vector<float> errors{1, 3, 2, 2};
  EXPECT_NEAR(
      score_deviation(Score::mse, errors, targets, first(4), std::vector<Index>{0, 0, 1, 1}), 0.0,
      1e-12);
  EXPECT_TRUE(std::isnan(
      score_deviation(Score::r2, errors, targets, first(4), std::vector<Index>{0, 0, 0, 1})));
  // A score of one's own sees the predictions and the samples of each fold.
  Predictions predictions;
  predictions.scores = Matrix::Zero(4, 1);
  predictions.scores.col(0) << 1.0, 2.0, 4.0, 8.0;
  predictions.evidence = {1, 1, 1, 1};
  const OwnScore own{"sum", [](const Predictions& some, std::span<const Index> samples) {
                       return some.scores.sum() + 100.0 * static_cast<double>(samples.front());
                     }};
  // 1 + 4 at samples 5 and 7, 2 + 8 at samples 6 and 8: 505 and 610.
  EXPECT_NEAR(score_deviation(own, predictions, std::vector<Index>{5, 6, 7, 8},
                              std::vector<Index>{0, 1, 0, 1}),
              52.5, 1e-12);
}

TEST(Score, OfOnesOwnMayFailForAFold) {
  Predictions predictions;
  predictions.scores = Matrix::Ones(3, 1);
  predictions.evidence = {1, 1, 1};
  const OwnScore own{"of two", [](const Predictions& some, std::span<const Index>) {
                       if (some.scores.rows() < 2) throw ValueError("too few");
                       return 1.0;
                     }};
  const std::vector<Index> one_alone{0, 0, 1};
  EXPECT_TRUE(std::isnan(score_deviation(own, predictions, first(3), one_alone)));
  EXPECT_THROW(own.value({Matrix::Ones(1, 1), {1}, {}, {}}, first(1)), ValueError);
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

// Guesses: a third of a sample for each of three classes.
TEST(Score, CountsAnswersWithoutEvidenceAsGuesses) {
  const Labels truth = ClassLabels{{"a", "b", "c"}, {0, 0, 0, 0, 0, 0, 0, 0, 1, 2}};
  Predictions predictions = answers({0, 0, 0, 0, 0, 0, 0, 0, 0, 0});  // the most frequent class
  predictions.evidence.assign(10, 0);
  const auto scored = [&](Score score, NoEvidence no_evidence) {
    return evaluate(score, predictions, truth, first(10), no_evidence);
  };
  EXPECT_DOUBLE_EQ(scored(Score::accuracy, NoEvidence::prior), 0.8);
  EXPECT_DOUBLE_EQ(scored(Score::accuracy, NoEvidence::guess), 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(scored(Score::balanced_accuracy, NoEvidence::guess), 1.0 / 3.0);
  // 2TP/(actual + predicted), a third of each class among ten predictions.
  EXPECT_DOUBLE_EQ(
      scored(Score::macro_f1, NoEvidence::guess),
      (2.0 * 8.0 / 3.0 / (8.0 + 10.0 / 3.0) + 2.0 * (2.0 / 3.0) / (1.0 + 10.0 / 3.0)) / 3.0);
  predictions.evidence = {1, 1, 1, 1, 0, 0, 0, 0, 0, 0};
  EXPECT_DOUBLE_EQ(scored(Score::accuracy, NoEvidence::guess), (4.0 + 2.0) / 10.0);
  const std::vector<float> found = outcomes(predictions, truth, first(10), NoEvidence::guess);
  EXPECT_EQ(found[0], 0.0F);
  EXPECT_EQ(found[9], kGuess);
}

TEST(Score, GivesNumbersWithoutEvidenceNoCreditAboveTheMean) {
  Matrix values(4, 1), predicted(4, 1);
  values << 1.0, 2.0, 3.0, 6.0;
  predicted << 1.0, 2.0, 2.5, 2.5;  // a constant that happens to fit the third
  const Labels truth = TargetValues{{"y"}, values};
  Predictions predictions = numbers(predicted);
  predictions.evidence = {1, 1, 0, 0};
  // The mean is 3: errors 0, 0, max(0.25, 0) and max(12.25, 9).
  EXPECT_DOUBLE_EQ(evaluate(Score::mse, predictions, truth, first(4), NoEvidence::guess),
                   (0.25 + 12.25) / 4.0);
  predictions.evidence = {0, 0, 0, 0};
  predicted << 1.0, 2.0, 3.0, 6.0;
  predictions.scores = predicted;
  EXPECT_DOUBLE_EQ(evaluate(Score::r2, predictions, truth, first(4), NoEvidence::guess), 0.0);
  EXPECT_DOUBLE_EQ(evaluate(Score::r2, predictions, truth, first(4)), 1.0);
  EXPECT_DOUBLE_EQ(smooth_loss(predictions, truth, first(4), NoEvidence::guess), 14.0 / 4.0);
  const std::vector<float> found = outcomes(predictions, truth, first(4), NoEvidence::guess);
  EXPECT_EQ(found, (std::vector<float>{4.0F, 1.0F, 0.0F, 9.0F}));
}

}  // namespace
}  // namespace stkr::score_test
