#include "specification/kernel_cost.hpp"

#include <gtest/gtest.h>

#include "named_specification.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/model/fit_model.hpp"

namespace stkr::kernel_cost_test {
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

TEST(KernelCost, PointsTakeLinearMemoryUnlessTheirKernelIsKept) {
  ProblemShape twice = kPoints;
  twice.samples *= 2;
  const auto ratio = [&](const Execution& way) {
    const GramCost small = kernel_cost(kPoints, kDefault, way),
                   large = kernel_cost(twice, kDefault, way);
    return static_cast<double>(large.samples + large.gram) /
           static_cast<double>(small.samples + small.gram);
  };
  EXPECT_DOUBLE_EQ(ratio(with_tiles(Tiles::evaluated)), 2.0);
  EXPECT_GT(ratio(with_tiles(Tiles::kept)), 3.7);
  EXPECT_EQ(kernel_cost(kPoints, kDefault).samples, 10'000u * 50 * 8);
  EXPECT_EQ(kernel_cost(kPoints, kDefault, with_tiles(Tiles::evaluated, true)).samples,
            10'000u * 50 * 4);
}

TEST(KernelCost, GraphsTakeTwelveBytesAnEntry) {
  EXPECT_EQ(kernel_cost(kGraph, kDefault).samples, 12u * 20'000'000 + 8u * 1'000'000);
  ProblemShape kernel{.kind = DatasetKind::kernel, .samples = 3000};
  EXPECT_EQ(kernel_cost(kernel, kDefault).samples, 8u * 3000 * 3000);
}

TEST(KernelCost, SmoothedFeaturesTakeTheirEntriesNotAllPairs) {
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
  const GramCost cosine = kernel_cost(words, added("cosine", 2));
  EXPECT_GE(cosine.samples, 24u * 1'000'000 + 12u * 200'000);
  EXPECT_LT(cosine.samples + cosine.gram + cosine.preparing, dense / 5);
  EXPECT_LT(kernel_cost(words, added("linear", 0)).samples, dense / 5);
  // Kernels that are not linear need all values.
  EXPECT_GT(kernel_cost(words, added("rbf", 2)).samples, dense);
  EXPECT_EQ(kernel_cost(words, added("cosine", 2)).entries, 2 * (1'000'000 + 2 * 220'000));
  EXPECT_EQ(kernel_cost(words, added("rbf", 2)).entries, 0);
}

// A product's extra block is counted if and only if the gram is normalized.
TEST(KernelCost, NormalizesWhatPreparingNormalizes) {
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
    EXPECT_EQ(kernel_cost(shape, spec).scratch, normalized) << kernel;
    const std::string description = prepare_gram(moons, spec).description;
    EXPECT_EQ(description.find("degree-normalized") != std::string::npos, normalized)
        << description;
  }
}

// 1,500 texts of 60 words out of 12,000.
constexpr ProblemShape kTexts{.kind = DatasetKind::points,
                              .samples = 1500,
                              .features = 12'000,
                              .feature_entries = 90'000,
                              .labeled = 100,
                              .outputs = 10};

TEST(KernelCost, SparsePointsTakeTheirEntriesNotTheirFeatures) {
  const Specification cosine = testing::named({.name = "cosine"});
  const Specification knn = testing::named({.name = "knn"});
  const std::uint64_t dense = 1500ull * 12'000 * 8;
  for (const Specification& spec : {cosine, knn}) {
    const GramCost memory = kernel_cost(kTexts, spec);
    EXPECT_GE(memory.samples, 12u * 90'000);
    EXPECT_LT(memory.samples + memory.gram + memory.preparing, dense / 10);
  }
  ProblemShape as_dense = kTexts;
  as_dense.feature_entries = 0;
  EXPECT_LT(20.0 * kernel_cost(kTexts, cosine).evaluation,
            kernel_cost(as_dense, cosine).evaluation);
}

TEST(KernelCost, SumsHaveTheValuesOfTheirDensePartsAndThePairsOfTheirSearches) {
  const GramCost knn = kernel_cost(kPoints, testing::named({.name = "knn"}));
  EXPECT_GT(knn.entries, 0);
  EXPECT_EQ(knn.evaluation, 0.0);
  EXPECT_DOUBLE_EQ(knn.pairs, 0.5 * 10'000.0 * 10'000.0);
  const GramCost rbf = kernel_cost(kPoints, testing::named({.name = "rbf"}));
  EXPECT_EQ(rbf.entries, 0);
  EXPECT_EQ(rbf.evaluation, 2.0 * 50 + 20);
  Specification both = testing::named({.name = "rbf"});
  both.added.push_back({kernel_spec("knn"), 0.5});
  const GramCost sum = kernel_cost(kPoints, both);
  EXPECT_EQ(sum.entries, 0);
  EXPECT_EQ(sum.evaluation, rbf.evaluation);
  EXPECT_EQ(sum.pairs, knn.pairs);
  EXPECT_EQ(sum.samples, rbf.samples + knn.samples);
}

}  // namespace
}  // namespace stkr::kernel_cost_test
