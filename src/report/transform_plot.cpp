#include "report/transform_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/line_plot.hpp"
#include "stkr/error.hpp"
#include "transform/transform_text.hpp"

namespace stkr::report {
namespace {

constexpr int kSteps = 400;

// Ever finer steps toward λ₁, where an inverse Laplacian rises.
std::vector<double> positions(double upper) {
  std::vector<double> x;
  for (int k = 0; k <= kSteps; ++k) {
    const double t = static_cast<double>(k) / kSteps;
    x.push_back(upper * (1.0 - (1.0 - t) * (1.0 - t) * (1.0 - t)));
  }
  return x;
}

struct Curve {
  std::string name;
  double weight;
  SpectralTransform s;
  bool dashed;
};

// Three digits of the weight are enough for a key.
std::string short_name(const TransformTerm& term) {
  return fmt::format("{:.3g}*{}", term.weight, to_text(term.transform));
}

// λ from 0 to λ₁; the Poisson transform, which is 0 at λ₁, shortly before it.
std::vector<double> positions(const std::vector<Curve>& curves, double largest_eigenvalue) {
  if (!(largest_eigenvalue > 0.0) || !std::isfinite(largest_eigenvalue)) {
    throw ValueError(
        fmt::format("plot of s: lambda_1 = {}; expected a positive number", largest_eigenvalue));
  }
  const bool poisson = std::any_of(curves.begin(), curves.end(), [](const Curve& curve) {
    return std::holds_alternative<PoissonTransform>(curve.s.form());
  });
  return positions(largest_eigenvalue * (poisson ? 1.0 - 1e-3 : 1.0));
}

double value_at(const Curve& curve, double lambda) {
  const double value = curve.weight * curve.s(lambda);
  if (std::isfinite(value)) return value;
  throw ValueError(fmt::format("plot of {}: s({:.6g}) = {}; expected a finite number",
                               curve.s.describe(), lambda, value));
}

std::string draw(const std::vector<Curve>& curves, const std::vector<double>& x,
                 const std::string& title, const char* y_label) {
  LinePlot plot{.title = title,
                .x_label = "λ",
                .y_label = y_label,
                .from_zero = true,
                .key_in_rows = true,
                .x_names = {},
                .series = {}};
  for (const Curve& curve : curves) {
    PlotSeries series{curve.name, x, {}, {}};
    for (const double lambda : x) series.y.push_back(value_at(curve, lambda));
    series.markers = false;
    series.dashed = curve.dashed;
    plot.series.push_back(std::move(series));
  }
  return render_svg(plot);
}

}  // namespace

std::string plot_transform(const SpectralTransform& transform, double largest_eigenvalue) {
  std::vector<Curve> curves{{"s", 1.0, transform, false}};
  const bool sum = std::holds_alternative<SumTransform>(transform.form());
  for (const TransformTerm& term : terms_of(transform)) {
    if (sum) curves.push_back({short_name(term), term.weight, term.transform, true});
  }
  const std::vector<double> x = positions(curves, largest_eigenvalue);
  const std::string title =
      fmt::format("s = {}, M = {:.4g}", sum ? "a sum of transforms" : transform.describe(),
                  transform.validate({0.0, largest_eigenvalue}).slope);
  return draw(curves, x, title, "s(λ)");
}

std::string plot_average(const std::vector<AverageTerm>& terms, double largest_eigenvalue) {
  std::vector<Curve> curves;
  for (const AverageTerm& term : terms) {
    curves.push_back({fmt::format("{}, M = {:.4g}", to_text(term.transform),
                                  term.transform.validate({0.0, largest_eigenvalue}).slope),
                      1.0, term.transform, false});
  }
  const std::vector<double> x = positions(curves, largest_eigenvalue);
  for (Curve& curve : curves) curve.weight = 1.0 / value_at(curve, x.back());
  return draw(curves, x, fmt::format("average of fits with {} transforms", terms.size()),
              "s(λ), largest value 1");
}

}  // namespace stkr::report
