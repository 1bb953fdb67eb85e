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

TEST(Calibration, FindsTheTemperatureOfScores) {
  const Drawn drawn = draw(4000, 4, 2.5, 3, /*fade=*/true);
  const auto calibration = calibrate(drawn.z, drawn.classes);
  ASSERT_TRUE(calibration);
  EXPECT_FALSE(calibration->by_shares);
  EXPECT_NEAR(calibration->temperature, 2.5, 0.15);
  EXPECT_TRUE(std::is_sorted(calibration->conformity.begin(), calibration->conformity.end()));
}

TEST(Calibration, DoesNotDependOnTheScaleOfScores) {
  const Drawn drawn = draw(200, 3, 1.5, 4);
  const Matrix scaled = 1e-9 * drawn.z;
  const auto a = calibrate(drawn.z, drawn.classes), b = calibrate(scaled, drawn.classes);
  ASSERT_TRUE(a && b);
  EXPECT_LT((calibrated(*a, drawn.z) - calibrated(*b, scaled)).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(Calibration, UsesSharesWhereScoresDifferInSize) {
  // The same evidence at every sample, but scores that fade with the distance to the labels.
  const Drawn drawn = draw(2000, 3, 1.0, 5);
  Matrix scores = drawn.z.array().exp();
  for (Index i = 0; i < scores.rows(); ++i) scores.row(i) *= std::pow(10.0, -(i % 8));
  const auto calibration = calibrate(scores, drawn.classes);
  ASSERT_TRUE(calibration);
  EXPECT_TRUE(calibration->by_shares);
  EXPECT_NEAR(calibration->temperature, 1.0, 0.1);
}

TEST(Calibration, KeepsTheOrderOfScoresAndSumsToOne) {
  const Drawn drawn = draw(50, 5, 1.0, 6);
  for (const bool by_shares : {false, true}) {
    const Matrix p = calibrated({by_shares, 3.0, {}}, drawn.z);
    for (Index i = 0; i < p.rows(); ++i) {
      EXPECT_NEAR(p.row(i).sum(), 1.0, 1e-12);
      Index largest = 0, likely = 0;
      drawn.z.row(i).maxCoeff(&largest);
      p.row(i).maxCoeff(&likely);
      EXPECT_EQ(largest, likely);
    }
  }
}

TEST(Calibration, AFewSeparatedLabelsDoNotGiveCertainty) {
  const Matrix scores = (Matrix(4, 2) << 1, 0, 1, 0, 0, 1, 0, 1).finished();
  const auto calibration = calibrate(scores, {0, 0, 1, 1});
  ASSERT_TRUE(calibration);
  const double p = calibrated(*calibration, scores)(0, 0);
  EXPECT_GT(p, 0.8);
  EXPECT_LT(p, 0.97);
}

TEST(Calibration, HasNothingToLearnFromZerosOrOneLabel) {
  EXPECT_FALSE(calibrate(Matrix::Zero(5, 2), {0, 1, 0, 1, 0}));
  EXPECT_FALSE(calibrate(Matrix::Ones(1, 2), {0}));
}

TEST(PredictionSets, CoverAsPromised) {
  // Frequency over repetitions with exchangeable samples: between 1 - α and 1 - α + 1/(n + 1).
  constexpr Index kLabels = 49;
  double covered = 0.0, total = 0.0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Drawn drawn = draw(kLabels + 50, 4, 1.5, 100 + seed);
    const std::vector<Index> classes(drawn.classes.begin(), drawn.classes.begin() + kLabels);
    auto calibration = calibrate(drawn.z.topRows(kLabels), classes);
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

TEST(PredictionSets, ACountedCase) {
  const Calibration calibration{false, 1.0, {0.1, 0.3, 0.5, 0.7}};
  const Matrix p = (Matrix(2, 3) << 0.6, 0.3, 0.1, 0.05, 0.9, 0.05).finished();
  // Ranks (1 + #{p_i <= p})/5: 0.8, 0.6, 0.4 and 0.2, 1, 0.2.
  EXPECT_EQ(prediction_sets(calibration, p, 0.5), (std::vector<std::vector<Index>>{{0, 1}, {1}}));
  EXPECT_EQ(prediction_sets(calibration, p, 0.7),
            (std::vector<std::vector<Index>>{{0, 1, 2}, {1}}));
  EXPECT_EQ(prediction_sets(calibration, p, 0.1), (std::vector<std::vector<Index>>{{}, {1}}));
}

TEST(PredictionSets, RefuseACoverageThatLabelsCannotGive) {
  const Calibration calibration{false, 1.0, std::vector<double>(20, 0.5)};
  EXPECT_THAT(testing::message_of<ParameterError>(
                  [&] { prediction_sets(calibration, Matrix::Ones(1, 2), 0.99); }),
              HasSubstr("at most 0.9523"));
  EXPECT_EQ(prediction_sets(calibration, Matrix::Ones(1, 2), 20.0 / 21.0).size(), 1u);
}

}  // namespace
}  // namespace stkr::calibration_test
