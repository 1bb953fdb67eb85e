#include "solver/diagonalize.hpp"

#include <fmt/format.h>

#include <chrono>
#include <limits>

#include "stkr/error.hpp"

namespace stkr {

DiagonalizedSystem::DiagonalizedSystem(ConstMatrixRef a, const std::stop_token& cancel)
    : eigen_(symmetric_eigen(a, cancel)) {}

SolveResult DiagonalizedSystem::solve(double shift, ConstMatrixRef b,
                                      const SolverOptions& options) const {
  const Index n = eigen_.values.size();
  if (b.rows() != n) {
    throw ShapeError(fmt::format(
        "diagonalize: the right-hand side has {} rows but the system has size {}", b.rows(), n));
  }
  const auto start = std::chrono::steady_clock::now();
  const Vector shifted = eigen_.values.array() + shift;
  const double largest = n > 0 ? shifted.cwiseAbs().maxCoeff() : 0.0;
  const double smallest = n > 0 ? shifted.cwiseAbs().minCoeff() : 1.0;
  SolveResult result;
  result.summary.solver = "diagonalize";
  result.summary.iterations = 1;
  result.summary.column_iterations.assign(b.cols(), 1);
  if (!(smallest > static_cast<double>(n) * std::numeric_limits<double>::epsilon() * largest)) {
    result.solution = Matrix::Zero(n, b.cols());
    result.summary.residuals.assign(b.cols(), 1.0);
    result.summary.reason = StopReason::stagnated;
    result.summary.message = fmt::format(
        "the magnitudes of the eigenvalues range from {:.1e} to {:.1e}: singular to rounding; "
        "raise beta",
        smallest, largest);
    return result;
  }
  const Matrix rotated = eigen_.vectors.transpose() * b;  // Uᵀ b
  const Matrix scaled = shifted.cwiseInverse().asDiagonal() * rotated;
  result.solution = eigen_.vectors * scaled;
  // U Λ Uᵀ x equals A x up to rounding, so the residual uses it.
  const Matrix residual =
      b - eigen_.vectors * (shifted.asDiagonal() * (eigen_.vectors.transpose() * result.solution));
  for (Index c = 0; c < b.cols(); ++c) {
    const double scale = b.col(c).norm();
    result.summary.residuals.push_back(scale > 0.0 ? residual.col(c).norm() / scale : 0.0);
  }
  if (result.summary.worst_residual() > options.tolerance) {
    result.summary.reason = StopReason::stagnated;
    result.summary.message = "the system is nearly singular; raise beta";
  }
  result.summary.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace stkr
