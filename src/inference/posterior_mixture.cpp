#include "inference/posterior_mixture.hpp"

#include <algorithm>

namespace stkr {
namespace {

// The scale a of the covariance, per output.
Vector amplitudes(const TermRidge& ridge, const EncodedTargets& targets) {
  const Matrix& y = targets.y;
  const auto n = static_cast<double>(y.rows()) - (targets.constant ? 1.0 : 0.0);
  const Matrix alpha = ridge.solution.response * y;
  return (y.cwiseProduct(alpha).colwise().sum() / std::max(n, 1.0)).cwiseMax(0.0).transpose();
}

}  // namespace

Vector explained_variance(const TermRidge& ridge, bool constant, const Matrix& k) {
  const Matrix& inverse = ridge.solution.inverse;
  const Matrix weighted = k * inverse;
  Vector result = weighted.cwiseProduct(k).rowwise().sum();
  if (constant) {
    const Vector ones = inverse.rowwise().sum();
    if (const double sum = ones.sum(); sum > 0.0) {
      result.array() -= (1.0 - (k * ones).array()).square() / sum;
    }
  }
  return result;
}

Vector transformed_diagonal(const TermSystem& term, std::span<const Index> samples) {
  constexpr std::size_t kAtOnce = 64;
  Vector result(static_cast<Index>(samples.size()));
  for (std::size_t first = 0; first < samples.size(); first += kAtOnce) {
    const auto part = samples.subspan(first, std::min(kAtOnce, samples.size() - first));
    const Matrix columns = term.columns(part);
    for (std::size_t k = 0; k < part.size(); ++k) {
      result[static_cast<Index>(first + k)] = columns(part[k], static_cast<Index>(k));
    }
  }
  return result;
}

PosteriorMixture::PosteriorMixture(const FittedSystem& system, Index count)
    : targets_(system.targets),
      mean_(Matrix::Zero(count, targets_.y.cols())),
      square_(Matrix::Zero(count, targets_.y.cols())),
      noise_(Vector::Zero(targets_.y.cols())) {}

void PosteriorMixture::add(const TermRidge& ridge, const Vector& noise, const Matrix& k,
                           const Vector& variance) {
  const Vector a = amplitudes(ridge, targets_);
  Matrix f = k * (ridge.solution.response * targets_.y);
  f.rowwise() += (ridge.solution.offset.transpose() * targets_.y).eval();
  mean_ += ridge.weight * f;
  square_ += ridge.weight * (f.cwiseAbs2() + variance.cwiseMax(0.0) * a.transpose());
  noise_ += ridge.weight * noise.mean() * a;
}

Posterior PosteriorMixture::result(double relative_error) const {
  return {(square_ - mean_.cwiseAbs2()).cwiseMax(0.0), noise_, relative_error};
}

}  // namespace stkr
