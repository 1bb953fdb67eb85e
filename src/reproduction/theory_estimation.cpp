#include <fmt/format.h>

#include <cmath>

#include "reproduction/theory.hpp"
#include "stkr/theory/bounds.hpp"

namespace stkr {
namespace {

constexpr Index kSmallest = 64;         // n
constexpr Index kFrequencies = 256;     // J = 512
constexpr double kSigma = 0.5;          // σ, and L = σ
constexpr double kRidgeConstant = 0.2;  // c in β_n = c n^(-1/(1+p))
constexpr double kTail = 1.05;

// A target at the edge of ass:target: ‖f*‖²_{K_s} = Σ i^(-1.05) is just finite, so that the bias
// falls no faster than the theorem allows.
Vector edge_target(const Vector& s_values) {
  Vector target(s_values.size());
  for (Index j = 0; j < target.size(); ++j) {
    target[j] = std::sqrt(s_values[j] * std::pow(static_cast<double>(j + 1), -kTail));
  }
  return target.normalized();
}

}  // namespace

TheoryTable estimation_table(const TheoryOptions& options, const Context& context) {
  TheoryTable table{.name = "estimation",
                    .title = "Theorem 2 (thm:est): labels and noise, with the kernel K_s itself",
                    .at_name = "n",
                    .measured_name = "‖f̃ - f*‖²_P",
                    .bound_name = "bound, c₀ = 1"};
  const double tau = std::log(4.0 / options.delta);  // 4e^(-τ) = δ
  std::uint64_t experiment = 21;
  for (const double p : {0.5, 0.25}) {
    const TheoryDistribution distribution = decaying_distribution(p, kFrequencies);
    const Vector& s_values = distribution.eigenvalues;
    const Vector target = edge_target(s_values);
    const double epsilon = target.cwiseAbs2().cwiseQuotient(s_values).sum();
    const std::string series = fmt::format("circle, p = 1/{:g}", 1.0 / p);
    for (Index n = kSmallest; n <= options.most_samples; n *= 2) {
      context.check_cancelled();
      const double beta = theory_beta(n, p, kRidgeConstant);
      std::vector<double> errors(static_cast<std::size_t>(options.repetitions));
      repeat(options.repetitions, context.threads, [&](std::size_t r) {
        Random random =
            repetition(context.seed, experiment, (static_cast<std::uint64_t>(n) << 16U) + r);
        const Matrix psi = distribution.functions(distribution.draw(random, n));
        Vector y = psi * target;
        for (double& value : y) value += kSigma * random.normal();
        errors[r] = (oracle_coordinates(psi, s_values, y, beta) - target).squaredNorm();
      });
      const double bound = estimation_bound({.n = n,
                                             .p = p,
                                             .tau = tau,
                                             .kappa_squared = distribution.kappa_squared,
                                             .epsilon = epsilon,
                                             .sigma = kSigma,
                                             .moment_l = kSigma})
                               .value;
      double held = 0.0;
      for (const double error : errors) held += error <= bound ? 1.0 : 0.0;
      const TheoryMean mean = mean_of(errors);
      table.rows.push_back({.series = series,
                            .at = static_cast<double>(n),
                            .measured = mean.mean,
                            .error = mean.error,
                            .bound = bound,
                            .frequency = held / options.repetitions});
      table.rows.back().holds = *table.rows.back().frequency >= 1.0 - options.delta;
    }
    add_slope(table, series, -1.0 / (1.0 + p), 0.1);
    ++experiment;
  }
  table.notes = {
      fmt::format("s(λ_i) = O(i^(-1/p)), β_n = {:g} n^(-1/(1+p)), σ = L = {:g}; predicted slope "
                  "-1/(1+p)",
                  kRidgeConstant, kSigma),
      fmt::format("the bound is up to an unknown constant c₀; τ = log(4/δ) = {:.2f}", tau)};
  return table;
}

}  // namespace stkr
