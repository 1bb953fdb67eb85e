#include "selection/plan_automatic.hpp"

#include <gtest/gtest.h>

namespace stkr::plan_automatic_test {
namespace {

ProblemShape points(Index samples) {
  return {.kind = DatasetKind::points,
          .samples = samples,
          .features = 10,
          .labeled = 100,
          .outputs = 5};
}

TEST(PlanAutomatic, CountsEveryKernelThatIsTried) {
  // Two neighbor graphs, an RBF and a cosine kernel, and the fit.
  EXPECT_EQ(plan_automatic(points(3000), {}).size(), 5u);
  EXPECT_EQ(plan_automatic(points(30'000), {}).size(), 2u);
  for (const PlannedKernel& one : plan_automatic(points(30'000), {})) {
    EXPECT_GT(one.work.operations, 0.0);
  }
}

TEST(PlanAutomatic, SearchesNeighborsOnce) {
  const std::vector<PlannedKernel> planned = plan_automatic(points(30'000), {});
  EXPECT_GT(planned.front().work.pairs, 4e8);
  EXPECT_EQ(planned.back().work.pairs, 0.0);
}

TEST(PlanAutomatic, IsTheFitIfNothingIsOpen) {
  Specification spec;
  spec.kernel = NeighborGraphSpec{};
  spec.method = StkrSpec{.transform = SpectralTransform::power(2), .ridge = RelativeRidge{0.1}};
  const std::vector<PlannedKernel> planned = plan_automatic(points(30'000), spec);
  ASSERT_EQ(planned.size(), 1u);
  EXPECT_GT(planned.front().work.pairs, 4e8);
}

}  // namespace
}  // namespace stkr::plan_automatic_test
