#include "estimator/variance_components.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "stkr/error.hpp"

namespace stkr {
namespace {

using Dense = Eigen::MatrixXd;

// Coordinates orthogonal to the constant, by the reflection that maps it to the first axis.
class WithoutMean {
 public:
  explicit WithoutMean(Index n) : v_(Eigen::VectorXd::Ones(n)) {
    v_[0] += std::sqrt(static_cast<double>(n));
    v_ /= v_.norm();
  }
  Dense rows(Dense x) const {
    x -= 2.0 * v_ * (v_.transpose() * x);
    return x.bottomRows(x.rows() - 1);
  }
  Dense both(const Dense& x) const { return rows(rows(x).transpose()); }

 private:
  Eigen::VectorXd v_;
};

// The logarithm of the density of some outputs with scatter matrix Q, and its derivatives.
struct Gaussian {
  Dense scatter;   // Q: Σ_c y_c y_cᵀ
  double outputs;  // C
  std::vector<Dense> blocks;

  struct Value {
    double log_density = 0.0;
    Vector found;     // tr(A⁻¹QA⁻¹G_k)
    Vector expected;  // C tr(A⁻¹G_k)
  };
  // At a = (a_1, ..., a_K, a_0); none where A is not positive definite.
  std::optional<Value> at(const Vector& a) const {
    const Index n = scatter.rows(), count = a.size() - 1;
    Dense sum = Dense::Identity(n, n) * a[count];
    for (Index k = 0; k < count; ++k) {
      if (a[k] > 0.0) sum += a[k] * blocks[k];
    }
    const Eigen::LLT<Dense> factor(sum);
    if (factor.info() != Eigen::Success) return std::nullopt;
    const Dense inverse = factor.solve(Dense::Identity(n, n));
    const double log_det = 2.0 * factor.matrixLLT().diagonal().array().log().sum();
    Value value;
    value.log_density =
        -0.5 * (inverse.cwiseProduct(scatter).sum() +
                outputs * (log_det + static_cast<double>(n) * std::log(2.0 * std::numbers::pi)));
    if (!std::isfinite(value.log_density)) return std::nullopt;
    const Dense between = inverse * scatter * inverse;
    value.found = value.expected = Vector::Zero(count + 1);
    for (Index k = 0; k < count; ++k) {
      if (blocks[k].size() == 0) continue;
      value.found[k] = std::max(between.cwiseProduct(blocks[k]).sum(), 0.0);
      value.expected[k] = outputs * inverse.cwiseProduct(blocks[k]).sum();
    }
    value.found[count] = between.trace();
    value.expected[count] = outputs * inverse.trace();
    return value;
  }
};

// The objective, with G_k and Y in units of their mean squares.
class Objective {
 public:
  Objective(std::span<const Matrix> blocks, ConstMatrixRef y, const VarianceOptions& options) {
    const WithoutMean rest(y.rows());
    const bool without_mean = options.free_mean && y.rows() > 1;
    const auto both = [&](const Matrix& g) { return without_mean ? rest.both(g) : Dense(g); };
    labels_.outputs = static_cast<double>(options.outputs > 0 ? options.outputs : y.cols());
    const Dense values = without_mean ? rest.rows(y) : Dense(y);
    size_ = static_cast<double>(values.rows());
    labels_.scatter = values * values.transpose();
    variance_ = labels_.scatter.trace() / (size_ * labels_.outputs);
    if (variance_ > 0.0) labels_.scatter /= variance_;
    if (options.prior && options.prior_outputs > 0.0) {
      prior_.emplace();
      prior_->outputs = options.prior_outputs;
      prior_->scatter = prior_scale(both(*options.prior)) * options.prior_outputs * *options.prior;
    }
    for (const Matrix& block : blocks) {
      Dense g = both(block);
      const double unit = g.trace() / size_;
      const bool there = unit > 0.0 && std::isfinite(unit);
      units_.push_back(there ? unit : 0.0);
      labels_.blocks.push_back(there ? Dense(g / unit) : Dense());
      if (prior_) prior_->blocks.push_back(there ? Dense(block / unit) : Dense());
    }
  }

  struct Point {
    Vector a;                                                 // a_1, ..., a_K, a_0
    double value = -std::numeric_limits<double>::infinity();  // of the objective
    double evidence = 0.0;                                    // L of the labels
    Vector ratios;  // of the update with e = 1: 1 where the gradient vanishes
  };

  // -∞ where A is not positive definite.
  Point at(Vector a) const {
    Point point;
    point.a = std::move(a);
    const auto labels = labels_.at(point.a);
    if (!labels) return point;
    Vector found = labels->found, expected = labels->expected;
    point.evidence = labels->log_density;
    double value = point.evidence;
    if (prior_) {
      const auto prior = prior_->at(point.a);
      if (!prior) return point;
      found += prior->found;
      expected += prior->expected;
      value += prior->log_density;
    }
    point.value = value;
    point.ratios = Vector::Zero(found.size());
    for (Index k = 0; k < found.size(); ++k) {
      if (expected[k] > 0.0) point.ratios[k] = found[k] / expected[k];
    }
    return point;
  }

