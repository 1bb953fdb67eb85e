#include "stkr/solver/eigenpairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stop_token>

#include "dense_operator.hpp"
#include "linop/csr_operator.hpp"
#include "on_blocks.hpp"
#include "solver/symmetric_eigen.hpp"
#include "stkr/error.hpp"

namespace stkr::eigenpairs_test {
namespace {

template <class Block>
class TopEigenpairs : public OnBlocks<Block> {};
TYPED_TEST_SUITE(TopEigenpairs, BlockTypes, BlockNames);

void expect_eigenpairs(const DenseOperator& a, const Eigenpairs& pairs, const Vector& expected) {
  const Index d = expected.size();
  EXPECT_LT((pairs.values - expected).norm(), 1e-8);
  EXPECT_LT((pairs.vectors.transpose() * pairs.vectors - Matrix::Identity(d, d)).norm(), 1e-9);
  const Matrix r = a.matrix() * pairs.vectors - pairs.vectors * pairs.values.asDiagonal();
  EXPECT_LT(r.norm(), 1e-7);
}

// Positive and larger negative eigenvalues: the order is by algebraic value, not modulus.
Vector decaying(Index n) {
  Vector values(n);
  for (Index i = 0; i < n; ++i) values[i] = 1.0 / (1.0 + 0.3 * static_cast<double>(i));
  values.tail(n / 4) *= -1.0;
  values[n - 1] = -1.5;
  std::sort(values.begin(), values.end(), std::greater<>());
  return values;
}

TYPED_TEST(TopEigenpairs, DenseAndIterativeMatchTheSpectrum) {
  const Vector spectrum = decaying(400);
  const DenseOperator a(with_spectrum(spectrum, 1));
  expect_eigenpairs(a, eigenpairs_on<TypeParam>(a, 20), spectrum.head(20));
  const Eigenpairs iterated = eigenpairs_on<TypeParam>(a, 20, {.dense_below = 10});
  ASSERT_TRUE(iterated.summary.converged()) << iterated.summary.message;
  EXPECT_EQ(iterated.summary.solver, "filtered block Lanczos");
  expect_eigenpairs(a, iterated, spectrum.head(20));
}

TYPED_TEST(TopEigenpairs, HandlesRepeatedEigenvaluesAndLowRank) {
  Vector spectrum = Vector::Zero(300);
  spectrum.head(12).setConstant(1.0);
  spectrum.segment(12, 8).setConstant(0.25);
  const DenseOperator a(with_spectrum(spectrum, 2));
  const Eigenpairs pairs = eigenpairs_on<TypeParam>(a, 24, {.dense_below = 10});
  ASSERT_TRUE(pairs.summary.converged()) << pairs.summary.message;
  expect_eigenpairs(a, pairs, spectrum.head(24));
}

TYPED_TEST(TopEigenpairs, FindsABulkFarBelowTheTop) {
  // One eigenvalue at 1, the other wanted ones near 0.4 among many: a filter of high degree would
  // amplify the first beyond what rounding allows.
  Vector spectrum = Vector::LinSpaced(500, 0.40, -0.40);
  spectrum[0] = 1.0;
  const DenseOperator a(with_spectrum(spectrum, 4));
  const Eigenpairs pairs = eigenpairs_on<TypeParam>(a, 8, {.dense_below = 10});
  ASSERT_TRUE(pairs.summary.converged()) << pairs.summary.message;
  expect_eigenpairs(a, pairs, spectrum.head(8));
}

TYPED_TEST(TopEigenpairs, DoesNotDependOnTheNumberOfThreads) {
  const DenseOperator a(with_spectrum(decaying(300), 3));
  const Eigenpairs one = eigenpairs_on<TypeParam>(a, 10, {.dense_below = 10}, {.threads = 1});
  const Eigenpairs two = eigenpairs_on<TypeParam>(a, 10, {.dense_below = 10}, {.threads = 2});
  EXPECT_EQ(one.values, two.values);
  EXPECT_EQ(one.vectors, two.vectors);
}

// Disjoint cliques of different sizes: λ = 1 once per clique, -1/(size-1) otherwise.
CsrMatrix cliques(Index count) {
  std::vector<Triplet> entries;
  std::int32_t first = 0;
  for (Index c = 0; c < count; ++c) {
    const std::int32_t size = 3 + static_cast<std::int32_t>(c % 5);
    for (std::int32_t i = 0; i < size; ++i) {
      for (std::int32_t j = 0; j < size; ++j) {
        if (i != j) entries.push_back({first + i, first + j, 1.0 / (size - 1)});
      }
    }
    first += size;
  }
  return csr_from_triplets(first, first, entries);
}

TYPED_TEST(TopEigenpairs, FindsEachOfManyEqualEigenvaluesOnce) {
  const CsrOperator sparse(cliques(300));
  const DenseOperator a(product(sparse, Matrix::Identity(sparse.size(), sparse.size())));
  const Vector expected = symmetric_eigen(a.matrix()).values;
  for (const Index count : {100, 300, 320}) {
    const Eigenpairs pairs = eigenpairs_on<TypeParam>(sparse, count, {.dense_below = 10});
    ASSERT_TRUE(pairs.summary.converged()) << pairs.summary.message;
    EXPECT_EQ(pairs.summary.solver, "filtered block Lanczos");
    expect_eigenpairs(a, pairs, expected.head(count));
  }
}

// A random graph, large enough for several panels, sweeps and locked pairs.
CsrMatrix random_graph(std::int32_t nodes) {
  Random random(5);
  std::vector<Triplet> entries;
  for (std::int32_t i = 0; i < nodes; ++i) {
    for (int e = 0; e < 3; ++e) {
      // Neighbors are close by, which gives a slowly decaying spectrum.
      const auto j = static_cast<std::int32_t>((i + 1 + random.below(20)) % nodes);
      const double w = 0.05 + 0.1 * random.uniform();
      entries.push_back({i, j, w});
      entries.push_back({j, i, w});
    }
  }
  return csr_from_triplets(nodes, nodes, entries);
}

TYPED_TEST(TopEigenpairs, AgreesWithLapackOnAGraphAtEveryTolerance) {
  const CsrOperator sparse(random_graph(900));
  const DenseOperator a(product(sparse, Matrix::Identity(900, 900)));
  const Vector expected = symmetric_eigen(a.matrix()).values.head(150);
  for (const double tolerance : {1e-3, 1e-6, 1e-9, 1e-12}) {
    const Eigenpairs pairs =
        eigenpairs_on<TypeParam>(sparse, 150, {.tolerance = tolerance, .dense_below = 10});
    ASSERT_TRUE(pairs.summary.converged()) << pairs.summary.message;
    const Matrix r = a.matrix() * pairs.vectors - pairs.vectors * pairs.values.asDiagonal();
    EXPECT_LT(r.colwise().norm().maxCoeff(), 2.0 * tolerance);
    EXPECT_LT(pairs.residuals.maxCoeff(), tolerance);
    // The error of a Ritz value is at most its residual.
    EXPECT_LT((pairs.values - expected).cwiseAbs().maxCoeff(), 2.0 * tolerance);
    EXPECT_TRUE(std::is_sorted(pairs.values.begin(), pairs.values.end(), std::greater<>()));
    EXPECT_LT((pairs.vectors.transpose() * pairs.vectors - Matrix::Identity(150, 150)).norm(),
              1e-10);
  }
}

TYPED_TEST(TopEigenpairs, DoesNotDependOnTheNumberOfThreadsWithPanels) {
  const CsrMatrix graph = random_graph(900);
  const auto solve = [&](int threads) {
    const CsrOperator op(graph, 0.0, threads);
    return eigenpairs_on<TypeParam>(op, 150, {.dense_below = 10}, {.threads = threads});
  };
  const Eigenpairs one = solve(1);
  for (const int threads : {2, 3}) {
    const Eigenpairs more = solve(threads);
    EXPECT_EQ(one.values, more.values);
    EXPECT_EQ(one.vectors, more.vectors);
    EXPECT_EQ(one.residuals, more.residuals);
  }
}

TYPED_TEST(TopEigenpairs, ReportsProgressAndStopsWhenAsked) {
  const CsrOperator op(random_graph(900));
  std::stop_source stop;
  int sweeps = 0;
  Context context{.cancel = stop.get_token()};
  context.progress = [&](const Progress& progress) {
    ++sweeps;
    EXPECT_EQ(progress.done, 1);
    EXPECT_GE(progress.worst_residual, 0.0);
    stop.request_stop();
  };
  EXPECT_THROW(eigenpairs_on<TypeParam>(op, 100, {.tolerance = 1e-10, .dense_below = 10}, context),
               Cancelled);
  EXPECT_EQ(sweeps, 1);
}

TYPED_TEST(TopEigenpairs, SaysWhatHasNotConverged) {
  const CsrOperator op(random_graph(900));
  const Eigenpairs pairs = eigenpairs_on<TypeParam>(
      op, 100, {.tolerance = 1e-18, .max_iterations = 2, .filter_degree = 8, .dense_below = 10});
  EXPECT_EQ(pairs.summary.reason, StopReason::max_iterations);
  EXPECT_GT(pairs.residuals.maxCoeff(), 1e-18);
  EXPECT_EQ(pairs.values.size(), 100);
  EXPECT_NE(pairs.summary.message.find("after 2 attempts"), std::string::npos);
}

TYPED_TEST(TopEigenpairs, AcceptsOperatorsWithASingleEigenvalue) {
  for (const double value : {0.0, 0.5, -2.0}) {
    const DenseOperator a(value * Matrix::Identity(200, 200));
    const Eigenpairs pairs = eigenpairs_on<TypeParam>(a, 10, {.dense_below = 10});
    ASSERT_TRUE(pairs.summary.converged()) << value << ": " << pairs.summary.message;
    expect_eigenpairs(a, pairs, Vector::Constant(10, value));
  }
}

TYPED_TEST(TopEigenpairs, AcceptsZeroPairsAndRejectsTooMany) {
  const DenseOperator a(Matrix::Identity(5, 5));
  EXPECT_EQ(eigenpairs_on<TypeParam>(a, 0).values.size(), 0);
  EXPECT_EQ(eigenpairs_on<TypeParam>(a, 5).values.size(), 5);
  EXPECT_THROW(eigenpairs_on<TypeParam>(a, 6), ValueError);
}

}  // namespace
}  // namespace stkr::eigenpairs_test
