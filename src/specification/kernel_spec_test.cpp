#include "stkr/specification/kernel_spec.hpp"

#include <gtest/gtest.h>

#include "stkr/error.hpp"

namespace stkr::kernel_spec_test {
namespace {

TEST(KernelSpec, ADefaultSuitsItsData) {
  const KernelSpec automatic;
  EXPECT_EQ(automatic.resolved(DatasetKind::points), KernelSpec(PointKernelSpec{}));
  EXPECT_EQ(automatic.resolved(DatasetKind::graph), KernelSpec(GraphKernelSpec{}));
  EXPECT_EQ(automatic.resolved(DatasetKind::kernel), KernelSpec(PrecomputedKernelSpec{}));
}

TEST(KernelSpec, ADefaultKeepsItsSettings) {
  const KernelSpec wide = AutomaticKernelSpec{.length_scale = LengthScale{2.0}, .normalize = false};
  EXPECT_EQ(wide.resolved(DatasetKind::points),
            KernelSpec(PointKernelSpec{.length_scale = LengthScale{2.0}, .normalize = false}));
  EXPECT_THROW(wide.resolved(DatasetKind::graph), ValueError);
  const KernelSpec looped = AutomaticKernelSpec{.self_loops = true};
  EXPECT_EQ(looped.resolved(DatasetKind::graph), KernelSpec(GraphKernelSpec{.self_loops = true}));
  EXPECT_THROW(looped.resolved(DatasetKind::points), ValueError);
}

TEST(KernelSpec, AppliesToItsOwnKindOfDataOnly) {
  const std::vector<std::pair<KernelSpec, DatasetKind>> own{
      {Kernel::rbf(1.0), DatasetKind::points},
      {NeighborGraphSpec{}, DatasetKind::points},
      {GraphKernelSpec{}, DatasetKind::graph},
      {PrecomputedKernelSpec{}, DatasetKind::kernel}};
  for (const auto& [kernel, kind] : own) {
    for (const DatasetKind other : {DatasetKind::points, DatasetKind::graph, DatasetKind::kernel}) {
      if (other == kind) {
        EXPECT_EQ(kernel.resolved(other), kernel);
      } else {
        EXPECT_THROW(kernel.resolved(other), ValueError);
      }
    }
  }
}

TEST(KernelSpec, AKernelKeepsItsOwnLengthScale) {
  const KernelSpec spec = Kernel::matern32(0.5);
  ASSERT_TRUE(spec.get_if<PointKernelSpec>());
  EXPECT_EQ(spec.get_if<PointKernelSpec>()->length_scale, LengthScale::absolute(0.5));
}

TEST(KernelSpec, KnowsItsTraits) {
  struct Case {
    KernelSpec kernel;
    bool length_scale, sparse, semidefinite, normalized;
  };
  for (const Case& each : {
           Case{Kernel::rbf(1.0), true, false, true, true},
           Case{Kernel::epsilon_neighbor(1.0), true, false, false, true},
           Case{Kernel::polynomial(2), false, false, true, true},
           Case{Kernel::polynomial(3), false, false, true, false},
           Case{Kernel::polynomial(2, 1.0, -1.0), false, false, false, true},
           Case{Kernel::linear(), false, false, true, false},
           Case{PointKernelSpec{.normalize = false}, true, false, true, false},
           Case{NeighborGraphSpec{}, false, true, true, false},
           Case{GraphKernelSpec{}, false, true, true, false},
           Case{GraphKernelSpec{GraphNormalization::symmetric}, false, true, false, false},
           Case{GraphKernelSpec{.normalize = true}, false, true, true, true},
           Case{PrecomputedKernelSpec{}, false, false, false, false},
           Case{PrecomputedKernelSpec{true}, false, false, false, true},
       }) {
    EXPECT_EQ(each.kernel.has_length_scale(), each.length_scale);
    EXPECT_EQ(each.kernel.sparse(), each.sparse);
    EXPECT_EQ(each.kernel.positive_semidefinite(), each.semidefinite);
    EXPECT_EQ(each.kernel.normalized(), each.normalized);
  }
}

TEST(KernelSpec, ALengthScaleChangesOnlyKernelsThatHaveOne) {
  KernelSpec rbf = Kernel::rbf(1.0), linear = Kernel::linear(), automatic;
  for (KernelSpec* kernel : {&rbf, &linear, &automatic}) kernel->set_length_scale({3.0});
  EXPECT_EQ(rbf.get_if<PointKernelSpec>()->length_scale, LengthScale{3.0});
  EXPECT_EQ(automatic.get_if<AutomaticKernelSpec>()->length_scale, LengthScale{3.0});
  EXPECT_EQ(linear, KernelSpec(Kernel::linear()));
}

TEST(KernelSpec, AKernelOfYourOwnIsUsedAsItIs) {
  const Kernel own = Kernel::custom({.name = "cauchy",
                                     .formula = OfSquaredDistance{[](auto row) {
                                       for (auto& d2 : row) d2 = 1 / (1 + d2);
                                     }},
                                     .positive_semidefinite = true,
                                     .nonnegative = true});
  KernelSpec spec = own;
  EXPECT_FALSE(spec.has_length_scale());
  spec.set_length_scale({2.0});
  EXPECT_EQ(spec, KernelSpec(own));
  EXPECT_TRUE(spec.positive_semidefinite());
  EXPECT_TRUE(spec.normalized());
}

TEST(KernelSpec, FewPointsHaveFewNeighbors) {
  EXPECT_EQ(neighbor_count({}, 1000), 10);
  EXPECT_EQ(neighbor_count({}, 4), 3);
  EXPECT_EQ(neighbor_count({.neighbors = 25}, 4), 25);
}

}  // namespace
}  // namespace stkr::kernel_spec_test
