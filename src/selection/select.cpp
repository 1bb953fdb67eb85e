#include "stkr/selection/select.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "estimator/answer_tally.hpp"
#include "estimator/gram_spectrum.hpp"
#include "estimator/poisson_leading.hpp"
#include "estimator/ridge_path.hpp"
#include "held_out.hpp"
#include "selection/folds.hpp"
#include "selection/known_labels.hpp"
#include "selection/propagated_blocks.hpp"
#include "selection/split_problem.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

using Clock = std::chrono::steady_clock;

Score score_for(const SelectOptions& options, const Labels& labels) {
  const Score score = options.score.value_or(
      std::holds_alternative<TargetValues>(labels) ? Score::r2 : Score::accuracy);
  check_score(score, labels);
  return score;
}

Selection started(const SelectOptions& options, const Labels& labels) {
  Selection selection;
  selection.score = score_for(options, labels);
  if (options.own_score) selection.own_score = options.own_score->name;
  return selection;
}

// One slot per grid point for its score, filled from several threads; slots of points that fail
// stay empty.
class ScoreBoard {
 public:
  explicit ScoreBoard(const Grid& grid)
      : grid_(grid), points_(grid_points(grid)), scores_(2 * points_.size()) {}

  // The slot of the first point of a family's parameter.
  std::size_t place(Family family, std::size_t parameter) const {
    const std::size_t points =
        has_ridge(family) ? grid_ridges(grid_).size() : grid_.propagation_steps.size();
    const auto first = std::find_if(points_.begin(), points_.end(),
                                    [family](const GridPoint& p) { return p.family == family; });
    return static_cast<std::size_t>(first - points_.begin()) + parameter * points;
  }
  const GridPoint& point(std::size_t place) const { return points_[place]; }
  void set(std::size_t place, GridScore score) {
    // Ties are broken by order: the plain score comes first.
    scores_[2 * place + (score.point.class_mass ? 1 : 0)] = std::move(score);
  }

  std::vector<GridScore> take() {
    std::vector<GridScore> filled;
    for (std::optional<GridScore>& score : scores_) {
      if (score) filled.push_back(std::move(*score));
    }
    return filled;
  }

 private:
  const Grid& grid_;
  std::vector<GridPoint> points_;
  std::vector<std::optional<GridScore>> scores_;  // of each point: plain, with class mass
};

bool wants_plain(const SelectOptions& options) { return options.class_mass != ClassMassChoice::on; }

bool wants_class_mass(const SelectOptions& options) {
  return options.class_mass != ClassMassChoice::off;
}

// The options for encoding the labels; encoding rejects class mass for regression.
DecisionOptions decision_options(DecisionOptions decision, const SelectOptions& options) {
  decision.class_mass = wants_class_mass(options);
  return decision;
}

GridPoint with_mass(GridPoint point, bool class_mass) {
  point.class_mass = class_mass;
  return point;
}

BlockOptions block_options(const SelectOptions& options, double largest) {
  BlockOptions result;
  result.largest_eigenvalue = largest;
  result.tolerance = options.tolerance;
  result.eigen_tolerance = options.eigen_tolerance;
  result.block_bytes = options.execution.block_bytes;
  result.diagonalize_below = options.execution.diagonalize_below;
  result.literal_top_d = options.literal_top_d;
  return result;
}

void warn_missing(const Labels& labels, std::span<const Index> samples, Selection& selection) {
  const std::vector<std::string> missing = missing_classes(labels, samples);
  if (missing.empty()) return;
  selection.warnings.push_back(fmt::format(
      "no labeled sample of class {}, so it is never predicted", fmt::join(missing, ", ")));
}

Selection finished(Selection selection, ScoreBoard& board, BlockSummary summary,
                   const SelectOptions& options, Clock::time_point start) {
  selection.scores = board.take();
  selection.ties_by_grid_order = options.ties_by_grid_order;
  selection.left_out = std::move(summary.left_out);
  selection.costs = std::move(summary.costs);
  selection.warnings.insert(selection.warnings.end(), summary.warnings.begin(),
                            summary.warnings.end());
  selection.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return selection;
}

