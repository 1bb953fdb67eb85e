#include "stkr/gram/neighbor_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "gram_checks.hpp"
#include "linop/components.hpp"
#include "memory_store.hpp"
#include "runtime/random.hpp"
#include "stkr/error.hpp"

namespace stkr::neighbor_graph_test {
namespace {

constexpr EdgeWeight kWeights[] = {EdgeWeight::binary, EdgeWeight::heat, EdgeWeight::self_tuning,
                                   EdgeWeight::cosine};
constexpr EdgeRule kRules[] = {EdgeRule::either, EdgeRule::mutual};

// Integers, which single precision represents exactly, so that distances are exact.
Matrix integer_points(Index count, Index features, std::uint64_t seed) {
  Random random(seed);
  Matrix points(count, features);
  for (double& value : points.reshaped()) value = static_cast<double>(random.below(1000)) - 300.0;
  return points;
}

// The definitions of the header, written out. Valid if no two points are equal.
struct DenseGraph {
  Matrix distance;
  std::vector<std::vector<Index>> nearest;  // the k nearest others of each point
  Vector sigma;
  double length_scale;

  DenseGraph(Matrix points, Index k, EdgeWeight weight) : distance(points.rows(), points.rows()) {
    const Index n = points.rows();
    if (weight == EdgeWeight::cosine) points.rowwise().normalize();
    std::vector<double> reach;
    sigma.resize(n);
    for (Index i = 0; i < n; ++i) {
      std::vector<std::pair<double, Index>> row;
      for (Index j = 0; j < n; ++j) {
        distance(i, j) = (points.row(i) - points.row(j)).norm();
        if (i != j) row.emplace_back(distance(i, j), j);
      }
      std::sort(row.begin(), row.end());
      nearest.emplace_back();
      for (Index r = 0; r < k; ++r) nearest.back().push_back(row[r].second);
      sigma[i] = row[std::min<Index>(k, 7) - 1].first;
      reach.push_back(row[k - 1].first);
    }
    std::sort(reach.begin(), reach.end());
    length_scale = reach[reach.size() / 2];
  }

  double weight(EdgeWeight kind, double d, double sigma_x, double sigma_y) const {
    switch (kind) {
      case EdgeWeight::binary:
        return 1.0;
      case EdgeWeight::heat:
        return std::exp(-d * d / (2.0 * length_scale * length_scale));
      case EdgeWeight::self_tuning:
        return std::exp(-d * d / (sigma_x * sigma_y));
      default:
        return std::max(0.0, 1.0 - d * d / 2.0);
    }
  }

