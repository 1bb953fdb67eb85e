#include "stkr/solver/dense.hpp"

#include <fmt/format.h>
#include <lapacke.h>

#include <chrono>
#include <vector>

#include "serial_blas.hpp"
#include "stkr/error.hpp"

namespace stkr {

SolveResult solve_dense(ConstMatrixRef a, ConstMatrixRef b, const SolverOptions& options) {
  if (a.rows() != a.cols() || b.rows() != a.rows()) {
    throw ShapeError(
        fmt::format("solve_dense: the matrix is {} x {} and the right-hand side {} x {}", a.rows(),
                    a.cols(), b.rows(), b.cols()));
  }
  if (!a.allFinite() || !b.allFinite()) {
    throw ValueError("solve_dense: the system has a value that is not finite");
  }
  const auto start = std::chrono::steady_clock::now();
  const auto n = static_cast<lapack_int>(a.rows());
  const auto columns = static_cast<lapack_int>(b.cols());
  const detail::SerialBlas serial;
  SolveSummary summary;
  summary.solver = "direct";
  Eigen::MatrixXd factor = a;
  Eigen::MatrixXd x = b;
  bool singular = false;
  if (n > 0 && LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, factor.data(), n) == 0) {
    LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', n, columns, factor.data(), n, x.data(), n);
  } else if (n > 0) {
    summary.solver = "direct, indefinite";
    factor = a;
    std::vector<lapack_int> pivots(n);
    singular = LAPACKE_dsytrf(LAPACK_COL_MAJOR, 'L', n, factor.data(), n, pivots.data()) != 0 ||
               LAPACKE_dsytrs(LAPACK_COL_MAJOR, 'L', n, columns, factor.data(), n, pivots.data(),
                              x.data(), n) != 0 ||
               !x.allFinite();
    if (singular) x.setZero();
  }
  summary.column_iterations.assign(columns, 1);
  summary.iterations = 1;
  for (Index c = 0; c < b.cols(); ++c) {
    const double scale = b.col(c).norm();
    summary.residuals.push_back(scale > 0.0 ? (b.col(c) - a * x.col(c)).norm() / scale : 0.0);
  }
  if (singular || summary.worst_residual() > options.tolerance) {
    summary.reason = StopReason::stagnated;
    summary.message = "the system is singular to rounding; raise beta";
  }
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {Matrix(x), std::move(summary)};
}

}  // namespace stkr
