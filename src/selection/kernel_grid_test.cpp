#include "stkr/selection/kernel_grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

std::vector<std::string> described(const KernelGrid& grid, const Recipe& recipe, DatasetKind kind) {
  std::vector<std::string> result;
  for (const auto& candidate : kernel_candidates(grid, recipe, kind)) {
    result.push_back(candidate.description);
  }
  return result;
}

TEST(KernelGrid, WithoutListsIsTheRecipe) {
  Recipe recipe;
  recipe.kernel = "matern32";
  const auto candidates = kernel_candidates({}, recipe, DatasetKind::points);
  ASSERT_EQ(candidates.size(), 1u);
  EXPECT_EQ(candidates[0].description, "");
  EXPECT_EQ(candidates[0].recipe.kernel, "matern32");
}

TEST(KernelGrid, CombinesKernelsAndScales) {
  KernelGrid grid;
  grid.kernels = {"rbf", "cosine", "laplacian"};
  grid.length_scales = {{0.5, true}, {3.0, false}};
  const auto candidates = kernel_candidates(grid, {}, DatasetKind::points);
  EXPECT_THAT(described(grid, {}, DatasetKind::points),
              ElementsAre("rbf 0.5x", "rbf 3", "cosine", "laplacian 0.5x", "laplacian 3"));
  EXPECT_EQ(candidates[0].recipe.scale_factor, 0.5);
  EXPECT_FALSE(candidates[0].recipe.length_scale.has_value());
  EXPECT_EQ(candidates[1].recipe.length_scale, 3.0);
  EXPECT_EQ(candidates[1].recipe.scale_factor, 1.0);
  EXPECT_EQ(candidates[2].recipe.scale_factor, 1.0);
}

TEST(KernelGrid, CountsOfNeighborsAreForTheNeighborGraph) {
  Recipe recipe;
  recipe.kernel = "knn";
  recipe.neighbors = 7;
  recipe.edge_weight = "binary";
  KernelGrid grid;
  grid.kernels = {"knn", "rbf"};
  EXPECT_THAT(described(grid, recipe, DatasetKind::points), ElementsAre("knn k=7", "rbf"));
  grid.neighbor_counts = {5, 10};
  grid.length_scales = {{2.0, true}};
  const auto candidates = kernel_candidates(grid, recipe, DatasetKind::points);
  EXPECT_THAT(described(grid, recipe, DatasetKind::points),
              ElementsAre("knn k=5", "knn k=10", "rbf 2x"));
  EXPECT_EQ(candidates[0].recipe.edge_weight, "binary");
  EXPECT_EQ(candidates[0].recipe.scale_factor, 1.0);
  EXPECT_FALSE(candidates[2].recipe.neighbors.has_value());
  EXPECT_EQ(candidates[2].recipe.edge_weight, "");
  grid.neighbor_counts = {5, 0};
  EXPECT_THROW(check_kernel_grid(grid), ValueError);
}

TEST(KernelGrid, ScalesReplaceThatOfTheRecipe) {
  Recipe recipe;
  recipe.length_scale = 7.0;
  KernelGrid grid;
  grid.length_scales = {{1.0, true}, {2.0, true}};
  const auto candidates = kernel_candidates(grid, recipe, DatasetKind::points);
  EXPECT_THAT(described(grid, recipe, DatasetKind::points), ElementsAre("rbf 1x", "rbf 2x"));
  EXPECT_FALSE(candidates[0].recipe.length_scale.has_value());
}

TEST(KernelGrid, MixesAddTheFeaturesOfAGraph) {
  KernelGrid grid;
  grid.mixes = {0.0, 0.25, 1.0};
  const auto candidates = kernel_candidates(grid, {}, DatasetKind::graph);
  EXPECT_THAT(described(grid, {}, DatasetKind::graph),
              ElementsAre("lazy-walk", "0.75 lazy-walk + 0.25 rbf", "rbf"));
  ASSERT_EQ(candidates[1].recipe.added.size(), 1u);
  EXPECT_EQ(candidates[1].recipe.added[0].kernel, "rbf");
  EXPECT_EQ(candidates[1].recipe.added[0].share, 0.25);
}

TEST(KernelGrid, NamesAndScalesFindTheirKernelInASum) {
  KernelGrid grid;
  grid.kernels = {"symmetric", "rbf", "laplacian"};
  grid.length_scales = {{1.0, true}, {2.0, true}};
  grid.mixes = {0.0, 0.5};
  // The graph alone is tried once, whatever the kernel of its features.
  EXPECT_THAT(described(grid, {}, DatasetKind::graph),
              ElementsAre("symmetric", "0.5 symmetric + 0.5 rbf 1x", "0.5 symmetric + 0.5 rbf 2x",
                          "0.5 symmetric + 0.5 laplacian 1x", "0.5 symmetric + 0.5 laplacian 2x"));
}

TEST(KernelGrid, MixesTwoKernelsOfPoints) {
  KernelGrid grid;
  grid.mixes = {0.5};
  EXPECT_THAT(message_of<ValueError>([&] { kernel_candidates(grid, {}, DatasetKind::points); }),
              HasSubstr("name one kernel to add"));
  Recipe recipe;
  recipe.added.emplace_back().kernel = "laplacian";
  EXPECT_THAT(described(grid, recipe, DatasetKind::points), ElementsAre("0.5 rbf + 0.5 laplacian"));
  recipe.added.emplace_back().kernel = "cosine";
  EXPECT_THAT(message_of<ValueError>([&] { kernel_candidates(grid, recipe, DatasetKind::points); }),
              HasSubstr("there are 2"));
}

TEST(KernelGrid, RefusesWhatMakesNoSense) {
  const auto refusal = [](const KernelGrid& grid) {
    return message_of<ValueError>([&] { check_kernel_grid(grid); });
  };
  EXPECT_THAT(refusal({.length_scales = {{0.0, true}}}), HasSubstr("length scale = 0x"));
  EXPECT_THAT(refusal({.length_scales = {{-2.0, false}}}), HasSubstr("length scale = -2"));
  EXPECT_THAT(refusal({.length_scales = {{2.0, false}, {2.0, false}}}), HasSubstr("listed twice"));
  EXPECT_THAT(refusal({.mixes = {0.5, 1.5}}), HasSubstr("mix = 1.5"));
  EXPECT_THAT(refusal({.mixes = {-0.5}}), HasSubstr("mix = -0.5"));
  EXPECT_THAT(refusal({.kernels = {"rbf", "rbf"}}), HasSubstr("rbf is listed twice"));
  // 2 and 2x are different scales.
  EXPECT_NO_THROW(check_kernel_grid({.length_scales = {{2.0, false}, {2.0, true}}}));
}

}  // namespace
}  // namespace stkr
