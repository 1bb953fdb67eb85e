#include "estimator/volume_decision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimator/spectral_action.hpp"
#include "linop/shared_order.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

constexpr int kSweeps = 100;
constexpr int kRounds = 10;
constexpr double kEqual = 1e-9;  // of the largest score: what rounding may leave
constexpr int kWalkSteps = 10;   // of the walk in each round

std::vector<Index> winners(ConstMatrixRef scores, const Vector& offsets) {
  std::vector<Index> result(static_cast<std::size_t>(scores.rows()));
  for (Index i = 0; i < scores.rows(); ++i) {
    (scores.row(i) + offsets.transpose()).maxCoeff(&result[static_cast<std::size_t>(i)]);
  }
  return result;
}

// Scores as logarithms, so that offsets are factors.
Matrix logarithms(const Matrix& f, const SharedRows* shared) {
  Matrix most = Matrix::Constant(1, 1, 1e-300);
  if (f.size() > 0) most(0, 0) = std::max(f.maxCoeff(), 1e-300);
  largest_over(shared, most);
  const double least = 1e-12 * most(0, 0);
  return f.cwiseMax(least).array().log();
}

}  // namespace

Vector volume_offsets(ConstMatrixRef scores, const Vector& shares, Vector start,
                      const SharedRows* shared) {
  const Index classes = scores.cols();
  const auto rows = static_cast<Index>(sum_over(shared, static_cast<double>(scores.rows())));
  Vector offsets = start.size() == classes ? std::move(start) : Vector::Zero(classes);
  if (rows == 0) return offsets;
  const Vector targets = shares / shares.sum() * static_cast<double>(rows);
  const double close = std::max(0.5, 1e-3 * static_cast<double>(rows));
  Matrix most = Matrix::Zero(1, 1);
  if (scores.size() > 0) most(0, 0) = scores.cwiseAbs().maxCoeff();
  largest_over(shared, most);
  const double equal = kEqual * most(0, 0);
  std::vector<double> margins(static_cast<std::size_t>(scores.rows()));
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    Matrix counts = Matrix::Zero(classes, 1);
    for (const Index c : winners(scores, offsets)) counts(c, 0) += 1.0;
    sum_over(shared, counts);
    if ((counts - targets).cwiseAbs().maxCoeff() <= close) break;
    for (Index c = 0; c < classes; ++c) {
      // What class c needs to win each row.
      for (Index i = 0; i < scores.rows(); ++i) {
        double best = -std::numeric_limits<double>::infinity();
        for (Index d = 0; d < classes; ++d) {
          if (d != c) best = std::max(best, scores(i, d) + offsets[d]);
        }
        margins[static_cast<std::size_t>(i)] = best - scores(i, c);
      }
      const auto wanted = std::clamp<Index>(std::lround(targets[c]), 0, rows);
      if (wanted == 0) {
        offsets[c] = number_at(shared, margins, 0).at - 1.0;
        continue;
      }
      // Halfway to the next row that differs, so that rounding does not decide: equal samples
      // are won together.
      const OrderedNumber last = number_at(shared, margins, wanted - 1, equal);
      offsets[c] = 0.5 * (last.at + (std::isfinite(last.next) ? last.next : last.at + 1.0));
    }
  }
  return offsets;
}

bool decide_by_volume(const GramOperator& gram, const EncodedTargets& targets, Fit& fit,
                      ClassDecision& decision, const Context& context) {
  const KnownEigenspace* known = gram.known_eigenspace();
  if (!gram.sparse() || !gram.nonnegative() || gram.root_weights() || !known ||
      known->dimension() == 0 || decision.prior.size() != targets.y.cols()) {
    return false;
  }
  const std::vector<char> evidence = fit.evidence.of_known(0, fit.fitted);
  const SharedRows* rows = gram.shared_rows();
  std::vector<Index> counted;
  for (Index i = 0; i < gram.local_size(); ++i) {
    if (evidence[static_cast<std::size_t>(i)]) counted.push_back(i);
  }
  const SpectralAction walk(gram, SpectralTransform::power(kWalkSteps), {}, context);
  Matrix f = fit.fitted;
  Vector offsets;
  TransformedPair pair;
  for (int round = 0; round < kRounds; ++round) {
    context.check_cancelled();
    const Matrix scores = gather_rows(f, counted);
    offsets =
        volume_offsets(scores, decision.prior, round > 1 ? std::move(offsets) : Vector(), rows);
    const std::vector<Index> won = winners(scores, offsets);
    Matrix u = Matrix::Zero(gram.local_size(), f.cols());
    for (std::size_t k = 0; k < counted.size(); ++k) u(counted[k], won[k]) = 1.0;
    for (std::size_t k = 0; k < targets.labeled.size(); ++k) {
      const Index row = rows ? rows->local(targets.labeled[k]) : targets.labeled[k];
      if (row >= 0) u.row(row) = targets.y.row(static_cast<Index>(k));
    }
    pair = walk.apply_pair(u / static_cast<double>(gram.size()));
    f = static_cast<double>(gram.size()) * product(gram, pair.known);
  }
  // Factors instead of offsets: f ≥ 0 now, and models have factors.
  offsets = volume_offsets(logarithms(gather_rows(f, counted), rows), decision.prior, {}, rows);
  fit.coefficients = pair.fresh.size() > 0 ? std::move(pair.fresh) : std::move(pair.known);
  fit.fitted = std::move(f);
  fit.alpha = {};
  if (fit.evidence.by_reach) fit.evidence.floor = 0.0;
  fit.summary.products += walk.products() + kRounds;
  // Only ratios matter: the geometric mean is 1.
  decision.factors = (offsets.array() - offsets.mean()).exp();
  return true;
}

}  // namespace stkr