KnownLabels labels_of_gram(const GramOperator& gram, const Labels& labels) {
  if (sample_count(labels) != gram.local_size()) {
    throw ShapeError(
        fmt::format("labels for {} samples, but the kernel has {}; give one label, or "
                    "a mark for unlabeled, per sample",
                    sample_count(labels), gram.local_size()));
  }
  return known_labels(labels, gram.shared_rows());
}

// Cross-validation of every kind: `held_out` predicts labeled samples without their labels.
Selection cross_validate(const GramOperator& gram, const KnownLabels& known, HeldOut held_out,
                         const SelectOptions& options, const Context& context) {
  const auto start = Clock::now();
  check_grid(options.grid);
  const Labels& labels = known.labels;
  Selection selection = started(options, labels);
  const std::vector<Index> places = labeled_indices(labels);
  const std::vector<Index> labeled = known.samples(places);
  warn_missing(labels, places, selection);
  held_out.set_nearest([&](Index i, const std::vector<Index>& among) {
    std::vector<Index> samples;
    for (const Index j : among) samples.push_back(labeled[j]);
    const auto found = gram.nearest(std::vector<Index>{labeled[i]}, samples);
    if (!found) return Index{-1};
    return among[std::find(samples.begin(), samples.end(), found->front()) - samples.begin()];
  });
  const double largest = largest_eigenvalue(gram, context);
  selection.kernels.front().largest_eigenvalue = largest;
  BlockOptions blocks = block_options(options, largest);
  blocks.kept_groups = groups_of_equal_labels(gram.known_eigenspace(), labeled,
                                              held_out.targets_of_labeled(), gram.shared_rows());
  const KernelRows rows(
      gram, labeled,
      wants_class_mass(options) ? class_mass_samples(gram.size(), labeled) : std::vector<Index>{});
  if (wants_class_mass(options) && rows.scored() == 0) {
    throw ValueError(
        "class-mass normalization needs unlabeled samples, but every sample is labeled");
  }
  ScoreBoard board(options.grid);
  std::vector<Index> scored;
  for (const Index place : held_out.rows().position) scored.push_back(places[place]);
  const auto set = [&](std::size_t place, const Predictions& predictions, bool class_mass,
                       double beta) {
    GridScore score{with_mass(board.point(place), class_mass)};
    set_scores(options, selection.score, predictions, labels, scored, score);
    if (options.deviations) {
      const std::vector<Index>& fold = held_out.rows().fold;
      if (!options.own_score) {
        score.deviation = score_deviation(selection.score, score.outcomes, labels, scored, fold);
      } else if (!held_out.leaves_one_out()) {
        score.deviation = score_deviation(*options.own_score, predictions, scored, fold);
      }
    }
    score.beta = beta;
    score.validation_no_evidence =
        std::count(predictions.evidence.begin(), predictions.evidence.end(), 0);
    board.set(place, std::move(score));
  };
  const auto judge = [&](std::size_t place, const HeldOut::Answers& answers) {
    if (wants_plain(options)) set(place, answers.plain, false, answers.beta);
    if (answers.class_mass) set(place, *answers.class_mass, true, answers.beta);
  };
  BlockSummary summary = transformed_blocks(
      gram, rows, options.grid,
      [&](std::size_t parameter, const TransformedBlock& block) {
        const std::size_t first = board.place(block.family, parameter);
        const std::vector<HeldOut::Answers> path = held_out.ridge(block, grid_ridges(options.grid));
        for (std::size_t b = 0; b < path.size(); ++b) judge(first + b, path[b]);
      },
      blocks, context);
  if (!options.grid.propagation_etas.empty() && !options.grid.propagation_steps.empty()) {
    const auto n = static_cast<Index>(labeled.size());
    const Matrix every_label =
        scatter_samples(gram.shared_rows(), Matrix::Identity(n, n), labeled, gram.size());
    summary.costs.push_back(propagated_blocks(
        gram, rows, every_label, options.grid,
        [&](std::size_t eta, std::size_t steps, const Matrix& answer) {
          judge(board.place(Family::label_propagation, eta) + steps,
                held_out.linear(answer, gram.nonnegative()));
        },
        largest, context));
  }
  return finished(std::move(selection), board, std::move(summary), options, start);
}

}  // namespace

