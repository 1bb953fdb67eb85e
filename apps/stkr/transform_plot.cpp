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
};

// Three digits of the weight are enough for a key.
std::string short_name(const TransformTerm& term) {
  return fmt::format("{:.3g}*{}", term.weight, to_text(term.transform));
}

}  // namespace

std::string plot_transform(const SpectralTransform& transform, double largest_eigenvalue) {
  if (!(largest_eigenvalue > 0.0) || !std::isfinite(largest_eigenvalue)) {
    throw ValueError(
        fmt::format("plot of s: lambda_1 = {}; expected a positive number", largest_eigenvalue));
  }
  std::vector<Curve> curves{{"s", 1.0, transform}};
  if (std::holds_alternative<SumTransform>(transform.form())) {
    for (const TransformTerm& term : terms_of(transform)) {
      curves.push_back({short_name(term), term.weight, term.transform});
    }
  }
  const std::vector<double> x = positions(largest_eigenvalue);
  std::string data, plots;
  for (std::size_t k = 0; k < curves.size(); ++k) {
    data += fmt::format("$s{} << END\n", k);
    for (const double lambda : x) {
      const double value = curves[k].weight * curves[k].s(lambda);
      if (!std::isfinite(value)) {
        throw ValueError(fmt::format("plot of {}: s({:.6g}) = {}; expected a finite number",
                                     transform.describe(), lambda, value));
      }
      data += fmt::format("{} {}\n", gnuplot_number(lambda), gnuplot_number(value));
    }
    data += "END\n";
    const std::size_t color = k == 0 ? 0 : 1 + (k - 1) % (kColors.size() - 1);
    plots += fmt::format(
        "{}$s{} using 1:2 with lines linewidth {} dashtype {} linecolor rgb '#{}' "
        "title {}",
        k > 0 ? ", " : "", k, k == 0 ? 2.5 : 1.5, k == 0 ? 1 : 2, kColors[color],
        gnuplot_text(curves[k].name));
  }
  const bool sum = curves.size() > 1;
  const std::string name = sum ? "a sum of transforms" : transform.describe();
  const std::string title =
      fmt::format("s = {}, M = {:.4g}", name, transform.validate({0.0, largest_eigenvalue}).slope);
  const int rows = sum ? static_cast<int>(curves.size()) : 0;  // texts are too long for two columns
  std::string script = gnuplot_preamble(kWidth, kHeight + kKeyRow * rows, title, "λ", "s(λ)");
  script += fmt::format(
      "set border 3 linecolor rgb '{}'\n"
      "set grid ytics linetype 1 linecolor rgb '#a0808080'\n"
      "set key tmargin left horizontal Left reverse samplen 2.2 maxcols 1 {}\n"
      "set tics out scale 0.5\n"
      "set xrange [0:{}]\n"
      "set yrange [0:*]\n"
      "{}plot {}\n",
      kInk, sum ? "" : "off", largest_eigenvalue, data, plots);
  return inline_svg(run_gnuplot(script), title);
}

}  // namespace stkr::app