  Matrix weights(EdgeWeight kind, EdgeRule rule) const {
    const Index n = distance.rows();
    const auto has = [&](Index i, Index j) {
      return std::find(nearest[i].begin(), nearest[i].end(), j) != nearest[i].end();
    };
    Matrix w = Matrix::Zero(n, n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        const bool edge =
            rule == EdgeRule::mutual ? has(i, j) && has(j, i) : has(i, j) || has(j, i);
        if (edge) w(i, j) = weight(kind, distance(i, j), sigma[i], sigma[j]);
      }
    }
    return w;
  }
};

// K = N·S of the walk, lazy or not. Every point has an edge here.
Matrix graph_kernel(const Matrix& w, GraphNormalization normalization) {
  const auto n = static_cast<double>(w.rows());
  const Vector root = w.rowwise().sum().cwiseSqrt().cwiseInverse();
  const Matrix s = root.asDiagonal() * w * root.asDiagonal();
  if (normalization == GraphNormalization::symmetric) return n * s;
  return 0.5 * n * (Matrix::Identity(w.rows(), w.rows()) + s);
}

Matrix to_dense(const CsrMatrix& matrix) {
  Matrix result = Matrix::Zero(matrix.rows, matrix.cols);
  for (Index i = 0; i < matrix.rows; ++i) {
    for (std::int64_t p = matrix.row_start[i]; p < matrix.row_start[i + 1]; ++p) {
      result(i, matrix.column[p]) = matrix.value[p];
    }
  }
  return result;
}

NeighborGraphOptions options_of(EdgeWeight weight, EdgeRule rule, Index k = 5) {
  NeighborGraphOptions options;
  options.k = k;
  options.weight = weight;
  options.rule = rule;
  return options;
}

TEST(NeighborGraph, IsWhatItsDefinitionSays) {
  const Matrix points = integer_points(120, 4, 1);
  for (const EdgeWeight weight : kWeights) {
    for (const EdgeRule rule : kRules) {
      for (const Index k : {1, 5, 12}) {
        SCOPED_TRACE(testing::Message()
                     << to_string(weight) << ", " << to_string(rule) << ", " << k);
        const NeighborGraph graph = neighbor_graph(points, options_of(weight, rule, k));
        const Matrix expected = DenseGraph(points, k, weight).weights(weight, rule);
        EXPECT_LT(largest_difference(to_dense(graph.weights), expected), 1e-6)
            << "points of length 1 are rounded to single precision";
        EXPECT_EQ(asymmetry(graph.weights).largest, 0.0);
        check_csr(graph.weights, "graph");
      }
    }
  }
}

TEST(NeighborGraph, GramIsTheGraphsKernel) {
  const Matrix points = integer_points(90, 3, 2);
  for (const GraphNormalization normalization :
       {GraphNormalization::lazy_walk, GraphNormalization::symmetric}) {
    NeighborGraphOptions options = options_of(EdgeWeight::self_tuning, EdgeRule::either);
    options.normalization = normalization;
    const NeighborGraphGram gram(points, options);
    const Matrix w = DenseGraph(points, 5, options.weight).weights(options.weight, options.rule);
    expect_gram(gram, graph_kernel(w, normalization), 1e-12, "neighbor graph");
    expect_known_eigenspace(gram, 1e-12);
  }
}

// A new point gets the row that it would have if only its own edges were added to the graph.
TEST(NeighborGraph, PlacesNewPointsByTheSameRule) {
  const Matrix points = integer_points(100, 3, 3);
  const Matrix fresh = integer_points(40, 3, 4);
  const Matrix c = random_normals(100, 3, 5);
  for (const EdgeWeight weight : kWeights) {
    for (const EdgeRule rule : kRules) {
      SCOPED_TRACE(testing::Message() << to_string(weight) << ", " << to_string(rule));
      const DenseGraph graph(points, 5, weight);
      const Vector degree = graph.weights(weight, rule).rowwise().sum();
      Matrix known = points, unknown = fresh;
      if (weight == EdgeWeight::cosine) {
        known.rowwise().normalize();
        unknown.rowwise().normalize();
      }
      Matrix expected = Matrix::Zero(40, 3);
      Index most_edges = 0;
      for (Index q = 0; q < 40; ++q) {
        std::vector<std::pair<double, Index>> row;
        for (Index j = 0; j < 100; ++j) row.emplace_back((unknown.row(q) - known.row(j)).norm(), j);
        std::sort(row.begin(), row.end());
        Vector w = Vector::Zero(100);
        // The known point is one of the five nearest of the new point, or the new point is within
        // the reach of the known one's five: either or both, depending on the rule.
        Index edges = 0;
        for (Index r = 0; r < 100; ++r) {
          const auto [d, j] = row[r];
          const bool near = r < 5, reached = d <= graph.distance(j, graph.nearest[j].back());
          if (rule == EdgeRule::mutual ? !(near && reached) : !(near || reached)) continue;
          w[j] = graph.weight(weight, d, row[4].first, graph.sigma[j]);
          ++edges;
        }
        most_edges = std::max(most_edges, edges);
        // N times the walk's step, of which the lazy walk takes half.
        for (Index j = 0; j < 100; ++j) {
          if (w[j] > 0.0 && degree[j] > 0.0)
            expected.row(q) += 100.0 * 0.5 * w[j] / std::sqrt(w.sum() * degree[j]) * c.row(j);
        }
      }
      NeighborGraphGram gram(points, options_of(weight, rule));
      const auto cross = gram.cross_kernel();
      EXPECT_EQ(cross->known(), 100);
      EXPECT_EQ(cross->features(), 3);
      EXPECT_EQ(most_edges > 5, rule == EdgeRule::either);
      const double scale = expected.cwiseAbs().maxCoeff();
      EXPECT_LT(largest_difference(cross->apply({fresh}, c), expected), 1e-5 * scale);
      const auto again = save_and_load(*cross);
      EXPECT_EQ(largest_difference(again->apply({fresh}, c), cross->apply({fresh}, c)), 0.0);
    }
  }
}

TEST(NeighborGraph, KnowsItsPointsAgain) {
  Matrix points = integer_points(50, 3, 14);
  points.row(9) = points.row(4);
  NeighborGraphGram gram(points, options_of(EdgeWeight::self_tuning, EdgeRule::either));
  const auto near = gram.nearest(std::vector<Index>{9, 20}, std::vector<Index>{7, 4, 20});
  ASSERT_TRUE(near);
  EXPECT_EQ(*near, (std::vector<Index>{4, 20}));
  const auto cross = gram.cross_kernel();
  Matrix fresh(3, 3);
  fresh << points.row(31), points.row(4), points.row(31).array() + 0.5;
  const NewSamples samples{fresh};
  const auto loaded = save_and_load(*cross);
  for (const CrossKernel* kernel : {cross.get(), loaded.get()}) {
    const auto placed = kernel->place(samples);
    const auto twins = placed->twins();
    ASSERT_TRUE(twins);
    EXPECT_EQ(twins->row_start, (std::vector<std::int64_t>{0, 1, 3, 3}));
    EXPECT_EQ(twins->sample, (std::vector<Index>{31, 4, 9}));
    EXPECT_EQ(placed->nearest(std::vector<Index>{31, 9}), (std::vector<Index>{31, 9, 31}));
  }
}

TEST(NeighborGraph, IsTheSameForAnyNumberOfThreads) {
  const Matrix points = random_normals(2500, 8, 6);
  const Matrix fresh = random_normals(50, 8, 7);
  const Matrix c = random_normals(2500, 2, 8);
  for (const double recall : {1.0, 0.9}) {
    Matrix first_row, first_product;
    for (const int threads : {1, 2, 5}) {
      NeighborGraphOptions options = options_of(EdgeWeight::self_tuning, EdgeRule::either);
      options.recall = recall;
      NeighborGraphGram gram(points, options, {.threads = threads});
      EXPECT_EQ(gram.recall() < 1.0, recall < 1.0);
      const Matrix row = product(gram, c);
      const auto cross = gram.cross_kernel();
      const Matrix placed = cross->apply({fresh}, c);
      EXPECT_EQ(largest_difference(save_and_load(*cross)->apply({fresh}, c), placed), 0.0);
      if (threads == 1) {
        first_row = row;
        first_product = placed;
      }
      EXPECT_EQ(largest_difference(row, first_row), 0.0);
      EXPECT_EQ(largest_difference(placed, first_product), 0.0);
    }
  }
}

TEST(NeighborGraph, DuplicatesStayConnectedAndFinite) {
  Matrix points = integer_points(60, 3, 9);
  for (Index i = 20; i < 50; ++i) points.row(i) = points.row(3);
  for (const EdgeWeight weight : kWeights) {
    SCOPED_TRACE(to_string(weight));
    const NeighborGraph graph = neighbor_graph(points, options_of(weight, EdgeRule::either));
    for (const double value : graph.weights.value) ASSERT_TRUE(value > 0.0 && value <= 1.0 + 1e-12);
    const Components components = connected_components(graph.weights);
    for (Index i = 20; i < 50; ++i) EXPECT_EQ(components.of[i], components.of[3]);
    const std::set<std::int32_t> outside(components.of.begin(), components.of.begin() + 20);
    EXPECT_TRUE(outside.contains(components.of[3]));
  }
}

TEST(NeighborGraph, AllPointsEqualIsAStar) {
  const Matrix points = Matrix::Constant(9, 2, 4.0);
  for (const EdgeWeight weight : kWeights) {
    const NeighborGraph graph = neighbor_graph(points, options_of(weight, EdgeRule::either, 3));
    EXPECT_EQ(graph.weights.entries(), 16);
    for (const double value : graph.weights.value) EXPECT_EQ(value, 1.0);
    EXPECT_EQ(connected_components(graph.weights).count, 1);
  }
}

TEST(NeighborGraph, ZeroVectorsHaveNoDirection) {
  Matrix points = integer_points(30, 3, 10);
  points.row(4).setZero();
  const NeighborGraph graph =
      neighbor_graph(points, options_of(EdgeWeight::cosine, EdgeRule::either));
  for (const double value : graph.weights.value) EXPECT_TRUE(std::isfinite(value));
}

TEST(NeighborGraph, FarPointsHaveNoEvidence) {
  const Matrix points = random_normals(50, 2, 11);
  NeighborGraphGram gram(points, options_of(EdgeWeight::self_tuning, EdgeRule::mutual));
  const auto cross = gram.cross_kernel();
  const Matrix far = Matrix::Constant(1, 2, 1e6);
  EXPECT_EQ(cross->apply({far}, Matrix::Ones(50, 1))(0, 0), 0.0);
}

TEST(NeighborGraph, RefusesBadInput) {
  Matrix points = integer_points(10, 2, 12);
  const auto k = message_of<ValueError>(
      [&] { neighbor_graph(points, options_of(EdgeWeight::binary, EdgeRule::either, 10)); });
  EXPECT_NE(k.find("k = 10 neighbors of 10 points"), std::string::npos) << k;
  NeighborGraphOptions options = options_of(EdgeWeight::heat, EdgeRule::either, 3);
  options.length_scale = 0.0;
  EXPECT_THROW(neighbor_graph(points, options), ValueError);
  EXPECT_THROW(edge_weight_from_name("gauss"), ValueError);
  EXPECT_THROW(edge_rule_from_name("all"), ValueError);
  NeighborGraphGram gram(points, options_of(EdgeWeight::binary, EdgeRule::either, 3));
  const auto cross = gram.cross_kernel();
  EXPECT_THROW(cross->apply({Matrix::Zero(1, 3)}, Matrix::Ones(10, 1)), ShapeError);
  EXPECT_THROW(cross->apply({CsrMatrix{1, 10, {0, 0}, {}, {}}}, Matrix::Ones(10, 1)), ShapeError);
  EXPECT_THROW(cross->apply({points}, Matrix::Ones(9, 1)), ShapeError);
}

TEST(NeighborGraph, RefusesADamagedFile) {
  const Matrix points = integer_points(10, 2, 13);
  NeighborGraphGram gram(points, options_of(EdgeWeight::self_tuning, EdgeRule::either, 3));
  const auto cross = gram.cross_kernel();
  const auto expect_refused = [&](const auto& damage) {
    MemoryStore store;
    MemorySink sink(store);
    cross->save(sink);
    damage(store);
    MemorySource source(store);
    EXPECT_THROW(load_cross_kernel(source), DataError);
  };
  expect_refused([](MemoryStore& s) { s.texts["weight"] = "gauss"; });
  expect_refused([](MemoryStore& s) { s.numbers["k"] = 10.0; });
  expect_refused([](MemoryStore& s) { s.numbers["probes"] = 2.5; });
  expect_refused([](MemoryStore& s) { s.numbers["length_scale"] = 0.0; });
  expect_refused([](MemoryStore& s) { s.arrays["sigma"] = Matrix(Matrix::Zero(1, 10)); });
  expect_refused([](MemoryStore& s) { s.arrays["reach"] = Matrix(Matrix::Ones(1, 9)); });
  expect_refused([](MemoryStore& s) { s.indices["distinct_of"].assign(10, 11); });
  expect_refused([](MemoryStore& s) { s.arrays["points"] = Matrix(Matrix::Ones(10, 2)); });
  expect_refused([](MemoryStore& s) { s.arrays["points"] = MatrixF(MatrixF::Ones(10, 3)); });
}

// Points of which most coordinates are 0; only the third has no entry.
Matrix word_counts(Index count, Index features, std::uint64_t seed) {
  Random random(seed);
  Matrix points = Matrix::Zero(count, features);
  for (Index i = 0; i < count; ++i) {
    for (Index k = 0; k < features; ++k) {
      if (i != 2 && random.below(5) == 0) points(i, k) = static_cast<double>(1 + random.below(4));
    }
    if (i != 2) points(i, i % features) = 2.0;
  }
  return points;
}

TEST(NeighborGraph, OfSparsePointsIsThatOfDenseOnes) {
  const Matrix points = word_counts(80, 25, 3), fresh = word_counts(20, 25, 4);
  for (const EdgeWeight weight : kWeights) {
    if (weight == EdgeWeight::cosine) continue;  // zero points differ: see below
    for (const EdgeRule rule : kRules) {
      SCOPED_TRACE(testing::Message() << to_string(weight) << ", " << to_string(rule));
      const NeighborGraphGram dense(points, options_of(weight, rule));
      const NeighborGraphGram sparse(sparse_of(points), options_of(weight, rule));
      const auto all = all_samples(80);
      EXPECT_LT(largest_difference(sparse.block(all, all), dense.block(all, all)), 1e-6);
      const Matrix c = random_normals(80, 3, 5);
      const Matrix expected = dense.cross_kernel()->apply({fresh}, c);
      const auto cross = sparse.cross_kernel();
      EXPECT_LT(largest_difference(cross->apply({sparse_of(fresh)}, c), expected), 1e-5);
      EXPECT_LT(largest_difference(cross->apply({fresh}, c), expected), 1e-5);
      EXPECT_LT(largest_difference(dense.cross_kernel()->apply({sparse_of(fresh)}, c), expected),
                1e-5);
      const auto loaded = save_and_load(*cross);
      EXPECT_EQ(loaded->apply({sparse_of(fresh)}, c), cross->apply({sparse_of(fresh)}, c));
      EXPECT_EQ(loaded->features(), 25);
      const std::vector<Index> some{0, 2, 7}, among{5, 9, 30};
      EXPECT_EQ(sparse.nearest(some, among), dense.nearest(some, among));
    }
  }
}

// By their angle, texts without words are similar to no other text.
TEST(NeighborGraph, SparsePointsWithoutEntriesHaveNoCosineEdges) {
  const Matrix points = word_counts(80, 25, 3);
  const NeighborGraph graph =
      neighbor_graph(sparse_of(points), options_of(EdgeWeight::cosine, EdgeRule::either));
  const Matrix weights = to_dense(graph.weights);
  EXPECT_EQ(weights.row(2).sum(), 0.0);
  for (Index i = 0; i < 80; ++i) {
    Index edges = 0;
    for (Index j = 0; j < 80; ++j) {
      if (weights(i, j) == 0.0) continue;
      ++edges;
      const double cosine =
          points.row(i).dot(points.row(j)) / (points.row(i).norm() * points.row(j).norm());
      EXPECT_NEAR(weights(i, j), cosine, 1e-12);
    }
    if (i != 2) {
      EXPECT_GE(edges, 5);
    }
  }
  const NeighborGraphGram gram(sparse_of(points), options_of(EdgeWeight::cosine, EdgeRule::either));
  const auto cross = gram.cross_kernel();
  EXPECT_EQ(cross->features(), 25);
  EXPECT_THROW(cross->place({Matrix::Zero(1, 26)}), ShapeError);
}

}  // namespace
}  // namespace stkr::neighbor_graph_test
