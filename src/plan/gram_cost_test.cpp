#include "plan/gram_cost.hpp"

#include <gtest/gtest.h>

#include "named_specification.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/model/prepare_gram.hpp"

namespace stkr {
namespace {

constexpr ProblemShape kPoints{
    .kind = DatasetKind::points, .samples = 10'000, .features = 50, .labeled = 100, .outputs = 10};
constexpr ProblemShape kGraph{.kind = DatasetKind::graph,
                              .samples = 1'000'000,
                              .entries = 20'000'000,
                              .labeled = 100,
                              .outputs = 10};

Execution with_tiles(Tiles tiles, bool single = false) {
  return {.tiles = tiles, .single_precision = single};
}

const Specification kDefault{};

TEST(GramCost, ShapesAreThoseOfTheData) {
  Dataset moons = two_moons(60, 0.1, 1);
  keep_only(moons.labels, labeled_per_class(std::get<ClassLabels>(moons.labels), 5, 1));
  const ProblemShape points = shape_of(moons);
  EXPECT_EQ(points.kind, DatasetKind::points);
  EXPECT_EQ(points.samples, 60);
  EXPECT_EQ(points.features, 2);
  EXPECT_EQ(points.labeled, 10);
  EXPECT_EQ(points.outputs, 2);
  const Dataset blocks = stochastic_block_model(std::vector<Index>{20, 20, 20}, 0.3, 0.02, 1);
  EXPECT_EQ(shape_of(blocks).entries, blocks.graph().adjacency.entries());
  EXPECT_EQ(shape_of(blocks).outputs, 3);
}

TEST(GramCost, PointsTakeLinearMemoryUnlessTheirKernelIsKept) {
  ProblemShape twice = kPoints;
  twice.samples *= 2;
  const auto ratio = [&](const Execution& way) {
    const GramMemory small = gram_memory(kPoints, kDefault, way),
                     large = gram_memory(twice, kDefault, way);
    return static_cast<double>(large.samples + large.gram) /
           static_cast<double>(small.samples + small.gram);
  };
  EXPECT_DOUBLE_EQ(ratio(with_tiles(Tiles::evaluated)), 2.0);
  EXPECT_GT(ratio(with_tiles(Tiles::kept)), 3.7);
  EXPECT_EQ(gram_memory(kPoints, kDefault, {}).samples, 10'000u * 50 * 8);
  EXPECT_EQ(gram_memory(kPoints, kDefault, with_tiles(Tiles::evaluated, true)).samples,
            10'000u * 50 * 4);
}

TEST(GramCost, GraphsTakeTwelveBytesAnEntry) {
  EXPECT_EQ(gram_memory(kGraph, kDefault, {}).samples, 12u * 20'000'000 + 8u * 1'000'000);
  ProblemShape kernel{.kind = DatasetKind::kernel, .samples = 3000};
  EXPECT_EQ(gram_memory(kernel, kDefault, {}).samples, 8u * 3000 * 3000);
}

TEST(GramCost, SmoothedFeaturesTakeTheirEntriesNotAllPairs) {
  ProblemShape words = kGraph;
  words.samples = 20'000;
  words.entries = 200'000;
  words.features = 7'000;
  words.feature_entries = 1'000'000;
  const auto added = [](const char* name, Index steps) {
    Specification spec;
    spec.added.push_back({kernel_spec({.name = name, .smoothing = steps}), 1.0});
    return spec;
  };
  const std::uint64_t dense = 20'000ull * 7'000 * 8;
  const GramMemory cosine = gram_memory(words, added("cosine", 2), {});
  EXPECT_GE(cosine.samples, 24u * 1'000'000 + 12u * 200'000);
  EXPECT_LT(cosine.samples + cosine.gram + cosine.preparing, dense / 5);
  EXPECT_LT(gram_memory(words, added("linear", 0), {}).samples, dense / 5);
  // Kernels that are not linear need all values.
  EXPECT_GT(gram_memory(words, added("rbf", 2), {}).samples, dense);
  EXPECT_EQ(sparse_entries(words, added("cosine", 2)), 2 * (1'000'000 + 2 * 220'000));
  EXPECT_EQ(sparse_entries(words, added("rbf", 2)), 0);
}

// A product's extra block is counted if and only if the gram is normalized.
TEST(GramCost, NormalizesWhatPreparingNormalizes) {
  struct Case {
    std::string kernel;
    std::optional<int> degree{};
    bool normalized = true;
  };
  for (const auto& [kernel, degree, normalized] :
       {Case{""}, Case{"rbf"}, Case{"laplacian"}, Case{"matern32"}, Case{"epsilon_neighbor"},
        Case{"polynomial", 2}, Case{"polynomial", 3, false}, Case{"linear", {}, false},
        Case{"cosine", {}, false}, Case{"knn", {}, false}}) {
    const Specification spec = testing::named({.name = kernel, .degree = degree});
    Dataset moons = two_moons(40, 0.1, 1);
    const ProblemShape shape = shape_of(moons);
    EXPECT_EQ(gram_memory(shape, spec, {}).scratch, normalized) << kernel;
    const std::string description = prepare_gram(moons, spec).description;
    EXPECT_EQ(description.find("degree-normalized") != std::string::npos, normalized)
        << description;
  }
}

TEST(GramCost, KeepingTilesIsAWayWhereItPays) {
  const auto ways = [](const ProblemShape& shape, double products, bool may_round) {
    Specification spec;
    if (may_round) spec.precision = Precision::single_if_needed;
    std::vector<std::string> names;
    for (const Execution& way : gram_executions(shape, spec, products)) {
      names.push_back(describe_gram(shape, spec, way));
    }
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(ways(kPoints, 100, false), (Names{"kernel stored", "kernel recomputed"}));
  EXPECT_EQ(ways(kPoints, 2, true), (Names{"kernel recomputed", "kernel recomputed, single"}));
  ProblemShape many = kPoints;
  many.samples = 1'000'000;
  EXPECT_EQ(ways(many, 100, false), Names{"kernel recomputed"});
  EXPECT_EQ(ways(kGraph, 100, true), Names{"graph"});
}

TEST(GramCost, KeptTilesAreEvaluatedOnce) {
  Work evaluated, kept;
  add_products(kPoints, kDefault, with_tiles(Tiles::evaluated), 10, 5, evaluated);
  add_products(kPoints, kDefault, with_tiles(Tiles::kept), 4, 5, kept);
  add_products(kPoints, kDefault, with_tiles(Tiles::kept), 6, 5, kept);
  EXPECT_EQ(kept.products, 10);
  EXPECT_EQ(evaluated.products, 10);
  EXPECT_DOUBLE_EQ(evaluated.evaluations, 10 * kept.evaluations);
  EXPECT_LT(kept.operations, evaluated.operations);
  Work graph;
  add_products(kGraph, kDefault, {}, 10, 5, graph);
  EXPECT_EQ(graph.evaluations, 0);
  EXPECT_DOUBLE_EQ(graph.operations, 10.0 * 5 * 2 * 20e6);
}

// 1,500 texts of 60 words out of 12,000.
constexpr ProblemShape kTexts{.kind = DatasetKind::points,
                              .samples = 1500,
                              .features = 12'000,
                              .feature_entries = 90'000,
                              .labeled = 100,
                              .outputs = 10};

TEST(GramCost, SparsePointsTakeTheirEntriesNotTheirFeatures) {
  const Specification cosine = testing::named({.name = "cosine"});
  const Specification knn = testing::named({.name = "knn"});
  const std::uint64_t dense = 1500ull * 12'000 * 8;
  for (const Specification& spec : {cosine, knn}) {
    const GramMemory memory = gram_memory(kTexts, spec, {});
    EXPECT_GE(memory.samples, 12u * 90'000);
    EXPECT_LT(memory.samples + memory.gram + memory.preparing, dense / 10);
  }
  Work sparse, full;
  ProblemShape as_dense = kTexts;
  as_dense.feature_entries = 0;
  add_products(kTexts, cosine, {}, 1.0, 1.0, sparse);
  add_products(as_dense, cosine, {}, 1.0, 1.0, full);
  EXPECT_EQ(sparse.evaluations, full.evaluations);
  EXPECT_LT(20.0 * sparse.operations, full.operations);
}

TEST(GramCost, FewProductsAreEnoughToKeepAnExpensiveKernel) {
  const auto keeps = [](const ProblemShape& shape, double products) {
    return gram_executions(shape, kDefault, products).front().tiles == Tiles::kept;
  };
  ProblemShape wide = kTexts;
  wide.feature_entries = 0;
  EXPECT_TRUE(keeps(wide, 2));  // 12,000 dense features
  EXPECT_TRUE(keeps(kTexts, 2));
  EXPECT_FALSE(keeps(kPoints, 2));
  EXPECT_TRUE(keeps(kPoints, 3));
  ProblemShape plane = kPoints;
  plane.features = 2;
  EXPECT_FALSE(keeps(plane, 5));
  EXPECT_TRUE(keeps(plane, 6));
}

TEST(GramCost, SparsePointsAreNeverRounded) {
  Specification spec;
  spec.precision = Precision::single_if_needed;
  for (const Execution& way : gram_executions(kTexts, spec, 100)) {
    EXPECT_FALSE(way.single_precision);
  }
}

}  // namespace
}  // namespace stkr
