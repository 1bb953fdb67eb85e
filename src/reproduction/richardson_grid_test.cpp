#include "reproduction/richardson_grid.hpp"

#include <gtest/gtest.h>

#include <array>

#include "dense_reference.hpp"
#include "estimator/stkr_prop.hpp"
#include "reproduction/paper_split.hpp"
#include "selection/split_problem.hpp"
#include "solver/symmetric_eigen.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr::richardson_grid_test {
namespace {

using reference::relative_error;

struct Problem {
  Dataset dataset = stochastic_block_model(std::array<Index, 4>{90, 70, 50, 60}, 0.06, 0.01, 11);
  FourWaySplit split = paper_split(paper_dataset("dblp"), dataset.size(), 0.1, 2);
  Specification spec;
  Problem() { spec.kernel = GraphKernelSpec{GraphNormalization::symmetric}; }

  SplitProblem in(Setting setting) const { return {dataset, spec, {}, split, setting}; }
};

Grid small_grid() {
  Grid grid;
  grid.powers = {1, 2, 8};
  grid.etas = {0.7, 0.99};
  grid.betas = {10.0, 1.0, 0.1};
  return grid;
}
const std::vector<int> kSteps{1, 2, 5};

// 1/λ_max of the system as in estimator/stkr_prop, from dense matrices.
double step_size(const SplitProblem& problem, const GridPoint& point) {
  const GramOperator& gram = problem.gram();
  const std::vector<Index>& labeled = problem.targets().labeled;
  const auto n = static_cast<double>(labeled.size());
  const bool power = point.family == Family::power;
  Matrix x = scatter_rows(Matrix::Identity(labeled.size(), labeled.size()), labeled, gram.size());
  for (int k = 0; k < (power ? static_cast<int>(point.parameter) : 1); ++k) x = product(gram, x);
  const Matrix g = static_cast<double>(gram.size()) * gather_rows(x, labeled);
  const double largest = symmetric_eigen(g).values[0];
  return 1.0 / (largest + n * point.beta * (power ? 1.0 : 1.0 + point.parameter));
}

// Compares every point with the paper's algorithm as printed, run separately for that many steps.
TEST(RichardsonGrid, GivesTheIteratesOfThePapersAlgorithms) {
  const Problem all;
  const Grid grid = small_grid();
  const std::vector<GridPoint> points = richardson_points(grid, kSteps);
  for (const Setting setting : {Setting::transductive, Setting::inductive}) {
    const SplitProblem problem = all.in(setting);
    std::vector<Matrix> found(points.size());
    BlockOptions blocks;
    // Small enough to split the pairs (η, β) into several batches.
    blocks.block_bytes = 4 * 2 * 8 * static_cast<std::size_t>(problem.gram().size()) * 4;
    richardson_predictions(
        problem.gram(), problem.rows(), problem.targets().y, grid, kSteps,
        [&](std::size_t place, Matrix f) { found[place] = std::move(f); }, blocks);
    for (std::size_t k = 0; k < points.size(); ++k) {
      const GridPoint& point = points[k];
      SCOPED_TRACE(describe(point, grid) + " T=" + std::to_string(point.iterations));
      PropagationOptions options;
      options.tolerance = 1e-300;
      options.max_iterations = point.iterations;
      const PropagationProblem one{problem.gram(), problem.targets().labeled, problem.targets().y,
                                   point.beta};
      std::vector<double> pi(static_cast<std::size_t>(point.parameter), 0.0);
      if (!pi.empty()) pi.back() = 1.0;
      options.step_size = step_size(problem, point);
      const Propagation expected = point.family == Family::power
                                       ? propagate_polynomial(one, pi, options)
                                       : propagate_reciprocal(one, {{1.0, -point.parameter}, 1},
                                                              problem.gram().bounds(), options);
      const Matrix f =
          problem.rows()
              .apply(expected.coefficients, product(problem.gram(), expected.coefficients))
              .bottomRows(problem.rows().scored());
      EXPECT_LT(relative_error(found[k], f), 1e-9);
    }
  }
}

// With many steps and a ridge at which they converge, the result is that of exact solves.
TEST(RichardsonGrid, ConvergesToTheExactGrid) {
  const Problem all;
  SelectOptions options;
  options.grid = small_grid();
  options.grid.powers = {2, 8};
  options.grid.betas = {100.0, 10.0};
  options.grid.dimensions.clear();
  options.grid.propagation_etas.clear();
  const Selection exact =
      select_by_split(all.dataset, all.spec, all.split, Setting::inductive, options);
  const Selection iterated = select_by_richardson(all.dataset, all.spec, all.split,
                                                  Setting::inductive, options, {}, {2000});
  ASSERT_EQ(exact.scores.size(), iterated.scores.size());
  for (std::size_t k = 0; k < exact.scores.size(); ++k) {
    EXPECT_EQ(exact.scores[k].point.parameter, iterated.scores[k].point.parameter);
    EXPECT_EQ(exact.scores[k].point.beta, iterated.scores[k].point.beta);
    EXPECT_EQ(exact.scores[k].validation, iterated.scores[k].validation);
    EXPECT_EQ(exact.scores[k].test, iterated.scores[k].test);
  }
}

TEST(RichardsonGrid, CountsCostsAndNamesMissingClasses) {
  Problem all;
  std::get<ClassLabels>(all.dataset.labels).names.push_back("never seen");
  SelectOptions options;
  options.grid = small_grid();
  const Selection selection = select_by_richardson(all.dataset, all.spec, all.split,
                                                   Setting::transductive, options, {}, kSteps);
  EXPECT_EQ(selection.scores.size(), richardson_points(options.grid, kSteps).size());
  ASSERT_EQ(selection.costs.size(), 2u);
  EXPECT_EQ(selection.costs[0].products, 8);
  EXPECT_EQ(selection.costs[1].products, 5);
  ASSERT_EQ(selection.warnings.size(), 1u);
  EXPECT_NE(selection.warnings[0].find("never seen"), std::string::npos);
}

}  // namespace
}  // namespace stkr::richardson_grid_test
