#include "transform_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gnuplot.hpp"
#include "inline_svg.hpp"
#include "stkr/error.hpp"
#include "stkr/transform/transform_text.hpp"

namespace stkr::app {
namespace {

constexpr int kWidth = 480;
constexpr int kHeight = 320;
constexpr int kKeyRow = 20;
constexpr int kSteps = 400;

// As in line_plot: the first for s itself, the others for its terms in turn.
constexpr std::array kColors{"0072B2", "D55E00", "009E73", "C2609A", "AD7A00", "808080"};

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
  std::string data, plots;
  for (std::size_t k = 0; k < curves.size(); ++k) {
    data += fmt::format("$s{} << END\n", k);
    for (const double lambda : x) {
      data += fmt::format("{} {}\n", gnuplot_number(lambda),
                          gnuplot_number(value_at(curves[k], lambda)));
    }
    data += "END\n";
    const std::size_t color = k == 0 ? 0 : 1 + (k - 1) % (kColors.size() - 1);
    plots += fmt::format(
        "{}$s{} using 1:2 with lines linewidth {} dashtype {} linecolor rgb '#{}' "
        "title {}",
        k > 0 ? ", " : "", k, curves[k].dashed ? 1.5 : 2.5, curves[k].dashed ? 2 : 1,
        kColors[color], gnuplot_text(curves[k].name));
  }
  const bool several = curves.size() > 1;
  const int rows = several ? static_cast<int>(curves.size()) : 0;  // texts need a row each
  std::string script = gnuplot_preamble(kWidth, kHeight + kKeyRow * rows, title, "λ", y_label);
  script += fmt::format(
      "set border 3 linecolor rgb '{}'\n"
      "set grid ytics linetype 1 linecolor rgb '#a0808080'\n"
      "set key tmargin left horizontal Left reverse samplen 2.2 maxcols 1 {}\n"
      "set tics out scale 0.5\n"
      "set xrange [0:{}]\n"
      "set yrange [0:*]\n"
      "{}plot {}\n",
      kInk, several ? "" : "off", x.back(), data, plots);
  return inline_svg(run_gnuplot(script), title);
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

}  // namespace stkr::app
