// How Selection ranks scores, breaks ties, and evaluates its best point.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "selection_cases.hpp"
#include "small_problem.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/model/fit_model.hpp"
#include "stkr/selection/select.hpp"

namespace stkr::select_ranking_test {
namespace {

using namespace cases;

TEST(SelectRanking, RanksTiesInGridOrderAndNothingLast) {
  Selection selection;  // with equal losses
  for (const double value : {0.5, 0.8, std::numeric_limits<double>::quiet_NaN(), 0.8, 0.9}) {
    GridScore score;
    score.point.parameter = static_cast<double>(selection.scores.size());
    score.validation = value;
    selection.scores.push_back(score);
  }
  EXPECT_EQ(selection.ranking(), (std::vector<std::size_t>{4, 1, 3, 0, 2}));
  EXPECT_EQ(selection.best(), 4u);
  EXPECT_EQ(selection.best([](const GridPoint& p) { return p.parameter < 4; }), 1u);
  EXPECT_EQ(selection.best([](const GridPoint&) { return false; }), std::nullopt);
  selection.score = Score::mse;
  EXPECT_EQ(selection.ranking(), (std::vector<std::size_t>{0, 1, 3, 4, 2}));
  EXPECT_EQ(Selection{}.best(), std::nullopt);
}

TEST(SelectRanking, RanksTiesByTheSmoothLoss) {
  Selection selection;
  for (const auto& [value, loss] : {std::pair{0.8, 0.4}, {0.9, 0.3}, {0.8, 0.2}, {0.9, 0.3}}) {
    GridScore score;
    score.validation = value;
    score.loss = loss;
    selection.scores.push_back(score);
  }
  EXPECT_EQ(selection.ranking(), (std::vector<std::size_t>{1, 3, 2, 0}));
  selection.ties_by_grid_order = true;
  EXPECT_EQ(selection.ranking(), (std::vector<std::size_t>{1, 3, 0, 2}));
}

// Two overlapping clusters of points that every ridge separates, some more clearly.
TEST(SelectRanking, BreaksTiesByTheSquaredErrorOfTheShares) {
  Random random(76);
  Dataset dataset;
  Matrix x(60, 1);
  ClassLabels labels{{"a", "b"}, std::vector<std::int32_t>(60)};
  for (Index i = 0; i < 60; ++i) {
    labels.code[i] = i % 2;
    x(i, 0) = (i % 2 == 0 ? -1.0 : 1.0) + 0.3 * (random.uniform() - 0.5);
  }
  dataset.samples = Points{x, {}};
  dataset.labels = dataset.truth = labels;
  Specification spec;
  spec.kernel = PointKernelSpec{.length_scale = LengthScale::absolute(1.5), .normalize = false};
  FourWaySplit split;
  for (Index i = 0; i < 60; ++i) (i < 8 ? split.train : split.val).push_back(i);
  const Matrix k = kernel_matrix(x, rbf(1.5));
  const Matrix columns = reference::columns_of(k, split.train);
  Matrix y = Matrix::Zero(8, 2);
  for (Index i = 0; i < 8; ++i) y(i, i % 2) = 1.0;

  std::vector<double> betas{1e3, 1e-1, 1e-3, 1e-2, 1.0};
  std::optional<double> chosen;
  for (int order = 0; order < 3; ++order) {
    std::rotate(betas.begin(), betas.begin() + order, betas.end());
    Grid grid = small_grid({});
    grid.powers = {1};
    grid.polynomials = {};
    grid.etas = {};
    grid.times = {};
    grid.propagation_etas = {};
    grid.betas = betas;
    SelectOptions options = exact_options(grid);
    const Selection selection =
        select_by_split(dataset, spec, split, Setting::transductive, options);
    ASSERT_EQ(selection.scores.size(), betas.size());
    for (const GridScore& score : selection.scores) {
      EXPECT_EQ(score.validation, 1.0);
      const Matrix f = ridge(reference::rows_of(columns, split.train),
                             reference::rows_of(columns, split.val), y, score.point.beta)
                           .cwiseMax(0.0);
      double loss = 0.0;
      for (Index i = 0; i < f.rows(); ++i) {
        const double other = f(i, 1 - labels.code[split.val[i]]) / f.row(i).sum();
        loss += 2.0 * other * other / static_cast<double>(f.rows());
      }
      EXPECT_NEAR(score.loss, loss, 1e-8);
    }
    const GridScore& best = selection.scores[*selection.best()];
    for (const GridScore& score : selection.scores) EXPECT_LE(best.loss, score.loss);
    if (!chosen) chosen = best.point.beta;
    EXPECT_EQ(best.point.beta, *chosen) << "the order of the grid decides";
    // The paper's tables break ties by grid order.
    options.ties_by_grid_order = true;
    const Selection first = select_by_split(dataset, spec, split, Setting::transductive, options);
    EXPECT_EQ(first.best(), 0u);
  }
  EXPECT_NE(*chosen, 1e3);
}

TEST(SelectRanking, SaysHowWellTheBestCanBeExpectedToDo) {
  // Labels that nothing explains, 80 of them for validation: the best of the grid is above chance,
  // its expected score on other samples is not.
  constexpr int kDraws = 6;
  Random random(77);
  double best_sum = 0.0, expected_sum = 0.0, test_sum = 0.0;
  for (int draw = 0; draw < kDraws; ++draw) {
    Matrix x(200, 2);
    for (Index i = 0; i < x.size(); ++i) x.data()[i] = random.normal();
    Dataset dataset;
    dataset.samples = Points{x, {}};
    ClassLabels labels{{"a", "b"}, std::vector<std::int32_t>(200)};
    for (std::int32_t& code : labels.code) code = static_cast<std::int32_t>(random.below(2));
    dataset.labels = dataset.truth = labels;
    FourWaySplit split;
    for (Index i = 0; i < 200; ++i) {
      (i < 40 ? split.train : i < 120 ? split.val : split.test).push_back(i);
    }
    const Selection selection =
        select_by_split(dataset, {}, split, Setting::transductive, exact_options(Grid{}));
    const GridScore& best = selection.scores[*selection.best()];
    const auto expected = selection.expected_best(dataset.labels, split.val, 5);
    ASSERT_TRUE(expected.has_value());
    EXPECT_LT(*expected, best.validation);
    EXPECT_EQ(selection.expected_best(dataset.labels, split.val, 5), expected) << "the same seed";
    EXPECT_NE(selection.expected_best(dataset.labels, split.val, 6), expected) << "another";
    best_sum += best.validation / kDraws;
    expected_sum += *expected / kDraws;
    test_sum += *best.test / kDraws;
  }
  EXPECT_GT(best_sum, 0.58);
  EXPECT_NEAR(expected_sum, 0.5, 0.05);
  EXPECT_NEAR(test_sum, expected_sum, 0.05);

  // Without errors there is no optimism.
  Dataset moons = two_moons(200, 0.05, 78);
  keep_only(moons.labels, labeled_per_class(std::get<ClassLabels>(moons.labels), 20, 79));
  const Labels known = moons.labels;
  const auto gram = prepare_gram(moons, {}).gram;
  const Selection selection = select_by_leave_one_out(*gram, known, exact_options(small_grid({})));
  EXPECT_EQ(selection.scores[*selection.best()].validation, 1.0);
  EXPECT_NEAR(selection.expected_best(known, labeled_indices(known), 5).value(), 1.0, 0.01);
}

}  // namespace
}  // namespace stkr::select_ranking_test
