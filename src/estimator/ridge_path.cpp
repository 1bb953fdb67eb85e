#include "estimator/ridge_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimator/ridge_unit.hpp"
#include "stkr/estimator/fit.hpp"

namespace stkr {

RidgePath::RidgePath(ConstMatrixRef labeled, ConstMatrixRef scored, ConstMatrixRef y,
                     RidgePathOptions options)
    : options_(std::move(options)),
      unit_(ridge_unit(labeled)),
      root_(options_.label_weights.size() > 0 ? options_.label_weights.cwiseSqrt().eval()
                                              : Vector::Ones(y.rows()).eval()),
      y_(root_.asDiagonal() * y),
      sum_(y.colwise().sum()) {
  for (Index j = 0; j < labeled.cols(); ++j) {
    if ((labeled.col(j).array() != 0.0).any() || (scored.col(j).array() != 0.0).any()) {
      used_.push_back(j);
    }
  }
  const Vector root = root_(used_);
  eigen_ = symmetric_eigen(root.asDiagonal() * labeled(used_, used_) * root.asDiagonal());
  rotated_y_ = eigen_.vectors.transpose() * y_(used_, Eigen::all);
  rotated_one_ = eigen_.vectors.transpose() * root;
  rotated_scored_ = scored(Eigen::all, used_) * (root.asDiagonal() * eigen_.vectors);
  if (options_.coupling != 0.0) {
    const Vector values = eigen_.values.array() / (1.0 - options_.coupling * eigen_.values.array());
    Matrix g = Matrix::Zero(y_.rows(), y_.rows());
    g(used_, used_) = eigen_.vectors * values.asDiagonal() * eigen_.vectors.transpose();
    unit_ = ridge_unit(g);
  }
}

Vector RidgePath::inverse(double shift) const {
  const Vector shifted = (1.0 - shift * options_.coupling) * eigen_.values.array() + shift;
  if (shifted.size() == 0) return shifted;
  // LAPACK's eigenvalues are accurate to a few units in the last place of the largest. A bound that
  // grows with n would drop what the smallest ridge still resolves near η = 1/λ₁.
  const double rounding =
      8.0 * std::numeric_limits<double>::epsilon() * shifted.cwiseAbs().maxCoeff();
  return shifted.unaryExpr(
      [rounding](double value) { return std::abs(value) > rounding ? 1.0 / value : 0.0; });
}

bool RidgePath::has_minimum(double total, double scale) { return total > 1e-12 * std::abs(scale); }

Eigen::RowVectorXd RidgePath::mean_without(Index i) const {
  if (i < 0) return sum_ / static_cast<double>(y_.rows());
  return (sum_ - y_.row(i) / root_[i]) / static_cast<double>(std::max<Index>(y_.rows() - 1, 1));
}

RidgePath::Constant RidgePath::constant_at(double shift) const {
  Constant result{Vector::Zero(y_.cols()), Vector::Zero(y_.cols()), 0.0};
  if (options_.centered) result.b = mean_without(-1).transpose();
  if (!options_.constant) return result;
  // α = (I - cG) θ, in the coordinates of U.
  const Vector weights =
      inverse(shift).cwiseProduct((1.0 - options_.coupling * eigen_.values.array()).matrix());
  const Vector one = weights.cwiseProduct(rotated_one_);
  result.sums = rotated_y_.transpose() * one;
  result.total = rotated_one_.dot(one);
  std::vector<char> used(y_.rows(), 0);
  for (const Index i : used_) used[i] = 1;
  for (Index i = 0; i < y_.rows(); ++i) {
    if (used[i]) continue;
    result.sums += (root_[i] / shift) * y_.row(i).transpose();
    result.total += root_[i] * root_[i] / shift;
  }
  result.b = has_minimum(result.total, result.total) ? Vector(result.sums / result.total)
                                                     : Vector(mean_without(-1).transpose());
  return result;
}

Matrix RidgePath::rotated_rest(const Vector& b) const {
  return rotated_y_ - rotated_one_ * b.transpose();
}

Vector RidgePath::constant(double beta) const {
  if (!options_.constant) return Vector::Zero(y_.cols());
  return constant_at(static_cast<double>(y_.rows()) * beta).b;
}

Matrix RidgePath::alpha(double beta) const {
  const double shift = static_cast<double>(y_.rows()) * beta;
  const Vector b = constant_at(shift).b;
  Matrix result = (y_ - root_ * b.transpose()) / shift;
  const Vector weights =
      inverse(shift).cwiseProduct((1.0 - options_.coupling * eigen_.values.array()).matrix());
  result(used_, Eigen::all) = eigen_.vectors * (weights.asDiagonal() * rotated_rest(b));
  return root_.asDiagonal() * result;
}

Matrix RidgePath::predict(double beta) const {
  const double shift = static_cast<double>(y_.rows()) * beta;
  return rotated_scored_ * (inverse(shift).asDiagonal() * rotated_rest(constant_at(shift).b));
}

Matrix RidgePath::fitted(double beta) const {
  const double shift = static_cast<double>(y_.rows()) * beta;
  const Vector hat = eigen_.values.cwiseProduct(inverse(shift));
  Matrix result = Matrix::Zero(y_.rows(), y_.cols());
  result(used_, Eigen::all) =
      eigen_.vectors * (hat.asDiagonal() * rotated_rest(constant_at(shift).b));
  return root_.cwiseInverse().asDiagonal() * result;
}

RidgePath::LeftOut RidgePath::leave_one_out(double beta) const {
  const double shift = (static_cast<double>(y_.rows()) - 1.0) * beta;
  if (options_.constant) return leave_one_out_with_constant(shift);
  LeftOut result{leave_one_out_plain(shift, y_), Matrix::Zero(y_.rows(), y_.cols())};
  if (options_.centered) {
    const Vector one = leave_one_out_plain(shift, root_);
    for (Index i = 0; i < y_.rows(); ++i) result.f.row(i) -= one[i] * mean_without(i);
  }
  return result;
}

Matrix RidgePath::leave_one_out_plain(double shift, const Matrix& targets) const {
  const Vector weights = inverse(shift);
  const Matrix rotated = eigen_.vectors.transpose() * targets(used_, Eigen::all);
  const Matrix solved = eigen_.vectors * (weights.asDiagonal() * rotated);
  const Vector diagonal = eigen_.vectors.cwiseAbs2() * weights;  // of B⁻¹
  // H = G B⁻¹
  const Vector hat_weights = eigen_.values.cwiseProduct(weights);
  const Matrix smoothed = eigen_.vectors * (hat_weights.asDiagonal() * rotated);
  const Vector hat = eigen_.vectors.cwiseAbs2() * hat_weights;
  Matrix result = Matrix::Zero(targets.rows(), targets.cols());
  if (used_.empty()) return result;
  // The rounding error if H is diagonal, as for points too far apart for their length scale.
  const double rounding = 16.0 * std::numeric_limits<double>::epsilon() *
                          hat_weights.cwiseAbs().maxCoeff() * targets.cwiseAbs().maxCoeff();
  for (std::size_t i = 0; i < used_.size(); ++i) {
    const auto y = targets.row(used_[i]);
    auto f = result.row(used_[i]);
    if (std::abs(hat[i]) < 0.5) {
      // Equivalent, with 1 - H_ii = shift·[B⁻¹]_ii: if G is far below the ridge, f_{-i} is far
      // below y_i, and subtracting nearly y_i from y_i would leave only rounding.
      f = (smoothed.row(i) - hat[i] * y) / (1.0 - hat[i]);
    } else if (diagonal[i] != 0.0) {
      f = y - solved.row(i) / diagonal[i];
    }  // else the system without sample i is singular: keep 0
    if (f.cwiseAbs().maxCoeff() <= rounding) f.setZero();
  }
  return root_.cwiseInverse().asDiagonal() * result;
}

RidgePath::LeftOut RidgePath::leave_one_out_with_constant(double shift) const {
  // With B⁻¹ = (G + shift)⁻¹ of all labels, uᵀB⁻¹v of the others is uᵀB⁻¹v - [B⁻¹u]_i
  // [B⁻¹v]_i/[B⁻¹]_ii: u, v = 1, y give b, and then h follows as without a constant.
  const Constant all = constant_at(shift);
  const Vector weights = inverse(shift);
  const Matrix solved = eigen_.vectors * (weights.asDiagonal() * rotated_y_);  // B⁻¹ Y
  const Vector one = eigen_.vectors * weights.cwiseProduct(rotated_one_);      // B⁻¹ 1
  const Vector diagonal = eigen_.vectors.cwiseAbs2() * weights;                // of B⁻¹
  LeftOut result{Matrix::Zero(y_.rows(), y_.cols()), Matrix(y_.rows(), y_.cols())};
  std::vector<std::ptrdiff_t> place(y_.rows(), -1);
  for (std::size_t k = 0; k < used_.size(); ++k) place[used_[k]] = static_cast<std::ptrdiff_t>(k);
  for (Index i = 0; i < y_.rows(); ++i) {
    const std::ptrdiff_t k = place[i];
    const bool alone = k < 0;
    const Eigen::RowVectorXd own = alone ? Eigen::RowVectorXd(y_.row(i) / shift) : solved.row(k);
    const double own_one = alone ? root_[i] / shift : one[k];
    const double own_diagonal = alone ? 1.0 / shift : diagonal[k];
    if (own_diagonal == 0.0) {  // singular without sample i
      result.constant.row(i) = mean_without(i);
      continue;
    }
    const double total = all.total - own_one * own_one / own_diagonal;
    const Eigen::RowVectorXd b =
        has_minimum(total, all.total)
            ? Eigen::RowVectorXd((all.sums.transpose() - (own_one / own_diagonal) * own) / total)
            : mean_without(i);
    result.constant.row(i) = b;
    if (!alone) {
      const Eigen::RowVectorXd residual = (own - own_one * b) / own_diagonal;
      result.f.row(i) = (y_.row(i) - residual) / root_[i] - b;
    }
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

double ridge_by_leave_one_out(const RidgePath& path, ConstMatrixRef y) {
  double best = kDefaultRidge, least = std::numeric_limits<double>::infinity();
  for (int exponent = 0; exponent >= -8; --exponent) {
    const double ridge = std::pow(10.0, exponent);
    const RidgePath::LeftOut left_out =
        path.leave_one_out(paper_beta(ridge, y.rows(), path.unit()));
    const double error = (left_out.f + left_out.constant - y).squaredNorm();
    if (error < least) {
      least = error;
      best = ridge;
    }
  }
  return best;
}

}  // namespace stkr
