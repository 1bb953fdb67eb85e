#include "stkr/gram/graph_gram.hpp"

#include <Eigen/Eigenvalues>
#include <limits>

#include "gram_checks.hpp"
#include "linop/restriction.hpp"
#include "memory_store.hpp"
#include "stkr/error.hpp"

namespace stkr::graph_gram_test {
namespace {

constexpr GraphNormalization every_normalization[] = {
    GraphNormalization::symmetric, GraphNormalization::probability, GraphNormalization::lazy_walk,
    GraphNormalization::adjacency};

CsrMatrix from_dense(const Matrix& weights) {
  std::vector<Triplet> triplets;
  for (std::int32_t i = 0; i < weights.rows(); ++i) {
    for (std::int32_t j = 0; j < weights.cols(); ++j) {
      if (weights(i, j) != 0.0) triplets.push_back({i, j, weights(i, j)});
    }
  }
  return csr_from_triplets(weights.rows(), weights.cols(), std::move(triplets));
}

// Two components with weighted edges, some self-loops, and two isolated nodes (3 and the last).
Matrix weighted_graph(Index n, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  Matrix w = Matrix::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) {
      const bool same_side = (i < n / 2) == (j < n / 2);
      if (same_side && uniform(random) < 0.3) w(i, j) = w(j, i) = 0.1 + uniform(random);
    }
  }
  for (const Index isolated : {Index{3}, n - 1}) {
    w.row(isolated).setZero();
    w.col(isolated).setZero();
  }
  return w;
}

// K entry by entry from the definitions.
Matrix kernel_matrix(Matrix w, GraphNormalization normalization, bool self_loops) {
  const Index n = w.rows();
  if (self_loops) w += Matrix::Identity(n, n);
  const Vector d = w.rowwise().sum();
  Matrix k = Matrix::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const double root = w(i, j) > 0.0 ? w(i, j) / std::sqrt(d[i] * d[j]) : 0.0;
      switch (normalization) {
        case GraphNormalization::symmetric:
          k(i, j) = static_cast<double>(n) * root;
          break;
        case GraphNormalization::probability:
          k(i, j) = w(i, j) > 0.0 ? d.sum() * w(i, j) / (d[i] * d[j]) : 0.0;
          break;
        case GraphNormalization::lazy_walk:
          k(i, j) = static_cast<double>(n) * ((i == j ? 0.5 : 0.0) + 0.5 * root);
          break;
        case GraphNormalization::adjacency:
          k(i, j) = w(i, j);
          break;
      }
    }
  }
  return k;
}

TEST(GraphGram, AgreesWithTheDefinitionOfEveryNormalization) {
  for (const auto normalization : every_normalization) {
    for (const bool self_loops : {false, true}) {
      const Matrix w = weighted_graph(41);
      const GraphGram gram(from_dense(w),
                           {.normalization = normalization, .add_self_loops = self_loops});
      const Matrix k = kernel_matrix(w, normalization, self_loops);
      expect_gram(gram, k, 1e-12,
                  "normalization " + std::to_string(static_cast<int>(normalization)) +
                      (self_loops ? " with self-loops" : ""));
      const Eigen::MatrixXd s = k / 41.0;
      expect_bounds(gram, Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(s).eigenvalues());
    }
  }
}

TEST(GraphGram, HasASymmetricBlock) {
  for (const auto normalization : every_normalization) {
    const GraphGram gram(from_dense(weighted_graph(30)), {.normalization = normalization});
    const auto all = all_samples(30);
    const Matrix k = gram.block(all, all);
    EXPECT_EQ(k, Matrix(k.transpose()));
  }
}

TEST(GraphGram, GivesIsolatedNodesAZeroRow) {
  const Matrix w = weighted_graph(20);
  const Matrix x = random_normals(20, 2, 1);
  const Matrix y = product(GraphGram(from_dense(w)), x);
  EXPECT_EQ(y.row(3), Matrix::Zero(1, 2));
  const Matrix lazy =
      product(GraphGram(from_dense(w), {.normalization = GraphNormalization::lazy_walk}), x);
  EXPECT_EQ(lazy.row(3), 0.5 * x.row(3));
}

