#pragma once

#include <memory>
#include <optional>

#include "inference/term_system.hpp"
#include "stkr/estimator/decision.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

// A fit of n labels by n × n algebra, given the blocks of its kernel.
class ClosedFit {
 public:
  // G: n × n. Without a ridge, it is chosen by leave-one-out (ridge_by_leave_one_out).
  ClosedFit(Matrix g, const EncodedTargets& targets, std::optional<double> ridge);

  const Matrix& g() const { return g_; }
  double ridge() const { return ridge_; }  // relative
  double beta() const { return beta_; }    // of the paper
  Matrix left_out() const;                 // f_{-i}(x_i) with its constant: n × C
  const Matrix& alpha() const { return alpha_; }
  const Vector& constant() const { return constant_; }

 private:
  Matrix g_;
  Matrix y_;
  bool free_constant_;
  double ridge_ = 0.0, beta_ = 0.0;
  Matrix alpha_;
  Vector constant_;
};

// The blocks of K̂_s of a gram: n × n and N × n.
struct LabeledBlocks {
  Matrix g;
  Matrix known;
};
LabeledBlocks transformed_blocks_of(std::shared_ptr<const GramOperator> gram,
                                    const EncodedTargets& targets,
                                    const SpectralTransform& transform, const Context& context);

// What a prediction f for each label misses: 1 for a wrong class (chance if f is 0), or the square
// of the miss in units of `variance`, that of the targets.
Vector label_errors(ConstMatrixRef f, const EncodedTargets& targets, double variance);
// The same for some of the labels.
double label_error(const Eigen::RowVectorXd& f, const Eigen::RowVectorXd& y, bool classes,
                   double variance);

// The variance of the labels, summed over the outputs.
double label_variance(ConstMatrixRef y);

// A vector's mean and the standard error of the mean.
struct MeanError {
  double mean = 0.0;
  double standard_error = 0.0;
};
MeanError mean_error(const Vector& values);

}  // namespace stkr
