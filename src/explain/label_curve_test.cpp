#include "explain/label_curve.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "explain/closed_fit.hpp"
#include "transform_cases.hpp"

namespace stkr::label_curve_test {
namespace {

// Two classes on a line, with an RBF kernel.
struct Line {
  Matrix g;
  EncodedTargets targets;
};
Line line(Index n) {
  Line result;
  Random random(4);
  Vector x(n);
  result.targets.y = Matrix::Zero(n, 2);
  for (Index i = 0; i < n; ++i) {
    x[i] = 4.0 * random.uniform();
    result.targets.y(i, std::fmod(x[i], 2.0) < 1.0 ? 0 : 1) = 1.0;
  }
  result.targets.decision = ClassDecision{{"a", "b"}, Vector::Constant(2, 0.5)};
  result.g.resize(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) result.g(i, j) = std::exp(-8.0 * std::pow(x[i] - x[j], 2));
  }
  return result;
}

Vector left_out_errors(const Line& data) {
  return label_errors(ClosedFit(data.g, data.targets, 0.1).left_out(), data.targets, 1.0);
}

std::vector<Index> all_of(const Line& data) {
  std::vector<Index> all;
  for (Index i = 0; i < data.g.rows(); ++i) all.push_back(i);
  return all;
}

TEST(LabelCurve, FallsWithMoreLabels) {
  const Line data = line(80);
  Random random(1);
  const LearningCurve found =
      label_curve(data.g, data.targets, 0.1, left_out_errors(data), 1.0, all_of(data), 10, random);
  ASSERT_EQ(found.points.size(), 3u);
  EXPECT_EQ(found.points[0].amount, 20);
  EXPECT_EQ(found.points[1].amount, 40);
  EXPECT_EQ(found.points[2].amount, 80);
  EXPECT_GT(found.points[0].error, found.points[1].error);
  EXPECT_GT(found.points[1].error, found.points[2].error);
  EXPECT_NEAR(*found.gain, found.points[1].error - found.points[2].error, 1e-14);
}

// With one division, every label of one half is scored once by a fit to the other half.
TEST(LabelCurve, ScoresEveryLabelByFitsWithoutIt) {
  const Line data = line(8);
  Random random(1), same(1);
  const LearningCurve found =
      label_curve(data.g, data.targets, 0.1, left_out_errors(data), 1.0, all_of(data), 1, random);
  // The order of the labels that label_curve draws: for quarters first, then for halves.
  std::vector<Index> order{0, 1, 2, 3, 4, 5, 6, 7};
  same.shuffle(order);
  order = {0, 1, 2, 3, 4, 5, 6, 7};
  same.shuffle(order);
  double wrong = 0.0;
  for (Index part = 0; part < 2; ++part) {
    std::vector<Index> kept, others;
    for (Index k = 0; k < 8; ++k)
      (k % 2 == part ? kept : others).push_back(order[static_cast<std::size_t>(k)]);
    EncodedTargets some{{}, data.targets.y(kept, Eigen::all), false, data.targets.decision};
    const Matrix f =
        Matrix(data.g(others, kept)) * ClosedFit(data.g(kept, kept), some, 0.1).alpha();
    for (Index k = 0; k < 4; ++k) {
      wrong +=
          label_error(f.row(k), data.targets.y.row(others[static_cast<std::size_t>(k)]), true, 1.0);
    }
  }
  EXPECT_NEAR(found.points[1].error, wrong / 8.0, 1e-14);
}

TEST(LabelCurve, CountsOnlyTheLabelsThatAreScored) {
  const Line data = line(40);
  Random random(1);
  const Vector errors = left_out_errors(data);
  const std::vector<Index> some{1, 4, 7, 30};
  const LearningCurve found = label_curve(data.g, data.targets, 0.1, errors, 1.0, some, 10, random);
  EXPECT_EQ(found.points[2].error, errors(some).mean());
}

TEST(LabelCurve, SaysIfLabelsAreTooFew) {
  const Line data = line(7);
  Random random(1);
  const LearningCurve found =
      label_curve(data.g, data.targets, 0.1, left_out_errors(data), 1.0, all_of(data), 10, random);
  EXPECT_EQ(found.unknown, "7 labels; a curve needs at least 8");
  EXPECT_FALSE(found.gain);
}

}  // namespace
}  // namespace stkr::label_curve_test