TEST(GraphGram, WorksWithoutAnyEdge) {
  const GraphGram gram(csr_from_triplets(3, 3, {}));
  EXPECT_EQ(product(gram, Matrix::Ones(3, 1)), Matrix::Zero(3, 1));
  EXPECT_EQ(gram.known_eigenspace()->dimension(), 0);
}

TEST(GraphGram, KnowsOneEigenvectorPerComponent) {
  for (const auto normalization : {GraphNormalization::symmetric, GraphNormalization::lazy_walk}) {
    // A path 0-1-2, an edge 3-4 with weight 2, a node 5 with only a self-loop, an isolated node 6.
    Matrix w = Matrix::Zero(7, 7);
    w(0, 1) = w(1, 0) = w(1, 2) = w(2, 1) = 1.0;
    w(3, 4) = w(4, 3) = 2.0;
    w(5, 5) = 3.0;
    const GraphGram gram(from_dense(w), {.normalization = normalization});
    EXPECT_EQ(gram.known_eigenspace()->dimension(), 3);
    EXPECT_EQ(gram.known_eigenspace()->eigenvalue(), 1.0);
    expect_known_eigenspace(gram, 1e-14);
    expect_known_eigenspace(
        GraphGram(from_dense(weighted_graph(60)), {.normalization = normalization}), 1e-13);
  }
}

TEST(GraphGram, GivesTheSameBitsForAnyNumberOfThreads) {
  const CsrMatrix w = from_dense(weighted_graph(900));
  const Matrix x = random_normals(900, 3, 1);
  const Matrix one = product(GraphGram(w, {.threads = 1}), x);
  for (const int threads : {2, 3}) {
    EXPECT_EQ(product(GraphGram(w, {.threads = threads}), x), one);
  }
}

TEST(GraphGram, NamesTheEdgeThatIsNotAllowed) {
  Matrix w = weighted_graph(10);
  w(6, 8) = w(8, 6) = -0.5;
  auto message = message_of<ValueError>([&] { GraphGram(from_dense(w)); });
  EXPECT_NE(message.find("(6, 8)"), std::string::npos) << message;
  w(6, 8) = w(8, 6) = std::numeric_limits<double>::quiet_NaN();
  message = message_of<ValueError>([&] { GraphGram(from_dense(w)); });
  EXPECT_NE(message.find("(6, 8)"), std::string::npos) << message;
}

TEST(GraphGram, RefusesADirectedGraphUnlessToldToSymmetrize) {
  Matrix w = Matrix::Zero(4, 4);
  w(0, 1) = w(1, 0) = 1.0;
  w(2, 3) = 2.0;
  const auto message = message_of<ValueError>([&] { GraphGram(from_dense(w)); });
  EXPECT_NE(message.find("(2, 3)"), std::string::npos) << message;
  EXPECT_NE(message.find("symmetrize"), std::string::npos) << message;
  const GraphGram gram(from_dense(w), {.symmetrize = true});
  w(3, 2) = 2.0;
  expect_gram(gram, kernel_matrix(w, GraphNormalization::symmetric, false), 1e-14, "symmetrized");
}

TEST(GraphGram, RefusesShapesThatDoNotFit) {
  EXPECT_THROW(GraphGram(csr_from_triplets(3, 4, {})), ShapeError);
  EXPECT_THROW(GraphGram(csr_from_triplets(0, 0, {})), ShapeError);
  const GraphGram gram(csr_from_triplets(3, 3, {}));
  Matrix y(3, 1);
  EXPECT_THROW(gram.apply(Matrix::Ones(4, 1), y), ShapeError);
  const std::vector<Index> outside{-1};
  EXPECT_THROW(gram.columns(outside), ValueError);
}

