#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "specification/kernel_names.hpp"
#include "stkr/error.hpp"
#include "stkr/selection/grid.hpp"
#include "temporary_folder.hpp"

namespace stkr::kernel_grid_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

std::vector<std::string> described(const KernelGrid& grid, const Specification& spec,
                                   DatasetKind kind) {
  std::vector<std::string> result;
  for (const auto& candidate : kernel_candidates(grid, spec, kind)) {
    result.push_back(candidate.description);
  }
  return result;
}

LengthScale scale_of(const KernelCandidate& candidate) {
  return std::get<PointKernelSpec>(candidate.spec.kernel.form()).length_scale;
}

TEST(KernelGrid, WithoutListsIsTheSpecification) {
  Specification spec;
  spec.kernel = kernel_spec("matern32");
  const auto candidates = kernel_candidates({}, spec, DatasetKind::points);
  ASSERT_EQ(candidates.size(), 1u);
  EXPECT_EQ(candidates[0].description, "");
  EXPECT_EQ(candidates[0].spec.kernel, spec.kernel);
}

TEST(KernelGrid, CombinesKernelsAndScales) {
  KernelGrid grid;
  grid.kernels = {kernel_spec("rbf"), kernel_spec("cosine"), kernel_spec("laplacian")};
  grid.length_scales = {LengthScale{0.5}, LengthScale::absolute(3.0)};
  const auto candidates = kernel_candidates(grid, {}, DatasetKind::points);
  EXPECT_THAT(described(grid, {}, DatasetKind::points),
              ElementsAre("rbf 0.5x", "rbf 3", "cosine", "laplacian 0.5x", "laplacian 3"));
  EXPECT_EQ(scale_of(candidates[0]), LengthScale{0.5});
  EXPECT_EQ(scale_of(candidates[1]), LengthScale::absolute(3.0));
  EXPECT_EQ(scale_of(candidates[2]), LengthScale{});
}

TEST(KernelGrid, CountsOfNeighborsAreForTheNeighborGraph) {
  NeighborGraphSpec graph{.neighbors = 7, .weight = EdgeWeight::binary};
  KernelGrid grid;
  grid.kernels = {graph, PointKernelSpec{}};
  EXPECT_THAT(described(grid, {}, DatasetKind::points), ElementsAre("knn k=7", "rbf"));
  grid.neighbor_counts = {5, 10};
  grid.length_scales = {LengthScale{2.0}};
  const auto candidates = kernel_candidates(grid, {}, DatasetKind::points);
  EXPECT_THAT(described(grid, {}, DatasetKind::points),
              ElementsAre("knn k=5", "knn k=10", "rbf 2x"));
  graph.neighbors = 5;
  EXPECT_EQ(candidates[0].spec.kernel, KernelSpec(graph));  // without a length scale
  EXPECT_EQ(candidates[2].spec.kernel,
            KernelSpec(PointKernelSpec{.length_scale = LengthScale{2.0}}));
  // The kernel of the specification is varied likewise.
  Specification spec;
  spec.kernel = graph;
  grid.kernels.clear();
  const auto varied = kernel_candidates(grid, spec, DatasetKind::points);
  ASSERT_EQ(varied.size(), 2u);
  EXPECT_EQ(varied[0].spec.kernel, KernelSpec(graph));
  graph.neighbors = 10;
  EXPECT_EQ(varied[1].spec.kernel, KernelSpec(graph));
  grid.neighbor_counts = {5, 0};
  EXPECT_THROW(check_kernel_grid(grid), ValueError);
}

TEST(KernelGrid, ScalesReplaceThatOfTheSpecification) {
  KernelGrid grid;
  grid.length_scales = {LengthScale{1.0}, LengthScale{2.0}};
  Specification spec;
  spec.kernel = AutomaticKernelSpec{.length_scale = LengthScale::absolute(7.0)};
  EXPECT_THAT(described(grid, spec, DatasetKind::points), ElementsAre("rbf 1x", "rbf 2x"));
  EXPECT_EQ(kernel_candidates(grid, spec, DatasetKind::points)[0].spec.kernel, KernelSpec{});
  spec.kernel = Kernel::rbf(7.0);
  EXPECT_THAT(described(grid, spec, DatasetKind::points), ElementsAre("rbf 1x", "rbf 2x"));
  EXPECT_EQ(scale_of(kernel_candidates(grid, spec, DatasetKind::points)[0]), LengthScale{});
}

