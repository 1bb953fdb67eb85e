#include "gram/deflated_gram.hpp"

#include <Eigen/Eigenvalues>

#include "gram/dense_gram.hpp"
#include "gram_checks.hpp"
#include "memory_store.hpp"
#include "stkr/error.hpp"
#include "stkr/gram/graph_gram.hpp"

namespace stkr {
namespace {

constexpr Index kNodes = 24;

// Components {0..15} and {16..21}; 22 and 23 have no edges.
CsrMatrix weights() {
  std::vector<Triplet> edges;
  for (std::int32_t i = 0; i < 22; ++i) {
    for (std::int32_t j = 0; j < i; ++j) {
      if ((i < 16) != (j < 16) || (i * 7 + j * 3) % 4 == 1) continue;
      const double weight = 0.3 + 0.1 * static_cast<double>((i + 2 * j) % 7);
      edges.push_back({i, j, weight});
      edges.push_back({j, i, weight});
    }
  }
  return csr_from_triplets(kNodes, kNodes, edges);
}

std::unique_ptr<GramOperator> graph(GraphNormalization normalization) {
  return std::make_unique<GraphGram>(weights(), GraphGramOptions{.normalization = normalization});
}

// K without the eigenvectors of its largest eigenvalue.
Matrix deflated(GraphNormalization normalization) {
  const auto all = all_samples(kNodes);
  Matrix k = graph(normalization)->block(all, all);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(k);
  const Vector values = solver.eigenvalues();
  const double largest = values.maxCoeff();
  Index removed = 0;
  for (Index i = 0; i < kNodes; ++i) {
    if (values[i] < largest * (1.0 - 1e-10)) continue;
    k -= values[i] * solver.eigenvectors().col(i) * solver.eigenvectors().col(i).transpose();
    ++removed;
  }
  EXPECT_EQ(removed, 2);
  return k;
}

constexpr GraphNormalization kNormalizations[] = {GraphNormalization::symmetric,
                                                  GraphNormalization::lazy_walk};

TEST(DeflatedGram, HasNoLeadingEigenvectors) {
  for (const GraphNormalization normalization : kNormalizations) {
    SCOPED_TRACE(static_cast<int>(normalization));
    const Matrix expected = deflated(normalization);
    const DeflatedGram gram(graph(normalization));
    expect_gram(gram, expected, 1e-12, "deflated graph");
    expect_known_eigenspace(gram, 1e-14);
    const Eigen::MatrixXd s = expected / static_cast<double>(kNodes);
    expect_bounds(gram, Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(s).eigenvalues());
    EXPECT_TRUE(gram.sparse());
    EXPECT_TRUE(gram.knows_components());
    EXPECT_FALSE(gram.nonnegative());
  }
}

// A known node presented again with its own edges has the same row, except for the self term.
TEST(DeflatedGram, PlacesNewSamples) {
  const Matrix c = random_matrix(24, 3, 3);
  for (const GraphNormalization normalization : kNormalizations) {
    SCOPED_TRACE(static_cast<int>(normalization));
    const DeflatedGram gram(graph(normalization));
    const auto cross = gram.cross_kernel();
    Matrix expected = deflated(normalization);
    expected.diagonal().array() -= 24.0 * gram.self_term();
    for (Index i = 22; i < 24; ++i) expected.row(i).setZero();  // isolated: no edges at all
    const NewSamples again{weights()};
    EXPECT_LT(largest_difference(cross->apply(again, c), expected.lazyProduct(c)), 1e-11);
    EXPECT_EQ(save_and_load(*cross)->apply(again, c), cross->apply(again, c));
  }
}

TEST(DeflatedGram, NeedsKnownEigenvectors) {
  EXPECT_THROW(DeflatedGram(nullptr), ValueError);
  EXPECT_THROW(DeflatedGram(std::make_unique<DenseGram>(Matrix::Identity(3, 3))), ValueError);
  EXPECT_THROW(DeflatedGram(std::make_unique<DeflatedGram>(graph(kNormalizations[0]))), ValueError);
}

}  // namespace
}  // namespace stkr