  Index count() const { return static_cast<Index>(units_.size()); }
  double unit(Index k) const { return units_[k]; }  // of G_k
  double variance() const { return variance_; }     // of Y
  // A log density of Y as given.
  double in_given_units(double value) const {
    return variance_ > 0.0 ? value - 0.5 * labels_.outputs * size_ * std::log(variance_) : value;
  }

 private:
  // The factor of A_0 under which the labels are most likely.
  double prior_scale(const Dense& covariance) const {
    const Eigen::LLT<Dense> factor(covariance);
    if (factor.info() != Eigen::Success) {
      throw ValueError("learned variances: the prior covariance is not positive definite");
    }
    const double found = factor.solve(labels_.scatter).trace() / (size_ * labels_.outputs);
    return found > 0.0 ? found : 1.0 / std::max(covariance.trace() / size_, 1e-300);
  }

  Gaussian labels_;
  std::optional<Gaussian> prior_;
  double size_ = 0.0, variance_ = 0.0;
  std::vector<double> units_;
};

Vector first_weights(const Objective& objective, const VarianceOptions& options) {
  const Index count = objective.count();
  Vector a = Vector::Zero(count + 1);
  for (Index k = 0; k < count; ++k) {
    if (objective.unit(k) > 0.0) a[k] = options.start.size() > 0 ? options.start[k] : 1.0;
  }
  const double total = a.sum();
  if (total > 0.0) a *= (1.0 - options.start_noise) / total;
  a[count] = std::max(options.start_noise, options.least_noise);
  return a;
}

bool gradient_vanishes(const Objective::Point& point, double tolerance) {
  constexpr double kRaises = 0.01;
  const double total = point.a.sum();
  for (Index k = 0; k < point.a.size(); ++k) {
    const double share = point.a[k] / total, excess = point.ratios[k] - 1.0;
    if (share * std::abs(excess) > tolerance) return false;
    // A component that vanishes may have a negative gradient, but none that would raise L.
    if (excess > kRaises && point.a[k] > 0.0) return false;
  }
  return true;
}

Vector updated(const Objective::Point& point, double exponent, double least_noise) {
  Vector a = point.a.cwiseProduct(point.ratios.array().pow(exponent).matrix());
  const Index noise = a.size() - 1;
  a[noise] = std::max(a[noise], least_noise * a.sum());
  return a;
}

}  // namespace

VarianceComponents learn_variances(std::span<const Matrix> blocks, ConstMatrixRef y,
                                   const VarianceOptions& options, const Context& context) {
  const Objective objective(blocks, y, options);
  const Index count = objective.count();
  Objective::Point point = objective.at(first_weights(objective, options));
  if (!std::isfinite(point.value)) {
    throw ValueError(
        "learned variances: the covariance is not positive definite; expected positive "
        "semidefinite kernels of the labeled samples (s >= 0 on the spectrum)");
  }
  VarianceComponents result;
  result.history.push_back(objective.in_given_units(point.value));
  constexpr double kSafe = 0.5, kMost = 16.0;
  double exponent = 1.0;
  result.converged = !(objective.variance() > 0.0);  // constant targets say nothing
  while (!result.converged && result.iterations < options.max_iterations) {
    context.check_cancelled();
    if (gradient_vanishes(point, options.tolerance)) {
      result.converged = true;
      break;
    }
    Objective::Point next = objective.at(updated(point, exponent, options.least_noise));
    ++result.iterations;
    if (next.value >= point.value) {
      point = std::move(next);
      result.history.push_back(objective.in_given_units(point.value));
      exponent = std::min(2.0 * exponent, kMost);
    } else if (exponent > kSafe) {
      exponent = kSafe;
    } else {
      result.converged = true;  // but for rounding, or held by the least noise
    }
  }
  const double kernels = point.a.head(count).sum();
  result.shares = kernels > 0.0 ? Vector(point.a.head(count) / kernels) : Vector::Zero(count);
  result.noise_share = point.a[count] / point.a.sum();
  const double variance = objective.variance() > 0.0 ? objective.variance() : 1.0;
  result.noise = point.a[count] * variance;
  result.weights = Vector::Zero(count);
  for (Index k = 0; k < count; ++k) {
    if (objective.unit(k) > 0.0) result.weights[k] = point.a[k] * variance / objective.unit(k);
  }
  result.log_evidence = objective.in_given_units(point.evidence);
  return result;
}

}  // namespace stkr