TEST(GraphCrossKernel, PlacesNewNodesByTheirVisibleDegree) {
  const Matrix w = weighted_graph(30);
  Matrix edges = weighted_graph(30, 2).topRows(12).cwiseAbs();
  edges.row(5).setZero();  // no edge to any known node
  edges(6, 29) = 1.0;      // an edge to a known node that was isolated
  const Matrix c = random_normals(30, 4, 3);
  for (const auto normalization : every_normalization) {
    for (const bool self_loops : {false, true}) {
      GraphGram gram(from_dense(w), {.normalization = normalization, .add_self_loops = self_loops});
      const Vector d = gram.degrees();
      Matrix expected = Matrix::Zero(12, 4);
      for (Index i = 0; i < 12; ++i) {
        const double dx = edges.row(i).sum() + (self_loops ? 1.0 : 0.0);
        for (Index j = 0; j < 30; ++j) {
          if (edges(i, j) == 0.0) continue;
          double k = edges(i, j);
          if (normalization == GraphNormalization::probability) {
            k *= d[j] > 0.0 ? d.sum() / (dx * d[j]) : 0.0;
          } else if (normalization != GraphNormalization::adjacency) {
            k *= d[j] > 0.0 ? 30.0 / std::sqrt(dx * d[j]) : 0.0;
          }
          if (normalization == GraphNormalization::lazy_walk) k *= 0.5;
          expected.row(i) += k * c.row(j);
        }
      }
      const auto cross = gram.cross_kernel();
      const Matrix result = cross->apply({from_dense(edges)}, c);
      EXPECT_LT(largest_difference(result, expected), 1e-11);
      EXPECT_EQ(result.row(5), Matrix::Zero(1, 4));
      EXPECT_EQ(save_and_load(*cross)->apply({from_dense(edges)}, c), result);
    }
  }
}

TEST(GraphCrossKernel, GivesKnownNodesTheirKernelRowsButForTheSelfTerm) {
  const Matrix w = weighted_graph(25);
  const auto all = all_samples(25);
  for (const GraphNormalization normalization : every_normalization) {
    GraphGram gram(from_dense(w), {.normalization = normalization});
    const double self_term = gram.self_term();
    const Matrix k = gram.block(all, all);
    EXPECT_EQ(self_term, k(0, 0) / 25.0);  // no node has a self-loop
    const auto cross = gram.cross_kernel();
    EXPECT_EQ(cross->self_term(), self_term);
    const Matrix rows = cross->apply({from_dense(w)}, Matrix::Identity(25, 25));
    EXPECT_LT(largest_difference(rows + 25.0 * self_term * Matrix::Identity(25, 25), k), 1e-12);
  }
}

TEST(GraphGram, ReachesAlongEdges) {
  const Matrix w = weighted_graph(30);
  for (const GraphNormalization normalization : every_normalization) {
    const GraphGram gram(from_dense(w), {.normalization = normalization});
    const Matrix k = gram.block(all_samples(30), all_samples(30));
    std::vector<char> from(30, 0);
    from[4] = from[29] = 1;
    Matrix mass = Matrix::Zero(30, 1);
    mass(4, 0) = mass(29, 0) = 1.0;
    std::vector<char> ever(30, 0);
    for (int steps = 1; steps <= 30; ++steps) {
      mass = (k * mass).cwiseMin(1.0).eval();
      std::vector<char> expected(30);
      for (Index i = 0; i < 30; ++i) {
        expected[i] = mass(i, 0) > 0.0;
        ever[i] = ever[i] || expected[i];
      }
      if (steps <= 4) {
        EXPECT_EQ(gram.reached(from, steps), expected) << steps;
      }
    }
    EXPECT_EQ(gram.reached(from, 0), ever);
    EXPECT_EQ(gram.GramOperator::reached(from, 0), ever);
  }
}

