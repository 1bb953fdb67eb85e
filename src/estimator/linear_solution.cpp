#include "estimator/linear_solution.hpp"

#include "solver/dense.hpp"

namespace stkr {

LinearSolution linear_solution(ConstMatrixRef g, double shift,
                               const LinearSolutionOptions& options) {
  const Index n = g.rows();
  Matrix a = g;
  if (options.label_weights.size() > 0) {
    a.diagonal().array() += shift / options.label_weights.array();
  } else {
    a.diagonal().array() += shift;
  }
  LinearSolution result;
  result.inverse = DenseFactorization(a).solve(Matrix::Identity(n, n));
  result.response = result.inverse;
  result.offset = Vector::Zero(n);
  if (options.constant) {
    const Vector ones = result.inverse.rowwise().sum();
    // Not positive if A is indefinite: eqn:ridge then has no minimum over b, and b = 0.
    if (const double sum = ones.sum(); sum > 0.0) {
      result.offset = ones / sum;
      result.response -= ones * result.offset.transpose();
    }
  } else if (options.centered) {
    const Vector mean = result.inverse.rowwise().mean();
    result.response.colwise() -= mean;
  }
  return result;
}

Matrix leave_one_out(ConstMatrixRef g, double beta, ConstMatrixRef y,
                     const LinearSolutionOptions& options) {
  const Index n = g.rows();
  const LinearSolution solution = linear_solution(g, static_cast<double>(n - 1) * beta, options);
  const bool centered = options.centered && !options.constant;
  const Matrix& p = centered ? solution.inverse : solution.response;
  const Matrix solved = p * y;
  const Vector ones = p.rowwise().sum();
  const Eigen::RowVectorXd sum = y.colwise().sum();
  Matrix result(n, y.cols());
  for (Index i = 0; i < n; ++i) {
    Eigen::RowVectorXd own = y.row(i), alpha = solved.row(i);
    if (centered) {
      const Eigen::RowVectorXd mean = (sum - own) / static_cast<double>(n > 1 ? n - 1 : 1);
      own -= mean;
      alpha -= ones[i] * mean;
    }
    result.row(i) = p(i, i) != 0.0 ? (own - alpha / p(i, i)).eval() : own;
    // As small as the rounding error of y: no fit without i would say anything.
    const double rounding = 1e-13 * y.row(i).cwiseAbs().maxCoeff();
    if (result.row(i).cwiseAbs().maxCoeff() < rounding) result.row(i).setZero();
  }
  return result;
}

}  // namespace stkr
