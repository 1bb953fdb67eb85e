#include "estimator/ridge_problem.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "gram_cases.hpp"
#include "stkr/gram/graph_gram.hpp"

namespace stkr::ridge_problem_test {
namespace {

// min over α and b of the ridge problem, from its normal equations.
TEST(RidgeProblem, FreesTheConstantAfterTheSolve) {
  const GraphGram gram(cases::to_csr(cases::two_component_graph(24, 3)), {});
  const std::vector<Index> labeled{0, 3, 5, 8};
  const Matrix y = random_matrix(4, 2, 6);
  StkrOptions options;
  options.constant = true;
  const RidgeProblem problem = ridge_problem(gram, labeled, y, options);
  ASSERT_EQ(problem.rhs.cols(), 3);
  EXPECT_EQ(problem.shifts.size(), 0);
  const Matrix half = random_matrix(4, 4, 7);
  const Matrix a = half * half.transpose() + Matrix::Identity(4, 4);
  const Matrix alpha = a.partialPivLu().solve(problem.rhs);
  const Vector b = free_constant(problem, alpha);
  const Matrix own = without_constant(alpha, b);
  // A α + 1 bᵀ = Y and 1ᵀα = 0
  EXPECT_LT((a * own + Vector::Ones(4) * b.transpose() - y).norm(), 1e-12);
  EXPECT_LT(own.colwise().sum().norm(), 1e-12);
  // No minimum for an indefinite system.
  EXPECT_EQ(free_constant(problem, -alpha), Vector::Zero(2));
}

TEST(RidgeProblem, DividesTheRidgeByTheWeightsOfLabels) {
  const GraphGram gram(cases::to_csr(cases::two_component_graph(24, 3)), {});
  StkrOptions options;
  options.label_weights = Vector::LinSpaced(3, 1.0, 4.0);
  const Matrix y = random_matrix(3, 2, 6);
  const RidgeProblem problem = ridge_problem(gram, std::vector<Index>{1, 2, 3}, y, options);
  EXPECT_EQ(problem.rhs, y);
  EXPECT_EQ(problem.shifts, Vector(options.label_weights.cwiseInverse()));
}

}  // namespace
}  // namespace stkr::ridge_problem_test
