#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "runtime/random.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/decision.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "temporary_folder.hpp"

namespace stkr::calibration_test {
namespace {

using ::testing::HasSubstr;

// z of a row of scores: centered, with the power ¼ of its size.
Eigen::RowVectorXd faded(const Eigen::RowVectorXd& scores) {
  const Eigen::RowVectorXd g = scores.array() - scores.mean();
  return g / std::pow(g.norm(), 0.75);
}

// Samples whose classes have the probabilities softmax(τ z), of the scores or of faded ones.
struct Drawn {
  Matrix z;
  std::vector<Index> classes;
};

Drawn draw(Index n, Index outputs, double temperature, std::uint64_t seed, bool fade = false) {
  Random random(seed);
  Drawn drawn{Matrix(n, outputs), {}};
  fill_normal(random, drawn.z);
  Matrix uniform(n, 1);
  fill_normal(random, uniform);
  for (Index i = 0; i < n; ++i) {
    const Eigen::RowVectorXd z = fade ? faded(drawn.z.row(i)) : Eigen::RowVectorXd(drawn.z.row(i));
    Eigen::RowVectorXd p = (temperature * z.array()).exp();
    p /= p.sum();
    double left = 0.5 * std::erfc(-uniform(i, 0) / std::sqrt(2.0));
    Index c = 0;
    while (c + 1 < outputs && left > p[c]) left -= p[c++];
    drawn.classes.push_back(c);
  }
  return drawn;
}

Vector uniform(Index classes) { return Vector::Constant(classes, 1.0 / classes); }

double weight_of(const Calibration& calibration, Calibration::Form form) {
  double total = 0.0;
  for (const Calibration::Member& member : calibration.members) {
    if (member.form == form) total += member.weight;
  }
  return total;
}

// The probabilities by which classes were drawn are found again.
TEST(Calibration, FindsTheProbabilitiesOfScores) {
  const Drawn drawn = draw(4000, 4, 2.5, 3, /*fade=*/true);
  const auto calibration = calibrate(drawn.z, drawn.classes, uniform(4));
  ASSERT_TRUE(calibration);
  Matrix truth(4000, 4);
  for (Index i = 0; i < 4000; ++i) {
    truth.row(i) = (2.5 * faded(drawn.z.row(i)).array()).exp();
    truth.row(i) /= truth.row(i).sum();
  }
  const Matrix p = calibrated(*calibration, drawn.z);
  EXPECT_LT((p - truth).cwiseAbs().mean(), 0.015);
  EXPECT_TRUE(std::is_sorted(calibration->conformity.begin(), calibration->conformity.end()));
}

TEST(Calibration, DoesNotDependOnTheScaleOfScores) {
  const Drawn drawn = draw(200, 3, 1.5, 4);
  const Matrix scaled = 1e-9 * drawn.z;
  const auto a = calibrate(drawn.z, drawn.classes, uniform(3)),
             b = calibrate(scaled, drawn.classes, uniform(3));
  ASSERT_TRUE(a && b);
  EXPECT_LT((calibrated(*a, drawn.z) - calibrated(*b, scaled)).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(Calibration, UsesLogarithmsWhereScoresDifferInSize) {
  // The same evidence at every sample, but scores that fade with the distance to the labels.
  const Drawn drawn = draw(2000, 3, 1.0, 5);
  Matrix scores = drawn.z.array().exp();
  for (Index i = 0; i < scores.rows(); ++i) scores.row(i) *= std::pow(10.0, -(i % 3));
  const auto calibration = calibrate(scores, drawn.classes, uniform(3));
  ASSERT_TRUE(calibration);
  EXPECT_GT(weight_of(*calibration, Calibration::Form::logarithm), 0.9);
  EXPECT_NEAR(calibration->members.front().temperature, 1.0, 0.15);
}

// Large scores are right, small ones are not: the size counts fully.
TEST(Calibration, UsesTheSizeOfScoresWhereItSaysMore) {
  const Drawn drawn = draw(2000, 2, 2.0, 7);
  const auto calibration = calibrate(drawn.z, drawn.classes, uniform(2));
  ASSERT_TRUE(calibration);
  Matrix pair(2, 2);
  pair << 0.05, -0.05, 2.0, -2.0;
  const Matrix p = calibrated(*calibration, pair);
  EXPECT_NEAR(p(0, 0), 1.0 / (1.0 + std::exp(-0.2)), 0.05);
  EXPECT_NEAR(p(1, 0), 1.0 / (1.0 + std::exp(-8.0)), 0.01);
}

// Labels that no other label reaches say how often the most frequent class is right without
// evidence: 6 of 8, with 4 samples of the prior 0.5.
TEST(Calibration, LearnsTheProbabilitiesOfSamplesWithoutEvidence) {
  const Vector prior = (Vector(3) << 0.5, 0.3, 0.2).finished();
  Drawn drawn = draw(40, 3, 2.0, 8);
  for (Index i = 0; i < 8; ++i) {
    drawn.z.row(i).setZero();
    drawn.classes[static_cast<std::size_t>(i)] = i < 6 ? 0 : 1;
  }
  const auto calibration = calibrate(drawn.z, drawn.classes, prior);
  ASSERT_TRUE(calibration);
  ASSERT_EQ(calibration->unreached.size(), 3u);
  EXPECT_NEAR(calibration->unreached[0], 8.0 / 12.0, 1e-12);
  EXPECT_NEAR(calibration->unreached[1], 0.6 * 4.0 / 12.0, 1e-12);
  const ClassDecision decision{{"a", "b", "c"}, prior, {}, {}, {}, false, calibration};
  Predictions predictions;
  predictions.scores = Matrix::Zero(1, 3);
  predictions.evidence = {0};
  predictions.class_index = {0};
  EXPECT_EQ(class_probabilities(decision, predictions)(0, 0), calibration->unreached[0]);

  // Never right: the prediction stays the most probable class.
  for (Index i = 0; i < 8; ++i) drawn.classes[static_cast<std::size_t>(i)] = 2;
  const auto wrong = calibrate(drawn.z, drawn.classes, prior);
  ASSERT_TRUE(wrong);
  EXPECT_NEAR(wrong->unreached[0], wrong->unreached[1], 1e-12);
  EXPECT_NEAR(wrong->unreached[0] + wrong->unreached[1] + wrong->unreached[2], 1.0, 1e-12);
  // Several classes are the most frequent: each sample may have another prediction.
  EXPECT_TRUE(calibrate(drawn.z, drawn.classes, uniform(3))->unreached.empty());
}

TEST(Calibration, KeepsTheOrderOfScoresAndSumsToOne) {
  using Form = Calibration::Form;
  const Drawn drawn = draw(50, 5, 1.0, 6);
  for (const Form form : {Form::power, Form::logarithm, Form::shares}) {
    Calibration calibration{{{form, 0.5, 3.0, 0.9}}};
    calibration.prior = {0.6, 0.1, 0.1, 0.1, 0.1};
    const Matrix p = calibrated(calibration, drawn.z);
    for (Index i = 0; i < p.rows(); ++i) {
      EXPECT_NEAR(p.row(i).sum(), 1.0, 1e-12);
      Index largest = 0;
      drawn.z.row(i).maxCoeff(&largest);
      EXPECT_EQ(p.row(i).maxCoeff(), p(i, largest));
    }
  }
}

// Of negative scores, too, the largest has the largest probability.
TEST(Calibration, OrdersNegativeScores) {
  const Matrix scores = (Matrix(1, 3) << -3.0, -1.0, -2.0).finished();
  for (const auto form : {Calibration::Form::power, Calibration::Form::logarithm}) {
    const Matrix p = calibrated({{{form, 1.0, 2.0, 1.0}}}, scores);
    EXPECT_GT(p(0, 1), p(0, 2));
    EXPECT_GT(p(0, 2), p(0, 0));
  }
}

TEST(Calibration, AFewSeparatedLabelsDoNotGiveCertainty) {
  const Matrix scores = (Matrix(4, 2) << 1, 0, 1, 0, 0, 1, 0, 1).finished();
  const auto calibration = calibrate(scores, {0, 0, 1, 1}, uniform(2));
  ASSERT_TRUE(calibration);
  const double p = calibrated(*calibration, scores)(0, 0);
  EXPECT_GT(p, 0.8);
  EXPECT_LT(p, 0.97);
}

TEST(Calibration, HasNothingToLearnFromZerosOrOneLabel) {
  EXPECT_FALSE(calibrate(Matrix::Zero(5, 2), {0, 1, 0, 1, 0}, uniform(2)));
  EXPECT_FALSE(calibrate(Matrix::Ones(1, 2), {0}, uniform(2)));
}

TEST(PredictionSets, CoverAsPromised) {
  // Frequency over repetitions with exchangeable samples: between 1 - α and 1 - α + 1/(n + 1).
  constexpr Index kLabels = 49;
  double covered = 0.0, total = 0.0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Drawn drawn = draw(kLabels + 50, 4, 1.5, 100 + seed);
    const std::vector<Index> classes(drawn.classes.begin(), drawn.classes.begin() + kLabels);
    auto calibration = calibrate(drawn.z.topRows(kLabels), classes, uniform(4));
    ASSERT_TRUE(calibration);
    const auto sets =
        prediction_sets(*calibration, calibrated(*calibration, drawn.z.bottomRows(50)), 0.9);
    for (std::size_t i = 0; i < sets.size(); ++i) {
      covered += std::count(sets[i].begin(), sets[i].end(), drawn.classes[kLabels + i]);
      total += 1.0;
    }
  }
  EXPECT_GT(covered / total, 0.885);
  EXPECT_LT(covered / total, 0.935);
}

Calibration ranked(std::vector<double> conformity) {
  Calibration result{{{}}};
  result.conformity = std::move(conformity);
  return result;
}

TEST(PredictionSets, ACountedCase) {
  const Calibration calibration = ranked({0.1, 0.3, 0.5, 0.7});
  const Matrix p = (Matrix(2, 3) << 0.6, 0.3, 0.1, 0.05, 0.9, 0.05).finished();
  // Ranks (1 + #{p_i <= p})/5: 0.8, 0.6, 0.4 and 0.2, 1, 0.2.
  EXPECT_EQ(prediction_sets(calibration, p, 0.5), (std::vector<std::vector<Index>>{{0, 1}, {1}}));
  EXPECT_EQ(prediction_sets(calibration, p, 0.7),
            (std::vector<std::vector<Index>>{{0, 1, 2}, {1}}));
  EXPECT_EQ(prediction_sets(calibration, p, 0.1), (std::vector<std::vector<Index>>{{}, {1}}));
}

TEST(PredictionSets, RefuseACoverageThatLabelsCannotGive) {
  const Calibration calibration = ranked(std::vector<double>(20, 0.5));
  EXPECT_THAT(testing::message_of<ParameterError>(
                  [&] { prediction_sets(calibration, Matrix::Ones(1, 2), 0.99); }),
              HasSubstr("at most 0.9523"));
  EXPECT_EQ(prediction_sets(calibration, Matrix::Ones(1, 2), 20.0 / 21.0).size(), 1u);
}

}  // namespace
}  // namespace stkr::calibration_test
