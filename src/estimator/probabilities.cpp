#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "stkr/error.hpp"
#include "stkr/estimator/decision.hpp"

namespace stkr {
namespace {

// The nearest distribution in the Euclidean norm (Held, Wolfe & Crowder 1974): max(v - t, 0) with t
// such that the sum is 1.
Eigen::RowVectorXd nearest_distribution(const Eigen::RowVectorXd& values) {
  std::vector<double> ordered(values.begin(), values.end());
  std::sort(ordered.begin(), ordered.end(), std::greater<>());
  double sum = 0.0, shift = 0.0;
  for (std::size_t k = 0; k < ordered.size(); ++k) {
    sum += ordered[k];
    const double excess = (sum - 1.0) / static_cast<double>(k + 1);
    if (ordered[k] > excess) shift = excess;
  }
  return (values.array() - shift).cwiseMax(0.0);
}

Eigen::RowVectorXd shares(const Eigen::RowVectorXd& scores) {
  if (scores.size() == 2) {
    const double size = std::abs(scores[0]) + std::abs(scores[1]);
    const double second = 0.5 * (1.0 + (scores[1] - scores[0]) / (size > 0.0 ? size : 1.0));
    return Eigen::RowVector2d(1.0 - second, second);
  }
  const Eigen::RowVectorXd positive = scores.cwiseMax(0.0);
  if (const double total = positive.sum(); total > 0.0) return positive / total;
  const double size = scores.cwiseAbs().maxCoeff();
  return nearest_distribution(scores / (size > 0.0 ? size : 1.0));
}

}  // namespace

Matrix class_probabilities(ConstMatrixRef scores, const std::vector<char>& evidence,
                           const Vector& prior) {
  if (scores.cols() != prior.size() || scores.rows() != static_cast<Index>(evidence.size())) {
    throw ShapeError(fmt::format(
        "probabilities: scores are {} x {}, with evidence for {} samples and a prior for {} "
        "classes; these must agree",
        scores.rows(), scores.cols(), evidence.size(), prior.size()));
  }
  Matrix result(scores.rows(), scores.cols());
  for (Index i = 0; i < scores.rows(); ++i) {
    if (evidence[static_cast<std::size_t>(i)]) {
      result.row(i) = shares(scores.row(i));
    } else {
      result.row(i) = prior.transpose();
    }
  }
  return result;
}

Matrix class_probabilities(const ClassDecision& decision, const Predictions& predictions) {
  if (decision.calibration) {
    Matrix result = calibrated(*decision.calibration, predictions.scores);
    Eigen::RowVectorXd without = decision.prior.transpose();
    if (const std::vector<double>& unreached = decision.calibration->unreached;
        !unreached.empty()) {
      without = Eigen::Map<const Eigen::RowVectorXd>(unreached.data(), result.cols());
    }
    for (Index i = 0; i < result.rows(); ++i) {
      if (!predictions.evidence[static_cast<std::size_t>(i)]) result.row(i) = without;
    }
    return result;
  }
  return class_probabilities(predictions.scores, predictions.evidence, decision.prior);
}

}  // namespace stkr
