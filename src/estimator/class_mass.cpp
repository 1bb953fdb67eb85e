#include "estimator/class_mass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr double kTemperature = 0.03;  // T; measured in docs/class-predictions.md
constexpr int kMassSteps = 100;
constexpr double kTolerance = 1e-6;  // on log w_c
// A class that would need a larger factor has no samples to gain.
constexpr double kLargestLog = 14.0;

}  // namespace

Vector class_mass_factors(ConstMatrixRef f, const Vector& prior, double floor,
                          const SharedRows* shared) {
  const Index classes = f.cols();
  if (prior.size() != classes) {
    throw ShapeError(fmt::format("class_mass_factors: scores for {} classes, but a prior for {}",
                                 classes, prior.size()));
  }
  Vector factors = Vector::Ones(classes);
  std::vector<Index> used;  // classes
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  Matrix most = Matrix::Constant(1, classes, kNone);
  if (f.rows() > 0) most = f.colwise().maxCoeff();
  largest_over(shared, most);
  for (Index c = 0; c < classes; ++c) {
    if (prior[c] > 0.0 && most(0, c) > floor) used.push_back(c);
  }
  const auto count = static_cast<Index>(used.size());
  if (count < 2) return factors;
  double total = 0.0;
  for (const Index c : used) total += prior[c];

  // (f_ic / max_k f_ik)^(1/T), only for rows with a positive score
  Matrix power(f.rows(), count);
  Index rows = 0;
  for (Index i = 0; i < f.rows(); ++i) {
    double largest = 0.0;
    for (const Index c : used) largest = std::max(largest, f(i, c));
    if (largest <= floor) continue;
    for (Index k = 0; k < count; ++k) {
      power(rows, k) = std::pow(std::max(f(i, used[k]), 0.0) / largest, 1.0 / kTemperature);
    }
    ++rows;
  }
  const auto samples = power.topRows(rows);
  const double all_rows = sum_over(shared, static_cast<double>(rows));

  // Sinkhorn scaling to given column sums with row sums of 1; converges monotonically in log w.
  Vector log_w = Vector::Zero(count);
  for (int step = 0; step < kMassSteps; ++step) {
    const Vector w = (log_w / kTemperature).array().exp();
    const Vector inverse_sums = (samples * w).cwiseInverse();
    Matrix share = samples.transpose() * inverse_sums;
    sum_over(shared, share);
    share = share.cwiseProduct(w) / all_rows;
    double change = 0.0;
    for (Index k = 0; k < count; ++k) {
      const double wanted =
          log_w[k] + kTemperature * std::log(prior[used[k]] / total / share(k, 0));
      const double next = std::clamp(wanted, -kLargestLog, kLargestLog);
      change = std::max(change, std::abs(next - log_w[k]));
      log_w[k] = next;
    }
    log_w.array() -= log_w.mean();
    if (change < kTolerance) break;
  }
  for (Index k = 0; k < count; ++k) factors[used[k]] = std::exp(log_w[k]);
  return factors;
}

Vector smoothed_prior(const Vector& share, Index count) {
  const Vector present = (share.array() > 0.0).cast<double>();
  return (static_cast<double>(count) * share + present) /
         (static_cast<double>(count) + present.sum());
}

}  // namespace stkr
