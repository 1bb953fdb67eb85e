#include "report/explain_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/explain_tables.hpp"
#include "report/line_plot.hpp"
#include "report/transform_plot.hpp"
#include "stkr/version.hpp"

namespace stkr::report {
namespace {

ReportFigure spectrum_figure(const Explanation& found) {
  PlotSeries lambda{.name = "λ_i", .markers = false};
  PlotSeries transformed{.name = "s(λ_i)/s(λ₁)", .markers = false, .dashed = true};
  const Vector& values = found.kernel.eigenvalues;
  for (Index i = 0; i < values.size(); ++i) {
    lambda.x.push_back(static_cast<double>(i + 1));
    lambda.y.push_back(values[i] / values[0]);
    if (!found.suggestion) continue;
    const SpectralTransform& s = found.suggestion->transform;
    transformed.x.push_back(static_cast<double>(i + 1));
    transformed.y.push_back(s(values[i]) / s(values[0]));
  }
  LinePlot plot{.x_label = "i", .y_label = "relative to the first", .log_x = true, .log_y = true};
  plot.series = {lambda};
  if (found.suggestion) plot.series.push_back(transformed);
  return {.title = "Spectrum",
          .caption =
              "The leading eigenvalues of the kernel matrix divided by the number of samples, "
              "and what the suggested transform makes of them. The faster they fall, the "
              "fewer directions a fit uses.",
          .svg = render_svg(plot)};
}

// The share of eigenvalues above λ: it shows more of a spectrum with gaps than a histogram.
ReportFigure density_figure(const Explanation& found) {
  const SpectralDensity& density = found.kernel.density;
  const double low = std::min(found.kernel.definiteness.smallest, 0.0),
               high = found.kernel.definiteness.largest;
  PlotSeries share{.name = "share", .markers = false};
  constexpr int kPoints = 80;
  for (int k = 0; k <= kPoints; ++k) {
    const double lambda = low + (high - low) * k / kPoints;
    share.x.push_back(lambda);
    share.y.push_back(100.0 * density.count_above(lambda).value /
                      static_cast<double>(density.size));
  }
  return {
      .title = "Spectral density",
      .caption = fmt::format("The share of the {} eigenvalues above λ{}.", density.size,
                             density.exact ? "" : ", estimated by stochastic Lanczos quadrature"),
      .svg = render_svg(LinePlot{.x_label = "λ", .y_label = "%", .series = {share}})};
}

ReportFigure energy_figure(const Explanation& found) {
  PlotSeries shares{.name = "labels"};
  LinePlot plot{.x_label = "eigenvectors", .y_label = "% of the labels' variance"};
  const auto add = [&](const EnergyBand& band, std::string name) {
    shares.x.push_back(static_cast<double>(plot.x_names.size()));
    shares.y.push_back(100.0 * band.share);
    shares.error.push_back(100.0 * band.standard_error);
    plot.x_names.push_back(std::move(name));
  };
  for (const EnergyBand& band : found.energy.bands) {
    add(band, band.count() == 1 ? fmt::format("{}", band.first)
                                : fmt::format("{}–{}", band.first, band.last));
  }
  if (found.energy.rest.count() > 0) add(found.energy.rest, "rest");
  plot.series = {std::move(shares)};
  return {.title = "Where the labels are",
          .caption =
              "Each point is a band of eigenvectors, with the standard error that so few labels "
              "leave. Labels on the left are smooth over the samples, and unlabeled samples "
              "help; labels on the right look like noise to this kernel.",
          .svg = render_svg(plot)};
}

ReportFigure curve_figure(const Explanation& found, const LearningCurve& curve, const char* what) {
  const double scale = found.classes ? 100.0 : 1.0;
  PlotSeries points{.name = "error"};
  for (const CurvePoint& point : curve.points) {
    points.x.push_back(static_cast<double>(point.amount));
    points.y.push_back(scale * point.error);
    points.error.push_back(scale * point.standard_error);
  }
  return {.title = fmt::format("With fewer {}", what),
          .caption = fmt::format("The last doubling of the {} gained {:.3g} ± {:.2g}{}.", what,
                                 scale * curve.gain.value_or(0.0), scale * curve.gain_error,
                                 found.classes ? " points" : ""),
          .svg = render_svg(LinePlot{.x_label = what,
                                     .y_label = found.classes ? "% wrong" : "share missed",
                                     .log_x = true,
                                     .series = {points}})};
}

std::vector<ReportFigure> figures(const Explanation& found) {
  std::vector<ReportFigure> result;
  if (found.kernel.eigenvalues.size() > 1) result.push_back(spectrum_figure(found));
  if (found.kernel.density.size > 1) result.push_back(density_figure(found));
  if (found.energy.unknown.empty() && !found.energy.bands.empty()) {
    result.push_back(energy_figure(found));
  }
  if (found.suggestion) {
    result.push_back(
        {.title = "Suggested transform",
         .caption = "s(λ), which replaces each eigenvalue λ of the kernel.",
         .svg = plot_transform(found.suggestion->transform, found.kernel.eigenvalues[0])});
  }
  if (found.with_labels.points.size() > 1) {
    result.push_back(curve_figure(found, found.with_labels, "labels"));
  }
  if (found.with_samples.points.size() > 1) {
    result.push_back(curve_figure(found, found.with_samples, "samples"));
  }
  return result;
}

std::string table(const PageTable& one) {
  const std::string html = text_table(one.title, one.rows);
  return html.empty() ? "" : fmt::format("<h3>{}</h3>\n{}", one.title, html);
}

std::vector<std::string> methods(const Explanation& found) {
  std::vector<std::string> lines{
      "Spectrum: the leading eigenvalues by a Chebyshev-filtered block Lanczos method, over the "
      "samples in components that have a label; the density by stochastic Lanczos quadrature with "
      "ten "
      "random vectors.",
      "Energy of the labels: an unbiased estimate of Σ <u_i, y>² over the variance of y from the "
      "labeled samples, with the standard error of the jackknife over labels. It takes labels for "
      "a "
      "random part of the samples.",
      "Transform: each candidate expects energy in proportion to s(λ_i), plus noise in proportion "
      "to "
      "the number of eigenvectors; the one with the smallest weighted squared difference is "
      "suggested, and all within two standard errors of it are plausible.",
      "Ridge: the smallest leave-one-out squared error among powers of ten.",
      "Errors: every label is predicted by a fit to the others, in closed form; standard errors "
      "are "
      "over labels, and differences are paired. A sample that no other label reaches counts as "
      "chance."};
  if (!found.with_labels.points.empty()) {
    lines.push_back(
        "Curves: labels are divided at random into halves and quarters, a part is fitted and the "
        "others are scored. Unlabeled samples are left out at random, and the kernel is built "
        "anew: a "
        "neighbor graph joins what is left, a given graph loses the edges of its nodes.");
  }
  if (!found.bounds.empty()) {
    lines.push_back(
        "Bounds: the paper's formulas with κ², λ₁ and p of this kernel and ε, B, σ, L of the "
        "suggested "
        "fit, all outputs together, δ = 0.1. A bound is vacuous if predicting 0 is known to do as "
        "well; c₀ is a constant that the paper does not give. Assumptions about the distribution "
        "cannot be checked.");
  }
  return lines;
}

std::string cross_fit_text(const Explanation& found) {
  if (!found.cross_fit || !found.suggestion) return "";
  const CrossFit& cross = *found.cross_fit;
  return paragraph(fmt::format(
      "What the paper's Theorem 3 bounds, measured: four fits that share the labels but no "
      "unlabeled "
      "sample differ by {:.3g} ± {:.2g} in mean square; with the labeled samples counted, "
      "‖f̂ - f̃‖² is about {:.3g}, beside ‖f̂‖² = {:.3g}.",
      cross.estimate, cross.standard_error, cross.adjusted, found.suggestion->mean_square));
}

}  // namespace

std::string explain_page(const Explanation& found, const Facts& repeat) {
  std::string page = begin_page("What the data say");
  if (!found.data.empty()) page += paragraph(found.data);
  page += list(found.verdict);
  std::vector<std::string> missing;
  for (const auto& [part, why] : found.missing) missing.push_back(fmt::format("{}: {}", part, why));
  page += alert("Not known", missing);
  page += section("Pictures", figures_list(figures(found)));
  page +=
      section("Advice and alternatives", table(compared_table(found)) + table(curve_table(found)));
  page += section("The kernel", facts_list(kernel_numbers(found)));
  page += section("The suggested fit", facts_list(fit_numbers(found)) + table(energy_table(found)));
  page += section("The paper's bounds",
                  text_table("Bounds", bounds_table(found).rows) + cross_fit_text(found));
  std::vector<std::string> how = methods(found);
  how.insert(how.end(), found.notes.begin(), found.notes.end());
  page += section("How this was computed", list(how));
  Facts facts = repeat;
  facts.emplace_back("stkr", kVersion);
  facts.emplace_back("Seconds", fmt::format("{:.1f}", found.seconds));
  page += section("How to repeat it", facts_list(facts));
  return page + end_page();
}

}  // namespace stkr::report