std::vector<std::size_t> Selection::ranking() const {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  const auto value = [&](std::size_t k) {
    const double v = scores[k].validation;
    if (std::isnan(v)) return -std::numeric_limits<double>::infinity();
    return larger_is_better() ? v : -v;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (value(a) != value(b)) return value(a) > value(b);
    return !ties_by_grid_order && scores[a].loss < scores[b].loss;
  });
  return order;
}

std::size_t Selection::tied() const {
  const std::optional<std::size_t> first = best();
  if (!first) return 0;
  return std::count_if(scores.begin(), scores.end(), [&](const GridScore& one) {
    return one.validation == scores[*first].validation;
  });
}

std::vector<std::string> Selection::warnings_of_best(const Labels& truth,
                                                     std::span<const Index> samples) const {
  const std::optional<std::size_t> first = best();
  if (!first) return {};
  const GridScore& chosen = scores[*first];
  const auto* classes = std::get_if<ClassLabels>(&truth);
  AnswerTally tally;
  Vector shares;
  if (!classes) {
    tally.add(static_cast<Index>(samples.size()), chosen.validation_no_evidence);
  } else {
    shares = Vector::Zero(static_cast<Index>(classes->names.size()));
    for (std::size_t k = 0; k < samples.size() && k < chosen.outcomes.size(); ++k) {
      if (std::isnan(chosen.outcomes[k])) continue;
      tally.add(chosen.outcomes[k] == kGuess ? -1 : static_cast<Index>(chosen.outcomes[k]));
      shares[classes->code[samples[k]]] += 1.0;
    }
    if (shares.sum() > 0.0) shares /= shares.sum();
  }
  return tally.warnings("held-out samples", shares,
                        classes ? classes->names : std::vector<std::string>{});
}

std::optional<double> Selection::expected_best(const Labels& truth, std::span<const Index> samples,
                                               std::uint64_t seed) const {
  if (!own_score.empty()) return std::nullopt;
  std::vector<const std::vector<float>*> points;
  for (const GridScore& one : scores) points.push_back(&one.outcomes);
  return stkr::expected_best(score, points, truth, samples, seed);
}

std::optional<std::size_t> Selection::best(
    const std::function<bool(const GridPoint&)>& wanted) const {
  for (const std::size_t k : ranking()) {
    if (!wanted || wanted(scores[k].point)) return k;
  }
  return std::nullopt;
}

