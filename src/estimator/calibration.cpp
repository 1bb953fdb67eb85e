#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stkr/error.hpp"
#include "stkr/estimator/decision.hpp"

namespace stkr {
namespace {

constexpr double kUnknownSamples = 0.5;  // their class is anything
constexpr double kLeastShare = 1e-6;

// Scores far from all labels are small and yet often right: their size counts by this power.
constexpr double kPowerOfSize = 0.25;

// z of a row of scores, with maximum 0.
Eigen::RowVectorXd exponents(bool by_shares, const Eigen::RowVectorXd& scores) {
  Eigen::RowVectorXd z = scores.array() - scores.mean();
  if (!by_shares) {
    const double size = z.norm();
    if (size > 0.0) z *= std::pow(size, kPowerOfSize) / size;
  } else {
    z = scores;
    const double total = scores.cwiseMax(0.0).sum();
    if (total > 0.0) {
      z = (scores.cwiseMax(0.0) / total).cwiseMax(kLeastShare).array().log();
      // Classes without a share are still ordered by their scores.
      for (Index c = 0; c < z.size(); ++c) {
        if (scores[c] < 0.0) z[c] += scores[c] / (total - scores[c]);
      }
    } else {
      const double size = scores.cwiseAbs().maxCoeff();
      if (size > 0.0) z /= size;
    }
  }
  return z.array() - z.maxCoeff();
}

Matrix all_exponents(bool by_shares, ConstMatrixRef scores) {
  Matrix z(scores.rows(), scores.cols());
  for (Index i = 0; i < z.rows(); ++i) z.row(i) = exponents(by_shares, scores.row(i));
  return z;
}

// Mean over the rows of log p of the right class, with the samples of unknown class.
double objective(const Matrix& z, const std::vector<Index>& classes, double temperature) {
  double known = 0.0, unknown = 0.0;
  for (Index i = 0; i < z.rows(); ++i) {
    const double log_sum = std::log((temperature * z.row(i).array()).exp().sum());
    known += temperature * z(i, classes[static_cast<std::size_t>(i)]) - log_sum;
    unknown += temperature * z.row(i).mean() - log_sum;
  }
  return known + kUnknownSamples * unknown / static_cast<double>(z.rows());
}

struct Temperature {
  double value = 1.0;
  double objective = 0.0;
};

// The objective is concave in τ: golden-section search on log τ.
Temperature best_temperature(const Matrix& z, const std::vector<Index>& classes, double scale) {
  const double ratio = (std::sqrt(5.0) - 1.0) / 2.0;
  double low = std::log(1e-3 / scale), high = std::log(1e4 / scale);
  const auto at = [&](double log_value) { return objective(z, classes, std::exp(log_value)); };
  double a = high - ratio * (high - low), b = low + ratio * (high - low);
  double at_a = at(a), at_b = at(b);
  for (int step = 0; step < 60; ++step) {
    if (at_a >= at_b) {
      high = b;
      b = a;
      at_b = at_a;
      a = high - ratio * (high - low);
      at_a = at(a);
    } else {
      low = a;
      a = b;
      at_a = at_b;
      b = low + ratio * (high - low);
      at_b = at(b);
    }
  }
  const double best = 0.5 * (low + high);
  return {std::exp(best), at(best)};
}

}  // namespace

std::optional<Calibration> calibrate(ConstMatrixRef left_out, const std::vector<Index>& classes) {
  if (left_out.rows() != static_cast<Index>(classes.size())) {
    throw ShapeError(fmt::format("calibrate: scores of {} samples, classes of {}", left_out.rows(),
                                 classes.size()));
  }
  if (left_out.rows() < 2) return std::nullopt;
  std::optional<Calibration> best;
  double best_objective = 0.0;
  for (const bool by_shares : {false, true}) {
    const Matrix z = all_exponents(by_shares, left_out);
    const double scale = std::sqrt(z.squaredNorm() / static_cast<double>(z.size()));
    if (!(scale > 0.0) || !std::isfinite(scale)) continue;
    const Temperature found = best_temperature(z, classes, scale);
    if (best && found.objective <= best_objective) continue;
    best = Calibration{by_shares, found.value, {}};
    best_objective = found.objective;
  }
  if (!best) return best;
  const Matrix p = calibrated(*best, left_out);
  for (Index i = 0; i < p.rows(); ++i) {
    best->conformity.push_back(p(i, classes[static_cast<std::size_t>(i)]));
  }
  std::sort(best->conformity.begin(), best->conformity.end());
  return best;
}

Matrix calibrated(const Calibration& calibration, ConstMatrixRef scores) {
  Matrix p = all_exponents(calibration.by_shares, scores);
  p = (calibration.temperature * p.array()).exp();
  for (Index i = 0; i < p.rows(); ++i) p.row(i) /= p.row(i).sum();
  return p;
}

double largest_coverage(const Calibration& calibration) {
  const auto n = static_cast<double>(calibration.conformity.size());
  return n / (n + 1.0);
}

std::vector<std::vector<Index>> prediction_sets(const Calibration& calibration,
                                                ConstMatrixRef probabilities, double coverage) {
  const std::vector<double>& left_out = calibration.conformity;
  const auto n = static_cast<double>(left_out.size());
  if (!(coverage > 0.0) || coverage > largest_coverage(calibration) + 1e-12) {
    throw ParameterError(fmt::format(
        "coverage {:g}; with {} labels left out it can be at most {:.4g}, and must be above 0",
        coverage, left_out.size(), std::floor(1e4 * largest_coverage(calibration)) / 1e4));
  }
  // The least number of labels left out that must conform no better than a class of the set.
  const double least = (1.0 - coverage) * (n + 1.0);
  std::vector<std::vector<Index>> sets(static_cast<std::size_t>(probabilities.rows()));
  for (Index i = 0; i < probabilities.rows(); ++i) {
    for (Index c = 0; c < probabilities.cols(); ++c) {
      const auto below = std::upper_bound(left_out.begin(), left_out.end(), probabilities(i, c)) -
                         left_out.begin();
      if (1.0 + static_cast<double>(below) > least + 1e-9) {
        sets[static_cast<std::size_t>(i)].push_back(c);
      }
    }
  }
  return sets;
}

}  // namespace stkr
