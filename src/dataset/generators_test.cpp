#include "stkr/dataset/generators.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "stkr/error.hpp"

namespace stkr::generators_test {
namespace {

TEST(Generators, MoonsWithoutNoiseLieOnTheirCircles) {
  const Dataset moons = two_moons(101, 0.0, 1);
  const Matrix x = moons.points().values.matrix();
  const auto& labels = std::get<ClassLabels>(moons.labels);
  ASSERT_EQ(moons.size(), 101);
  for (Index i = 0; i < x.rows(); ++i) {
    const bool lower = labels.code[static_cast<std::size_t>(i)] == 1;
    const double u = lower ? 1.0 - x(i, 0) : x(i, 0);
    const double v = lower ? 0.5 - x(i, 1) : x(i, 1);
    EXPECT_NEAR(u * u + v * v, 1.0, 1e-14);
    EXPECT_GE(v, 0.0);
  }
}

TEST(Generators, CirclesWithoutNoiseHaveTheirRadii) {
  const Dataset data = circles(50, 0.0, 0.4, 2);
  for (Index i = 0; i < data.size(); ++i) {
    const Matrix point = data.points().values.dense().gather(std::vector<Index>{i});
    EXPECT_NEAR(std::hypot(point(0), point(1)), i % 2 == 0 ? 1.0 : 0.4, 1e-14);
  }
}

TEST(Generators, SwissRollTellsItsAngle) {
  const Dataset roll = swiss_roll(200, 0.0, 3);
  const Matrix x = roll.points().values.matrix();
  const Matrix& t = std::get<TargetValues>(roll.labels).values;
  for (Index i = 0; i < x.rows(); ++i) {
    EXPECT_NEAR(std::hypot(x(i, 0), x(i, 2)), t(i, 0), 1e-12);
    EXPECT_GE(t(i, 0), 1.5 * std::numbers::pi);
    EXPECT_LE(t(i, 0), 4.5 * std::numbers::pi);
  }
  const Dataset classes = swiss_roll(200, 0.0, 3, 4);
  EXPECT_EQ(classes.points().values, x);
  EXPECT_EQ(std::get<ClassLabels>(classes.labels).names.size(), 4u);
}

TEST(Generators, NoiseHasTheGivenSize) {
  const Matrix clean = two_moons(20'000, 0.0, 4).points().values.matrix();
  const Matrix noisy = two_moons(20'000, 0.1, 4).points().values.matrix();
  double squares = 0.0;
  for (Index i = 0; i < clean.size(); ++i) {
    squares += std::pow(noisy.data()[i] - clean.data()[i], 2);
  }
  EXPECT_NEAR(squares / static_cast<double>(clean.size()), 0.01, 3e-4);
}

TEST(Generators, TheSeedDecidesEverything) {
  EXPECT_EQ(two_moons(30, 0.1, 5).points().values, two_moons(30, 0.1, 5).points().values);
  EXPECT_NE(two_moons(30, 0.1, 5).points().values, two_moons(30, 0.1, 6).points().values);
}

TEST(Generators, BlockModelHasTheExpectedNumbersOfEdges) {
  const std::vector<Index> sizes = {2000, 1000, 500};
  const Dataset model = stochastic_block_model(sizes, 0.02, 0.005, 7);
  const CsrMatrix& graph = model.graph().adjacency;
  EXPECT_NO_THROW(check_csr(graph, "block model"));
  EXPECT_EQ(asymmetry(graph).largest, 0.0);
  const auto& code = std::get<ClassLabels>(model.labels).code;
  double inside = 0.0;
  double across = 0.0;
  for (Index row = 0; row < graph.rows; ++row) {
    for (auto i = graph.row_start[static_cast<std::size_t>(row)];
         i < graph.row_start[static_cast<std::size_t>(row) + 1]; ++i) {
      const auto column = graph.column[static_cast<std::size_t>(i)];
      EXPECT_NE(row, column);
      EXPECT_EQ(graph.value[static_cast<std::size_t>(i)], 1.0);
      const bool same =
          code[static_cast<std::size_t>(row)] == code[static_cast<std::size_t>(column)];
      (same ? inside : across) += 0.5;
    }
  }
  const double pairs_inside = (2000.0 * 1999 + 1000.0 * 999 + 500.0 * 499) / 2;
  const double pairs_across = 2000.0 * 1000 + 2000.0 * 500 + 1000.0 * 500;
  // Five standard deviations of a binomial.
  EXPECT_NEAR(inside, 0.02 * pairs_inside, 5 * std::sqrt(0.02 * pairs_inside));
  EXPECT_NEAR(across, 0.005 * pairs_across, 5 * std::sqrt(0.005 * pairs_across));
}

TEST(Generators, BlockModelReachesItsExtremes) {
  const std::vector<Index> sizes = {3, 2};
  EXPECT_EQ(stochastic_block_model(sizes, 1.0, 0.0, 8).graph().adjacency.entries(), 3 * 2 + 2);
  EXPECT_EQ(stochastic_block_model(sizes, 0.0, 1.0, 8).graph().adjacency.entries(), 2 * 6);
  EXPECT_EQ(stochastic_block_model(sizes, 1.0, 1.0, 8).graph().adjacency.entries(), 5 * 4);
  EXPECT_EQ(stochastic_block_model(sizes, 1e-300, 0.0, 8).graph().adjacency.entries(), 0);
}

TEST(Generators, AttributedBlockModelTellsRowsByEdgesAndColumnsByFeatures) {
  const std::vector<Index> sizes = {3, 2, 4, 1, 2};  // rows {0, 1, 2} and {3, 4}, q = 3
  const Dataset model = attributed_block_model(sizes, 1.0, 0.0, 4, 0.0, 9);
  const CsrMatrix& graph = model.graph().adjacency;
  EXPECT_EQ(graph.entries(), 9 * 8 + 3 * 2);
  ASSERT_TRUE(model.features.has_value());
  const Matrix x = model.features->values.matrix();
  const auto& code = std::get<ClassLabels>(model.labels).code;
  ASSERT_EQ(x.rows(), 12);
  for (Index i = 0; i < 12; ++i) EXPECT_EQ(x.row(i), Matrix::Identity(4, 4).row(code[i] % 3));
  const Dataset noisy = attributed_block_model(sizes, 0.5, 0.1, 4, 0.2, 9);
  EXPECT_EQ(noisy.features->values,
            attributed_block_model(sizes, 0.5, 0.1, 4, 0.2, 9).features->values);
  EXPECT_NE(noisy.features->values, x);
  EXPECT_THROW(attributed_block_model(sizes, 0.5, 0.1, 2, 0.2, 9), ValueError);
  EXPECT_THROW(attributed_block_model(sizes, 0.5, 0.1, 4, -0.2, 9), ValueError);
}

TEST(Generators, RefuseWhatMakesNoSense) {
  EXPECT_THROW(two_moons(0, 0.1, 1), ValueError);
  EXPECT_THROW(two_moons(5, -0.1, 1), ValueError);
  EXPECT_THROW(circles(5, 0.1, 1.0, 1), ValueError);
  EXPECT_THROW(swiss_roll(5, NAN, 1), ValueError);
  EXPECT_THROW(stochastic_block_model(std::vector<Index>{}, 0.1, 0.1, 1), ValueError);
  EXPECT_THROW(stochastic_block_model(std::vector<Index>{0}, 0.1, 0.1, 1), ValueError);
  EXPECT_THROW(stochastic_block_model(std::vector<Index>{2}, 1.1, 0.1, 1), ValueError);
}

}  // namespace
}  // namespace stkr::generators_test
