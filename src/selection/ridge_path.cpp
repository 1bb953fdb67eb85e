#include "stkr/selection/ridge_path.hpp"

#include <cmath>
#include <limits>

namespace stkr {

RidgePath::RidgePath(ConstMatrixRef labeled, ConstMatrixRef scored, ConstMatrixRef y)
    : eigen_(symmetric_eigen(labeled)),
      y_(y),
      rotated_y_(eigen_.vectors.transpose() * y),
      rotated_scored_(scored * eigen_.vectors) {}

Vector RidgePath::inverse(double shift) const {
  const Vector shifted = eigen_.values.array() + shift;
  // LAPACK's eigenvalues are good to a few units in the last place of the largest. A bound that
  // grows with n would leave out what the smallest ridge still resolves near η = 1/λ₁.
  const double rounding =
      8.0 * std::numeric_limits<double>::epsilon() * shifted.cwiseAbs().maxCoeff();
  return shifted.unaryExpr(
      [rounding](double value) { return std::abs(value) > rounding ? 1.0 / value : 0.0; });
}

Matrix RidgePath::alpha(double beta) const {
  const auto n = static_cast<double>(y_.rows());
  return eigen_.vectors * (inverse(n * beta).asDiagonal() * rotated_y_);
}

Matrix RidgePath::predict(double beta) const {
  const auto n = static_cast<double>(y_.rows());
  return rotated_scored_ * (inverse(n * beta).asDiagonal() * rotated_y_);
}

Matrix RidgePath::leave_one_out(double beta) const {
  const auto n = static_cast<double>(y_.rows());
  const double shift = (n - 1.0) * beta;
  const Vector weights = inverse(shift);
  const Matrix solved = eigen_.vectors * (weights.asDiagonal() * rotated_y_);
  const Vector diagonal = eigen_.vectors.cwiseAbs2() * weights;  // of B⁻¹
  // H = G B⁻¹
  const Vector hat_weights = eigen_.values.cwiseProduct(weights);
  const Matrix smoothed = eigen_.vectors * (hat_weights.asDiagonal() * rotated_y_);
  const Vector hat = eigen_.vectors.cwiseAbs2() * hat_weights;
  // What rounding leaves where H is diagonal, as for points too far apart for their length scale.
  const double rounding = 16.0 * std::numeric_limits<double>::epsilon() *
                          hat_weights.cwiseAbs().maxCoeff() * y_.cwiseAbs().maxCoeff();
  Matrix result = y_;
  for (Index i = 0; i < result.rows(); ++i) {
    if (std::abs(hat[i]) < 0.5) {
      // The same with 1 - H_ii = shift·[B⁻¹]_ii: where G is far below the ridge, f_{-i} is far
      // below y_i, and y_i less nearly y_i would leave only rounding.
      result.row(i) = (smoothed.row(i) - hat[i] * y_.row(i)) / (1.0 - hat[i]);
    } else if (diagonal[i] != 0.0) {
      result.row(i) -= solved.row(i) / diagonal[i];
    } else {
      // The system without sample i is singular: nothing can be said of it.
      result.row(i).setZero();
    }
    if (result.row(i).cwiseAbs().maxCoeff() <= rounding) result.row(i).setZero();
  }
  return result;
}

Matrix RidgePath::predict_richardson(double beta, int steps, double step_size) const {
  const auto n = static_cast<double>(y_.rows());
  // Σ_{t<T} γ(1 - γa)^t = (1 - (1 - γa)^T)/a
  const Vector weights = eigen_.values.unaryExpr([&](double value) {
    const double a = value + n * beta;
    const double x = step_size * a;
    return std::abs(x) < 1e-8 ? step_size * steps : (1.0 - std::pow(1.0 - x, steps)) / a;
  });
  return rotated_scored_ * (weights.asDiagonal() * rotated_y_);
}

}  // namespace stkr