TEST(KernelGrid, MixesAddTheFeaturesOfAGraph) {
  KernelGrid grid;
  grid.mixes = {0.0, 0.25, 1.0};
  const auto candidates = kernel_candidates(grid, {}, DatasetKind::graph);
  EXPECT_THAT(described(grid, {}, DatasetKind::graph),
              ElementsAre("lazy-walk", "0.75 lazy-walk + 0.25 rbf", "rbf"));
  ASSERT_EQ(candidates[1].spec.added.size(), 1u);
  EXPECT_EQ(candidates[1].spec.added[0].kernel, kernel_spec("rbf"));
  EXPECT_EQ(candidates[1].spec.added[0].share, 0.25);
}

TEST(KernelGrid, NamesAndScalesFindTheirKernelInASum) {
  KernelGrid grid;
  grid.kernels = {kernel_spec("symmetric"), kernel_spec("rbf"), kernel_spec("laplacian")};
  grid.length_scales = {LengthScale{1.0}, LengthScale{2.0}};
  grid.mixes = {0.0, 0.5};
  // The graph alone is tried once, whatever the kernel of its features.
  EXPECT_THAT(described(grid, {}, DatasetKind::graph),
              ElementsAre("symmetric", "0.5 symmetric + 0.5 rbf 1x", "0.5 symmetric + 0.5 rbf 2x",
                          "0.5 symmetric + 0.5 laplacian 1x", "0.5 symmetric + 0.5 laplacian 2x"));
}

TEST(KernelGrid, SmoothingsAreOfTheFeatures) {
  KernelGrid grid;
  grid.smoothings = {0, 2};
  // Features alone, by their cosine, if the specification adds no kernel of them.
  EXPECT_THAT(described(grid, {}, DatasetKind::graph), ElementsAre("cosine", "cosine smooth=2"));
  grid.mixes = {0.0, 0.5};
  EXPECT_THAT(described(grid, {}, DatasetKind::graph),
              ElementsAre("lazy-walk", "0.5 lazy-walk + 0.5 cosine",
                          "0.5 lazy-walk + 0.5 cosine smooth=2"));
  Specification spec;
  spec.added.push_back({kernel_spec("rbf"), 0.25});
  grid.mixes.clear();
  const auto candidates = kernel_candidates(grid, spec, DatasetKind::graph);
  EXPECT_THAT(described(grid, spec, DatasetKind::graph),
              ElementsAre("0.75 lazy-walk + 0.25 rbf", "0.75 lazy-walk + 0.25 rbf smooth=2"));
  EXPECT_EQ(candidates[1].spec.added[0].kernel.smoothing(), 2);
  EXPECT_THAT(message_of<ValueError>([&] { kernel_candidates(grid, {}, DatasetKind::points); }),
              HasSubstr("these data are no graph"));
  EXPECT_THAT(message_of<ValueError>([&] {
                check_kernel_grid({.smoothings = {1, -1}});
              }),
              HasSubstr("smoothing = -1"));
}

TEST(KernelGrid, MixesTwoKernelsOfPoints) {
  KernelGrid grid;
  grid.mixes = {0.5};
  EXPECT_THAT(message_of<ValueError>([&] { kernel_candidates(grid, {}, DatasetKind::points); }),
              HasSubstr("name one kernel to add"));
  Specification spec;
  spec.added.push_back({kernel_spec("laplacian")});
  EXPECT_THAT(described(grid, spec, DatasetKind::points), ElementsAre("0.5 rbf + 0.5 laplacian"));
  spec.added.push_back({kernel_spec("cosine")});
  EXPECT_THAT(message_of<ValueError>([&] { kernel_candidates(grid, spec, DatasetKind::points); }),
              HasSubstr("there are 2"));
}

TEST(KernelGrid, RefusesWhatMakesNoSense) {
  const auto refusal = [](const KernelGrid& grid) {
    return message_of<ValueError>([&] { check_kernel_grid(grid); });
  };
  EXPECT_THAT(refusal({.length_scales = {LengthScale{0.0}}}), HasSubstr("length scale = 0x"));
  EXPECT_THAT(refusal({.length_scales = {LengthScale::absolute(-2.0)}}),
              HasSubstr("length scale = -2"));
  EXPECT_THAT(refusal({.length_scales = {LengthScale::absolute(2.0), LengthScale::absolute(2.0)}}),
              HasSubstr("listed twice"));
  EXPECT_THAT(refusal({.mixes = {0.5, 1.5}}), HasSubstr("mix = 1.5"));
  EXPECT_THAT(refusal({.mixes = {-0.5}}), HasSubstr("mix = -0.5"));
  EXPECT_THAT(refusal({.kernels = {kernel_spec("rbf"), kernel_spec("rbf")}}),
              HasSubstr("rbf is listed twice"));
  // 2 and 2x are different scales.
  EXPECT_NO_THROW(
      check_kernel_grid({.length_scales = {LengthScale::absolute(2.0), LengthScale{2.0}}}));
}

}  // namespace
}  // namespace stkr::kernel_grid_test
