#include "reproduction/theory.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <numeric>

#include "estimator/kernel_pca.hpp"
#include "stkr/error.hpp"
#include "stkr/gram/point_gram.hpp"

namespace stkr::theory_test {
namespace {

// Bounds with δ = 0.1 in 200 repetitions of small problems.
const TheoryOptions kOften{.repetitions = 200, .delta = 0.1, .most_samples = 128};

void expect_promised(const TheoryTable& table, double delta) {
  for (const TheoryRow& row : table.rows) {
    ASSERT_TRUE(row.frequency) << row.series;
    EXPECT_GE(*row.frequency, 1.0 - delta) << table.name << ": " << row.series;
    EXPECT_TRUE(row.holds);
    ASSERT_TRUE(row.bound);
  }
}

TEST(Theory, Theorem3HoldsAsOftenAsPromised) {
  const TheoryTable table = approximation_table(kOften, {.seed = 3});
  EXPECT_EQ(table.rows.size(), 6u);  // three distributions, two sizes
  expect_promised(table, 0.1);
  // The cross-fit estimate has the size of the error.
  for (const TheoryRow& row : table.rows) {
    EXPECT_GT(*row.predicted, 0.4 * row.measured) << row.series;
    EXPECT_LT(*row.predicted, 4.0 * row.measured) << row.series;
  }
}

TEST(Theory, GapOfTheKernelsHoldsAsOftenAsPromised) {
  expect_promised(kernel_gap_table(kOften, {.seed = 3}), 0.1);
}

TEST(Theory, GapOfInnerProductsHoldsAsOftenAsPromised) {
  const TheoryTable table = inner_product_table(kOften, {.seed = 3});
  EXPECT_EQ(table.rows.size(), 4u);  // two distributions, two sizes
  expect_promised(table, 0.1);
}

// Up to their constants c₀, which the bounds have as 1.
TEST(Theory, Proposition3HoldsAsOftenAsPromised) {
  const TheoryTable table = agnostic_table(kOften, {.seed = 3});
  EXPECT_EQ(table.rows.size(), 4u);
  expect_promised(table, 0.1);
  EXPECT_NE(table.notes[0].find("at most Mε: yes"), std::string::npos);
}

TEST(Theory, Theorem5HoldsAsOftenAsPromised) {
  const TheoryTable table = probe_table(kOften, {.seed = 3});
  EXPECT_EQ(table.rows.size(), 4u);
  expect_promised(table, 0.1);
}

TEST(Theory, Theorem2HoldsAsOftenAsPromised) {
  expect_promised(estimation_table(kOften, {.seed = 3}), 0.1);
}

// eqn:topd-krr-def by the library's fit on the same samples.
TEST(LinearProbe, IsTheLibrarysFitOfKernelPca) {
  Random random(5);
  const TheoryDistribution p = circle_distribution(0.4);
  const Index n = 20, m = 60, d = 4;
  const Matrix points = p.draw(random, n + m), psi = p.functions(points);
  Vector y(n);
  for (double& value : y) value = random.normal();
  std::vector<Index> labeled(n);
  std::iota(labeled.begin(), labeled.end(), Index{0});
  const PointGram<double> gram(points, p.kernel, 1);
  KernelPcaOptions options;
  options.dimension = d;
  options.literal_top_d = true;
  options.beta = 0.03;
  const Fit fit = fit_kernel_pca(gram, labeled, y, options, {.threads = 1});
  const KernelPca pca = kernel_pca(gram, labeled, options, {.threads = 1});
  const Matrix kernel = psi * p.eigenvalues.asDiagonal() * psi.transpose();
  const Matrix features = kernel.rightCols(m) * pca.vectors;  // ψ̂ at all samples
  const Vector found = features * linear_probe(features.topRows(n), y, 0.03);
  EXPECT_LT((found - fit.fitted.col(0)).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(Theory, LargestEigenvalueHoldsAsOftenAsPromised) {
  expect_promised(eigenvalue_table(kOften, {.seed = 3}), 0.1);
}

TEST(Theory, Theorem6HoldsAsOftenAsPromised) {
  expect_promised(kernel_pca_table(kOften, {.seed = 3}), 0.1);
}

TEST(Theory, SlopesAreThoseOfTheTheory) {
  const TheoryOptions options{.repetitions = 20, .most_samples = 1024};
  const TheoryTable labels = estimation_table(options, {.seed = 3});
  ASSERT_EQ(labels.slopes.size(), 2u);
  EXPECT_NEAR(*labels.slopes[0].predicted, -1.0 / 1.5, 1e-12);
  EXPECT_NEAR(*labels.slopes[1].predicted, -0.8, 1e-12);
  for (const TheorySlope& slope : labels.slopes) {
    EXPECT_NEAR(slope.measured, *slope.predicted, 0.1) << slope.series;
  }
  const TheoryTable gap = kernel_gap_table(options, {.seed = 3});
  for (const TheorySlope& slope : gap.slopes) {
    EXPECT_NEAR(slope.measured, -0.5, 0.15) << slope.series;
    EXPECT_NEAR(*slope.bound, -0.5, 0.15) << slope.series;
  }
  const TheoryTable inner = inner_product_table(options, {.seed = 3});
  ASSERT_EQ(inner.slopes.size(), 2u);
  for (const TheorySlope& slope : inner.slopes) {
    EXPECT_NEAR(slope.measured, -0.5, 0.25) << slope.series;
  }
  // That of s = λ/(1-λ) is steeper for few samples, whose λ̂₁ is near the pole.
  EXPECT_NEAR(*inner.slopes[0].bound, -0.5, 0.15);
}

TEST(Theory, TopDIsTheBestEncoder) {
  const TheoryTable table = encoder_table({.repetitions = 20}, {.seed = 3});
  EXPECT_EQ(table.rows.size(), 10u);
  EXPECT_TRUE(table.holds());
}

// The dual is attained: f = √(1-a) ψ_1 + √a ψ_{d+1} with the a of Proposition 4, and the
// construction of its proof for other encoders is feasible, so it is no larger.
TEST(WorstCaseError, LiesBetweenAFeasibleTargetAndTheDual) {
  Random random(4);
  const Index functions = 12, d = 3;
  Vector s(functions);
  for (Index j = 0; j < functions; ++j) s[j] = std::pow(0.5, static_cast<double>(j));
  const double epsilon = 1.8;
  for (int trial = 0; trial < 10; ++trial) {
    Matrix encoder(functions, d);
    for (double& value : encoder.reshaped()) value = random.normal();
    const double worst = worst_case_error(encoder, s, epsilon);
    const Eigen::MatrixXd q =
        Eigen::HouseholderQR<Eigen::MatrixXd>(Eigen::MatrixXd(encoder)).householderQ() *
        Eigen::MatrixXd::Identity(functions, d);
    double best = 0.0;
    for (int guess = 0; guess < 20000; ++guess) {
      Vector u(functions);
      for (Index j = 0; j < functions; ++j) {
        u[j] = random.normal() * std::pow(0.7, static_cast<double>(j));
      }
      u.normalize();
      if (u.cwiseAbs2().cwiseQuotient(s).sum() > epsilon) continue;
      best = std::max(best, 1.0 - (q.transpose() * u).squaredNorm());
    }
    EXPECT_LE(best, worst + 1e-9);
    EXPECT_GT(best, 0.85 * worst);
  }
}

TEST(Theory, TransductiveIsInductive) {
  const TheoryTable table = transductive_table({.repetitions = 10}, {.seed = 3});
  EXPECT_EQ(table.rows.size(), 6u);
  for (const TheoryRow& row : table.rows) EXPECT_LT(row.measured, 1e-8) << row.series;
}

TEST(Theory, DependsOnTheSeedAndNotOnTheThreads) {
  const TheoryOptions options{.repetitions = 3, .most_samples = 64};
  Context one{.threads = 1, .seed = 5}, three{.threads = 3, .seed = 5}, other{.seed = 6};
  const TheoryTable a = approximation_table(options, one), b = approximation_table(options, three),
                    c = approximation_table(options, other);
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    EXPECT_EQ(a.rows[i].measured, b.rows[i].measured);
    EXPECT_EQ(*a.rows[i].bound, *b.rows[i].bound);
    EXPECT_NE(a.rows[i].measured, c.rows[i].measured);
  }
}

}  // namespace
}  // namespace stkr::theory_test
