#include "held_out.hpp"

#include <algorithm>

#include "estimator/class_mass.hpp"
#include "estimator/evidence.hpp"
#include "estimator/ridge_path.hpp"
#include "estimator/ridge_unit.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/fit.hpp"
#include "stkr/linop/block_algebra.hpp"

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
    : HeldOut(labels,
              fitted_to_the_others(std::move(folds),
                                   static_cast<Index>(labeled_indices(labels).size())),
              options) {}

HeldOut::HeldOut(const Labels& labels, std::vector<Fold> folds, const DecisionOptions& options)
    : folds_(std::move(folds)), rows_(held_out_rows(folds_)) {
  DecisionOptions plain = options;
  plain.intercept = false;  // each fold has its own constant
  EncodedTargets all = encode_targets(labels, plain);
  intercept_ = options.intercept && std::holds_alternative<TargetDecision>(all.decision);
  const bool given = options.uniform_prior || !options.prior.empty();
  if (all.labeled.size() < 2) {
    throw ValueError(
        "only one labeled sample: holding it out leaves none to fit on; label more samples");
  }
  y_ = std::move(all.y);
  all_ = all.decision;
  const Vector total = y_.colwise().sum();
  for (const Fold& fold : folds_) {
    const auto* classes = std::get_if<ClassDecision>(&all.decision);
    if (!classes) {
      decisions_.push_back(all.decision);  // without a constant: each fit has its own
      continue;
    }
    const auto count = static_cast<Index>(fold.train.size());
    const bool all_others = fold.train.size() + fold.held_out.size() == all.labeled.size();
    const Vector sum =
        all_others ? Vector(total - gather_rows(y_, fold.held_out).colwise().sum().transpose())
                   : Vector(gather_rows(y_, fold.train).colwise().sum());
    const Vector share = sum / static_cast<double>(count);
    const Vector own = options.class_mass ? smoothed_prior(share, count) : share;
    ClassDecision decision{classes->names, given ? classes->prior : own};
    for (const Index j : fold.train) {
      decision.labeled.push_back(j);
      decision.classes.push_back(classes->classes[j]);
    }
    decisions_.push_back(std::move(decision));
  }
}

HeldOut::HeldOut(const Labels& labels, const DecisionOptions& options)
    : HeldOut(labels, single_samples(labels), options) {
  leave_one_out_ = true;
}

HeldOut::Scores HeldOut::empty_scores() const {
  const auto count = static_cast<Index>(rows_.position.size());
  return {Matrix::Zero(count, y_.cols()),
          Matrix::Zero(count, y_.cols()),
          std::vector<char>(rows_.position.size()),
          {},
          {}};
}

HeldOut::Answers HeldOut::decide_folds(const Scores& scores) const {
  Answers answers{decide_folds(scores, decisions_), std::nullopt};
  if (scores.unlabeled.empty() || scores.unlabeled.front().rows() == 0) return answers;
  std::vector<Decision> decisions;
  for (std::size_t k = 0; k < folds_.size(); ++k) {
    const std::size_t fit = leave_one_out_ ? 0 : k;
    Decision decision = with_class_mass(leave_one_out_ ? all_ : decisions_[k],
                                        scores.unlabeled[fit], scores.heard[fit]);
    auto& classes = std::get<ClassDecision>(decision);
    classes.labeled = std::get<ClassDecision>(decisions_[k]).labeled;
    classes.classes = std::get<ClassDecision>(decisions_[k]).classes;
    decisions.push_back(std::move(decision));
  }
  answers.class_mass = decide_folds(scores, decisions);
  return answers;
}

Predictions HeldOut::decide_folds(const Scores& scores,
                                  const std::vector<Decision>& decisions) const {
  Predictions result;
  const std::size_t count = rows_.position.size();
  result.scores.resize(static_cast<Index>(count), y_.cols());
  result.evidence.resize(count);
  if (!targets()) {
    result.class_index.resize(count);
    result.tied.resize(count);
  }
  for (std::size_t k = 0; k < folds_.size(); ++k) {
    const std::vector<Index>& rows_of_fold = rows_.rows[k];
    std::vector<char> evidence;
    for (const Index row : rows_of_fold) evidence.push_back(scores.evidence[row]);
    const auto nearest = [&](const std::vector<Index>& rows) {
      std::optional<std::vector<Index>> found(std::in_place);
      for (const Index row : rows) {
        const Index near =
            nearest_ ? nearest_(folds_[k].held_out[row], folds_[k].train) : Index{-1};
        if (near < 0) return std::optional<std::vector<Index>>();
        found->push_back(near);
      }
      return found;
    };
    const Predictions fold =
        decide(decisions[k], gather_rows(scores.f, rows_of_fold), std::move(evidence), nearest);
    for (std::size_t i = 0; i < rows_of_fold.size(); ++i) {
      const Index row = rows_of_fold[i];
      result.scores.row(row) = fold.scores.row(i);
      result.evidence[row] = fold.evidence[i];
      if (targets()) {
        result.scores.row(row) += scores.constant.row(row);
      } else {
        result.class_index[row] = fold.class_index[i];
        result.tied[row] = fold.tied[i];
      }
    }
  }
  return result;
}

