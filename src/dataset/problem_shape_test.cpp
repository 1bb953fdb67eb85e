#include <gtest/gtest.h>

#include "stkr/dataset/dataset.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/splits.hpp"

namespace stkr::problem_shape_test {
namespace {

TEST(ProblemShape, IsThatOfTheData) {
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

}  // namespace
}  // namespace stkr::problem_shape_test
