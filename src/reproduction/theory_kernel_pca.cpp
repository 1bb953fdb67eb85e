#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "estimator/kernel_pca.hpp"
#include "reproduction/theory.hpp"
#include "stkr/gram/point_gram.hpp"
#include "stkr/theory/bounds.hpp"

namespace stkr {
namespace {

constexpr Index kFewest = 64;  // samples
constexpr Index kMostForPca = 1024;
constexpr double kTargetDecay = 1.0;

std::vector<TheoryDistribution> spectra() {
  std::vector<TheoryDistribution> found;
  found.push_back(circle_distribution(0.5));
  found.push_back(hypercube_distribution(6, 0.4));
  return found;
}

double largest_of(const Eigen::MatrixXd& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(symmetric, Eigen::EigenvaluesOnly);
  return solver.eigenvalues()[symmetric.rows() - 1];
}

struct Projection {
  double worst_g = 0.0;    // max ‖g‖²_P over g ⊥ ψ̂, ‖g‖_K = 1
  double g_squared = 0.0;  // ‖g‖²_P of the target
  double b_squared = 0.0;  // ‖f* - f̃_d‖²_K
};

// ψ̂ of the library's kernel PCA in the orthonormal basis √λ_j ψ_j of H_K.
Projection project(const TheoryDistribution& p, Index d, const Vector& target, Index m,
                   Random random) {
  const Matrix points = p.draw(random, m);
  const Matrix psi = p.functions(points);
  const PointGram<double> gram(points, p.kernel, 1);
  KernelPcaOptions options;
  options.dimension = d;
  options.all_samples = true;
  options.literal_top_d = true;
  options.execution.diagonalize_below = 300;  // d eigenvectors are faster found alone
  const KernelPca pca = kernel_pca(gram, {}, options, {.threads = 1});
  const Vector roots = p.eigenvalues.cwiseSqrt();
  const Eigen::MatrixXd basis = roots.asDiagonal() * (psi.transpose() * pca.vectors);  // J × d
  const Eigen::MatrixXd outside =
      Eigen::MatrixXd::Identity(basis.rows(), basis.rows()) - basis * basis.transpose();
  Projection result;
  result.worst_g = largest_of(outside * p.eigenvalues.asDiagonal() * outside);
  const Vector rest = outside * target.cwiseQuotient(roots);  // f* - f̃_d = b g
  result.b_squared = rest.squaredNorm();
  result.g_squared = rest.dot(p.eigenvalues.cwiseProduct(rest)) / result.b_squared;
  return result;
}

double share(const std::vector<double>& values, double low, double high) {
  double held = 0.0;
  for (const double value : values) held += value >= low && value <= high ? 1.0 : 0.0;
  return held / static_cast<double>(values.size());
}

}  // namespace

TheoryTable eigenvalue_table(const TheoryOptions& options, const Context& context) {
  TheoryTable table{.name = "eigenvalue",
                    .title = "The largest eigenvalue (lem:hat-lambda-bound)",
                    .at_name = "n + m",
                    .measured_name = "λ̂₁",
                    .predicted_name = "λ₁"};
  std::uint64_t experiment = 51;
  for (const TheoryDistribution& p : spectra()) {
    const Vector roots = p.eigenvalues.cwiseSqrt();
    for (Index samples = kFewest; samples <= options.most_samples; samples *= 2) {
      std::vector<double> found(static_cast<std::size_t>(options.repetitions));
      repeat(options.repetitions, context.threads, [&](std::size_t r) {
        Random random =
            repetition(context.seed, experiment, (static_cast<std::uint64_t>(samples) << 16U) + r);
        const Eigen::MatrixXd scaled = p.functions(p.draw(random, samples)) * roots.asDiagonal();
        found[r] = largest_of(scaled.transpose() * scaled / static_cast<double>(samples));
      });
      const double bound =
          largest_eigenvalue_bound(p.eigenvalues[0], samples, p.kappa_squared, options.delta).value;
      const TheoryMean mean = mean_of(found);
      table.rows.push_back({.series = p.name,
                            .at = static_cast<double>(samples),
                            .measured = mean.mean,
                            .error = mean.error,
                            .predicted = p.eigenvalues[0],
                            .bound = bound,
                            .frequency = share(found, 0.0, bound)});
      table.rows.back().holds = *table.rows.back().frequency >= 1.0 - options.delta;
    }
    ++experiment;
  }
  return table;
}

TheoryTable kernel_pca_table(const TheoryOptions& options, const Context& context) {
  TheoryTable table{.name = "kernel-pca",
                    .title = "Theorem 6 (thm:topd-approx): functions outside of kernel PCA",
                    .at_name = "m",
                    .measured_name = "measured",
                    .predicted_name = "λ_(d+1)"};
  std::uint64_t experiment = 61;
  for (const TheoryDistribution& p : spectra()) {
    const Index d = p.name == "circle" ? 4 : 6;
    // f* = Σ λ_j ψ_j, ‖f*‖_P = 1; s(λ) = λ, so M = 1 and ε = ‖f*‖²_K.
    const Vector target = p.eigenvalues.array().pow(kTargetDecay).matrix().normalized();
    const double epsilon = target.cwiseAbs2().cwiseQuotient(p.eigenvalues).sum();
    std::vector<TheoryRow> kernel_rows;
    for (Index m = kFewest; m <= std::min(options.most_samples, kMostForPca); m *= 2) {
      context.check_cancelled();
      const auto count = static_cast<std::size_t>(options.repetitions);
      std::vector<double> worst(count), squares(count), limits(count);
      TopDApproximationInputs inputs{.d = d,
                                     .m = m,
                                     .kappa_squared = p.kappa_squared,
                                     .lambda_1 = p.eigenvalues[0],
                                     .lambda_next = p.eigenvalues[d],
                                     .epsilon = epsilon,
                                     .delta = options.delta};
      repeat(options.repetitions, context.threads, [&](std::size_t r) {
        const Projection found = project(
            p, d, target, m,
            repetition(context.seed, experiment, (static_cast<std::uint64_t>(m) << 16U) + r));
        TopDApproximationInputs now = inputs;
        now.g_squared = found.g_squared;
        worst[r] = found.worst_g;
        squares[r] = found.b_squared;
        limits[r] = top_d_approximation_bounds(now).kernel.value;
      });
      const TopDApproximation bounds = top_d_approximation_bounds(inputs);
      const TheoryMean mean = mean_of(worst), b_squared = mean_of(squares);
      const double low = bounds.g_lower.value * (1.0 - 1e-9);
      table.rows.push_back({.series = fmt::format("{}, d = {}, worst ‖g‖²_P", p.name, d),
                            .at = static_cast<double>(m),
                            .measured = mean.mean,
                            .error = mean.error,
                            .predicted = bounds.g_lower.value,
                            .bound = bounds.g_upper.value,
                            .frequency = share(worst, low, bounds.g_upper.value)});
      table.rows.back().holds = *table.rows.back().frequency >= 1.0 - options.delta;
      double held = 0.0;
      for (std::size_t r = 0; r < count; ++r) held += squares[r] <= limits[r] ? 1.0 : 0.0;
      kernel_rows.push_back({.series = fmt::format("{}, d = {}, ‖f* - f̃_d‖²_K", p.name, d),
                             .at = static_cast<double>(m),
                             .measured = b_squared.mean,
                             .error = b_squared.error,
                             .bound = mean_of(limits).mean,
                             .frequency = held / static_cast<double>(count)});
      kernel_rows.back().holds = held == static_cast<double>(count);  // no probability is involved
    }
    table.rows.insert(table.rows.end(), kernel_rows.begin(), kernel_rows.end());
    ++experiment;
  }
  table.notes = {
      "the lower inequality λ_(d+1) <= ‖g‖²_P is that of the worst g; a single f* may have less",
      "the bound on ‖f* - f̃_d‖²_K, with the ‖g‖²_P of f*, is promised always"};
  return table;
}

}  // namespace stkr