namespace {

void check_val(const Labels& labels, const FourWaySplit& split) {
  if (!labeled_indices(labels_of(labels, split.val)).empty()) return;
  throw ValueError(
      "split: no sample of val has a label; selection needs labeled validation samples");
}

// `selection` was started with the labels of all sets.
Selection select_on(const SplitProblem& problem, Setting setting, Selection selection,
                    const SelectOptions& options, const Context& context, Clock::time_point start) {
  const GramOperator& gram = problem.gram();
  if (wants_class_mass(options) &&
      gram.size() == static_cast<Index>(problem.targets().labeled.size())) {
    selection.warnings.push_back(fmt::format(
        "class-mass normalization has no effect: the {} setting has no unlabeled training sample",
        to_string(setting)));
  }
  const double largest = largest_eigenvalue(gram, context);
  selection.kernels.front().largest_eigenvalue = largest;
  BlockOptions blocks = block_options(options, largest);
  blocks.coupled = true;
  blocks.kept_groups = groups_of_equal_labels(gram.known_eigenspace(), problem.targets().labeled,
                                              problem.targets().y, gram.shared_rows());
  ScoreBoard board(options.grid);
  const auto judge = [&](std::size_t place, const SplitProblem::Scores& scores) {
    for (const bool class_mass : {false, true}) {
      if (!(class_mass ? wants_class_mass(options) : wants_plain(options))) continue;
      board.set(place, problem.score(with_mass(board.point(place), class_mass), scores,
                                     selection.score, options));
    }
  };
  BlockSummary summary = transformed_blocks(
      gram, problem.rows(), options.grid,
      [&](std::size_t parameter, const TransformedBlock& block) {
        const std::size_t first = board.place(block.family, parameter);
        const EncodedTargets& targets = problem.targets();
        const RidgePath path(block.labeled, block.scored, targets.y,
                             block.ridge_options(targets.constant));
        const std::vector<GridRidge> ridges = grid_ridges(options.grid);
        for (std::size_t b = 0; b < ridges.size(); ++b) {
          const double beta = ridges[b].beta_for(targets.y.rows(), path.unit());
          judge(first + b, problem.scores(block, path, beta));
        }
      },
      blocks, context);
  // Label propagation cannot predict samples that are not in the graph.
  if (setting == Setting::transductive && !options.grid.propagation_etas.empty() &&
      !options.grid.propagation_steps.empty()) {
    const EncodedTargets& targets = problem.targets();
    summary.costs.push_back(propagated_blocks(
        gram, problem.rows(),
        scatter_samples(gram.shared_rows(), targets.y, targets.labeled, gram.size()), options.grid,
        [&](std::size_t eta, std::size_t steps, const Matrix& answer) {
          judge(board.place(Family::label_propagation, eta) + steps,
                problem.scores(answer.topRows(answer.rows() - problem.rows().scored()),
                               answer.bottomRows(problem.rows().scored())));
        },
        largest, context));
  }
  return finished(std::move(selection), board, std::move(summary), options, start);
}

}  // namespace

Selection select_by_split(const Dataset& dataset, const Specification& spec,
                          const FourWaySplit& split, Setting setting, const SelectOptions& options,
                          const Context& context) {
  const auto start = Clock::now();
  check_grid(options.grid);
  Selection selection = started(options, dataset.labels);
  check_split(split, dataset.size(), "split");
  check_val(dataset.labels, split);
  warn_missing(dataset.labels, split.train, selection);
  Specification own = spec;
  own.decision = decision_options(spec.decision, options);
  const SplitProblem problem(dataset, own, options.execution, split, setting,
                             wants_class_mass(options), context.inner());
  return select_on(problem, setting, std::move(selection), options, context, start);
}

Selection select_by_split(const GramOperator& gram, const Labels& labels, const FourWaySplit& split,
                          const SelectOptions& options, const Context& context) {
  const auto start = Clock::now();
  check_grid(options.grid);
  KnownSplit known = known_split(labels, split, gram.shared_rows());
  Selection selection = started(options, known.labels.labels);
  check_val(known.labels.labels, known.split);
  warn_missing(known.labels.labels, known.split.train, selection);
  const SplitProblem problem(gram, std::move(known), decision_options(options.decision, options),
                             wants_class_mass(options));
  return select_on(problem, Setting::transductive, std::move(selection), options, context, start);
}

Selection select_by_folds(const GramOperator& gram, const Labels& labels, int folds,
                          const SelectOptions& options, const Context& context) {
  const KnownLabels known = labels_of_gram(gram, labels);
  return cross_validate(gram, known,
                        HeldOut(known.labels, labeled_folds(known.labels, folds, context.seed),
                                decision_options(options.decision, options)),
                        options, context);
}

Selection select_by_folds(const GramOperator& gram, const Labels& labels,
                          const std::vector<Fold>& folds, const SelectOptions& options,
                          const Context& context) {
  if (gram.shared_rows()) {
    throw ValueError("several processes choose random folds only; give the number of folds");
  }
  return cross_validate(
      gram, labels_of_gram(gram, labels),
      HeldOut(labels, by_position(folds, labels), decision_options(options.decision, options)),
      options, context);
}

Selection select_by_leave_one_out(const GramOperator& gram, const Labels& labels,
                                  const SelectOptions& options, const Context& context) {
  const KnownLabels known = labels_of_gram(gram, labels);
  return cross_validate(gram, known,
                        HeldOut(known.labels, decision_options(options.decision, options)), options,
                        context);
}

}  // namespace stkr
