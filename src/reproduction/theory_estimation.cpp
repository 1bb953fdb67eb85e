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
constexpr double kEta = 0.5;    // of the inverse Laplacian, λ₁ = 1
constexpr double kOther = 3.0;  // s*(λ) = 3λ², so M = 3

// A target at the edge of ass:target: ‖f*‖²_{K_s} = Σ i^(-1.05) is just finite, so that the bias
// falls no faster than the theorem allows.
Vector edge_target(const Vector& s_values) {
  Vector target(s_values.size());
  for (Index j = 0; j < target.size(); ++j) {
    target[j] = std::sqrt(s_values[j] * std::pow(static_cast<double>(j + 1), -kTail));
  }
  return target.normalized();
}

double energy(const Vector& target, const Vector& s_values) {
  return target.cwiseAbs2().cwiseQuotient(s_values).sum();
}

struct EstimationCase {
  std::string series;
  TheoryDistribution distribution;
  Vector s_values;  // of the regression
  Vector target;    // ‖f*‖_P = 1
  double p;
};

// One row per n: f̃ with β_n = c n^(-1/(1+p)), and its bound.
template <class BoundOf>
void add_labels(TheoryTable& table, const EstimationCase& setting, std::uint64_t experiment,
                const TheoryOptions& options, const Context& context, const BoundOf& bound_of) {
  for (Index n = kSmallest; n <= options.most_samples; n *= 2) {
    context.check_cancelled();
    const double beta = theory_beta(n, setting.p, kRidgeConstant);
    std::vector<double> errors(static_cast<std::size_t>(options.repetitions));
    repeat(options.repetitions, context.threads, [&](std::size_t r) {
      Random random =
          repetition(context.seed, experiment, (static_cast<std::uint64_t>(n) << 16U) + r);
      const TheoryDistribution& distribution = setting.distribution;
      const Matrix psi = distribution.functions(distribution.draw(random, n));
      Vector y = psi * setting.target;
      for (double& value : y) value += kSigma * random.normal();
      errors[r] =
          (oracle_coordinates(psi, setting.s_values, y, beta) - setting.target).squaredNorm();
    });
    const double bound = bound_of(n);
    double held = 0.0;
    for (const double error : errors) held += error <= bound ? 1.0 : 0.0;
    const TheoryMean mean = mean_of(errors);
    table.rows.push_back({.series = setting.series,
                          .at = static_cast<double>(n),
                          .measured = mean.mean,
                          .error = mean.error,
                          .bound = bound,
                          .frequency = held / options.repetitions});
    table.rows.back().holds = *table.rows.back().frequency >= 1.0 - options.delta;
  }
  add_slope(table, setting.series, -1.0 / (1.0 + setting.p), 0.1);
}

double tau_of(double delta) { return std::log(4.0 / delta); }  // 4e^(-τ) = δ

std::string constant_note(double delta) {
  return fmt::format("the bound is up to an unknown constant c₀; τ = log(4/δ) = {:.2f}",
                     tau_of(delta));
}

}  // namespace

TheoryTable estimation_table(const TheoryOptions& options, const Context& context) {
  TheoryTable table{.name = "estimation",
                    .title = "Theorem 2 (thm:est): labels and noise, with the kernel K_s itself",
                    .at_name = "n",
                    .measured_name = "‖f̃ - f*‖²_P",
                    .bound_name = "bound, c₀ = 1"};
  std::uint64_t experiment = 21;
  for (const double p : {0.5, 0.25}) {
    const TheoryDistribution distribution = decaying_distribution(p, kFrequencies);
    const Vector& s_values = distribution.eigenvalues;
    const Vector target = edge_target(s_values);
    EstimationInputs inputs{.p = p,
                            .tau = tau_of(options.delta),
                            .kappa_squared = distribution.kappa_squared,
                            .epsilon = energy(target, s_values),
                            .sigma = kSigma,
                            .moment_l = kSigma};
    add_labels(table,
               {fmt::format("circle, p = 1/{:g}", 1.0 / p), distribution, s_values, target, p},
               experiment++, options, context, [&](Index n) {
                 inputs.n = n;
                 return estimation_bound(inputs).value;
               });
  }
  table.notes = {
      fmt::format("s(λ_i) = O(i^(-1/p)), β_n = {:g} n^(-1/(1+p)), σ = L = {:g}; predicted slope "
                  "-1/(1+p)",
                  kRidgeConstant, kSigma),
      constant_note(options.delta)};
  return table;
}

TheoryTable agnostic_table(const TheoryOptions& options, const Context& context) {
  TheoryTable table{
      .name = "agnostic",
      .title =
          "Proposition 3 (prop:agnostic-lap): the inverse Laplacian for a target of another s*",
      .at_name = "n",
      .measured_name = "‖f̃ - f*‖²_P",
      .bound_name = "bound, c₀ = 1"};
  std::uint64_t experiment = 25;
  bool in_the_space = true;  // ‖f*‖²_{K_s} ≤ Mε‖f*‖²_P, from which the proposition follows
  for (const double p : {0.5, 0.25}) {
    const TheoryDistribution distribution = decaying_distribution(p, kFrequencies);
    const Vector s_values = transformed(distribution, SpectralTransform::inverse_laplacian(kEta));
    const Vector other = kOther * distribution.eigenvalues.cwiseAbs2();  // s*
    const Vector target = edge_target(other);
    EstimationInputs inputs{.p = p,
                            .tau = tau_of(options.delta),
                            .kappa_squared = distribution.kappa_squared,
                            .slope = kOther * distribution.eigenvalues[0],
                            .epsilon = energy(target, other),
                            .sigma = kSigma,
                            .moment_l = kSigma};
    in_the_space =
        in_the_space && energy(target, s_values) <= inputs.slope * inputs.epsilon * (1.0 + 1e-12);
    const double own_slope = 1.0 / (1.0 - kEta * distribution.eigenvalues[0]);
    add_labels(table,
               {fmt::format("circle, p = 1/{:g}", 1.0 / p), distribution, s_values, target, p},
               experiment++, options, context, [&](Index n) {
                 inputs.n = n;
                 return agnostic_laplacian_bound(inputs, own_slope).value;
               });
  }
  for (TheoryRow& row : table.rows) row.holds = row.holds && in_the_space;
  table.notes = {
      fmt::format("s = λ/(1 - {:g}λ), s* = {:g}λ²; β_n = {:g} n^(-1/(1+p)), σ = L = {:g}; ‖f*‖² in "
                  "H_{{K_s}} is at most Mε: {}",
                  kEta, kOther, kRidgeConstant, kSigma, in_the_space ? "yes" : "no"),
      constant_note(options.delta)};
  return table;
}

}  // namespace stkr
