// Neighbor graphs in principal components (NeighborGraphOptions::components).
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "gram_checks.hpp"
#include "memory_store.hpp"
#include "runtime/random.hpp"
#include "stkr/error.hpp"
#include "stkr/gram/neighbor_graph.hpp"

namespace stkr::neighbor_components_test {
namespace {

constexpr Index kComponents = 3;

// Three features that matter and nine of little noise, rotated.
Matrix noisy_points(Index count, std::uint64_t seed) {
  Random random(seed), rotation(99);
  Matrix points(count, 12), mix(12, 12);
  for (double& value : points.reshaped()) value = random.normal();
  points.rightCols(9) *= 0.05;
  for (double& value : mix.reshaped()) value = rotation.normal();
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr{Eigen::MatrixXd(mix)};
  return points * Eigen::MatrixXd(qr.householderQ());
}

// The coordinates of `fresh` in the components of `points`, by a dense eigendecomposition.
Matrix dense_components(const Matrix& points, const Matrix& fresh) {
  const Matrix centered = points.rowwise() - points.colwise().mean();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
      Eigen::MatrixXd(centered.transpose() * centered));
  return (fresh.rowwise() - points.colwise().mean()) * eigen.eigenvectors().rightCols(kComponents);
}

NeighborGraphOptions in_components(EdgeWeight weight, Index components = kComponents) {
  return {.k = 5, .weight = weight, .components = components};
}

TEST(NeighborComponents, AreTheNeighborsOfTheProjectedPoints) {
  const Matrix points = noisy_points(120, 1), fresh = noisy_points(30, 2);
  const Matrix projected = dense_components(points, points);
  const Matrix c = random_normals(120, 2, 3);
  for (const EdgeWeight weight : {EdgeWeight::self_tuning, EdgeWeight::cosine, EdgeWeight::heat}) {
    SCOPED_TRACE(to_string(weight));
    const NeighborGraphGram gram(points, in_components(weight));
    const NeighborGraphGram expected(projected, in_components(weight, 0));
    EXPECT_EQ(gram.components(), kComponents);
    EXPECT_LT(largest_difference(product(gram, c), product(expected, c)), 1e-4);
    const auto cross = gram.cross_kernel();
    EXPECT_EQ(cross->features(), 12);
    const Matrix values = cross->apply({fresh}, c);
    const Matrix by_hand = expected.cross_kernel()->apply({dense_components(points, fresh)}, c);
    EXPECT_LT(largest_difference(values, by_hand), 1e-4 * by_hand.cwiseAbs().maxCoeff());
    EXPECT_EQ(largest_difference(save_and_load(*cross)->apply({fresh}, c), values), 0.0);
  }
}

TEST(NeighborComponents, KnowTheirPointsAgain) {
  Matrix points = noisy_points(60, 4);
  points.row(9) = points.row(4);
  const NeighborGraphGram gram(points, in_components(EdgeWeight::self_tuning));
  Matrix fresh(2, 12);
  fresh << points.row(31), points.row(4);
  const NewSamples samples{fresh};
  const auto cross = gram.cross_kernel();
  const auto twins = cross->place(samples)->twins();
  ASSERT_TRUE(twins);
  EXPECT_EQ(twins->sample, (std::vector<Index>{31, 4, 9}));
}

TEST(NeighborComponents, AsManyAsFeaturesAreAllFeatures) {
  const Matrix points = noisy_points(40, 5);
  const NeighborGraphGram all(points, in_components(EdgeWeight::self_tuning, 12));
  const NeighborGraphGram none(points, in_components(EdgeWeight::self_tuning, 0));
  EXPECT_EQ(all.components(), 0);
  const Matrix c = random_normals(40, 2, 6);
  EXPECT_EQ(product(all, c), product(none, c));
}

TEST(NeighborComponents, RefuseBadInput) {
  const Matrix points = noisy_points(40, 7);
  EXPECT_THROW(NeighborGraphGram(points, in_components(EdgeWeight::binary, 13)), ValueError);
  EXPECT_THROW(NeighborGraphGram(points, in_components(EdgeWeight::binary, -1)), ValueError);
  const NeighborGraphGram gram(points, in_components(EdgeWeight::binary));
  EXPECT_THROW(gram.cross_kernel()->apply({Matrix(Matrix::Zero(2, 3))}, Matrix::Zero(40, 1)),
               ShapeError);
}

}  // namespace
}  // namespace stkr::neighbor_components_test
