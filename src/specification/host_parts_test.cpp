#include "specification/host_parts.hpp"

#include <gtest/gtest.h>

#include "handle_backend.hpp"

namespace stkr::host_parts_test {
namespace {

constexpr ProblemShape kPoints{
    .kind = DatasetKind::points, .samples = 10'000, .features = 50, .labeled = 100, .outputs = 10};

ProblemShape sparse_points() {
  ProblemShape shape = kPoints;
  shape.feature_entries = 90'000;
  return shape;
}

Specification with(const KernelSpec& kernel) {
  Specification spec;
  spec.kernel = kernel;
  return spec;
}

Kernel own_kernel() {
  return Kernel::custom({.name = "own", .formula = OfPoints{[](auto, auto) { return 1.0; }}});
}

std::string left(const KernelSpec& kernel, const ProblemShape& shape = kPoints,
                 const Device& device = handle::test_device()) {
  return left_to_host(shape, with(kernel), device);
}

TEST(HostParts, AreNoneOfWhatADeviceSupports) {
  EXPECT_EQ(left(Kernel::rbf(1.0)), "");
  EXPECT_EQ(left(NeighborGraphSpec{.neighbors = 64}), "");
  const ProblemShape graph{.kind = DatasetKind::graph, .samples = 100, .entries = 500};
  EXPECT_EQ(left(GraphKernelSpec{}, graph), "");
  // As few points are searched exactly for any recall.
  ProblemShape few = kPoints;
  few.samples = 100;
  EXPECT_EQ(left(NeighborGraphSpec{.recall = 0.9}, few), "");
}

TEST(HostParts, AreNamedWithTheReason) {
  const std::string start = "device handle leaves to the host: ";
  EXPECT_EQ(left(NeighborGraphSpec{.neighbors = 65}),
            start + "the neighbor search (65 neighbors, more than the device searches for)");
  EXPECT_EQ(left(NeighborGraphSpec{.recall = 0.9}),
            start + "the neighbor search (approximate, recall 0.9)");
  EXPECT_EQ(left(NeighborGraphSpec{}, sparse_points()),
            start + "the neighbor search (sparse points)");
  EXPECT_EQ(left(Kernel::rbf(1.0), sparse_points()),
            start + "products with kernel rbf (sparse points)");
  EXPECT_EQ(left(own_kernel()), start + "products with kernel own (a kernel of one's own)");
  const ProblemShape kernel{.kind = DatasetKind::kernel, .samples = 100};
  EXPECT_EQ(left(PrecomputedKernelSpec{}, kernel),
            start + "products with kernel precomputed (a given matrix)");
}

TEST(HostParts, AreNamedForEveryKernelOfASum) {
  Specification spec = with(GraphKernelSpec{});
  spec.added.push_back({PointKernelSpec{.kernel = Kernel::rbf(1.0), .smoothing = 2}});
  spec.added.push_back({PointKernelSpec{.kernel = Kernel::cosine()}});
  ProblemShape graph{.kind = DatasetKind::graph, .samples = 100, .features = 9, .entries = 500};
  const std::string smoothed =
      "device handle leaves to the host: products with kernel rbf (smoothed node features)";
  EXPECT_EQ(left_to_host(graph, spec, handle::test_device()), smoothed);
  graph.feature_entries = 300;
  EXPECT_EQ(left_to_host(graph, spec, handle::test_device()),
            smoothed + ", products with kernel cosine (sparse node features)");
}

TEST(HostParts, AreNotMentionedOnTheCpu) {
  EXPECT_EQ(left(own_kernel(), kPoints, {}), "");
  EXPECT_EQ(left(NeighborGraphSpec{.neighbors = 65}, sparse_points(), {}), "");
}

TEST(HostParts, EvaluateWhatADeviceDoesNot) {
  const Device device = handle::test_device();
  EXPECT_TRUE(host_evaluates(kPoints, with(Kernel::rbf(1.0)), {}));
  EXPECT_FALSE(host_evaluates(kPoints, with(Kernel::rbf(1.0)), device));
  EXPECT_TRUE(host_evaluates(sparse_points(), with(Kernel::rbf(1.0)), device));
  EXPECT_TRUE(host_evaluates(kPoints, with(own_kernel()), device));
}

}  // namespace
}  // namespace stkr::host_parts_test