HeldOut::Scores HeldOut::left_out(const RidgePath& path, const TransformedBlock& block,
                                  double beta) const {
  RidgePath::LeftOut left_out = path.leave_one_out(beta);
  Scores scores{std::move(left_out.f), std::move(left_out.constant), {}, {}, {}};
  const double floor = evidence_floor(path.fitted(beta));
  const double reach_floor = floor_by_reach(block.family == Family::top_d,
                                            intercept_ || block.family == Family::poisson, floor);
  for (Index i = 0; i < y_.rows(); ++i) {
    scores.evidence.push_back(evidence_of_rows(block.labeled.row(i), folds_[i].train,
                                               scores.f.row(i), block.exact_zeros, floor,
                                               reach_floor)[0]);
  }
  if (block.scored.rows() > 0) {
    std::vector<Index> all = folds_.front().train;
    all.push_back(0);
    scores.unlabeled.push_back(path.predict(beta));
    scores.heard.push_back(evidence_of_rows(block.scored, all, scores.unlabeled.front(),
                                            block.exact_zeros, floor, reach_floor));
  }
  return scores;
}

std::vector<HeldOut::Answers> HeldOut::ridge(const TransformedBlock& block,
                                             const std::vector<GridRidge>& ridges) const {
  std::vector<Answers> result;
  const Index n = y_.rows(), others = block.scored.rows();
  const RidgePathOptions options = block.ridge_options(intercept_);
  const double unit = ridge_unit(block.labeled);
  if (leave_one_out_) {
    const RidgePath path(block.labeled, others > 0 ? block.scored : Matrix(0, n), y_, options);
    for (const GridRidge& ridge : ridges) {
      // nβ is the same fraction of the diagonal with one label less.
      const double beta = ridge.beta > 0.0 ? ridge.beta : ridge.beta_for(n - 1, path.unit());
      result.push_back(decide_folds(left_out(path, block, beta)));
      result.back().beta = ridge.beta_for(n, unit);
    }
    return result;
  }
  std::vector<Scores> scores(ridges.size(), empty_scores());
  for (std::size_t k = 0; k < folds_.size(); ++k) {
    const std::vector<Index>& train = folds_[k].train;
    const auto held = static_cast<Index>(folds_[k].held_out.size());
    Matrix rows(held + others, n);
    rows.topRows(held) = gather_rows(block.labeled, folds_[k].held_out);
    rows.bottomRows(others) = block.scored;
    Matrix scored(rows.rows(), static_cast<Index>(train.size()));
    for (std::size_t j = 0; j < train.size(); ++j) scored.col(j) = rows.col(train[j]);
    RidgePathOptions own = options;
    if (own.label_weights.size() > 0) own.label_weights = own.label_weights(train).eval();
    const RidgePath path(submatrix(block.labeled, train, train), scored, gather_rows(y_, train),
                         std::move(own));
    for (std::size_t b = 0; b < ridges.size(); ++b) {
      const double beta = ridges[b].beta_for(static_cast<Index>(train.size()), path.unit());
      const Matrix predicted = path.predict(beta);
      const Vector constant = path.constant(beta);
      const double floor = evidence_floor(path.fitted(beta));
      const std::vector<char> evidence =
          evidence_of_rows(rows, train, predicted, block.exact_zeros, floor,
                           floor_by_reach(block.family == Family::top_d,
                                          intercept_ || block.family == Family::poisson, floor));
      for (Index i = 0; i < held; ++i) {
        const Index row = rows_.rows[k][i];
        scores[b].f.row(row) = predicted.row(i);
        scores[b].constant.row(row) = constant.transpose();
        scores[b].evidence[row] = evidence[i];
      }
      scores[b].unlabeled.push_back(predicted.bottomRows(others));
      scores[b].heard.emplace_back(evidence.begin() + held, evidence.end());
    }
  }
  for (std::size_t b = 0; b < ridges.size(); ++b) {
    result.push_back(decide_folds(scores[b]));
    result.back().beta = ridges[b].beta_for(n, unit);
  }
  return result;
}

HeldOut::Answers HeldOut::linear(ConstMatrixRef p, bool exact_zeros) const {
  Scores scores = empty_scores();
  const auto unlabeled = p.bottomRows(p.rows() - y_.rows());
  for (std::size_t k = 0; k < folds_.size(); ++k) {
    const std::vector<Index>& train = folds_[k].train;
    // No system is solved that could fit a constant: use the mean of the others instead.
    const Eigen::RowVectorXd mean =
        intercept_ ? Eigen::RowVectorXd(gather_rows(y_, train).colwise().mean())
                   : Eigen::RowVectorXd::Zero(y_.cols());
    Matrix y = Matrix::Zero(y_.rows(), y_.cols());
    for (const Index j : train) y.row(j) = y_.row(j) - mean;
    const Matrix f = p * y;
    const double floor = evidence_floor(gather_rows(f, train));
    const std::vector<char> evidence = evidence_of_rows(p, train, f, exact_zeros, floor, 0.0);
    for (std::size_t i = 0; i < rows_.rows[k].size(); ++i) {
      const Index row = rows_.rows[k][i], sample = folds_[k].held_out[i];
      scores.f.row(row) = f.row(sample);
      scores.constant.row(row) = mean;
      scores.evidence[row] = evidence[sample];
    }
    if (unlabeled.rows() > 0 && !leave_one_out_) {
      scores.unlabeled.push_back(f.bottomRows(unlabeled.rows()));
      scores.heard.emplace_back(evidence.begin() + y_.rows(), evidence.end());
    }
  }
  if (leave_one_out_ && unlabeled.rows() > 0) {
    std::vector<Index> all = folds_.front().train;
    all.push_back(0);
    scores.unlabeled.push_back(unlabeled * y_);
    scores.heard.push_back(evidence_of_rows(unlabeled, all, scores.unlabeled.front(), exact_zeros,
                                            evidence_floor(p.topRows(y_.rows()) * y_), 0.0));
  }
  return decide_folds(scores);
}

}  // namespace stkr
