#include "selection/automatic_candidates.hpp"

#include <gtest/gtest.h>

#include "runtime/random.hpp"
#include "stkr/dataset/generators.hpp"

namespace stkr::automatic_candidates_test {
namespace {

Index neighbors(const AutomaticCandidate& candidate) {
  const auto* graph = candidate.spec.kernel.get_if<NeighborGraphSpec>();
  return graph && graph->neighbors ? *graph->neighbors : 0;
}

TEST(AutomaticCandidates, ForPointsStartWithTheNeighborGraph) {
  const Dataset few = two_moons(200, 0.1, 1), many = two_moons(6000, 0.1, 1);
  const std::vector<AutomaticCandidate> all = automatic_candidates(few, {});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(neighbors(all[0]), 10);
  EXPECT_EQ(neighbors(all[1]), 5);
  EXPECT_NE(all[2].spec.kernel.get_if<PointKernelSpec>(), nullptr);
  const std::vector<AutomaticCandidate> sparse = automatic_candidates(many, {});
  ASSERT_EQ(sparse.size(), 1U);
  EXPECT_EQ(neighbors(sparse[0]), 13);  // log₂ 6,000 = 12.6
}

TEST(AutomaticCandidates, SearchManyFeaturesInPrincipalComponents) {
  Dataset wide = two_moons(60, 0.1, 1);
  Matrix values(60, 101);
  Random random(2);
  for (double& value : values.reshaped()) value = random.normal();
  std::get<Points>(wide.samples).values = values;
  const auto components = [](const Dataset& dataset) {
    return automatic_candidates(dataset, {})[0].spec.kernel.get_if<NeighborGraphSpec>()->components;
  };
  EXPECT_EQ(components(wide), 50);
  std::get<Points>(wide.samples).values = values.leftCols(100);
  EXPECT_EQ(components(wide), 0);
}

TEST(AutomaticCandidates, ForNumbersIncludeSmoothKernels) {
  const Dataset roll = swiss_roll(300, 0.1, 1);
  const std::vector<AutomaticCandidate> all = automatic_candidates(roll, {});
  ASSERT_EQ(all.size(), 6U);
  EXPECT_EQ(neighbors(all.back()), 10);
}

TEST(AutomaticCandidates, LinearKernelsOfRowsOfOneLengthAreTriedOnce) {
  Dataset texts = two_moons(30, 0.1, 1);
  CsrMatrix words;
  words.rows = 30;
  words.cols = 40;
  words.row_start.push_back(0);
  for (Index i = 0; i < 30; ++i) {
    words.column.push_back(static_cast<std::int32_t>(i));
    words.value.push_back(1.0);
    words.row_start.push_back(i + 1);
  }
  texts.samples = Points{words, {}};
  EXPECT_EQ(automatic_candidates(texts, {}).size(), 4U);
  words.value[3] = 2.0;
  texts.samples = Points{words, {}};
  EXPECT_EQ(automatic_candidates(texts, {}).size(), 5U);
}

TEST(AutomaticCandidates, KeepWhatIsGiven) {
  Specification spec;
  spec.kernel = Kernel::matern32(0.5);
  const std::vector<AutomaticCandidate> all = automatic_candidates(two_moons(50, 0.1, 1), spec);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().spec.kernel, spec.kernel);
}

TEST(AutomaticCandidates, KnowWhatIsOpen) {
  const auto open = [](const KernelSpec& kernel, const MethodSpec& method) {
    Specification spec;
    spec.kernel = kernel;
    spec.method = method;
    return is_open(spec);
  };
  const SpectralTransform s = SpectralTransform::power(2);
  EXPECT_TRUE(open({}, StkrSpec{}));
  EXPECT_TRUE(open({}, StkrSpec{.transform = s, .ridge = RelativeRidge{0.1}}));
  EXPECT_TRUE(open(NeighborGraphSpec{}, StkrSpec{}));
  EXPECT_TRUE(open(NeighborGraphSpec{}, StkrSpec{.ridge = RelativeRidge{0.1}}));
  EXPECT_FALSE(open(NeighborGraphSpec{}, StkrSpec{.transform = s, .ridge = RelativeRidge{0.1}}));
  EXPECT_FALSE(
      open(NeighborGraphSpec{}, StkrSpec{.automatic = false, .ridge = RelativeRidge{0.1}}));
  EXPECT_FALSE(open({}, KernelPcaSpec{}));
  EXPECT_FALSE(open({}, StkrSpec{.average = {{s, {{0.1, 1.0}}, {}}}}));
}

TEST(AutomaticCandidates, GridHasWhatIsOpen) {
  Specification spec;
  EXPECT_EQ(automatic_grid(spec, false, 1.0)->poisson_etas.back(), 1.0);
  EXPECT_EQ(automatic_grid(spec, true, 1.0)->ridges.back(), 1e-8);
  spec.method = StkrSpec{.ridge = RelativeRidge{0.5}};
  EXPECT_EQ(automatic_grid(spec, false, 1.0)->ridges, std::vector<double>{0.5});
  spec.method = StkrSpec{.transform = SpectralTransform::inverse_laplacian(0.45)};
  const Grid laplacian = *automatic_grid(spec, false, 2.0);
  EXPECT_EQ(laplacian.etas, std::vector<double>{0.9});
  EXPECT_TRUE(laplacian.powers.empty() && laplacian.poisson_etas.empty());
  spec.method = StkrSpec{.automatic = false};
  EXPECT_EQ(automatic_grid(spec, false, 1.0)->etas, std::vector<double>{0.99});
  spec.method = StkrSpec{.transform = SpectralTransform::truncation(3)};
  EXPECT_FALSE(automatic_grid(spec, false, 1.0));
}

}  // namespace
}  // namespace stkr::automatic_candidates_test
