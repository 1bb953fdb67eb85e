#include "estimator/eigenbasis_action.hpp"

#include <algorithm>
#include <cmath>

namespace stkr {
namespace {

SymmetricEigen diagonalized(const LinearOperator& s, const Context& context) {
  const Matrix dense = product(s, Matrix::Identity(s.size(), s.size()));
  return symmetric_eigen(0.5 * (dense + dense.transpose()), context.cancel);
}

// (s(λ) - s(δ))/(λ - δ), or the slope of s if λ = δ.
double difference_quotient(const SpectralTransform& s, double lambda, double delta, double unit) {
  const double step = 1e-7 * unit;
  if (std::abs(lambda - delta) > step) return (s(lambda) - s(delta)) / (lambda - delta);
  return (s(delta + step) - s(delta)) / step;
}

}  // namespace

EigenbasisAction::EigenbasisAction(const LinearOperator& s, const Context& context)
    : eigen_(diagonalized(s, context)) {}

Matrix EigenbasisAction::apply(const SpectralTransform& s, ConstMatrixRef b, double delta) const {
  const double largest = eigen_.values.cwiseAbs().maxCoeff();
  const double unit = std::max(largest, 1e-300);
  // Eigenvalues that are 0 up to rounding become 0: s need not be defined below.
  const double rounding = 1e-13 * largest;
  Matrix coordinates = eigen_.vectors.transpose() * b;
  for (Index k = 0; k < coordinates.rows(); ++k) {
    const double lambda = std::abs(eigen_.values[k]) <= rounding ? 0.0 : eigen_.values[k];
    coordinates.row(k) *= difference_quotient(s, lambda, delta, unit);
  }
  return eigen_.vectors * coordinates;
}

}  // namespace stkr
