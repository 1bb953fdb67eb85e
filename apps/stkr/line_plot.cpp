#include "line_plot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "gnuplot.hpp"
#include "inline_svg.hpp"
#include "stkr/error.hpp"

namespace stkr::app {
namespace {

constexpr int kWidth = 480;
constexpr int kHeight = 320;
constexpr int kKeyRow = 20;
constexpr std::size_t kMostTicks = 12;
constexpr std::size_t kTickCharacters = 54;  // that fit under the axis

// After Okabe and Ito, "Color Universal Design" (2008), with the lighter colors darkened: each has
// a contrast of at least 3:1 with both white and near-black. Then the same colors with other
// dashes.
struct Style {
  const char* color;
  int marker;
  int dash;
};
constexpr std::array<Style, 9> kStyles = {{{"0072B2", 7, 1},
                                           {"D55E00", 5, 1},
                                           {"009E73", 9, 1},
                                           {"C2609A", 13, 1},
                                           {"AD7A00", 11, 1},
                                           {"808080", 6, 1},
                                           {"3C8FCB", 4, 2},
                                           {"C0392B", 8, 2},
                                           {"5E9C30", 12, 2}}};

bool is_point(const LinePlot& plot, const PlotSeries& series, std::size_t i) {
  return std::isfinite(series.x[i]) && std::isfinite(series.y[i]) &&
         (!plot.log_x || series.x[i] > 0.0);
}

void check(const LinePlot& plot) {
  bool any = false;
  for (const PlotSeries& series : plot.series) {
    if (series.x.size() != series.y.size() ||
        (!series.error.empty() && series.error.size() != series.x.size())) {
      throw ValueError(fmt::format("plot of {}: {} x, {} y and {} errors; expected equal numbers",
                                   series.name, series.x.size(), series.y.size(),
                                   series.error.size()));
    }
    for (std::size_t i = 0; i < series.x.size(); ++i) any |= is_point(plot, series, i);
  }
  if (!any) throw ValueError(fmt::format("plot '{}': nothing to plot", plot.title));
}

std::string x_axis(const LinePlot& plot) {
  std::vector<std::string> ticks;
  if (!plot.x_names.empty()) {
    for (std::size_t i = 0; i < plot.x_names.size(); ++i) {
      ticks.push_back(fmt::format("{} {}", gnuplot_tick(plot.x_names[i]), i));
    }
    std::size_t longest = 0;
    for (const std::string& name : plot.x_names) longest = std::max(longest, name.size());
    return fmt::format(
        "set xrange [-0.4:{}]\nset xtics {} ({})\n", static_cast<double>(plot.x_names.size()) - 0.6,
        (longest + 1) * plot.x_names.size() > kTickCharacters ? "rotate by 35 right" : "",
        fmt::join(ticks, ", "));
  }
  std::set<double> values;
  for (const PlotSeries& series : plot.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (is_point(plot, series, i)) values.insert(series.x[i]);
    }
  }
  // Room at both ends, so that the axes cut no marker.
  const double low = *values.begin(), high = *values.rbegin();
  std::string range;
  if (plot.log_x) {
    const double room = std::pow(std::max(high / low, 10.0), 0.04);
    range =
        fmt::format("set logscale x\nunset mxtics\nset xrange [{}:{}]\n", low / room, high * room);
  } else {
    const double room = high > low ? 0.04 * (high - low) : 0.5;
    range = fmt::format("set xrange [{}:{}]\n", low - room, high + room);
  }
  if (values.size() > kMostTicks) {
    return range + (plot.log_x ? "set format x '1e%T'\n" : "");
  }
  for (const double value : values) {
    ticks.push_back(fmt::format("{} {}", gnuplot_tick(fmt::format("{:g}", value)), value));
  }
  return range + fmt::format("set xtics ({})\n", fmt::join(ticks, ", "));
}

}  // namespace

std::string render_svg(const LinePlot& plot) {
  check(plot);
  // The key is above the axes; its rows need room.
  std::size_t characters = 0;
  for (const PlotSeries& series : plot.series) characters += series.name.size() + 8;
  const int key_rows = 1 + static_cast<int>(characters / 60);
  std::string script = gnuplot_preamble(kWidth, kHeight + kKeyRow * key_rows, plot.title,
                                        plot.x_label, plot.y_label);
  script += fmt::format(
      "set border 3 linecolor rgb '{}'\n"
      "set grid ytics linetype 1 linecolor rgb '#a0808080'\n"
      "set key tmargin left horizontal Left reverse samplen 2.2 {}\n"
      "set tics out scale 0.5\n"
      "set offsets 0, 0, graph 0.04, graph 0.04\n",
      kInk, plot.series.size() > 1 ? "" : "off");
  script += x_axis(plot);
  std::vector<std::string> bars, lines;
  for (std::size_t k = 0; k < plot.series.size(); ++k) {
    const PlotSeries& series = plot.series[k];
    const Style& style = kStyles[k % kStyles.size()];
    script += fmt::format("$s{} << END\n", k);
    bool any = false;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      const bool point = is_point(plot, series, i);
      any |= point;
      script += fmt::format("{} {} {}\n", gnuplot_number(point ? series.x[i] : NAN),
                            gnuplot_number(point ? series.y[i] : NAN),
                            gnuplot_number(series.error.empty() ? 0.0 : series.error[i]));
    }
    script += "END\n";
    if (!any) continue;
    if (!series.error.empty()) {
      // Not yerrorbars, which draw a white disc under each point.
      bars.push_back(
          fmt::format("$s{} using 1:($2-$3):(0):(2*$3) with vectors nohead linewidth 1.2 "
                      "linecolor rgb '#80{}' notitle",
                      k, style.color));
    }
    lines.push_back(
        fmt::format("$s{} using 1:2 with linespoints linewidth 2 linecolor rgb '#{}' pointtype {} "
                    "pointsize 0.75 dashtype {} title {}",
                    k, style.color, style.marker, style.dash, gnuplot_text(series.name)));
  }
  bars.insert(bars.end(), lines.begin(), lines.end());
  script += fmt::format("plot {}\n", fmt::join(bars, ", "));
  return inline_svg(run_gnuplot(script), plot.title);
}

}  // namespace stkr::app
