// New samples for the default kernels: neighbor graphs and lazy walks.

#include <gtest/gtest.h>

#include "gram_cases.hpp"
#include "specification/kernel_names.hpp"
#include "specification/method_names.hpp"
#include "stkr/gram/neighbor_graph.hpp"
#include "stkr/model/fit_model.hpp"
#include "transform_cases.hpp"

namespace stkr::stkr_new_samples_test {
namespace {

using namespace cases;
using reference::relative_error;

std::vector<MethodSpec> every_method(Index dimension, double tolerance) {
  return {StkrSpec{.tolerance = tolerance}, KernelPcaSpec{.dimension = dimension},
          KernelRidgeSpec{.tolerance = tolerance}, LabelPropagationSpec{.tolerance = tolerance}};
}

struct Problem {
  Matrix x;
  Matrix values;  // f at x
  std::vector<Index> labeled;
};

// sin(2πx₁) + x₂² on the unit square.
Problem smooth_problem(Index count, Index labels, std::uint64_t seed) {
  Random random(seed);
  Problem p{Matrix(count, 2), Matrix(count, 1), random.sample(count, labels)};
  for (Index i = 0; i < p.x.size(); ++i) p.x.data()[i] = random.uniform();
  for (Index i = 0; i < count; ++i) {
    p.values(i, 0) = std::sin(6.283185307 * p.x(i, 0)) + std::pow(p.x(i, 1), 2);
  }
  return p;
}

Dataset points_with_numbers(const Problem& p) {
  Dataset dataset;
  dataset.samples = Points{p.x, {}};
  Matrix y = Matrix::Constant(p.x.rows(), 1, std::nan(""));
  for (const Index i : p.labeled) y.row(i) = p.values.row(i);
  dataset.labels = TargetValues{{"y"}, y};
  return dataset;
}

double r2(const Matrix& found, const Matrix& truth) {
  const double mean = truth.mean();
  return 1.0 - (found - truth).squaredNorm() / (truth.array() - mean).matrix().squaredNorm();
}

TEST(NewSamples, GetValuesAsGoodAsTheSeenOnesOnNeighborGraphs) {
  const Problem p = smooth_problem(600, 80, 1), other = smooth_problem(400, 1, 2);
  Dataset dataset = points_with_numbers(p);
  Specification spec;
  spec.kernel = NeighborGraphSpec{};
  const Model model = fit_model(dataset, spec).model;
  const std::vector<Index> hidden = reference::complement(p.labeled, 600);
  const double seen =
      r2(reference::rows_of(model.predict().scores, hidden), reference::rows_of(p.values, hidden));
  const double fresh = r2(model.predict({other.x}).scores, other.values);
  EXPECT_GT(seen, 0.85);
  EXPECT_GT(fresh, seen - 0.03);
}

// A point equal to a known one gets its value, for every method and also in a sum.
TEST(NewSamples, ThatAreKnownPointsGetTheirValues) {
  const Problem p = smooth_problem(150, 30, 3);
  for (const MethodSpec& method : every_method(/*dimension=*/12, /*tolerance=*/1e-8)) {
    for (const bool sum : {false, true}) {
      SCOPED_TRACE(name_of(method) + (sum ? " sum" : ""));
      Dataset dataset = points_with_numbers(p);
      Specification spec;
      spec.kernel = NeighborGraphSpec{};
      spec.method = method;
      if (sum) spec.added.push_back({PointKernelSpec{}});
      const Model model = fit_model(dataset, spec).model;
      const NewSamples points{p.x};
      const Predictions again =
          model.predict(sum ? NewSamples{std::vector<NewSamples>{points, points}} : points);
      const Predictions seen = model.predict();
      EXPECT_EQ(again.evidence, seen.evidence);
      EXPECT_LT((again.scores - seen.scores).norm(), 1e-12 * seen.scores.norm());
    }
  }
}

TEST(NewSamples, AtAPlaceOfSeveralKnownPointsGetTheirMean) {
  Problem p = smooth_problem(100, 20, 4);
  p.x.row(7) = p.x.row(p.labeled[0]);
  Dataset dataset = points_with_numbers(p);
  Specification spec;
  spec.kernel = NeighborGraphSpec{};
  const Model model = fit_model(dataset, spec).model;
  const Matrix f = model.predict().scores;
  EXPECT_NEAR(model.predict({Matrix(p.x.row(7))}).scores(0, 0),
              0.5 * (f(7, 0) + f(p.labeled[0], 0)), 1e-12);
}

// An unlabeled node presented again with its own edges, from files and from streams.
TEST(NewSamples, WithTheEdgesOfAnUnlabeledNodeGetItsValueOnEveryKernelOfGraphs) {
  const Matrix w = two_component_graph(kSamples, 12);
  for (const char* kernel : {"lazy-walk", "symmetric", "probability", "adjacency"}) {
    for (const MethodSpec& method : every_method(/*dimension=*/3, /*tolerance=*/1e-12)) {
      SCOPED_TRACE(std::string(kernel) + " " + name_of(method));
      Dataset dataset;
      dataset.samples = Graph{to_csr(w), {}};
      Matrix y = Matrix::Constant(kSamples, 1, std::nan(""));
      const std::vector<Index> labeled{2, 5, 11, 0, 17, 14};
      for (std::size_t k = 0; k < labeled.size(); ++k) y(labeled[k], 0) = 5.0 + double(k * k);
      dataset.labels = TargetValues{{"y"}, y};
      Specification spec;
      spec.kernel = kernel_spec(kernel);
      spec.method = method;
      const Model model = fit_model(dataset, spec).model;
      const Matrix seen = model.predict().scores;
      const Matrix again = model.predict({to_csr(w)}).scores;
      for (const Index i : reference::complement(labeled, kSamples)) {
        EXPECT_NEAR(again(i, 0), seen(i, 0), 1e-10 * seen.cwiseAbs().maxCoeff()) << i;
      }
    }
  }
}

TEST(NewSamples, OnALazyWalkFollowTheDenseReferenceForNumbers) {
  const Matrix w = two_component_graph(kSamples, 12);
  Matrix edges = Matrix::Zero(3, kSamples);
  edges(0, 2) = 1.0, edges(0, 9) = 0.5, edges(1, 18) = 2.0, edges(2, 0) = edges(2, 20) = 1.0;
  const std::vector<Index> labeled{2, 5, 11, 0, 17, 14};
  const Matrix y = random_matrix(6, 1, 5);
  // The graph with one more unlabeled node: to first order in its weight it gets the same value.
  // Exactly: f(x) = N Σ_j S°(x, x_j) [q(S) E α]_j.
  const reference::Dense dense(graph_kernel(w, GraphNormalization::lazy_walk), 0.5);
  const Vector degree = w.rowwise().sum(), own = edges.rowwise().sum();
  Matrix walk = Matrix::Zero(3, kSamples);
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < kSamples; ++j) {
      if (edges(i, j) > 0.0) walk(i, j) = 0.5 * edges(i, j) / std::sqrt(own[i] * degree[j]);
    }
  }
  for (const TransformCase& t : {power_case(2), power_case(5), inverse_laplacian_case(0.95)}) {
    const reference::Solution exact = dense.fit(t.exact, labeled, y, 0.3);
    const Matrix expected = double(kSamples) * walk * exact.coefficients;
    GraphGram gram(to_csr(w), {.normalization = GraphNormalization::lazy_walk});
    StkrOptions options;
    options.transform = t.transform;
    options.beta = 0.3;
    options.tolerance = 1e-12;
    const Fit fit = fit_stkr(gram, labeled, y, options);
    const auto cross = gram.cross_kernel();
    EXPECT_LT(relative_error(cross->apply({to_csr(edges)}, fit.coefficients), expected), 1e-9)
        << t.name;
  }
}

}  // namespace
}  // namespace stkr::stkr_new_samples_test
