#include "explain/closed_fit.hpp"

#include <cmath>

#include "estimator/linear_solution.hpp"
#include "estimator/ridge_path.hpp"
#include "estimator/ridge_unit.hpp"

namespace stkr {

ClosedFit::ClosedFit(Matrix g, const EncodedTargets& targets, std::optional<double> ridge)
    : g_(std::move(g)), y_(targets.y), free_constant_(targets.constant) {
  const Index n = g_.rows();
  if (ridge) {
    ridge_ = *ridge;
  } else {
    const RidgePath path(g_, Matrix(0, n), y_, {.constant = free_constant_});
    ridge_ = ridge_by_leave_one_out(path, y_);
  }
  beta_ = paper_beta(ridge_, n, ridge_unit(g_));
  const LinearSolution solution =
      linear_solution(g_, static_cast<double>(n) * beta_, {.constant = free_constant_});
  alpha_ = solution.response * y_;
  constant_ = free_constant_ ? Vector(y_.transpose() * solution.offset) : Vector::Zero(y_.cols());
}

Matrix ClosedFit::left_out() const {
  return leave_one_out(g_, beta_, y_, {.constant = free_constant_});
}

LabeledBlocks transformed_blocks_of(std::shared_ptr<const GramOperator> gram,
                                    const EncodedTargets& targets,
                                    const SpectralTransform& transform, const Context& context) {
  FittedSystem system;
  system.gram = std::move(gram);
  system.targets = targets;
  system.terms = {{transform, {{kDefaultRidge, 1.0}}}};
  const TermSystem term(system, system.terms.front(), 1.0, context);
  return {term.labeled(), term.known()};
}

double label_error(const Eigen::RowVectorXd& f, const Eigen::RowVectorXd& y, bool classes,
                   double variance) {
  if (!classes) return variance > 0.0 ? (f - y).squaredNorm() / variance : 0.0;
  if (f.isZero(0.0)) return 1.0 - 1.0 / static_cast<double>(y.size());
  Index answer = 0, truth = 0;
  f.maxCoeff(&answer);
  y.maxCoeff(&truth);
  return answer == truth ? 0.0 : 1.0;
}

Vector label_errors(ConstMatrixRef f, const EncodedTargets& targets, double variance) {
  const bool classes = std::holds_alternative<ClassDecision>(targets.decision);
  Vector result(f.rows());
  for (Index i = 0; i < f.rows(); ++i) {
    result[i] = label_error(f.row(i), targets.y.row(i), classes, variance);
  }
  return result;
}

double label_variance(ConstMatrixRef y) {
  if (y.rows() < 2) return 0.0;
  return (y.rowwise() - y.colwise().mean()).squaredNorm() / static_cast<double>(y.rows() - 1);
}

MeanError mean_error(const Vector& values) {
  const auto n = static_cast<double>(values.size());
  if (n < 2.0) return {n > 0.0 ? values[0] : 0.0, 0.0};
  const double mean = values.mean();
  return {mean, std::sqrt((values.array() - mean).square().sum() / (n - 1.0) / n)};
}

}  // namespace stkr
