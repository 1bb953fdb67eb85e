#include "estimator/ridge_strategy.hpp"

#include <gtest/gtest.h>

namespace stkr::ridge_strategy_test {
namespace {

RidgeStrategy strategy(const RidgeTraits& traits) { return choose_ridge_strategy(traits); }

TEST(RidgeStrategy, FewLabelsFormTheSystem) {
  EXPECT_TRUE(strategy({.labels = 300, .outputs = 2}).forms_system());
  EXPECT_TRUE(strategy({.labels = 4000, .outputs = 100}).forms_system());
  EXPECT_EQ(strategy({.labels = 300, .outputs = 2}).describe(), "explicit system");
  EXPECT_FALSE(strategy({.labels = 300, .outputs = 2}).second);
}

TEST(RidgeStrategy, TheKernelsOwnBlockIsFormedWhileItFits) {
  EXPECT_TRUE(strategy({.labels = 6000, .outputs = 1, .linear = true}).forms_system());
  const RidgeStrategy many = strategy({.labels = 6001, .outputs = 1, .linear = true});
  EXPECT_EQ(many.first.solver, StkrSolver::cg);
  EXPECT_EQ(many.second->solver, StkrSolver::minres);
  EXPECT_TRUE(many.after_breakdown);
}

TEST(RidgeStrategy, MoreLabelsTryAnIterativeSolverFirst) {
  const RidgeStrategy points = strategy({.labels = 2000, .outputs = 2});
  EXPECT_EQ(points.first.solver, StkrSolver::cg);
  EXPECT_EQ(points.first.max_iterations, 1000);
  EXPECT_EQ(points.second->solver, StkrSolver::direct);
  EXPECT_EQ(points.describe(), "iterative, else explicit system");
  EXPECT_EQ(strategy({.labels = 400, .outputs = 2}).first.max_iterations, 200);
  EXPECT_EQ(strategy({.labels = 2000, .outputs = 2, .semidefinite = false}).first.solver,
            StkrSolver::minres);
}

TEST(RidgeStrategy, InverseLaplaciansOnGraphsHaveCheapSteps) {
  const RidgeTraits graph{.labels = 100, .outputs = 10, .sparse = true, .inverse_laplacian = true};
  EXPECT_EQ(strategy(graph).first.solver, StkrSolver::minres);
  EXPECT_EQ(strategy(graph).first.max_iterations, 400);
  EXPECT_EQ(strategy(graph).second->solver, StkrSolver::direct);
  RidgeTraits few = graph;
  few.labels = 40;
  EXPECT_TRUE(strategy(few).forms_system());
  RidgeTraits choosing = graph;
  choosing.chooses_ridge = true;
  EXPECT_TRUE(strategy(choosing).forms_system());
}

TEST(RidgeStrategy, TooManyLabelsAreNeverFormed) {
  const RidgeStrategy points = strategy({.labels = 7000, .outputs = 2});
  EXPECT_EQ(points.first.solver, StkrSolver::cg);
  EXPECT_EQ(points.second->solver, StkrSolver::minres);
  EXPECT_TRUE(points.after_breakdown);
  EXPECT_EQ(points.describe(), "iterative");
  const RidgeStrategy graph =
      strategy({.labels = 7000, .outputs = 2, .sparse = true, .inverse_laplacian = true});
  EXPECT_EQ(graph.first.solver, StkrSolver::minres);
  EXPECT_EQ(graph.second->solver, StkrSolver::cg);
  EXPECT_FALSE(graph.after_breakdown);
  EXPECT_FALSE(strategy({.labels = 7000, .outputs = 2, .semidefinite = false}).second);
  EXPECT_FALSE(strategy({.labels = 100, .outputs = 2, .most_direct = 0}).forms_system());
}

TEST(RidgeStrategy, ASolverThatWasAskedForIsTheOnlyOne) {
  for (const StkrSolver solver : {StkrSolver::direct, StkrSolver::cg, StkrSolver::minres,
                                  StkrSolver::diagonalize, StkrSolver::richardson}) {
    const RidgeStrategy only = strategy({.labels = 50'000, .solver = solver, .max_iterations = 7});
    EXPECT_EQ(only.first.solver, solver);
    EXPECT_EQ(only.first.max_iterations, 7);
    EXPECT_FALSE(only.second);
  }
}

TEST(RidgeStrategy, ThePreconditionerFitsItsBlock) {
  const NystromOptions roomy = ridge_preconditioner_options(1000, 10'000, 3, 1e-6, 1 << 30);
  EXPECT_EQ(roomy.most_rank, NystromOptions{}.most_rank);
  EXPECT_EQ(roomy.columns, 3);
  EXPECT_EQ(roomy.tolerance, 1e-6);
  const NystromOptions tight = ridge_preconditioner_options(1000, 10'000, 3, 1e-6, 8 * 100'000);
  EXPECT_EQ(tight.most_rank, 100);
  EXPECT_EQ(tight.at_once, NystromOptions{}.rank);
}

}  // namespace
}  // namespace stkr::ridge_strategy_test
