#include "solver/dense.hpp"

#include <fmt/format.h>
#include <lapacke.h>

#include <chrono>

#include "runtime/abandonable.hpp"
#include "runtime/serial_blas.hpp"
#include "stkr/error.hpp"

namespace stkr {

DenseFactorization::DenseFactorization(ConstMatrixRef a, const std::stop_token& cancel) {
  if (a.rows() != a.cols()) {
    throw ShapeError(fmt::format("dense factorization: the matrix is {} x {}; expected square",
                                 a.rows(), a.cols()));
  }
  if (!a.allFinite()) {
    throw ValueError(
        "dense factorization: the matrix has a value that is not finite: the kernel or the weights "
        "overflow; divide all of them by the largest, or rescale the features");
  }
  constexpr Index kQuick = 3000;  // takes less than a second
  if (a.rows() < kQuick) {
    factors_ = factorize(a);
  } else {
    factors_ = abandonable(
        cancel, [copy = Eigen::MatrixXd(a)]() mutable { return factorize(std::move(copy)); });
  }
}

DenseFactorization::Factors DenseFactorization::factorize(Eigen::MatrixXd a) {
  const auto n = static_cast<lapack_int>(a.rows());
  const Vector diagonal = a.diagonal();
  Factors result{std::move(a), {}, false};
  if (n == 0) return result;
  const detail::SerialBlas serial;
  if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, result.factor.data(), n) == 0) return result;
  // The attempt has overwritten only the lower triangle and the diagonal.
  for (Index j = 0; j < n; ++j) {
    result.factor.col(j).tail(n - j) = result.factor.row(j).tail(n - j).transpose().eval();
  }
  result.factor.diagonal() = diagonal;
  result.pivots.resize(n);
  result.singular =
      LAPACKE_dsytrf(LAPACK_COL_MAJOR, 'L', n, result.factor.data(), n, result.pivots.data()) != 0;
  return result;
}

Matrix DenseFactorization::solve(ConstMatrixRef b) const {
  const auto n = static_cast<lapack_int>(factors_.factor.rows());
  const auto columns = static_cast<lapack_int>(b.cols());
  if (b.rows() != n) {
    throw ShapeError(fmt::format(
        "dense factorization: the right-hand side has {} rows but the matrix has {}", b.rows(), n));
  }
  if (n == 0 || singular()) return Matrix::Zero(b.rows(), b.cols());
  const detail::SerialBlas serial;
  Eigen::MatrixXd x = b;
  if (positive_definite()) {
    LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', n, columns, factors_.factor.data(), n, x.data(), n);
  } else {
    LAPACKE_dsytrs(LAPACK_COL_MAJOR, 'L', n, columns, factors_.factor.data(), n,
                   factors_.pivots.data(), x.data(), n);
  }
  return x;
}

SolveResult solve_dense(ConstMatrixRef a, ConstMatrixRef b, const SolverOptions& options,
                        const Context& context) {
  const auto start = std::chrono::steady_clock::now();
  if (!b.allFinite()) {
    throw ValueError(
        "dense solver: the right-hand side is not finite: the targets, the kernel or the weights "
        "overflow; divide them by the largest");
  }
  const DenseFactorization factor(a, context.cancel);
  SolveResult result{factor.solve(b), {}};
  SolveSummary& summary = result.summary;
  summary.solver = factor.positive_definite() ? "direct" : "direct, indefinite";
  if (!result.solution.allFinite()) result.solution.setZero();
  summary.column_iterations.assign(b.cols(), 1);
  summary.iterations = 1;
  for (Index c = 0; c < b.cols(); ++c) {
    const double scale = b.col(c).norm();
    summary.residuals.push_back(scale > 0.0 ? (b.col(c) - a * result.solution.col(c)).norm() / scale
                                            : 0.0);
  }
  if (factor.singular() || summary.worst_residual() > options.tolerance) {
    summary.reason = StopReason::stagnated;
    summary.message = "the system is singular to rounding; raise beta";
  }
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace stkr