TEST(GraphCrossKernel, RefusesEdgesThatDoNotFit) {
  const auto cross = GraphGram(from_dense(weighted_graph(10))).cross_kernel();
  const Matrix c = Matrix::Ones(10, 1);
  EXPECT_THROW(cross->apply({csr_from_triplets(2, 9, {})}, c), ShapeError);
  EXPECT_THROW(cross->apply({Matrix::Ones(2, 10)}, c), ValueError);
  EXPECT_THROW(cross->apply({csr_from_triplets(2, 10, {{1, 3, -1.0}})}, c), ValueError);
  EXPECT_THROW(cross->apply({csr_from_triplets(2, 10, {})}, Matrix::Ones(9, 1)), ShapeError);
}

TEST(GraphGram, KnowsTheNormsOfItsRows) {
  Matrix w = weighted_graph(30);
  w(4, 4) = 2.0;  // a self-loop shares the diagonal with the lazy walk
  for (const GraphNormalization normalization : every_normalization) {
    const GraphGram gram(from_dense(w), {.normalization = normalization});
    const std::vector<Index> samples{4, 0, 29};
    const auto squares = gram.squared_row_norms(samples);
    ASSERT_TRUE(squares.has_value());
    const Matrix s = product(gram, Matrix::Identity(30, 30));
    for (Index k = 0; k < 3; ++k) {
      EXPECT_NEAR((*squares)[k], s.row(samples[k]).squaredNorm(), 1e-14);
    }
  }
}

TEST(GraphGram, HandsOutTheSameBlockAsAnyGram) {
  for (const GraphNormalization normalization : every_normalization) {
    const GraphGram gram(from_dense(weighted_graph(30)), {.normalization = normalization});
    const std::vector<Index> samples{0, 3, 4, 11, 17, 28, 29};
    const auto sparse = gram.restricted(samples, 2.5);
    const Matrix x = Matrix::Random(7, 5);
    EXPECT_LT((product(*sparse, x) - product(Restriction(gram, samples, 2.5), x)).norm(), 1e-13);
    // apply_step also includes the diagonal of the lazy walk.
    Matrix y = Matrix::Random(30, 3), z = y;
    const Matrix v = Matrix::Random(30, 3);
    gram.apply_step(1.5, v, -0.5, 2.0, y);
    gram.LinearOperator::apply_step(1.5, v, -0.5, 2.0, z);
    EXPECT_LT((y - z).norm(), 1e-13);
  }
  const GraphGram gram(from_dense(weighted_graph(30)));
  EXPECT_THROW(gram.restricted({0, 30}, 1.0), ValueError);
  EXPECT_THROW(gram.restricted({4, 2}, 1.0), ValueError);
  EXPECT_THROW(gram.restricted({2, 2}, 1.0), ValueError);
}

TEST(GraphGram, SaysWhatToDoAboutWeightsThatOverflow) {
  const auto pair = [](double weight) {
    return csr_from_triplets(3, 3,
                             {{0, 1, weight}, {1, 0, weight}, {1, 2, weight}, {2, 1, weight}});
  };
  // The degree of the middle node overflows to infinity.
  const auto large = message_of<ValueError>([&] { GraphGram gram(pair(1e308)); });
  EXPECT_NE(large.find("node 1"), std::string::npos) << large;
  EXPECT_NE(large.find("divide all weights"), std::string::npos) << large;
  const auto small = message_of<ValueError>([&] { GraphGram gram(pair(1e-320)); });
  EXPECT_NE(small.find("divide all weights"), std::string::npos) << small;

  const auto cross = GraphGram(pair(1.0)).cross_kernel();
  const Matrix c = Matrix::Ones(3, 1);
  const auto fresh = message_of<ValueError>([&] {
    cross->apply({csr_from_triplets(2, 3, {{0, 0, 1.0}, {1, 0, 1e308}, {1, 2, 1e308}})}, c);
  });
  EXPECT_NE(fresh.find("new node 1"), std::string::npos) << fresh;
  EXPECT_NE(fresh.find("add up to inf"), std::string::npos) << fresh;
}

}  // namespace
}  // namespace stkr::graph_gram_test
