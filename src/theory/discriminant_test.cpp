#include "stkr/theory/discriminant.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <vector>

#include "dense_operator.hpp"
#include "stkr/error.hpp"

namespace stkr::discriminant_test {
namespace {

TEST(Discriminant, IsTheShareOfVarianceBetweenClasses) {
  Matrix scores(4, 2);
  scores << 0.0, 1.0, 2.0, 1.0, 4.0, -1.0, 6.0, -1.0;
  const Discriminant found = discriminant(scores, std::vector<Index>{0, 0, 7, 7});
  EXPECT_EQ(found.classes, 2);
  EXPECT_NEAR(found.share[0], 16.0 / 20.0, 1e-14);
  EXPECT_NEAR(found.share[1], 1.0, 1e-14);
  EXPECT_NEAR(found.overall, 20.0 / 24.0, 1e-14);
  EXPECT_NEAR(found.ratio_trace, 1.0, 1e-12);  // one direction separates two classes perfectly
}

TEST(Discriminant, HasTheRatioTraceOfTheScatterMatrices) {
  const Index n = 40;
  const Matrix scores = random_matrix(n, 3, 1);
  std::vector<Index> classes(n);
  Matrix members = Matrix::Zero(n, 4);
  for (Index i = 0; i < n; ++i) {
    classes[i] = i % 4;
    members(i, i % 4) = 1.0;
  }
  const Matrix centered = scores.rowwise() - scores.colwise().mean();
  const Matrix total = centered.transpose() * centered;
  const Matrix means = members.transpose() * centered / 10.0;
  const Matrix between = 10.0 * means.transpose() * means;
  const Discriminant found = discriminant(scores, classes);
  EXPECT_NEAR(found.ratio_trace, (total.inverse() * between).trace(), 1e-10);
  EXPECT_NEAR(found.overall, between.trace() / total.trace(), 1e-12);
  // Dependent columns, as of scores that add up to 1, separate no better.
  Matrix dependent(n, 4);
  dependent << scores, -scores.rowwise().sum();
  EXPECT_NEAR(discriminant(dependent, classes).ratio_trace, found.ratio_trace, 1e-8);
}

TEST(Discriminant, IgnoresSamplesWithoutClassAndConstantScores) {
  Matrix scores(3, 2);
  scores << 1.0, 5.0, 2.0, 5.0, 100.0, 7.0;
  const Discriminant found = discriminant(scores, std::vector<Index>{0, 1, -1});
  EXPECT_NEAR(found.share[0], 1.0, 1e-14);
  EXPECT_EQ(found.share[1], 0.0);
  const Discriminant flat = discriminant(Matrix::Constant(3, 1, 0.1), std::vector<Index>{0, 1, 1});
  EXPECT_EQ(flat.ratio_trace, 0.0);
  EXPECT_THROW(discriminant(scores, std::vector<Index>{0, 1}), ShapeError);
  EXPECT_THROW(discriminant(scores, std::vector<Index>{-1, -1, -1}), ValueError);
}

}  // namespace
}  // namespace stkr::discriminant_test
