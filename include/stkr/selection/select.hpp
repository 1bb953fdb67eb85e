#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stkr/dataset/labels.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/estimator/decision.hpp"
#include "stkr/estimator/fit.hpp"
#include "stkr/gram/gram_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/selection/grid.hpp"

namespace stkr {

enum class Score {
  accuracy,           // share of correct classes
  balanced_accuracy,  // mean recall over classes
  macro_f1,           // mean over classes of F1 = 2TP/(2TP + FP + FN)
  mse,                // mean squared error, averaged over targets
  r2,                 // 1 - squared error / variance, averaged over targets
};
const char* to_string(Score score);  // "accuracy", "balanced-accuracy", "macro-f1", "mse", "r2"
Score score_from_name(const std::string& name);  // throws ValueError if unknown
bool higher_is_better(Score score);              // all except mse

// Throws ValueError if the score is for the other kind of labels.
void check_score(Score score, const Labels& truth);

// How a sample without evidence (f = 0, reached by no label) counts in a score.
enum class NoEvidence {
  // As a guess, for choosing: a grid point with no evidence for most samples must not win because
  // most of them happen to belong to the most frequent class. For classes, 1/C of the sample is
  // predicted as each of the C classes, so it adds 1/C to the accuracy whatever its class. For
  // regression, the squared error is that of the mean of the scored targets, or the prediction's
  // own if that is larger.
  guess,
  prior,        // as predicted: the most frequent class among the labeled samples
  first_class,  // class 0, the argmax over zeros, as in the paper's tables
};

// The score of predictions for `samples`, whose labels are in `truth`. Unlabeled samples are
// skipped; returns NaN if none is left. Classes without a sample do not count in the means over
// classes. Predictions count as they are unless `no_evidence` is guess.
double evaluate(Score score, const Predictions& predictions, const Labels& truth,
                std::span<const Index> samples, NoEvidence no_evidence = NoEvidence::prior);

// A smooth measure of the same predictions, lower is better, to break ties between scores: the
// squared error. For classes, it is the error of the scores converted to shares: negative scores
// count as 0, and a row without positive scores gives equal shares (Brier).
double smooth_loss(const Predictions& predictions, const Labels& truth,
                   std::span<const Index> samples, NoEvidence no_evidence = NoEvidence::prior);

// The value in `outcomes` for a guess at a class.
inline constexpr float kGuess = -1.0F;

// Input of `expected_best` for one grid point: for each sample the predicted class, or the squared
// error of each target; NaN for unlabeled samples.
std::vector<float> outcomes(const Predictions& predictions, const Labels& truth,
                            std::span<const Index> samples,
                            NoEvidence no_evidence = NoEvidence::prior);

// The standard deviation of the score over folds: fold[k] is the fold of the k-th outcome. NaN if
// the score of a fold is not defined, as R² of one sample.
double score_deviation(Score score, const std::vector<float>& outcomes, const Labels& truth,
                       std::span<const Index> samples, std::span<const Index> fold);

// A score of the caller's own; higher is better. Called from several threads at once.
struct OwnScore {
  std::string name{};
  // Of predictions for `samples`, as they are: one without evidence is no guess here.
  std::function<double(const Predictions&, std::span<const Index> samples)> value{};
};
// The standard deviation of such a score over folds. NaN if it throws for one of them, as many do
// if a fold has no sample of a class.
double score_deviation(const OwnScore& score, const Predictions& predictions,
                       std::span<const Index> samples, std::span<const Index> fold);

// The best of many scores on few samples is optimistic. This estimates the score of the chosen
// point on samples not used for choosing (Tsamardinos et al. 2018): the mean score of the best
// point on a bootstrap sample, evaluated on the samples left out. Returns nullopt if there are too
// few samples.
std::optional<double> expected_best(Score score, std::span<const std::vector<float>* const> points,
                                    const Labels& truth, std::span<const Index> samples,
                                    std::uint64_t seed);

struct SelectOptions {
  Grid grid{};
  std::optional<Score> score{};  // default: accuracy for classes, R² for regression
  NoEvidence no_evidence = NoEvidence::guess;
  // Classes only. Factors are estimated from unlabeled training samples, never from the evaluation
  // set; the prior is that of `decision`.
  ClassMassChoice class_mass = ClassMassChoice::off;
  DecisionOptions decision{};           // for cross-validation; a split uses the specification's
  bool literal_top_d = false;           // kernel PCA: see KernelPcaOptions
  bool ties_by_grid_order = false;      // break ties by grid order, not by loss
  std::optional<OwnScore> own_score{};  // instead of `score`
  // Compute GridScore::deviation. That of an own score is undefined for leave-one-out.
  bool deviations = false;
  double tolerance = 1e-9;
  double eigen_tolerance = 1e-8;
  Execution execution{.block_bytes = std::size_t{1} << 30};
};

// A fit of cross-validation: to the labels of the samples `train`, scored on those of `held_out`.
struct Fold {
  std::vector<Index> train{};
  std::vector<Index> held_out{};
};

struct TriedKernel {
  std::string description{};        // empty if only one is tried
  double largest_eigenvalue = 1.0;  // λ₁ of S: the unit of η; 0 if it could not be built
  std::string left_out{};           // the reason if it is left out
};

struct Selection {
  Score score = Score::accuracy;
  std::string own_score{};                          // its name, if there is one instead
  bool ties_by_grid_order = false;                  // SelectOptions
  std::vector<GridScore> scores;                    // in grid order, without the points left out
  std::vector<TriedKernel> kernels{TriedKernel{}};  // indexed by GridPoint::kernel
  std::vector<LeftOut> left_out;  // points of `grid_points` that failed, by parameter
  std::vector<FamilyCost> costs;
  std::vector<std::string> warnings;
  double seconds = 0.0;

