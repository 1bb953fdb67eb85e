#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "reproduction/theory.hpp"
#include "stkr/estimator/stkr.hpp"
#include "stkr/gram/point_gram.hpp"
#include "stkr/theory/bounds.hpp"
#include "stkr/theory/fit_estimates.hpp"

namespace stkr {
namespace {

constexpr Index kLabeled = 32;
constexpr double kNoise = 0.3;  // σ
constexpr double kBeta = 0.1;   // β_n, in units of s(λ₁)
constexpr Index kFirst = 64;    // the smallest m
constexpr Index kParts = 4;     // B of the cross-fit
constexpr Index kCheckedPoints = 128;

struct ApproximationCase {
  std::string series;
  TheoryDistribution distribution;
  SpectralTransform transform;
};

std::vector<ApproximationCase> approximation_settings() {
  std::vector<ApproximationCase> settings;
  settings.push_back({"circle, s = λ²", circle_distribution(0.5), SpectralTransform::power(2.0)});
  settings.push_back({"torus, s = λ³", torus_distribution(0.15), SpectralTransform::power(3.0)});
  settings.push_back({"hypercube, s = λ/(1-λ)", hypercube_distribution(5, 0.3),
                      SpectralTransform::inverse_laplacian(1.0)});
  return settings;
}

// λ̂₁: of Λ^½ ΨᵀΨ Λ^½/N, which has the eigenvalues of G_K/N.
double largest_empirical(const Matrix& psi, const Vector& eigenvalues) {
  const Vector roots = eigenvalues.cwiseSqrt();
  Vector x = Vector::Ones(eigenvalues.size()).normalized();
  double value = 0.0;
  for (int step = 0; step < 100; ++step) {  // of the power method
    const Vector y = roots.cwiseProduct(psi.transpose() * (psi * roots.cwiseProduct(x)) /
                                        static_cast<double>(psi.rows()));
    const double next = x.dot(y);
    x = y.normalized();
    if (std::abs(next - value) <= 1e-6 * next) return next;
    value = next;
  }
  return value;
}

struct ApproximationTrial {
  double error = 0.0, bound = 0.0, cross = 0.0;
};

ApproximationTrial approximation_trial(const ApproximationCase& setting, Index m, double delta,
                                       Random random) {
  const TheoryDistribution& p = setting.distribution;
  const Vector s_values = transformed(p, setting.transform);
  const Matrix points = p.draw(random, kLabeled + m);
  const Matrix psi = p.functions(points);
  // f* with all coordinates √s(λ_j), then ‖f*‖_P = 1.
  const Vector target = s_values.cwiseSqrt().normalized();
  Vector y = psi.topRows(kLabeled) * target;
  for (double& value : y) value += kNoise * random.normal();
  std::vector<Index> labeled(kLabeled);
  std::iota(labeled.begin(), labeled.end(), 0);

  const Context serial{.threads = 1};
  const PointGram<double> gram(points, p.kernel, 1);
  StkrOptions options;
  options.transform = setting.transform;
  options.beta = kBeta * s_values[0];
  options.tolerance = 1e-10;
  const Fit fit = fit_stkr(gram, labeled, y, options, serial);
  const Vector found = p.eigenvalues.cwiseProduct(psi.transpose() * fit.coefficients.col(0));
  const Vector oracle = oracle_coordinates(psi.topRows(kLabeled), s_values, y, *options.beta);

  ApproximationTrial trial;
  trial.error = (found - oracle).squaredNorm();
  const double lambda = std::max(p.eigenvalues[0], largest_empirical(psi, p.eigenvalues));
  trial.bound = approximation_bound({.transform = setting.transform,
                                     .n = kLabeled,
                                     .m = m,
                                     .kappa_squared = p.kappa_squared,
                                     .lambda = lambda,
                                     .beta = *options.beta,
                                     .delta = delta,
                                     .mean_square_y = y.squaredNorm() / kLabeled})
                    .value;
  trial.cross = cross_fit_stkr(gram, labeled, y, options, {.parts = kParts}, serial).adjusted;
  return trial;
}

// K̂_s and K_s of some samples as functions, in coordinates of ψ: K̂_s = Ψ Λ^½ g(Ŝ) Λ^½ Ψᵀ with
// Ŝ = Λ^½ ΨᵀΨ Λ^½/N and g(λ) = s(λ)/λ.
struct BothKernels {
  Eigen::MatrixXd psi;            // at the samples
  Eigen::MatrixXd found, oracle;  // K̂_s(x_i, ·) and K_s(x_i, ·), one row per sample
  double lambda = 0.0;            // max(λ₁, λ̂₁)
};

BothKernels both_kernels(const ApproximationCase& setting, Index m, Random& random) {
  const TheoryDistribution& p = setting.distribution;
  const Matrix psi = p.functions(p.draw(random, kLabeled + m));
  const Vector roots = p.eigenvalues.cwiseSqrt();
  const Eigen::MatrixXd scaled = psi * roots.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(scaled.transpose() * scaled /
                                                              static_cast<double>(psi.rows()));
  const Vector g = solver.eigenvalues().unaryExpr([&](double lambda) {
    return lambda > 1e-14 ? setting.transform(lambda) / lambda : setting.transform(1e-14) / 1e-14;
  });
  BothKernels result;
  result.psi = psi.topRows(std::min(kCheckedPoints, psi.rows()));
  const Eigen::MatrixXd in_basis = result.psi * roots.asDiagonal() * solver.eigenvectors();
  result.found = in_basis * g.asDiagonal() * solver.eigenvectors().transpose() * roots.asDiagonal();
  result.oracle = result.psi * transformed(p, setting.transform).asDiagonal();
  result.lambda = std::max(p.eigenvalues[0], solver.eigenvalues()[solver.eigenvalues().size() - 1]);
  return result;
}

ApproximationInputs gap_inputs(const ApproximationCase& setting, Index m, double delta,
                               double lambda) {
  return {.transform = setting.transform,
          .n = kLabeled,
          .m = m,
          .kappa_squared = setting.distribution.kappa_squared,
          .lambda = lambda,
          .delta = delta};
}

// The largest |K̂_s(x, x_j) - K_s(x, x_j)| over some samples x and x_j.
ApproximationTrial gap_trial(const ApproximationCase& setting, Index m, double delta,
                             Random random) {
  const BothKernels both = both_kernels(setting, m, random);
  const Eigen::MatrixXd gap = (both.found - both.oracle) * both.psi.transpose();
  return {.error = gap.cwiseAbs().maxCoeff(),
          .bound = kernel_gap_bound(gap_inputs(setting, m, delta, both.lambda)).value};
}

// The largest sum of the two gaps of cor:lem-approx-2-square over the same samples.
ApproximationTrial inner_product_trial(const ApproximationCase& setting, Index m, double delta,
                                       Random random) {
  const BothKernels both = both_kernels(setting, m, random);
  const Eigen::MatrixXd mixed = both.found * both.oracle.transpose();
  const Eigen::MatrixXd first = both.oracle * both.oracle.transpose() - mixed;
  const Eigen::MatrixXd second = both.found * both.found.transpose() - mixed;
  return {.error = (first.cwiseAbs() + second.cwiseAbs()).maxCoeff(),
          .bound = inner_product_gap_bound(gap_inputs(setting, m, delta, both.lambda)).value};
}

// One row per number of samples: m = kFirst, ..., most in powers of 2.
template <class Run>
void add_sizes(TheoryTable& table, const ApproximationCase& setting, std::uint64_t experiment,
               bool cross, const TheoryOptions& options, const Context& context, const Run& run) {
  for (Index m = kFirst; m <= options.most_samples; m *= 2) {
    context.check_cancelled();
    const auto count = static_cast<std::size_t>(options.repetitions);
    std::vector<double> errors(count), bounds(count), crossed(count);
    repeat(options.repetitions, context.threads, [&](std::size_t r) {
      const ApproximationTrial trial =
          run(setting, m, options.delta,
              repetition(context.seed, experiment, (static_cast<std::uint64_t>(m) << 16U) + r));
      errors[r] = trial.error;
      bounds[r] = trial.bound;
      crossed[r] = trial.cross;
    });
    double held = 0.0;
    for (std::size_t r = 0; r < count; ++r) held += errors[r] <= bounds[r] ? 1.0 : 0.0;
    const TheoryMean mean = mean_of(errors);
    TheoryRow row{.series = setting.series,
                  .at = static_cast<double>(kLabeled + m),
                  .measured = mean.mean,
                  .error = mean.error,
                  .bound = mean_of(bounds).mean,
                  .frequency = held / static_cast<double>(count)};
    if (cross) row.predicted = mean_of(crossed).mean;
    row.holds = *row.frequency >= 1.0 - options.delta;
    table.rows.push_back(row);
  }
}

}  // namespace

TheoryTable approximation_table(const TheoryOptions& options, const Context& context) {
  TheoryTable table{.name = "approximation",
                    .title = "Theorem 3 (thm:approx): the price of unlabeled samples in place of P",
                    .at_name = "n + m",
                    .measured_name = "‖f̂ - f̃‖²_P",
                    .predicted_name = "cross-fit"};
  std::uint64_t experiment = 1;
  for (const ApproximationCase& setting : approximation_settings()) {
    add_sizes(table, setting, experiment++, true, options, context, approximation_trial);
    add_slope(table, setting.series, -1.0, 0.15);
  }
  table.notes = {
      fmt::format("n = {}, β_n = {:g} s(λ₁), σ = {:g}, δ = {:g}; f̂ by fit_stkr, f̃ and the norm in "
                  "closed form",
                  kLabeled, kBeta, kNoise, options.delta),
      "the theorem's rate is (n+m)^(-1/2); f̂ - f̃ is to first order a mean over samples, so its "
      "square falls like 1/(n+m)"};
  return table;
}

namespace {

// Tables of cases with few eigenfunctions, in which everything is computed in coordinates of ψ.
template <class Run>
void add_gaps(TheoryTable& table, std::uint64_t experiment, double tolerance,
              const TheoryOptions& options, const Context& context, const Run& run) {
  for (const ApproximationCase& setting : approximation_settings()) {
    if (setting.distribution.eigenvalues.size() > 200) continue;
    add_sizes(table, setting, experiment++, false, options, context, run);
    add_slope(table, setting.series, -0.5, tolerance);
  }
  table.notes = {fmt::format("over {} samples x and x_j", kCheckedPoints)};
}

}  // namespace

TheoryTable kernel_gap_table(const TheoryOptions& options, const Context& context) {
  TheoryTable table{.name = "kernel-gap",
                    .title = "The uniform gap of the kernels (lem:approx-2)",
                    .at_name = "n + m",
                    .measured_name = "max |K̂_s - K_s|"};
  add_gaps(table, 11, 0.15, options, context, gap_trial);
  return table;
}

TheoryTable inner_product_table(const TheoryOptions& options, const Context& context) {
  TheoryTable table{.name = "inner-products",
                    .title = "The gap of inner products (cor:lem-approx-2-square)",
                    .at_name = "n + m",
                    .measured_name = "largest sum of gaps"};
  // The product of two gaps is a part of it, and falls like 1/(n+m).
  add_gaps(table, 13, 0.25, options, context, inner_product_trial);
  table.notes.push_back(
      "|K_{s²} - <K̂_s, K_s>_P| + |<K̂_s, K̂_s>_P - <K̂_s, K_s>_P|, inner products in closed form");
  return table;
}

}  // namespace stkr
