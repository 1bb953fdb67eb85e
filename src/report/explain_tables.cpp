#include "report/explain_tables.hpp"

#include <fmt/format.h>

#include <cmath>

#include "explain/verdict.hpp"

namespace stkr::report {
namespace {

std::string text(double error, double standard_error, const Explanation& found) {
  return error_text(error, standard_error, found.classes);
}

std::string error_head(const Explanation& found) {
  return found.classes ? "Wrong" : "Share of the variance missed";
}

std::string band_name(const EnergyBand& band) {
  return band.first == band.last ? fmt::format("{}", band.first)
                                 : fmt::format("{} to {}", band.first, band.last);
}

std::string decay_text(const EigenvalueDecay& decay) {
  if (!decay.determined) return decay.finding;
  if (decay.capped) return fmt::format("slower than 1/i (fitted p = {:.3g}): p = 1", decay.fitted);
  return fmt::format("p = {:.2f}, 95% interval {:.2f} to {:.2f}{}", decay.p, decay.lower,
                     decay.upper, decay.r_squared < 0.9 ? ", but no power law" : "");
}

}  // namespace

Facts kernel_numbers(const Explanation& found) {
  const KernelFacts& kernel = found.kernel;
  Facts facts{{"Kernel", kernel.description}};
  facts.emplace_back(
      "Samples", kernel.analyzed == kernel.samples
                     ? counted(kernel.samples)
                     : fmt::format("{} of {}", counted(kernel.analyzed), counted(kernel.samples)));
  if (kernel.reach) {
    facts.emplace_back("Components",
                       found.labels == 0
                           ? counted(kernel.reach->components())
                           : fmt::format("{}, {} of them without a label ({})",
                                         counted(kernel.reach->components()),
                                         counted(kernel.reach->components_without_label()),
                                         counted(kernel.reach->samples_without_label(), "sample")));
  }
  const Definiteness& definite = kernel.definiteness;
  facts.emplace_back("Eigenvalues",
                     fmt::format("from {:.4g} to {:.4g}", definite.smallest, definite.largest));
  facts.emplace_back("Positive semidefinite",
                     definite.semidefinite
                         ? "yes"
                         : fmt::format("no: {:.1f}% of the eigenvalues are negative",
                                       100.0 * definite.negative.value));
  facts.emplace_back(
      "κ², the largest K(x, x)",
      fmt::format("{:.4g}{}", kernel.bound.kappa_squared,
                  kernel.bound.complete
                      ? ""
                      : fmt::format(", of {} looked at", counted(kernel.bound.samples, "sample"))));
  facts.emplace_back("Decay λ_i ~ i^(-1/p)", decay_text(kernel.decay));
  return facts;
}

Facts fit_numbers(const Explanation& found) {
  if (!found.suggestion) return {};
  const SuggestedFit& fit = *found.suggestion;
  Facts facts{{"Transform s", fit.transform.describe()},
              {"Ridge", fmt::format("{:g} of the mean diagonal; β = {:.4g}", fit.ridge, fit.beta)},
              {"Decay of s(λ_i)", decay_text(fit.decay)},
              {"Effective dimension d(β)", fmt::format("{:.1f} of {}", fit.effective_dimension,
                                                       counted(found.labels_used, "label"))},
              {"‖f‖² in H_{K_s}", fmt::format("{:.4g}", fit.norm_squared)},
              {"‖f‖² over the samples", fmt::format("{:.4g}", fit.mean_square)},
              {"ε of Assumption 3", fmt::format("{:.4g}", fit.epsilon())},
              {"Noise (σ and L of Assumption 4)",
               fmt::format("root mean square {:.3g}, at most {:.3g}, of labels left out", fit.noise,
                           fit.largest_miss)}};
  for (const Smoothness& one : fit.smoothness) {
    facts.emplace_back(
        fmt::format("r of K^{:g}", one.p),
        std::isnan(one.ratio)
            ? "f is constant"
            : fmt::format("{:.4g}{}", one.ratio, one.norm.converged ? "" : ", to a few digits"));
  }
  return facts;
}

PageTable energy_table(const Explanation& found) {
  PageTable table{"Where the labels are in the spectrum",
                  {{"Eigenvectors", "λ", "Share of the labels' variance", "Standard error"}}};
  if (!found.energy.unknown.empty()) return table;
  const auto add = [&](const EnergyBand& band, const std::string& name) {
    table.rows.push_back({name,
                          band.first == band.last
                              ? fmt::format("{:.4f}", band.largest)
                              : fmt::format("{:.4f} to {:.4f}", band.largest, band.smallest),
                          fmt::format("{:.1f}%", 100.0 * band.share),
                          fmt::format("{:.1f}%", 100.0 * band.standard_error)});
  };
  for (const EnergyBand& band : found.energy.bands) add(band, band_name(band));
  if (found.energy.rest.count() > 0) {
    add(found.energy.rest, band_name(found.energy.rest));
    table.rows.back()[1] = fmt::format("below {:.4f}", found.energy.rest.largest);
  }
  return table;
}

PageTable compared_table(const Explanation& found) {
  PageTable table{"The advice and the alternatives",
                  {{"Fit", error_head(found) + ", labels left out", "More than the suggestion"}}};
  bool hidden = false;
  for (const ComparedFit& fit : found.compared) hidden |= fit.hidden_error.has_value();
  if (hidden) table.rows.front().push_back("Wrong, hidden labels");
  for (const ComparedFit& fit : found.compared) {
    table.rows.push_back({fit.name, text(fit.error, fit.standard_error, found),
                          fit.name == kSuggestedFit ? "" : text(fit.more, fit.more_error, found)});
    if (hidden) {
      table.rows.back().push_back(fit.hidden_error ? text(*fit.hidden_error, 0.0, found) : "");
    }
  }
  return table;
}

PageTable curve_table(const Explanation& found) {
  PageTable table{"More labels, or more unlabeled samples",
                  {{"With", error_head(found), "Subsets"}}};
  const auto add = [&](const LearningCurve& curve, const char* what) {
    for (const CurvePoint& point : curve.points) {
      table.rows.push_back({counted(point.amount, what),
                            text(point.error, point.standard_error, found),
                            std::to_string(point.draws)});
    }
  };
  add(found.with_labels, "label");
  add(found.with_samples, "sample");
  return table;
}

std::string bound_verdict(const Bound& bound) {
  if (bound.applies() == false) return "does not apply";
  return bound.vacuous() ? "vacuous" : "says something";
}

PageTable bounds_table(const Explanation& found) {
  PageTable table{"The paper's bounds on these data",
                  {{"Bound", "On", "Value", "Known without it", "Verdict", "Why"}}};
  for (const Bound& bound : found.bounds) {
    table.rows.push_back({fmt::format("{} ({})", bound.name, bound.label), bound.quantity,
                          fmt::format("{} {:.3g}{}", bound.lower ? "≥" : "≤", bound.value,
                                      bound.constant_unknown ? " · c₀" : ""),
                          fmt::format("{:.3g}", bound.trivial), bound_verdict(bound),
                          bound.verdict()});
  }
  return table;
}

}  // namespace stkr::report
