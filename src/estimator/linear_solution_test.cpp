#include "estimator/linear_solution.hpp"

#include <gtest/gtest.h>

#include "estimator/ridge_path.hpp"
#include "runtime/random.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr::linear_solution_test {
namespace {

struct Problem {
  Matrix g, y;
  Vector weights;
};

Problem small_problem() {
  Random random(5);
  Problem problem{Matrix(9, 9), Matrix(9, 2), Vector(9)};
  Matrix half(9, 12);
  fill_normal(random, half);
  problem.g = half * half.transpose();
  fill_normal(random, problem.y);
  for (Index i = 0; i < 9; ++i) problem.weights[i] = 0.5 + random.uniform();
  return problem;
}

TEST(LinearSolution, SolvesTheSystem) {
  const Problem problem = small_problem();
  const LinearSolution plain = linear_solution(problem.g, 0.3);
  Matrix a = problem.g;
  a.diagonal().array() += 0.3;
  EXPECT_LT((a * (plain.response * problem.y) - problem.y).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_EQ(plain.offset.cwiseAbs().maxCoeff(), 0.0);
  const LinearSolution free = linear_solution(problem.g, 0.3, {.constant = true});
  const Matrix alpha = free.response * problem.y;
  const Eigen::RowVectorXd b = free.offset.transpose() * problem.y;
  EXPECT_LT(((a * alpha).rowwise() + b - problem.y).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LT(alpha.colwise().sum().cwiseAbs().maxCoeff(), 1e-12);
}

TEST(LinearSolution, LeavesOutLikeTheRidgePath) {
  const Problem problem = small_problem();
  for (const bool constant : {false, true}) {
    for (const bool centered : {false, true}) {
      for (const bool weighted : {false, true}) {
        if (constant && centered) continue;
        RidgePathOptions path{.constant = constant, .centered = centered};
        LinearSolutionOptions options{.constant = constant, .centered = centered};
        if (weighted) path.label_weights = options.label_weights = problem.weights;
        const RidgePath::LeftOut expected =
            RidgePath(problem.g, Matrix(0, 9), problem.y, path).leave_one_out(0.05);
        const Matrix found = leave_one_out(problem.g, 0.05, problem.y, options);
        EXPECT_LT((found - expected.f - expected.constant).cwiseAbs().maxCoeff(), 1e-10)
            << constant << centered << weighted;
      }
    }
  }
}

}  // namespace
}  // namespace stkr::linear_solution_test
