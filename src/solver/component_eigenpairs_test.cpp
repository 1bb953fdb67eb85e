#include "solver/component_eigenpairs.hpp"

#include <gtest/gtest.h>

#include "dense_reference.hpp"
#include "runtime/random.hpp"
#include "stkr/error.hpp"

namespace stkr::component_eigenpairs_test {
namespace {

// Normalized adjacency of `rings` small rings of three to five nodes, one random graph of `large`
// nodes, and one isolated node.
CsrMatrix scattered_graph(Index rings, Index large) {
  std::vector<Triplet> edges;
  const auto join = [&](Index a, Index b) {
    edges.push_back({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), 1.0});
    edges.push_back({static_cast<std::int32_t>(b), static_cast<std::int32_t>(a), 1.0});
  };
  Index first = 0;
  for (Index r = 0; r < rings; ++r) {
    const Index size = 3 + r % 3;
    for (Index k = 0; k < size; ++k) join(first + k, first + (k + 1) % size);
    first += size;
  }
  Random random(3);
  for (Index k = 1; k < large; ++k) join(first + k, first + random.below(k));
  for (Index k = 0; k < 4 * large; ++k) {
    const Index a = random.below(large), b = random.below(large);
    if (a != b) join(first + a, first + b);
  }
  CsrMatrix matrix = csr_from_triplets(first + large + 1, first + large + 1, std::move(edges));
  std::vector<double> degree(matrix.rows, 0.0);
  for (Index i = 0; i < matrix.rows; ++i) {
    for (auto p = matrix.row_start[i]; p < matrix.row_start[i + 1]; ++p) {
      degree[i] += matrix.value[p];
    }
  }
  for (Index i = 0; i < matrix.rows; ++i) {
    for (auto p = matrix.row_start[i]; p < matrix.row_start[i + 1]; ++p) {
      matrix.value[p] /= std::sqrt(degree[i] * degree[matrix.column[p]]);
    }
  }
  return matrix;
}

TEST(ComponentEigenpairs, FindEveryCopyAndStayWithinComponents) {
  const Index rings = 90;
  const CsrOperator op(scattered_graph(rings, 700), 0.0, 1);
  const Index count = 150;
  const Eigenpairs found = component_eigenpairs(op, count, {.tolerance = 1e-9, .dense_below = 10});
  ASSERT_TRUE(found.summary.converged());
  const reference::Spectrum expected(product(op, Matrix::Identity(op.size(), op.size())));
  EXPECT_LT((found.values - expected.values.head(count)).cwiseAbs().maxCoeff(), 1e-10);
  // λ = 1 once per ring and once for the large component.
  EXPECT_EQ((found.values.array() > 1.0 - 1e-9).count(), rings + 1);
  const Matrix residual = product(op, found.vectors) - found.vectors * found.values.asDiagonal();
  EXPECT_LT(residual.colwise().norm().maxCoeff(), 1e-8);
  EXPECT_LT((found.vectors.transpose() * found.vectors - Matrix::Identity(count, count)).norm(),
            1e-8);
  const Index first_large = op.size() - 701;
  for (Index k = 0; k < count; ++k) {
    const double in_rings = found.vectors.col(k).head(first_large).norm();
    const double in_large = found.vectors.col(k).segment(first_large, 700).norm();
    EXPECT_EQ(std::min(in_rings, in_large), 0.0) << "pair " << k << " spans several components";
  }
}

TEST(ComponentEigenpairs, CountNodesWithoutEdgesAtTheDiagonal) {
  const CsrOperator op(csr_from_triplets(5, 5, {{0, 1, 0.5}, {1, 0, 0.5}}), 0.5, 1);
  const Eigenpairs found = component_eigenpairs(op, 5);
  EXPECT_LT((found.values - Vector{{1.0, 0.5, 0.5, 0.5, 0.0}}).norm(), 1e-14);
}

TEST(ComponentEigenpairs, OfOneComponentAreThoseOfTheWhole) {
  const CsrMatrix ring = csr_from_triplets(
      4, 4,
      {{0, 1, 1}, {1, 0, 1}, {1, 2, 1}, {2, 1, 1}, {2, 3, 1}, {3, 2, 1}, {3, 0, 1}, {0, 3, 1}});
  const Eigenpairs found = component_eigenpairs(CsrOperator(ring), 1);
  EXPECT_NEAR(found.values[0], 2.0, 1e-13);
  EXPECT_THROW(component_eigenpairs(CsrOperator(ring), 5), Error);
}

}  // namespace
}  // namespace stkr::component_eigenpairs_test
