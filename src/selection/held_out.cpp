#include "held_out.hpp"

#include <algorithm>

#include "stkr/error.hpp"
#include "stkr/estimator/class_mass.hpp"
#include "stkr/estimator/fit.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/selection/ridge_path.hpp"

namespace stkr {
namespace {

std::vector<std::vector<Index>> single_samples(const Labels& labels) {
  std::vector<std::vector<Index>> folds(labeled_indices(labels).size());
  for (std::size_t k = 0; k < folds.size(); ++k) folds[k] = {static_cast<Index>(k)};
  return folds;
}

Matrix submatrix(ConstMatrixRef a, const std::vector<Index>& rows, const std::vector<Index>& cols) {
  Matrix result(rows.size(), cols.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < cols.size(); ++j) result(i, j) = a(rows[i], cols[j]);
  }
  return result;
}

}  // namespace

HeldOut::HeldOut(const Labels& labels, std::vector<std::vector<Index>> folds,
                 const DecisionOptions& options)
    : folds_(std::move(folds)) {
  EncodedTargets all = encode_targets(labels, /*intercept=*/false, options);
  const bool given = options.uniform_prior || !options.prior.empty();
  if (all.labeled.size() < 2) {
    throw ValueError("one labelled sample: none is left to fit on when it is held out; label more");
  }
  y_ = std::move(all.y);
  all_ = all.decision;
  means_ = Matrix::Zero(folds_.size(), y_.cols());
  const Vector total = y_.colwise().sum();
  for (std::size_t k = 0; k < folds_.size(); ++k) {
    const auto others = static_cast<double>(y_.rows() - static_cast<Index>(folds_[k].size()));
    const Vector held = gather_rows(y_, folds_[k]).colwise().sum();
    const Vector share = (total - held) / others;
    if (auto* classes = std::get_if<ClassDecision>(&all.decision)) {
      const auto count = y_.rows() - static_cast<Index>(folds_[k].size());
      const Vector own = options.class_mass ? smoothed_prior(share, count) : share;
      decisions_.push_back(ClassDecision{classes->names, given ? classes->prior : own});
    } else {
      means_.row(k) = share.transpose();
      decisions_.push_back(TargetDecision{std::get<TargetDecision>(all.decision).names, share});
    }
  }
}

HeldOut::HeldOut(const Labels& labels, const DecisionOptions& options)
    : HeldOut(labels, single_samples(labels), options) {
  leave_one_out_ = true;
}

HeldOut::Answers HeldOut::decide_folds(const Matrix& f,
                                       const std::vector<Matrix>& unlabeled) const {
  Answers answers{decide_folds(f, decisions_), std::nullopt};
  if (unlabeled.empty() || unlabeled.front().rows() == 0) return answers;
  std::vector<Decision> decisions;
  for (const Matrix& scores : unlabeled) {
    decisions.push_back(with_class_mass(leave_one_out_ ? all_ : decisions_[decisions.size()],
                                        scores, evidence_floor(scores)));
  }
  decisions.resize(folds_.size(), decisions.front());
  answers.class_mass = decide_folds(f, decisions);
  return answers;
}

Predictions HeldOut::decide_folds(const Matrix& f, const std::vector<Decision>& decisions) const {
  const double floor = evidence_floor(f);
  Predictions result;
  result.scores.resize(f.rows(), f.cols());
  result.evidence.resize(f.rows());
  const bool classes = std::holds_alternative<ClassDecision>(decisions_.front());
  if (classes) result.class_index.resize(f.rows());
  for (std::size_t k = 0; k < folds_.size(); ++k) {
    const Predictions fold = decide(decisions[k], gather_rows(f, folds_[k]), floor);
    for (std::size_t i = 0; i < folds_[k].size(); ++i) {
      const Index sample = folds_[k][i];
      result.scores.row(sample) = fold.scores.row(i);
      result.evidence[sample] = fold.evidence[i];
      if (classes) result.class_index[sample] = fold.class_index[i];
    }
  }
  return result;
}

std::vector<HeldOut::Answers> HeldOut::ridge(ConstMatrixRef gram, const std::vector<double>& betas,
                                             ConstMatrixRef unlabeled) const {
  std::vector<Matrix> f(betas.size(), Matrix(y_.rows(), y_.cols()));
  std::vector<std::vector<Matrix>> rest(betas.size());  // f at the unlabelled, for each fold
  const Index others = unlabeled.rows();
  if (leave_one_out_) {
    // Targets are fitted less their mean, and the mean depends on the sample left out. The answer
    // to constant targets gives the correction.
    Matrix with_constant(y_.rows(), y_.cols() + 1);
    with_constant << y_, Vector::Ones(y_.rows());
    const RidgePath path(gram, others > 0 ? Matrix(unlabeled) : Matrix(0, y_.rows()),
                         with_constant);
    for (std::size_t b = 0; b < betas.size(); ++b) {
      const Matrix left_out = path.leave_one_out(betas[b]);
      const Vector constant = left_out.col(y_.cols());
      f[b] = left_out.leftCols(y_.cols()) - constant.asDiagonal() * means_;
      if (others > 0) rest[b].push_back(path.predict(betas[b]).leftCols(y_.cols()));
    }
  } else {
    for (std::size_t k = 0; k < folds_.size(); ++k) {
      const std::vector<Index> train = unlabeled_samples(y_.rows(), folds_[k]);
      Matrix y = gather_rows(y_, train);
      y.rowwise() -= means_.row(k);
      const auto held = static_cast<Index>(folds_[k].size());
      Matrix scored(held + others, static_cast<Index>(train.size()));
      scored.topRows(held) = submatrix(gram, folds_[k], train);
      for (std::size_t j = 0; others > 0 && j < train.size(); ++j) {
        scored.col(j).tail(others) = unlabeled.col(train[j]);
      }
      const RidgePath path(submatrix(gram, train, train), scored, y);
      for (std::size_t b = 0; b < betas.size(); ++b) {
        const Matrix predicted = path.predict(betas[b]);
        for (Index i = 0; i < held; ++i) f[b].row(folds_[k][i]) = predicted.row(i);
        rest[b].push_back(predicted.bottomRows(others));
      }
    }
  }
  std::vector<Answers> result;
  for (std::size_t b = 0; b < betas.size(); ++b) result.push_back(decide_folds(f[b], rest[b]));
  return result;
}

HeldOut::Answers HeldOut::linear(ConstMatrixRef p) const {
  Matrix f(y_.rows(), y_.cols());
  std::vector<Matrix> rest;
  const auto unlabeled = p.bottomRows(p.rows() - y_.rows());
  for (std::size_t k = 0; k < folds_.size(); ++k) {
    Matrix y = y_;
    y.rowwise() -= means_.row(k);
    for (const Index i : folds_[k]) y.row(i).setZero();
    for (const Index i : folds_[k]) f.row(i) = p.row(i) * y;
    if (!leave_one_out_) rest.push_back(unlabeled * y);
  }
  if (leave_one_out_) rest.push_back(unlabeled * y_);
  return decide_folds(f, rest);
}

}  // namespace stkr
