#include "selection/plan_selection.hpp"

#include <gtest/gtest.h>

#include "specification/kernel_names.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "stkr/selection/select_model.hpp"

namespace stkr::plan_selection_test {
namespace {

constexpr std::uint64_t kMega = 1'000'000;
constexpr ProblemShape kGraph{.kind = DatasetKind::graph,
                              .samples = 200'000,
                              .entries = 4'000'000,
                              .labeled = 400,
                              .outputs = 10};

Plan planned(const ProblemShape& shape, std::uint64_t memory, const Grid& grid = {},
             const Validation& validation = {}) {
  return plan_selection(shape, {}, grid, validation, {.memory = memory});
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
  EXPECT_THROW(chosen_execution(planned(kGraph, 100 * kMega, grid)), MemoryError);
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

// Checks that the scores and the products of select_model are those of selecting with each
// candidate alone, in the way that the plan chose.
void expect_as_planned(const ModelSelection& selected, const Dataset& dataset,
                       SelectOptions options) {
  options.execution = chosen_execution(selected.plan);
  const Selection& all = selected.selections.front().second;
  std::size_t at = 0;
  long products = 0, products_of_all = 0;
  for (const KernelCandidate& candidate : selected.candidates) {
    SCOPED_TRACE(candidate.description);
    const bool rounded = options.execution.single_precision &&
                         candidate.spec.kernel.get_if<PointKernelSpec>() != nullptr;
    Dataset copy = dataset;
    const PreparedGram prepared = prepare_gram(copy, candidate.spec, options.execution);
    EXPECT_EQ(prepared.choices.front().what == "precision", rounded);
    const Selection alone =
        select_by_folds(*prepared.gram, dataset.labels, selected.validation.folds, options);
    ASSERT_LE(at + alone.scores.size(), all.scores.size());
    for (const GridScore& expected : alone.scores) {
      EXPECT_EQ(all.scores[at].validation, expected.validation);
      EXPECT_EQ(all.scores[at].loss, expected.loss);
      EXPECT_EQ(all.scores[at].beta, expected.beta);
      ++at;
    }
    for (const FamilyCost& cost : alone.costs) products += cost.products;
  }
  EXPECT_EQ(at, all.scores.size());
  for (const FamilyCost& cost : all.costs) products_of_all += cost.products;
  EXPECT_EQ(products_of_all, products);
}

// The choices of the plan and of the caller reach the gram of every candidate.
TEST(PlanSelection, ReachesTheGramOfEveryCandidate) {
  Dataset moons = two_moons(2000, 0.1, 1);
  keep_only(moons.labels, labeled_per_class(std::get<ClassLabels>(moons.labels), 8, 1));
  Specification spec;
  spec.precision = Precision::single_if_needed;
  const KernelGrid kernels{
      .kernels = {kernel_spec("rbf"), kernel_spec("laplacian"), kernel_spec("knn")}};
  SelectOptions options;
  options.grid.dimensions.clear();
  options.grid.etas = {0.99};
  options.grid.ridges = {0.1};
  const auto selected = [&](std::uint64_t memory) {
    return select_model(moons, spec, kernels, {}, options, {.memory = memory});
  };
  // The least memory of each way: kept tiles, evaluated tiles, then single precision.
  std::vector<std::uint64_t> least;
  const Plan nothing = plan_selection(shape_of(moons), spec, options.grid, {}, {.memory = 1});
  for (const Strategy& way : nothing.strategies) {
    least.push_back(way.peak.total());
  }
  ASSERT_EQ(least.size(), 3u);
  ASSERT_GT(least[1], least[2]);
  std::vector<Selection> found;
  for (std::size_t k = 0; k < 3; ++k) {
    SCOPED_TRACE(k);
    const ModelSelection now = selected(k == 0 ? 0 : least[k]);
    ASSERT_EQ(now.plan.chosen, k);
    ASSERT_EQ(now.candidates.size(), 3u);
    const Execution& execution = chosen_execution(now.plan);
    EXPECT_EQ(execution.tiles, k == 0 ? Tiles::kept : Tiles::evaluated);
    EXPECT_EQ(execution.single_precision, k == 2);
    EXPECT_EQ(execution.block_bytes, now.plan.strategies[k].execution.block_bytes);
    expect_as_planned(now, moons, options);
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_EQ(now.candidates[c].spec.kernel, kernels.kernels[c]);
      EXPECT_EQ(now.candidates[c].spec.precision, Precision::single_if_needed);
    }
    found.push_back(now.selections.front().second);
  }
  // Labels go in batches; points are rounded, a neighbor graph is not.
  EXPECT_GT(found[1].costs.front().products, found[0].costs.front().products);
  ASSERT_EQ(found[2].scores.size(), found[1].scores.size());
  std::size_t differ[3] = {0, 0, 0};
  for (std::size_t p = 0; p < found[1].scores.size(); ++p) {
    differ[found[1].scores[p].point.kernel] += found[2].scores[p].loss != found[1].scores[p].loss;
  }
  EXPECT_GT(differ[0], 0u);
  EXPECT_GT(differ[1], 0u);
  EXPECT_EQ(differ[2], 0u);

  std::stop_source stop;
  stop.request_stop();
  const Context context{.cancel = stop.get_token()};
  const ModelSelection roomy = selected(0);
  for (const KernelCandidate& candidate : roomy.candidates) {
    Dataset copy = moons;
    EXPECT_THROW(prepare_gram(copy, candidate.spec, chosen_execution(roomy.plan), context),
                 Cancelled)
        << candidate.description;
  }
  EXPECT_THROW(select_model(moons, spec, kernels, {}, options, context), Cancelled);
}

// A validation split takes its training samples as the labels and scores the others.
TEST(PlanSelection, PlansTheSettingsOfASplit) {
  Dataset moons = two_moons(200, 0.1, 1);
  FourWaySplit split;
  for (Index i = 0; i < 200; ++i) {
    (i < 20 ? split.train : i < 60 ? split.val : i < 90 ? split.test : split.other).push_back(i);
  }
  SelectOptions options;
  options.grid.powers = {1};
  options.grid.etas.clear();
  options.grid.dimensions.clear();
  options.grid.propagation_etas.clear();
  const std::vector<Setting> both{Setting::transductive, Setting::inductive};
  for (const std::vector<Setting>& settings : {std::vector<Setting>{Setting::inductive}, both}) {
    const ModelSelection selected =
        select_model(moons, {}, {}, {.split = split, .settings = settings}, options);
    ProblemShape shape = shape_of(moons);
    shape.labeled = 20;
    const Plan expected = plan_selection(shape, {}, options.grid, {settings, 70});
    EXPECT_EQ(selected.plan.chosen, expected.chosen);
    ASSERT_EQ(selected.plan.strategies.size(), expected.strategies.size());
    for (std::size_t k = 0; k < expected.strategies.size(); ++k) {
      EXPECT_EQ(selected.plan.strategies[k].peak.total(), expected.strategies[k].peak.total());
    }
    ASSERT_EQ(selected.selections.size(), settings.size());
    for (std::size_t k = 0; k < settings.size(); ++k) {
      EXPECT_EQ(selected.selections[k].first, settings[k]);
    }
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
    options.execution.tiles = tiles;
    options.execution.block_bytes = block_bytes;
    options.execution.diagonalize_below = diagonalize_below;
    const PreparedGram prepared = prepare_gram(copy, {}, options.execution);
    return select_by_folds(*prepared.gram, moons.labels, 4, options).scores;
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
}  // namespace stkr::plan_selection_test
