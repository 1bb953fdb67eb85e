#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stkr/dataset/four_way_split.hpp"
#include "stkr/estimator/ridge_path.hpp"
#include "stkr/selection/grid.hpp"
#include "stkr/selection/kernel_rows.hpp"
#include "stkr/selection/score.hpp"
#include "stkr/selection/setting.hpp"
#include "stkr/selection/transformed_blocks.hpp"

namespace stkr {

// Whether points of the grid answer by class-mass normalized scores; `both` tries each way.
enum class ClassMassChoice { off, on, both };

// Unlabeled samples whose scores give the factors of class-mass normalization: all, or so many of
// them, evenly spaced, which is plenty for a few factors.
std::vector<Index> class_mass_samples(std::vector<Index> unlabeled);

struct GridScore {
  GridPoint point;
  double validation = 0.0;           // on the validation set, or on held-out labeled samples
  double loss = 0.0;                 // smooth_loss there: what decides between equal scores
  double beta = 0.0;                 // the paper's β of a fit to all labels at hand; 0 for none
  std::vector<float> outcomes{};     // of each validation sample: see score.hpp
  std::optional<double> test{};      // where there is a test set
  Index validation_no_evidence = 0;  // samples that nothing known reaches
  Index test_no_evidence = 0;
};

// A split made into something to fit: the gram of what may be seen at training time, the labels of
// the training samples, and the kernel rows of those that are scored (val, then test).
//   transductive  all samples are there; the labels of the others are hidden
//   inductive     only train and other are there; val and test are new samples, whose edges to one
//                 another count for nothing
class SplitProblem {
 public:
  // With `class_mass` the unlabeled samples that give the factors are scored too: those that are
  // there at training time.
  SplitProblem(const Dataset& dataset, const Recipe& recipe, const FourWaySplit& split,
               Setting setting, bool class_mass = false);

  const GramOperator& gram() const { return *gram_; }
  const EncodedTargets& targets() const { return targets_; }  // `labeled` in the gram's numbering
  const KernelRows& rows() const { return *rows_; }

  // What a fit says of the rows that are scored: f, which rows have evidence, and its constant.
  struct Scores {
    Matrix f;
    std::vector<char> evidence;
    Vector constant{};
    double beta = 0.0;
  };
  // For a ridge regression with a block of the transformed kernel.
  Scores scores(const TransformedBlock& block, const RidgePath& path, double beta) const;
  // For f at the labeled and at the scored samples by any other way.
  Scores scores(ConstMatrixRef f_labeled, Matrix f_scored) const;

  // Judges a fit, as point.class_mass has it. Guesses count as such in validation, which chooses;
  // the test score is that of the answers as they are.
  GridScore score(const GridPoint& point, const Scores& scores, Score score,
                  NoEvidence no_evidence) const;

 private:
  std::optional<std::vector<Index>> nearest(const std::vector<Index>& scored) const;
  void place_new(const Dataset& dataset, const Recipe& recipe, const std::vector<Index>& scored,
                 const std::vector<Index>& visible, std::vector<Index> seen);

  std::unique_ptr<GramOperator> gram_;
  std::unique_ptr<CrossKernel> cross_;
  NewSamples new_samples_;
  std::unique_ptr<PlacedSamples> placed_;
  EncodedTargets targets_;
  std::unique_ptr<KernelRows> rows_;
  Labels truth_;
  std::vector<Index> val_, test_;
  Index mass_samples_ = 0;  // scored before the others
  // The rows that each sample of val and test has among the scored ones: one, or those of the known
  // samples that it equals, whose mean it gets. `row_sample_` is the known sample of each row, -1
  // for new ones.
  std::vector<std::vector<Index>> rows_of_;
  std::vector<Index> row_sample_;
};

// Train and other, ascending: what the inductive setting sees.
std::vector<Index> visible_samples(const FourWaySplit& split);

// The classes of `labels` that none of `samples` has, by name. Random splits leave some out.
std::vector<std::string> missing_classes(const Labels& labels, std::span<const Index> samples);

}  // namespace stkr