  double largest_eigenvalue(const GridPoint& point) const {
    return kernels[point.kernel].largest_eigenvalue;
  }
  bool larger_is_better() const { return !own_score.empty() || higher_is_better(score); }
  // Indices into `scores`, best first; ties are broken by the smooth loss, then by grid order.
  std::vector<std::size_t> ranking() const;
  // How many points have the best score.
  std::size_t tied() const;
  // Warnings about the best point's predictions on the validation samples, whose labels are in
  // `truth`: most are guesses, or nearly all are one class (estimator/answer_tally).
  std::vector<std::string> warnings_of_best(const Labels& truth,
                                            std::span<const Index> samples) const;
  // The expected score of the chosen point on samples not used for choosing; see expected_best.
  // `samples` are the validation samples, `truth` their labels. None for an own score.
  std::optional<double> expected_best(const Labels& truth, std::span<const Index> samples,
                                      std::uint64_t seed) const;
  // The best point that `wanted` accepts; nullopt if it accepts none.
  std::optional<std::size_t> best(const std::function<bool(const GridPoint&)>& wanted = {}) const;
};

// Fits every grid point on the labels of split.train and scores it on split.val and split.test.
// `spec` determines the gram; its method is ignored, since it is selected.
Selection select_by_split(const Dataset& dataset, const Specification& spec,
                          const FourWaySplit& split, Setting setting, const SelectOptions& options,
                          const Context& context = {});

// The same, transductive, on a gram of the caller's own. `other` is not used. If several processes
// share the samples, `labels` are those of this process's rows; likewise below.
Selection select_by_split(const GramOperator& gram, const Labels& labels, const FourWaySplit& split,
                          const SelectOptions& options, const Context& context = {});

// Predicts every labeled sample by a fit to the labels of the other folds and scores all
// predictions together. Held-out samples stay in the gram, unlabeled, so that one pass over the
// kernel serves all folds; kernel PCA uses the samples that are unlabeled from the start.
Selection select_by_folds(const GramOperator& gram, const Labels& labels, int folds,
                          const SelectOptions& options, const Context& context = {});

// The same with folds of the caller's own, which need not be disjoint, nor cover all labeled
// samples. Predictions are those of all held-out samples, ascending, then by fold.
Selection select_by_folds(const GramOperator& gram, const Labels& labels,
                          const std::vector<Fold>& folds, const SelectOptions& options,
                          const Context& context = {});

// The same with each labeled sample as its own fold, in closed form.
Selection select_by_leave_one_out(const GramOperator& gram, const Labels& labels,
                                  const SelectOptions& options, const Context& context = {});

}  // namespace stkr
