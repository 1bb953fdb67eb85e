#include "selection/scored_gram.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "estimator/ridge_unit.hpp"
#include "gram_cases.hpp"
#include "selection/calibrated_score.hpp"
#include "small_problem.hpp"
#include "stkr/estimator/stkr.hpp"
#include "stkr/gram/graph_gram.hpp"

namespace stkr::scored_gram_test {
namespace {

Grid small_grid() {
  Grid grid;
  grid.powers = {2};
  grid.etas = {0.9};
  grid.poisson_etas = {1.0};
  grid.dimensions.clear();
  grid.propagation_etas.clear();
  grid.ridges = {0.1, 1e-2};
  return grid;
}

GraphGram walk() { return GraphGram(to_csr(small_graph()), {}); }

EncodedTargets targets(std::vector<Index> labeled) {
  Labels labels = small_dataset().labels;
  keep_only(labels, labeled);
  return encode_targets(labels);
}

// f at sample `out`, fitted to the other labels with the same nβ relative to the diagonal.
Eigen::RowVectorXd fitted_without(const GramOperator& gram, const EncodedTargets& all, Index out,
                                  const Matrix& y, const SpectralTransform& s, double ridge,
                                  bool constant) {
  std::vector<Index> others;
  Matrix rest(y.rows() - 1, y.cols());
  for (Index i = 0; i < y.rows(); ++i) {
    if (i == out) continue;
    rest.row(static_cast<Index>(others.size())) = y.row(i);
    others.push_back(all.labeled[i]);
  }
  StkrOptions options;
  options.transform = s;
  options.constant = constant;
  options.tolerance = 1e-11;
  // The unit of all labels.
  options.ridge = ridge;
  const Fit whole = fit_stkr(gram, all.labeled, y, options);
  options.beta =
      whole.summary.beta * static_cast<double>(y.rows()) / static_cast<double>(others.size());
  const Fit fit = fit_stkr(gram, others, rest, options);
  Eigen::RowVectorXd f = fit.fitted.row(all.labeled[out]);
  if (constant) f += fit.constant.transpose();
  return f;
}

TEST(ScoredGram, ScoresClassesByFitsWithoutTheirLabel) {
  const GraphGram gram = walk();
  const EncodedTargets all = targets({1, 20, 30, 40, 60, 70, 80, 100, 105});
  const ScoredGram scored = score_gram(gram, all, small_grid(), 1.0, {});
  ASSERT_EQ(scored.points.size(), 6U);
  const Eigen::RowVectorXd mean = all.y.colwise().mean();
  const Matrix centered = all.y.rowwise() - mean;
  std::vector<Index> classes;
  for (Index i = 0; i < 9; ++i) {
    classes.emplace_back();
    all.y.row(i).maxCoeff(&classes.back());
  }
  const Vector counts = all.y.colwise().sum();
  const Vector shares = (counts.array() + 0.5) / (9.0 + 1.5);
  for (const ScoredPoint& point : scored.points) {
    SCOPED_TRACE(describe(point.point, small_grid()));
    const SpectralTransform s = point.point.family == Family::power ? SpectralTransform::power(2)
                                : point.point.family == Family::poisson
                                    ? SpectralTransform::poisson()
                                    : SpectralTransform::inverse_laplacian(0.9);
    Matrix g(9, 3);
    for (Index i = 0; i < 9; ++i) {
      g.row(i) = fitted_without(gram, all, i, centered, s, point.point.ridge, false);
    }
    EXPECT_NEAR(point.score, calibrated_score(g, classes, shares, point.scale).log_likelihood,
                1e-6 * std::abs(point.score));
    StkrOptions options;
    options.transform = s;
    options.ridge = point.point.ridge;
    const Fit fit = fit_stkr(gram, all.labeled, all.y, options);
    EXPECT_LT((fit.alpha - point.alpha).norm(), 1e-6 * fit.alpha.norm());
    options.tolerance = 1e-11;
    const Fit spread = fit_stkr(gram, all.labeled, centered, options);
    const std::vector<Index> others = unlabeled_samples(gram.size(), all.labeled);
    double squares = 0.0;
    for (const Index i : others) squares += spread.fitted.row(i).squaredNorm();
    EXPECT_NEAR(point.scale, std::sqrt(squares / (3.0 * static_cast<double>(others.size()))),
                1e-6 * point.scale);
  }
}

TEST(ScoredGram, ScoresNumbersByTheirResiduals) {
  const GraphGram gram = walk();
  TargetValues values{{"t"}, Matrix::Constant(kNodes, 1, std::nan(""))};
  const std::vector<Index> labeled{1, 20, 30, 40, 60, 70, 80, 100};
  for (const Index i : labeled) values.values(i, 0) = std::sin(static_cast<double>(i)) + i / 38;
  const EncodedTargets all = encode_targets(values);
  Grid grid = small_grid();
  grid.poisson_etas.clear();
  const ScoredGram scored = score_gram(gram, all, grid, 1.0, {});
  ASSERT_EQ(scored.points.size(), 4U);
  for (const ScoredPoint& point : scored.points) {
    const SpectralTransform s = point.point.family == Family::power
                                    ? SpectralTransform::power(2)
                                    : SpectralTransform::inverse_laplacian(0.9);
    double squares = 0.0;
    for (Index i = 0; i < 8; ++i) {
      squares += std::pow(
          fitted_without(gram, all, i, all.y, s, point.point.ridge, true)[0] - all.y(i, 0), 2);
    }
    EXPECT_NEAR(point.score, -4.0 * std::log(squares / 8.0), 1e-6);
  }
}

TEST(ScoredGram, IsTheMeanOverItsPoints) {
  ScoredGram scored;
  for (const double score : {-3.0, -1.0, -2.0}) scored.points.push_back({{}, score, 1.0, {}, {}});
  EXPECT_EQ(scored.best(), 1U);
  EXPECT_NEAR(scored.score(), std::log((std::exp(-3.0) + std::exp(-1.0) + std::exp(-2.0)) / 3.0),
              1e-14);
}

TEST(ScoredGram, NamesClassesWithOneLabel) {
  EXPECT_EQ(classes_with_one_label(targets({1, 2, 40, 80})), (std::vector<std::string>{"b", "c"}));
  EXPECT_TRUE(classes_with_one_label(targets({1, 2, 40, 41})).empty());
}

TEST(ScoredGram, NeedsLabelsThatCanBeLeftOut) {
  EXPECT_FALSE(can_leave_out(targets({1, 40, 80})));          // one of each class
  EXPECT_FALSE(can_leave_out(targets({1, 2, 3, 4, 5, 40})));  // one class has others
  EXPECT_FALSE(can_leave_out(targets({1, 2, 40})));
  EXPECT_TRUE(can_leave_out(targets({1, 2, 40, 41})));
  EXPECT_TRUE(can_leave_out(targets({1, 2, 40, 41, 80})));
}

}  // namespace
}  // namespace stkr::scored_gram_test
