#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stkr/selection/split_problem.hpp"
#include "stkr/selection/transformed_blocks.hpp"

namespace stkr {

struct SelectOptions {
  Grid grid{};
  std::optional<Score> score{};  // default: accuracy for classes, R² for numbers
  NoEvidence no_evidence = NoEvidence::guess;
  // Classes only. Factors come from unlabeled samples that are there at training time, never from
  // those that are judged alone; the prior is that of `decision`.
  ClassMassChoice class_mass = ClassMassChoice::off;
  DecisionOptions decision{};       // of cross-validation; with a split the recipe's counts
  bool intercept = true;            // likewise: numbers have a constant
  bool literal_top_d = false;       // kernel PCA: see KernelPcaOptions
  bool ties_by_grid_order = false;  // of equal scores the first wins, whatever its loss
  double tolerance = 1e-9;
  double eigen_tolerance = 1e-8;
  std::size_t block_bytes = std::size_t{1} << 30;  // for one N × n block; more labels go in batches
  std::uint64_t memory = 0;        // bytes that the process may take, where rounding asks for more
  Index diagonalize_below = 4000;  // samples of a dense gram up to which kernel PCA uses LAPACK
  std::uint64_t seed = 1;
  int threads = 0;
  SolveControl control{};
};

struct TriedKernel {
  std::string description{};        // empty where there was no choice
  double largest_eigenvalue = 1.0;  // λ₁ of S: the unit of η; 0 where it could not be built
  std::string left_out{};           // why, where it is left out
};

struct Selection {
  Score score = Score::accuracy;
  bool ties_by_grid_order = false;  // SelectOptions
  std::vector<GridScore> scores;    // in grid order; points that cannot be had are left out
  std::vector<TriedKernel> kernels{TriedKernel{}};  // GridPoint::kernel is a place in it
  std::vector<LeftOut> left_out;  // points of `grid_points` that could not be had, by parameter
  std::vector<FamilyCost> costs;
  std::vector<std::string> warnings;
  double seconds = 0.0;

  double largest_eigenvalue(const GridPoint& point) const {
    return kernels[point.kernel].largest_eigenvalue;
  }
  // Places in `scores`, best first; ties are broken by the smooth loss, then by grid
  // order.
  std::vector<std::size_t> ranking() const;
  // How many points have the best score, so that something else had to choose among them.
  std::size_t tied() const;
  // What to know about the best point's answers for the samples that were validated on, whose
  // labels are in `truth`: that most are guesses, or nearly all one class (estimator/answer_tally).
  std::vector<std::string> warnings_of_best(const Labels& truth,
                                            std::span<const Index> samples) const;
  // What the best of all these scores can be expected to be on samples that did not choose it; see
  // expected_best. `samples` are those that were validated on, `truth` their labels.
  std::optional<double> expected_best(const Labels& truth, std::span<const Index> samples,
                                      std::uint64_t seed) const;
  // The best of those that `wanted` accepts; none where it accepts none.
  std::optional<std::size_t> best(const std::function<bool(const GridPoint&)>& wanted = {}) const;
};

// Fits every point of the grid on the labels of split.train and scores it on split.val and
// split.test. The gram follows from `recipe`; its method, transform and ridge are what is chosen.
Selection select_by_split(const Dataset& dataset, const Recipe& recipe, const FourWaySplit& split,
                          Setting setting, const SelectOptions& options);

// Every labeled sample is predicted by a fit to the labels of the other folds, the score is that
// of all predictions together. Held-out samples stay in the gram, unlabeled, so that one pass over
// the kernel serves all folds; kernel PCA learns from the samples unlabeled from the start.
Selection select_by_folds(const GramOperator& gram, const Labels& labels, int folds,
                          const SelectOptions& options);

// The same with every labeled sample held out by itself, in closed form.
Selection select_by_leave_one_out(const GramOperator& gram, const Labels& labels,
                                  const SelectOptions& options);

}  // namespace stkr
