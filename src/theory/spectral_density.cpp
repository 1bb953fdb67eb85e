#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/random.hpp"
#include "solver/spectrum_template.hpp"
#include "solver/symmetric_eigen.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/theory/spectrum.hpp"

namespace stkr {
namespace {

// The Jacobi matrix of one probe.
struct ProbeRecurrence {
  std::vector<double> alpha, beta;
  bool running = true;
};

void check_density_options(const SpectralDensityOptions& options) {
  if (options.probes >= 2 && options.steps >= 1) return;
  throw ParameterError(
      fmt::format("spectral density: {} probes with {} steps; expected at least 2 probes, whose "
                  "differences give the standard error, and 1 step",
                  options.probes, options.steps));
}

SpectralDensity by_all_eigenvalues(const LinearOperator& s, const Context& context) {
  const Index n = s.size();
  const Matrix dense = product(s, Matrix::Identity(n, n));
  const Vector values =
      symmetric_eigen(0.5 * (dense + dense.transpose()), context.cancel).values.reverse();
  SpectralDensity result{.size = n, .exact = true};
  result.nodes.push_back(values);
  result.weights.push_back(Vector::Constant(n, 1.0 / static_cast<double>(n)));
  return result;
}

}  // namespace

SpectralDensity spectral_density(const LinearOperator& s, const SpectralDensityOptions& options,
                                 const Context& context) {
  check_density_options(options);
  const Index n = s.size();
  if (n == 0) return {.size = 0, .exact = true};
  if (n <= options.exact_below) return by_all_eigenvalues(s, context);
  const int threads = context.threads;
  Random random(context.seed);
  Matrix v(n, options.probes), previous = Matrix::Zero(n, options.probes), w(n, options.probes);
  fill_normal(random, v);
  divide_columns(column_norms(v, threads), v, v, threads);
  std::vector<ProbeRecurrence> probes(options.probes);
  Vector before = Vector::Zero(options.probes);  // β of the last step
  // No reorthogonalization: it would only keep converged nodes from being repeated, with their
  // weight divided between the copies.
  const auto steps = static_cast<int>(std::min<Index>(options.steps, n));
  for (int k = 0; k < steps; ++k) {
    context.check_cancelled();
    s.apply(v, w);
    add_scaled(-before, previous, w, threads);
    const Vector alpha = column_dots(v, w, threads);
    add_scaled(-alpha, v, w, threads);
    const Vector beta = column_norms(w, threads);
    for (Index c = 0; c < v.cols(); ++c) {
      ProbeRecurrence& probe = probes[c];
      if (!probe.running) continue;
      probe.alpha.push_back(alpha[c]);
      probe.beta.push_back(beta[c]);
      probe.running = beta[c] > 1e-13 * (std::abs(alpha[c]) + before[c]);
    }
    before = beta;
    previous.swap(v);
    for (Index c = 0; c < v.cols(); ++c) {
      if (!probes[c].running) before[c] = 0.0;
    }
    const Vector divisor = before.unaryExpr([](double b) { return b > 0.0 ? b : 1.0; });
    divide_columns(divisor, w, v, threads);
    for (Index c = 0; c < v.cols(); ++c) {
      if (!probes[c].running) v.col(c).setZero();
    }
  }
  SpectralDensity result{.size = n};
  for (const ProbeRecurrence& probe : probes) {
    detail::ExtremeRitz ritz = detail::extreme_ritz(probe.alpha, probe.beta);
    result.nodes.push_back(std::move(ritz.values));
    result.weights.push_back(ritz.weights / ritz.weights.sum());
  }
  return result;
}

Estimate SpectralDensity::trace(const std::function<double(double)>& phi) const {
  double sum = 0.0, squares = 0.0;
  if (exact) {
    for (const Vector& values : nodes) {
      for (const double value : values) sum += phi(value);
    }
    return {.value = sum};
  }
  const auto probes = static_cast<double>(nodes.size());
  std::vector<double> values;
  for (std::size_t c = 0; c < nodes.size(); ++c) {
    double value = 0.0;
    for (Index k = 0; k < nodes[c].size(); ++k) value += weights[c][k] * phi(nodes[c][k]);
    values.push_back(static_cast<double>(size) * value);
    sum += values.back();
  }
  if (nodes.empty()) return {};
  const double mean = sum / probes;
  if (nodes.size() < 2) return {.value = mean};
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {.value = mean, .standard_error = std::sqrt(squares / (probes * (probes - 1.0)))};
}

Estimate SpectralDensity::count_above(double lambda) const {
  Estimate result = trace([=](double node) { return node > lambda ? 1.0 : 0.0; });
  if (exact) return result;
  double sum = 0.0;
  for (std::size_t c = 0; c < nodes.size(); ++c) {
    const auto above = std::upper_bound(nodes[c].begin(), nodes[c].end(), lambda);
    const Index k = above - nodes[c].begin();
    const double over = k < nodes[c].size() ? weights[c][k] : 0.0;
    sum += std::max(over, k > 0 ? weights[c][k - 1] : 0.0);
  }
  result.resolution = static_cast<double>(size) * sum / static_cast<double>(nodes.size());
  return result;
}

double SpectralDensity::smallest() const {
  double result = nodes.empty() ? 0.0 : nodes.front()[0];
  for (const Vector& of_probe : nodes) result = std::min(result, of_probe[0]);
  return result;
}

double SpectralDensity::largest() const {
  double result = nodes.empty() ? 0.0 : nodes.front()[nodes.front().size() - 1];
  for (const Vector& of_probe : nodes) result = std::max(result, of_probe[of_probe.size() - 1]);
  return result;
}

}  // namespace stkr
