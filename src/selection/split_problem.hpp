#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "estimator/ridge_path.hpp"
#include "selection/kernel_rows.hpp"
#include "selection/known_labels.hpp"
#include "selection/transformed_blocks.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/selection/select.hpp"

namespace stkr {

// The unlabeled samples of `size` whose scores determine the class-mass factors: all of them, or an
// evenly spaced subset that is large enough for a few factors.
std::vector<Index> class_mass_samples(Index size, std::span<const Index> labeled);

// A split prepared for fitting: the gram of the samples visible at training time, the labels of the
// training samples, and the kernel rows of the scored samples (val, then test).
//   transductive  all samples are visible; the labels of the others are hidden
//   inductive     only train and other are visible; val and test are new samples, and edges
//                 between them are ignored
class SplitProblem {
 public:
  // With `class_mass`, the unlabeled samples that determine the factors are scored too: those
  // visible at training time.
  SplitProblem(const Dataset& dataset, const Specification& spec, const Execution& execution,
               const FourWaySplit& split, Setting setting, bool class_mass = false,
               const Context& context = {});

  // Transductive, on a gram of the caller's own, which must outlive this.
  SplitProblem(const GramOperator& gram, KnownSplit known, const DecisionOptions& decision,
               bool class_mass = false);

  const GramOperator& gram() const { return *gram_; }
  const EncodedTargets& targets() const { return targets_; }  // `labeled` in the gram's numbering
  const KernelRows& rows() const { return *rows_; }

  // The result of a fit for the scored rows: f, which rows have evidence, and the constant.
  struct Scores {
    Matrix f;
    std::vector<char> evidence;
    Vector constant{};
    double beta = 0.0;
  };
  // For a ridge regression with a block of the transformed kernel.
  Scores scores(const TransformedBlock& block, const RidgePath& path, double beta) const;
  // For f at the labeled and at the scored samples computed by any other method.
  Scores scores(ConstMatrixRef f_labeled, Matrix f_scored) const;

  // Scores a fit, with class mass if point.class_mass is set, by `score` or options.own_score.
  // options.no_evidence applies to the validation score, which chooses; the test score uses the
  // predictions as they are.
  GridScore score(const GridPoint& point, const Scores& scores, Score score,
                  const SelectOptions& options) const;

 private:
  std::optional<std::vector<Index>> nearest(const std::vector<Index>& scored) const;
  void score_seen(KnownSplit known, const DecisionOptions& decision, bool class_mass);
  std::vector<Index> mass_samples(bool class_mass, Index size);
  void place_new(const Dataset& dataset, const Specification& spec,
                 const std::vector<Index>& scored, const std::vector<Index>& visible,
                 std::vector<Index> seen);

  std::unique_ptr<GramOperator> own_gram_;
  const GramOperator* gram_ = nullptr;
  std::unique_ptr<CrossKernel> cross_;
  NewSamples new_samples_;
  std::unique_ptr<PlacedSamples> placed_;
  EncodedTargets targets_;
  std::unique_ptr<KernelRows> rows_;
  Labels truth_;
  std::vector<Index> val_, test_;  // places in truth_
  Index mass_samples_ = 0;         // scored rows before the others
  // The scored rows of each sample of val and test: one, or those of the known samples equal to it,
  // whose mean it gets. `row_sample_` is the known sample of each row, -1 for new ones.
  std::vector<std::vector<Index>> rows_of_;
  std::vector<Index> row_sample_;
};

// Sets the validation score, the loss and the outcomes of predictions for `samples`.
void set_scores(const SelectOptions& options, Score score, const Predictions& predictions,
                const Labels& truth, std::span<const Index> samples, GridScore& result);

// Train and other, ascending: the samples visible in the inductive setting.
std::vector<Index> visible_samples(const FourWaySplit& split);

// The names of the classes in `labels` that none of `samples` has. Random splits can miss some.
std::vector<std::string> missing_classes(const Labels& labels, std::span<const Index> samples);

}  // namespace stkr
