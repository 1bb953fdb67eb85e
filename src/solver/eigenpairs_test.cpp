#include "stkr/solver/eigenpairs.hpp"

#include <gtest/gtest.h>

#include "dense_operator.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

void expect_eigenpairs(const DenseOperator& a, const Eigenpairs& pairs, const Vector& expected) {
  const Index d = expected.size();
  EXPECT_LT((pairs.values - expected).norm(), 1e-8);
  EXPECT_LT((pairs.vectors.transpose() * pairs.vectors - Matrix::Identity(d, d)).norm(), 1e-9);
  const Matrix r = a.matrix() * pairs.vectors - pairs.vectors * pairs.values.asDiagonal();
  EXPECT_LT(r.norm(), 1e-7);
}

// A spectrum with positive and larger negative values: order is by algebraic value, not modulus.
Vector decaying(Index n) {
  Vector values(n);
  for (Index i = 0; i < n; ++i) values[i] = 1.0 / (1.0 + 0.3 * static_cast<double>(i));
  values.tail(n / 4) *= -1.0;
  values[n - 1] = -1.5;
  std::sort(values.begin(), values.end(), std::greater<>());
  return values;
}

TEST(Eigenpairs, DenseAndIterativeMatchTheSpectrum) {
  const Vector spectrum = decaying(400);
  const DenseOperator a(with_spectrum(spectrum, 1));
  expect_eigenpairs(a, top_eigenpairs(a, 20), spectrum.head(20));
  const Eigenpairs iterated = top_eigenpairs(a, 20, {.dense_below = 10});
  ASSERT_TRUE(iterated.summary.converged()) << iterated.summary.message;
  EXPECT_EQ(iterated.summary.solver, "chebyshev subspace iteration");
  expect_eigenpairs(a, iterated, spectrum.head(20));
}

TEST(Eigenpairs, HandlesRepeatedEigenvaluesAndLowRank) {
  Vector spectrum = Vector::Zero(300);
  spectrum.head(12).setConstant(1.0);
  spectrum.segment(12, 8).setConstant(0.25);
  const DenseOperator a(with_spectrum(spectrum, 2));
  const Eigenpairs pairs = top_eigenpairs(a, 24, {.dense_below = 10});
  ASSERT_TRUE(pairs.summary.converged()) << pairs.summary.message;
  expect_eigenpairs(a, pairs, spectrum.head(24));
}

TEST(Eigenpairs, FindsABulkFarBelowTheTop) {
  // One eigenvalue at 1, the wanted others at 0.4 among many: a filter of high degree would favour
  // the first by more than rounding forgives.
  Vector spectrum = Vector::LinSpaced(500, 0.40, -0.40);
  spectrum[0] = 1.0;
  const DenseOperator a(with_spectrum(spectrum, 4));
  const Eigenpairs pairs = top_eigenpairs(a, 8, {.dense_below = 10});
  ASSERT_TRUE(pairs.summary.converged()) << pairs.summary.message;
  expect_eigenpairs(a, pairs, spectrum.head(8));
}

TEST(Eigenpairs, DoesNotDependOnTheNumberOfThreads) {
  const DenseOperator a(with_spectrum(decaying(300), 3));
  const Eigenpairs one = top_eigenpairs(a, 10, {.dense_below = 10, .threads = 1});
  const Eigenpairs two = top_eigenpairs(a, 10, {.dense_below = 10, .threads = 2});
  EXPECT_EQ(one.values, two.values);
  EXPECT_EQ(one.vectors, two.vectors);
}

TEST(Eigenpairs, AcceptsZeroPairsAndRejectsTooMany) {
  const DenseOperator a(Matrix::Identity(5, 5));
  EXPECT_EQ(top_eigenpairs(a, 0).values.size(), 0);
  EXPECT_EQ(top_eigenpairs(a, 5).values.size(), 5);
  EXPECT_THROW(top_eigenpairs(a, 6), ValueError);
}

}  // namespace
}  // namespace stkr
