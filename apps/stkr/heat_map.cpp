#include "heat_map.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "gnuplot.hpp"
#include "inline_svg.hpp"
#include "stkr/error.hpp"

namespace stkr::app {
namespace {

constexpr double kHalf = 0.48;  // of a cell: leaves a little background between cells

using Rgb = std::array<double, 3>;

// Cividis (Nuñez, Anderton and Renslow, PLOS ONE 13, 2018), which looks the same to readers with
// and without color blindness and increases in brightness, at five points.
constexpr std::array<Rgb, 5> kColors = {
    {{0, 34, 78}, {66, 77, 108}, {125, 124, 120}, {188, 175, 111}, {254, 232, 56}}};

Rgb color_of(double share) {
  const double at = std::clamp(share, 0.0, 1.0) * (kColors.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(at), kColors.size() - 2);
  Rgb color{};
  for (std::size_t c = 0; c < color.size(); ++c) {
    color[c] = std::lerp(kColors[below][c], kColors[below + 1][c], at - static_cast<double>(below));
  }
  return color;
}

int as_number(const Rgb& color) {
  return static_cast<int>(std::lround(color[0])) << 16 |
         static_cast<int>(std::lround(color[1])) << 8 | static_cast<int>(std::lround(color[2]));
}

// White on the darker half, near-black on the lighter one. Pure black would be replaced as ink.
int text_color_on(const Rgb& color) {
  const double luma = 0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2];
  return luma < 128.0 ? 0xffffff : 0x0a0a0a;
}

void check(const HeatMap& map) {
  bool fits = map.values.size() == map.y_names.size();
  bool any = false;
  for (const auto& row : map.values) {
    fits &= row.size() == map.x_names.size();
    any |= std::any_of(row.begin(), row.end(), [](double value) { return std::isfinite(value); });
  }
  if (!fits) {
    throw ValueError(
        fmt::format("heat map '{}': {} x {} names, but the values have a different shape",
                    map.title, map.y_names.size(), map.x_names.size()));
  }
  if (!any) throw ValueError(fmt::format("heat map '{}': nothing to plot", map.title));
}

std::string ticks(const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < names.size(); ++i) {
    parts.push_back(fmt::format("{} {}", gnuplot_tick(names[i]), i));
  }
  return fmt::format("({})", fmt::join(parts, ", "));
}

std::string box(std::size_t y, std::size_t x) {
  const auto row = static_cast<double>(y), column = static_cast<double>(x);
  return fmt::format("{} {} {} {} {} {}", column, row, column - kHalf, column + kHalf, row - kHalf,
                     row + kHalf);
}

}  // namespace

std::string render_svg(const HeatMap& map) {
  check(map);
  const std::size_t columns = map.x_names.size(), rows = map.y_names.size();
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const auto& row : map.values) {
    for (const double value : row) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  std::size_t longest = 0, widest = 0;
  for (const std::string& name : map.x_names) longest = std::max(longest, name.size());
  for (const std::string& name : map.y_names) widest = std::max(widest, name.size());
  const bool rotate = longest > 5;
  const int width = 80 + 7 * static_cast<int>(widest) + 44 * static_cast<int>(columns);
  const int height =
      90 + 28 * static_cast<int>(rows) + (rotate ? 5 * static_cast<int>(longest) : 0);
  std::string script =
      gnuplot_preamble(std::max(width, 300), height, map.title, map.x_label, map.y_label);
  script += fmt::format(
      "unset border\nunset key\n"
      "set tics scale 0\n"
      "set xrange [-0.5:{}]\nset yrange [{}:-0.5]\n"
      "set xtics {} {}\nset ytics {}\n"
      "set style fill solid 1 noborder\n",
      static_cast<double>(columns) - 0.5, static_cast<double>(rows) - 0.5,
      rotate ? "rotate by 35 right" : "", ticks(map.x_names), ticks(map.y_names));

  std::string cells, numbers, missing;
  for (std::size_t y = 0; y < rows; ++y) {
    for (std::size_t x = 0; x < columns; ++x) {
      const double value = map.values[y][x];
      if (!std::isfinite(value)) {
        missing += fmt::format("{} {}\n", x, y);
        continue;
      }
      const Rgb color = color_of(high > low ? (value - low) / (high - low) : 0.5);
      cells += fmt::format("{} {}\n", box(y, x), as_number(color));
      numbers += fmt::format("{} {} {:.{}f} {}\n", x, y, value, map.decimals, text_color_on(color));
    }
  }
  script += fmt::format("$cells << END\n{}END\n$numbers << END\n{}END\n", cells, numbers);
  std::string plots =
      "$cells using 1:2:3:4:5:6:7 with boxxyerror fillcolor rgb variable, "
      "$numbers using 1:2:3:4 with labels font 'sans-serif,12' textcolor rgb variable";
  if (!missing.empty()) {
    script += fmt::format("$missing << END\n{}END\n", missing);
    plots += fmt::format(", $missing using 1:2:('–') with labels textcolor rgb '{}'", kInk);
  }
  if (map.mark && map.mark->first < rows && map.mark->second < columns) {
    const auto y = static_cast<double>(map.mark->first);
    const auto x = static_cast<double>(map.mark->second);
    script += fmt::format("$mark << END\n{0} {2}\n{1} {2}\n{1} {3}\n{0} {3}\n{0} {2}\nEND\n",
                          x - kHalf, x + kHalf, y - kHalf, y + kHalf);
    // Dark around light: visible on every cell and every background.
    plots +=
        ", $mark with lines linewidth 5 linecolor rgb '#0a0a0a'"
        ", $mark with lines linewidth 2.2 linecolor rgb '#ffffff'";
  }
  script += fmt::format("plot {}\n", plots);
  return inline_svg(run_gnuplot(script), map.title);
}

}  // namespace stkr::app
