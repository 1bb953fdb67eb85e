#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "estimator/kernel_pca.hpp"
#include "reproduction/theory.hpp"
#include "stkr/gram/point_gram.hpp"
#include "stkr/theory/bounds.hpp"

namespace stkr {
namespace {

constexpr Index kPcaSamples = 256;        // m
constexpr int kSizes = 2;                 // n, from the smallest that the theorem admits
constexpr double kProbeSigma = 0.5;       // σ, and L = σ
constexpr double kProbeConstant = 0.2;    // c in β_n = c n^(-1/(1+p))
constexpr double kProbeRate = 0.25;       // p: any in (0, 1]
constexpr double kFewerEigenvalue = 0.8;  // λ̃_d is random; it is above this share of λ_d

struct ProbeCase {
  std::string series;
  TheoryDistribution distribution;
  Index d;
};

std::vector<ProbeCase> probe_cases() {
  // Kernels whose λ_d is not far below κ², else the theorem needs too many labels.
  return {{"circle, d = 2", circle_distribution(0.2), 2},
          {"hypercube, d = 3", hypercube_distribution(3, 0.1), 3}};
}

struct ProbeTrial {
  double error = 0.0, bound = 0.0;
  bool applies = true;  // n is large enough for this λ̃_d
};

// Everything in the orthonormal basis √λ_j ψ_j of H_K.
ProbeTrial probe_trial(const ProbeCase& setting, const Vector& target, Index n, double delta,
                       Random random) {
  const TheoryDistribution& p = setting.distribution;
  const Vector roots = p.eigenvalues.cwiseSqrt();
  const Matrix unlabeled = p.draw(random, kPcaSamples);
  const PointGram<double> gram(unlabeled, p.kernel, 1);
  KernelPcaOptions options;
  options.dimension = setting.d;
  options.all_samples = true;
  options.literal_top_d = true;
  const KernelPca pca = kernel_pca(gram, {}, options, {.threads = 1});
  const Matrix basis =
      roots.asDiagonal() * (p.functions(unlabeled).transpose() * pca.vectors);  // ψ̂: J × d
  const Matrix psi = p.functions(p.draw(random, n));
  Vector y = psi * target;
  for (double& value : y) value += kProbeSigma * random.normal();
  const Vector w =
      linear_probe(psi * roots.asDiagonal() * basis, y, theory_beta(n, kProbeRate, kProbeConstant));
  const Vector in_space = target.cwiseQuotient(roots);              // f*
  const Vector projected = basis * (basis.transpose() * in_space);  // f̃_d
  const Vector error = basis * w - projected, rest = in_space - projected;
  const Bound bound = top_d_estimation_bound(
      {.estimation = {.n = n,
                      .p = kProbeRate,
                      .tau = std::log(8.0 / delta),  // 4e^(-τ) = δ/2, the other half for λ̃_d
                      .kappa_squared = p.kappa_squared,
                      .epsilon = in_space.squaredNorm(),
                      .sigma = kProbeSigma,
                      .moment_l = kProbeSigma},
       .delta = 0.5 * delta,
       .lambda_d = pca.eigenvalues[setting.d - 1],
       .gap_p = rest.dot(p.eigenvalues.cwiseProduct(rest)),
       .gap_kernel = rest.squaredNorm()});
  return {.error = error.dot(p.eigenvalues.cwiseProduct(error)),
          .bound = bound.value,
          .applies = bound.applies() != false};
}

}  // namespace

Vector linear_probe(const Matrix& features, const Vector& y, double beta) {
  Eigen::MatrixXd system = features.transpose() * features;
  system.diagonal().array() += static_cast<double>(features.rows()) * beta;
  return system.llt().solve(features.transpose() * y);
}

TheoryTable probe_table(const TheoryOptions& options, const Context& context) {
  TheoryTable table{.name = "probe",
                    .title = "Theorem 5 (thm:topd-est): the linear probe on kernel PCA",
                    .at_name = "n",
                    .measured_name = "‖f̂_d - f̃_d‖²_P",
                    .bound_name = "bound, c₀ = 1"};
  std::uint64_t experiment = 71;
  for (const ProbeCase& setting : probe_cases()) {
    const TheoryDistribution& p = setting.distribution;
    const Vector target = p.eigenvalues.normalized();  // f* = Σ λ_j ψ_j, ‖f*‖_P = 1; s(λ) = λ
    Index n = 1;
    while (static_cast<double>(n) <
           top_d_needed_labels(p.kappa_squared, kFewerEigenvalue * p.eigenvalues[setting.d - 1],
                               0.5 * options.delta)) {
      n *= 2;
    }
    for (int size = 0; size < kSizes; ++size, n *= 2) {
      context.check_cancelled();
      const auto count = static_cast<std::size_t>(options.repetitions);
      std::vector<double> errors(count), bounds(count), held(count);
      std::vector<char> applies(count);
      repeat(options.repetitions, context.threads, [&](std::size_t r) {
        const ProbeTrial trial = probe_trial(
            setting, target, n, options.delta,
            repetition(context.seed, experiment, (static_cast<std::uint64_t>(n) << 16U) + r));
        errors[r] = trial.error;
        bounds[r] = trial.bound;
        held[r] = trial.error <= trial.bound ? 1.0 : 0.0;
        applies[r] = trial.applies ? 1 : 0;
      });
      const TheoryMean mean = mean_of(errors);
      TheoryRow row{.series = setting.series,
                    .at = static_cast<double>(n),
                    .measured = mean.mean,
                    .error = mean.error,
                    .bound = mean_of(bounds).mean,
                    .frequency = mean_of(held).mean};
      row.holds = *row.frequency >= 1.0 - options.delta &&
                  std::find(applies.begin(), applies.end(), 0) == applies.end();
      table.rows.push_back(row);
    }
    ++experiment;
  }
  table.notes = {
      fmt::format("kernel PCA by the library on {} unlabeled samples, p = {:g}, β_n = {:g} "
                  "n^(-1/(1+p)), σ = L = {:g}; n from 16 κ⁴ λ̃_d⁻² (2 + √(2 log 4/δ))²",
                  kPcaSamples, kProbeRate, kProbeConstant, kProbeSigma),
      "the error does not vanish: f̃_d is the projection of f* in H_K, the probe tends to that in "
      "L²(P)",
      "the bound is up to an unknown constant c₀; 4e^(-τ) = δ/2"};
  return table;
}

}  // namespace stkr
