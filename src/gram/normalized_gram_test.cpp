#include "gram/normalized_gram.hpp"

#include <Eigen/Eigenvalues>

#include "gram/dense_gram.hpp"
#include "gram_checks.hpp"
#include "memory_store.hpp"
#include "stkr/error.hpp"
#include "stkr/gram/graph_gram.hpp"
#include "stkr/gram/point_gram.hpp"

namespace stkr::normalized_gram_test {
namespace {

std::unique_ptr<GramOperator> rbf_gram(const Matrix& x) {
  return std::make_unique<PointGram<double>>(x, Kernel::rbf(0.8));
}

double root(double d) { return d > 0.0 ? 1.0 / std::sqrt(d) : 0.0; }

// Rows of K between arbitrary samples and the known ones, divided by √(d(x) d(x_j)).
Matrix normalized(const Matrix& rows, const Matrix& kernel) {
  Matrix result(rows.rows(), rows.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) {
      result(i, j) = rows(i, j) * root(rows.row(i).mean()) * root(kernel.row(j).mean());
    }
  }
  return result;
}

TEST(NormalizedGram, FollowsTheFormula) {
  const Matrix x = random_normals(70, 4, 1);
  const auto all = all_samples(70);
  const Matrix k = rbf_gram(x)->block(all, all);
  const NormalizedGram gram(rbf_gram(x));
  expect_gram(gram, normalized(k, k), 1e-13, "normalized rbf");
  const Eigen::MatrixXd s = normalized(k, k) / 70.0;
  const Vector eigenvalues = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(s).eigenvalues();
  expect_bounds(gram, eigenvalues);
  EXPECT_NEAR(eigenvalues.maxCoeff(), 1.0, 1e-13);
  EXPECT_EQ(gram.bounds().lower, 0.0);
  EXPECT_EQ(gram.bounds().upper, 1.0);
}

TEST(NormalizedGram, KnowsItsFirstEigenvector) {
  const NormalizedGram gram(rbf_gram(random_normals(70, 4, 1)));
  EXPECT_EQ(gram.known_eigenspace()->eigenvalue(), 1.0);
  expect_known_eigenspace(gram, 1e-14);
}

TEST(NormalizedGram, TurnsAdjacencyIntoTheSymmetricNormalization) {
  // A path with an isolated node.
  const auto edges = [] {
    return csr_from_triplets(4, 4, {{0, 1, 1.0}, {1, 0, 1.0}, {1, 2, 2.0}, {2, 1, 2.0}});
  };
  const auto all = all_samples(4);
  const NormalizedGram gram(std::make_unique<GraphGram>(
      edges(), GraphGramOptions{.normalization = GraphNormalization::adjacency}));
  expect_gram(gram, GraphGram(edges()).block(all, all), 1e-14, "adjacency");
  expect_known_eigenspace(gram, 1e-14);
}

TEST(NormalizedGram, PlacesNewSamples) {
  const Matrix x = random_normals(60, 2, 1);
  Matrix fresh = random_normals(25, 2, 2);
  fresh.row(4).setConstant(1e6);  // so far away that K underflows to 0: no evidence, not NaN
  const Matrix c = random_normals(60, 3, 3);
  const auto all = all_samples(60);
  const Matrix k = rbf_gram(x)->block(all, all);
  const Matrix rows = rbf_gram(x)->cross_kernel()->apply({fresh}, Matrix::Identity(60, 60));
  const auto cross = NormalizedGram(rbf_gram(x)).cross_kernel();
  const Matrix result = cross->apply({fresh}, c);
  EXPECT_LT(largest_difference(result, normalized(rows, k).lazyProduct(c)), 1e-11);
  EXPECT_EQ(result.row(4), Matrix::Zero(1, 3));
  EXPECT_LT(largest_difference(cross->apply({x}, c), normalized(k, k).lazyProduct(c)), 1e-12);
  EXPECT_EQ(save_and_load(*cross)->apply({fresh}, c), result);
}

TEST(NormalizedGram, PlacesNewNodesWithoutReadingAllCoefficients) {
  const auto edges = csr_from_triplets(4, 4, {{0, 1, 1.0}, {1, 0, 1.0}, {1, 2, 2.0}, {2, 1, 2.0}});
  const auto make = [&] {
    return std::make_unique<GraphGram>(
        edges, GraphGramOptions{.normalization = GraphNormalization::adjacency});
  };
  const NewSamples nodes{csr_from_triplets(3, 4, {{0, 1, 2.0}, {0, 2, 1.0}, {1, 3, 5.0}})};
  const Matrix k = make()->columns(all_samples(4));
  const Matrix rows = make()->cross_kernel()->apply(nodes, Matrix::Identity(4, 4));
  const Matrix c = random_normals(4, 3, 3);
  const auto cross = NormalizedGram(make()).cross_kernel();
  EXPECT_TRUE(cross->place(nodes)->sparse());
  EXPECT_LT(largest_difference(cross->apply(nodes, c), normalized(rows, k).lazyProduct(c)), 1e-14);
}

TEST(NormalizedGram, SaysWhatToDoAboutDegreesThatOverflow) {
  const Matrix k = Matrix::Constant(40, 40, 1e308);
  const auto message =
      message_of<ValueError>([&] { NormalizedGram gram(std::make_unique<DenseGram>(k)); });
  EXPECT_NE(message.find("divide the kernel"), std::string::npos) << message;
}

TEST(NormalizedGram, RefusesNegativeDegrees) {
  EXPECT_THROW(NormalizedGram(nullptr), ValueError);
  Matrix k = Matrix::Identity(3, 3);
  k(0, 1) = k(1, 0) = -2.0;
  const auto message =
      message_of<ValueError>([&] { NormalizedGram gram(std::make_unique<DenseGram>(k)); });
  EXPECT_NE(message.find("sample 0"), std::string::npos) << message;
  const auto cross = NormalizedGram(std::make_unique<DenseGram>(Matrix::Ones(2, 2))).cross_kernel();
  EXPECT_THROW(cross->apply({Matrix::Constant(1, 2, -1.0)}, Matrix::Ones(2, 1)), ValueError);
}

}  // namespace
}  // namespace stkr::normalized_gram_test
