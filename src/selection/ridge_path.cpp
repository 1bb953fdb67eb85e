#include "stkr/selection/ridge_path.hpp"

#include <cmath>
#include <limits>

namespace stkr {

RidgePath::RidgePath(ConstMatrixRef labeled, ConstMatrixRef scored, ConstMatrixRef y,
                     double coupling)
    : coupling_(coupling), y_(y) {
  for (Index j = 0; j < labeled.cols(); ++j) {
    if ((labeled.col(j).array() != 0.0).any() || (scored.col(j).array() != 0.0).any()) {
      used_.push_back(j);
    }
  }
  eigen_ = symmetric_eigen(labeled(used_, used_));
  rotated_y_ = eigen_.vectors.transpose() * y_(used_, Eigen::all);
  rotated_scored_ = scored(Eigen::all, used_) * eigen_.vectors;
}

Vector RidgePath::inverse(double shift) const {
  const Vector shifted = (1.0 - shift * coupling_) * eigen_.values.array() + shift;
  if (shifted.size() == 0) return shifted;
  // LAPACK's eigenvalues are good to a few units in the last place of the largest. A bound that
  // grows with n would leave out what the smallest ridge still resolves near η = 1/λ₁.
  const double rounding =
      8.0 * std::numeric_limits<double>::epsilon() * shifted.cwiseAbs().maxCoeff();
  return shifted.unaryExpr(
      [rounding](double value) { return std::abs(value) > rounding ? 1.0 / value : 0.0; });
}

Matrix RidgePath::alpha(double beta) const {
  const auto n = static_cast<double>(y_.rows());
  Matrix result = y_ / (n * beta);
  result(used_, Eigen::all) = eigen_.vectors * (inverse(n * beta).asDiagonal() * rotated_y_);
  return result;
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
  if (used_.empty()) return Matrix::Zero(y_.rows(), y_.cols());
  // What rounding leaves where H is diagonal, as for points too far apart for their length scale.
  const double rounding = 16.0 * std::numeric_limits<double>::epsilon() *
                          hat_weights.cwiseAbs().maxCoeff() * y_.cwiseAbs().maxCoeff();
  Matrix result = Matrix::Zero(y_.rows(), y_.cols());
  for (std::size_t i = 0; i < used_.size(); ++i) {
    const auto y = y_.row(used_[i]);
    auto f = result.row(used_[i]);
    if (std::abs(hat[i]) < 0.5) {
      // The same with 1 - H_ii = shift·[B⁻¹]_ii: where G is far below the ridge, f_{-i} is far
      // below y_i, and y_i less nearly y_i would leave only rounding.
      f = (smoothed.row(i) - hat[i] * y) / (1.0 - hat[i]);
    } else if (diagonal[i] != 0.0) {
      f = y - solved.row(i) / diagonal[i];
    }  // else the system without sample i is singular: nothing can be said of it
    if (f.cwiseAbs().maxCoeff() <= rounding) f.setZero();
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
