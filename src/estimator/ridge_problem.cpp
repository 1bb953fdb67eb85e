#include "estimator/ridge_problem.hpp"

#include <cmath>

#include "gram/weighted_gram.hpp"

namespace stkr {

RidgeProblem ridge_problem(const GramOperator& gram, std::span<const Index> labeled,
                           ConstMatrixRef y, const StkrOptions& options) {
  RidgeProblem problem;
  const auto n = static_cast<Index>(labeled.size());
  problem.rhs.resize(n, y.cols() + (options.constant ? 1 : 0));
  problem.rhs.leftCols(y.cols()) = y;
  if (options.constant) problem.rhs.col(y.cols()).setOnes();
  const Vector root = root_weights_at(gram, labeled);
  if (root.size() == 0 && options.label_weights.size() == 0) return problem;
  problem.shifts = Vector::Ones(n);
  for (Index k = 0; k < n; ++k) {
    if (options.label_weights.size() > 0) problem.shifts[k] /= options.label_weights[k];
    // A label of weight 0 does not affect others, but its own equation stays: α = y/nβ.
    if (root.size() == 0 || root[k] == 0.0) continue;
    problem.rhs.row(k) *= root[k];
    problem.shifts[k] *= std::pow(root[k], 2);
  }
  return problem;
}

Vector free_constant(const RidgeProblem& problem, const Matrix& alpha) {
  const Index outputs = alpha.cols() - 1;
  const Vector one = problem.rhs.col(outputs);
  const double total = one.dot(alpha.col(outputs));
  if (!(total > 0.0)) return Vector::Zero(outputs);
  return alpha.leftCols(outputs).transpose() * one / total;
}

Matrix without_constant(const Matrix& block, const Vector& b) {
  return block.leftCols(b.size()) - block.col(b.size()) * b.transpose();
}

}  // namespace stkr
