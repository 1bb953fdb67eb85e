#include "report/selection_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/selection_tables.hpp"
#include "stkr/dataset/generators.hpp"

namespace stkr::report::selection_page_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

Dataset moons() {
  Dataset dataset = two_moons(120, 0.1, 5);
  std::vector<Index> labeled;
  for (Index i = 0; i < 120; i += 12) labeled.insert(labeled.end(), {i, i + 1});
  keep_only(dataset.labels, labeled);
  return dataset;
}

SelectOptions small_grid() {
  SelectOptions options;
  options.grid = {.powers = {1, 2},
                  .etas = {0.9, 0.99},
                  .dimensions = {},
                  .ridges = {1, 0.1},
                  .propagation_etas = {},
                  .propagation_steps = {}};
  return options;
}

TEST(SelectionPage, ShowsTheChoiceAndWhy) {
  const ModelSelection result = select_model(moons(), {}, {}, {.folds = 4}, small_grid());
  const RunPage page = selection_page({.data = "moons: 120 points",
                                       .name = "moons, rbf",
                                       .result = result,
                                       .points = 8,
                                       .repeat = {{"Command", "stkr select"}}});
  EXPECT_EQ(page.title, "Selection for moons: 120 points");
  EXPECT_THAT(page.intro.front(), HasSubstr("8 combinations"));
  EXPECT_THAT(page.scores,
              AllOf(Contains(Pair("Chosen", HasSubstr("ridge "))),
                    Contains(Pair("accuracy, cross-validation", HasSubstr("20 samples")))));
  EXPECT_EQ(page.tables.front().rows.size(), 9u);
  ASSERT_EQ(page.confusions.size(), 1u);
  Index counted_samples = 0;
  for (const auto& row : page.confusions.front().counts) {
    for (const Index value : row) counted_samples += value;
  }
  EXPECT_LE(counted_samples, 20);
  ASSERT_EQ(page.figures.size(), 2u);  // one per family
  EXPECT_THAT(page.figures.front().svg, HasSubstr("moons, rbf: "));
  EXPECT_THAT(page.facts, Contains(Pair("Command", "stkr select")));
  EXPECT_LT(render_html(page).size(), 200'000u);
}

TEST(SelectionPage, TakesNumbersAndSeveralKernels) {
  Dataset dataset = swiss_roll(90, 0.1, 2);
  KernelGrid kernels;
  kernels.kernels = {PointKernelSpec{}, NeighborGraphSpec{}};
  const ModelSelection result = select_model(dataset, {}, kernels, {.folds = 0}, small_grid());
  const RunPage page = selection_page({.data = {}, .name = "roll", .result = result});
  EXPECT_EQ(page.title, "Selection for your data");
  EXPECT_TRUE(page.confusions.empty());
  EXPECT_THAT(page.scores, Contains(Pair("r2, leave-one-out", HasSubstr("90 samples"))));
  std::vector<std::string> titles;
  for (const PageTable& table : page.tables) titles.push_back(table.title);
  EXPECT_THAT(titles, Contains("The best point of each kernel"));
}

TEST(SelectionTables, NameDataKernelAndClassMassInThePicture) {
  SelectOptions options = small_grid();
  options.class_mass = ClassMassChoice::on;
  const ModelSelection result = select_model(moons(), {}, {}, {.folds = 4}, options);
  const Selection& selection = result.selections.front().second;
  const HeatMap map =
      score_map(result, selection, selection.scores[*selection.best()].point, "moons, rbf");
  EXPECT_THAT(map.title, AllOf(StartsWith("moons, rbf: "),
                               HasSubstr(", class mass: cross-validation accuracy")));
  EXPECT_EQ(best_points(result, selection, 3).size(), 4u);
  EXPECT_EQ(best_of_kernels(result, selection).size(), 2u);
  EXPECT_EQ(best_of_families(result, selection).size(), 3u);
}

}  // namespace
}  // namespace stkr::report::selection_page_test
