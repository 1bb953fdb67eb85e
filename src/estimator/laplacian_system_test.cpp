#include "estimator/laplacian_system.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "dense_operator.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr::laplacian_system_test {
namespace {

constexpr double kEta = 0.9;
constexpr double kBeta = 0.05;

// M of eqn:mthetay, as the paper writes it.
Matrix algorithm_2_matrix(const Matrix& s, const std::vector<Index>& labeled) {
  const Index n = s.rows();
  Matrix mask = Matrix::Zero(n, n);
  for (const Index i : labeled) mask(i, i) = 1.0;
  const Matrix q = Matrix::Identity(n, n) - kEta * s;
  return static_cast<double>(n) * mask * s + static_cast<double>(labeled.size()) * kBeta * q;
}

TEST(LaplacianSystem, SolvesTheSystemOfAlgorithm2) {
  const std::vector<Index> labeled{3, 17, 4, 29};
  const Matrix y = random_matrix(4, 3, 2);
  for (const double lowest : {0.0, -0.8}) {  // positive semidefinite and indefinite S
    const DenseOperator s(with_spectrum(Vector::LinSpaced(40, lowest, 1.0), 1));
    const Matrix expected =
        algorithm_2_matrix(s.matrix(), labeled).partialPivLu().solve(scatter_rows(y, labeled, 40));
    const ResidentSolve result =
        solve_laplacian_system(s, labeled, y, kEta, kBeta, {.tolerance = 1e-13}, {});
    ASSERT_TRUE(result.summary.converged()) << result.summary.message;
    EXPECT_LT((result.solution.to_host() - expected).norm(), 1e-8 * expected.norm()) << lowest;
  }
}

TEST(LaplacianSystem, HasNoSourceOnUnlabeledSamples) {
  const std::vector<Index> labeled{0, 1};
  const DenseOperator s(with_spectrum(Vector::LinSpaced(30, -0.5, 1.0), 3));
  const Matrix theta = solve_laplacian_system(s, labeled, random_matrix(2, 1, 4), kEta, kBeta,
                                              {.tolerance = 1e-13}, {})
                           .solution.to_host();
  const Matrix source = theta - kEta * s.matrix() * theta;  // Qθ = [α, 0]
  EXPECT_LT(source.bottomRows(28).norm(), 1e-10 * source.norm());
}

TEST(LaplacianSystem, DoesNotApplyToAVeryLargeRidge) {
  EXPECT_TRUE(laplacian_system_applies(1000, 10, 0.9, 1.0));
  EXPECT_FALSE(laplacian_system_applies(1000, 10, 0.9, 1000.0));
}

}  // namespace
}  // namespace stkr::laplacian_system_test
