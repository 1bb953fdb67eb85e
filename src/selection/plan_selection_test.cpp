#include "selection/plan_selection.hpp"

#include <gtest/gtest.h>

#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr std::uint64_t kMega = 1'000'000;
constexpr ProblemShape kGraph{.kind = DatasetKind::graph,
                              .samples = 200'000,
                              .entries = 4'000'000,
                              .labeled = 400,
                              .outputs = 10};

Plan planned(const ProblemShape& shape, std::uint64_t memory, const Grid& grid = {},
             const Validation& validation = {}) {
  return plan_selection(shape, Recipe{}, grid, validation, {.memory = memory});
}

TEST(PlanSelection, LabelsGoInBatchesAsMemoryShrinks) {
  Grid grid;
  grid.propagation_etas.clear();  // processes all labels at once
  grid.dimensions.clear();        // needs eigenvectors, whatever the labels
  const Plan roomy = planned(kGraph, 0, grid);
  const std::uint64_t most = roomy.strategies[0].peak.total();
  const Plan tight = planned(kGraph, most / 2, grid);
  ASSERT_TRUE(roomy.chosen && tight.chosen);
  EXPECT_LT(tight.strategies[0].execution.block_bytes, roomy.strategies[0].execution.block_bytes);
  EXPECT_LE(tight.strategies[0].peak.total(), most / 2);
  EXPECT_GT(tight.strategies[0].work.products, roomy.strategies[0].work.products);
  EXPECT_FALSE(planned(kGraph, 100 * kMega, grid).chosen);
  EXPECT_THROW(carried_out(planned(kGraph, 100 * kMega, grid), Recipe{}), MemoryError);
}

TEST(PlanSelection, ASmallerGridTakesLess) {
  Grid small;
  small.dimensions = {32};
  EXPECT_LT(planned(kGraph, 0, small).strategies[0].peak.total(),
            planned(kGraph, 0).strategies[0].peak.total());
  small.etas.clear();
  EXPECT_LT(planned(kGraph, 0, small).strategies[0].work.products,
            planned(kGraph, 0).strategies[0].work.products);
}

TEST(PlanSelection, TwoSettingsSideBySideTakeMoreThanOne) {
  const auto peak = [](std::vector<Setting> settings) {
    return planned(kGraph, 0, {}, {std::move(settings), 1000}).strategies[0].peak.total();
  };
  EXPECT_GT(peak({Setting::transductive, Setting::inductive}), peak({Setting::transductive}));
  EXPECT_GT(peak({Setting::inductive}), peak({Setting::transductive}));
}

// The choices of the plan and of the caller are in the recipe of each gram.
TEST(PlanSelection, ReachesTheGramOfEveryCandidate) {
  Dataset moons = two_moons(2000, 0.1, 1);
  keep_only(moons.labels, labeled_per_class(std::get<ClassLabels>(moons.labels), 8, 1));
  Recipe recipe;
  recipe.may_round_to_single = true;
  const KernelGrid kernels{.kernels = {"rbf", "laplacian", "knn"}};
  std::stop_source stop;
  SelectOptions options;
  options.grid.dimensions.clear();
  const Context context{.cancel = stop.get_token()};
  const auto planned = [&](std::uint64_t memory) {
    return plan_candidates(moons, {}, {}, kernels, recipe, options, {.memory = memory});
  };
  // The least memory of each way: kept tiles, evaluated tiles, then single precision.
  std::vector<std::uint64_t> least;
  const Plan nothing = plan_selection(shape_of(moons), recipe, options.grid, {}, {.memory = 1});
  for (const Strategy& way : nothing.strategies) {
    least.push_back(way.peak.total());
  }
  ASSERT_EQ(least.size(), 3u);
  ASSERT_GT(least[1], least[2]);
  for (std::size_t k = 0; k < 3; ++k) {
    const PlannedCandidates now = planned(k == 0 ? 0 : least[k]);
    ASSERT_EQ(now.plan.chosen, k);
    ASSERT_EQ(now.candidates.size(), 3u);
    EXPECT_EQ(options.block_bytes, now.plan.strategies[k].execution.block_bytes);
    for (const KernelCandidate& candidate : now.candidates) {
      EXPECT_EQ(candidate.recipe.execution.tiles, k == 0 ? Tiles::kept : Tiles::evaluated);
      EXPECT_EQ(candidate.recipe.single_precision, k == 2 && candidate.recipe.kernel != "knn");
      Dataset copy = moons;
      const PreparedGram prepared = prepare_gram(copy, candidate.recipe);
      EXPECT_EQ(!prepared.choices.empty() && prepared.choices.front().what == "precision",
                candidate.recipe.single_precision);
    }
  }
  stop.request_stop();
  for (const KernelCandidate& candidate : planned(0).candidates) {
    Dataset copy = moons;
    EXPECT_THROW(prepare_gram(copy, candidate.recipe, context), Cancelled) << candidate.description;
  }
}

// The scores do not depend on the plan's settings.
TEST(PlanSelection, BatchesDoNotChangeScores) {
  Dataset moons = two_moons(150, 0.1, 1);
  keep_only(moons.labels, labeled_per_class(std::get<ClassLabels>(moons.labels), 8, 1));
  SelectOptions options;
  options.grid.dimensions = {4, 8};
  const auto scores = [&](Tiles tiles, std::size_t block_bytes, Index diagonalize_below) {
    Dataset copy = moons;
    Recipe recipe;
    recipe.execution.tiles = tiles;
    options.block_bytes = block_bytes;
    options.diagonalize_below = diagonalize_below;
    return select_by_folds(*prepare_gram(copy, recipe).gram, moons.labels, 4, options).scores;
  };
  const auto expected = scores(Tiles::evaluated, std::size_t{1} << 30, 4000);
  const auto thrifty = scores(Tiles::kept, 1, 0);
  ASSERT_EQ(expected.size(), thrifty.size());
  std::size_t same = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(expected[k].point, thrifty[k].point);
    same += std::abs(expected[k].validation - thrifty[k].validation) < 1e-12;
  }
  // A sample on the border between two classes may go either way.
  EXPECT_GT(same, expected.size() * 95 / 100);
}

}  // namespace
}  // namespace stkr
