#include "specification/kernel_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "specification/kernel_names.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::kernel_parts_test {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

Specification sum_of(const char* first, const char* added, std::optional<double> share = {}) {
  Specification spec;
  spec.kernel = kernel_spec(first);
  spec.added.push_back({kernel_spec(added), share});
  return spec;
}

TEST(KernelParts, SharesThatAreNotGivenAreEqual) {
  Specification spec = sum_of("lazy-walk", "rbf");
  std::vector<KernelPart> parts = kernel_parts(DatasetKind::graph, spec);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].share, 0.5);
  EXPECT_EQ(parts[1].share, 0.5);
  spec.added.push_back({kernel_spec("symmetric"), 0.4});
  parts = kernel_parts(DatasetKind::graph, spec);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_NEAR(parts[0].share, 0.3, 1e-15);
  EXPECT_NEAR(parts[1].share, 0.3, 1e-15);
  EXPECT_EQ(parts[2].share, 0.4);
}

TEST(KernelParts, SeeNodesOrTheirFeatures) {
  Specification spec = sum_of("lazy-walk", "rbf");
  spec.added.push_back({kernel_spec("symmetric")});
  EXPECT_EQ(sample_kinds(DatasetKind::graph, spec), "graph+points+graph");
  EXPECT_EQ(sample_kinds(DatasetKind::graph, Specification{}), "graph");
  EXPECT_EQ(sample_kinds(DatasetKind::points, sum_of("rbf", "laplacian")), "points+points");
  const auto parts = kernel_parts(DatasetKind::graph, spec);
  EXPECT_FALSE(parts[0].features);
  EXPECT_TRUE(parts[1].features);
  EXPECT_FALSE(parts[2].features);
}

TEST(KernelParts, SmoothedFeaturesNeedEdgesToo) {
  const auto smoothed = [](const char* name, Index steps, std::optional<double> share = {}) {
    Specification spec;
    spec.added.push_back({kernel_spec({.name = name, .smoothing = steps}), share});
    return spec;
  };
  EXPECT_EQ(sample_kinds(DatasetKind::graph, smoothed("cosine", 2)), "graph+nodes");
  EXPECT_EQ(sample_kinds(DatasetKind::graph, smoothed("rbf", 1, 1.0)), "nodes");
  EXPECT_EQ(sample_kinds(DatasetKind::graph, smoothed("cosine", 0, 1.0)), "points");
  const auto part = [&](const char* name, Index steps) {
    return kernel_parts(DatasetKind::graph, smoothed(name, steps)).at(1);
  };
  EXPECT_TRUE(part("cosine", 2).factored(false));
  EXPECT_TRUE(part("linear", 0).factored(true));
  EXPECT_FALSE(part("linear", 0).factored(false));
  EXPECT_FALSE(part("rbf", 2).factored(true));
  EXPECT_THAT(
      message_of<ValueError>([&] { kernel_parts(DatasetKind::points, smoothed("cosine", 2)); }),
      HasSubstr("smoothing averages node features over the edges of a graph"));
  Specification negative = smoothed("cosine", 2);
  negative.added[0].kernel.get_if<PointKernelSpec>()->smoothing = -1;
  EXPECT_THAT(message_of<ValueError>([&] { kernel_parts(DatasetKind::graph, negative); }),
              HasSubstr("-1 smoothing steps"));
}

TEST(KernelParts, AreResolvedForTheirSamples) {
  const auto only = [](DatasetKind kind) {
    const auto parts = kernel_parts(kind, Specification{});
    return name_of(parts.at(0).kernel);
  };
  EXPECT_EQ(only(DatasetKind::points), "rbf");
  EXPECT_EQ(only(DatasetKind::graph), "lazy-walk");
  EXPECT_EQ(only(DatasetKind::kernel), "precomputed");
  const auto beside = kernel_parts(DatasetKind::graph, sum_of("", ""));
  EXPECT_EQ(name_of(beside.at(1).kernel), "rbf");
}

TEST(KernelParts, AShareOfZeroLeavesAKernelOut) {
  EXPECT_EQ(sample_kinds(DatasetKind::graph, sum_of("lazy-walk", "rbf", 0.0)), "graph");
  EXPECT_EQ(sample_kinds(DatasetKind::graph, sum_of("lazy-walk", "rbf", 1.0)), "points");
  // 0.1 · 10 is not exactly 1, but the remainder is rounding.
  Specification spec;
  for (int k = 0; k < 10; ++k) spec.added.push_back({kernel_spec("rbf"), 0.1});
  EXPECT_EQ(kernel_parts(DatasetKind::points, spec).size(), 10u);
}

TEST(KernelParts, RefuseSharesThatAreNone) {
  for (const double bad : {-0.1, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT(
        message_of<ValueError>([&] { kernel_parts(DatasetKind::graph, sum_of("", "rbf", bad)); }),
        HasSubstr("from 0 to 1"));
  }
  Specification spec = sum_of("", "rbf", 0.7);
  spec.added.push_back({KernelSpec{}, 0.7});
  EXPECT_THAT(message_of<ValueError>([&] { kernel_parts(DatasetKind::graph, spec); }),
              HasSubstr("sum to 1.4"));
}

}  // namespace
}  // namespace stkr::kernel_parts_test
