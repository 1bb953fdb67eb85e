#include "report/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "report/svg.hpp"
#include "stkr/error.hpp"

namespace stkr::report {
namespace {

constexpr double kCellWidth = 46.0, kCellHeight = 26.0;
constexpr double kGap = 1.0;  // of background around each cell

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

std::string as_text(const Rgb& color) {
  return fmt::format("#{:02x}{:02x}{:02x}", std::lround(color[0]), std::lround(color[1]),
                     std::lround(color[2]));
}

// White on the darker half, near-black on the lighter one.
const char* text_color_on(const Rgb& color) {
  const double luma = 0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2];
  return luma < 128.0 ? "#ffffff" : "#0a0a0a";
}

void check_map(const HeatMap& map) {
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

}  // namespace

std::string render_svg(const HeatMap& map) {
  check_map(map);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const auto& row : map.values) {
    for (const double value : row) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  double longest = 0.0, widest = 0.0;
  for (const std::string& name : map.x_names) longest = std::max(longest, Svg::text_width(name));
  for (const std::string& name : map.y_names) widest = std::max(widest, Svg::text_width(name));
  const bool turned = longest > kCellWidth - 4.0;
  const double left = 34.0 + widest, top = map.title.empty() ? 6.0 : 30.0;
  const auto columns = static_cast<double>(map.x_names.size());
  const double right = left + kCellWidth * columns;
  const double bottom = top + kCellHeight * static_cast<double>(map.y_names.size());
  // A narrow map still has room for its title.
  const double width = std::max(right + 8.0, Svg::text_width(map.title, 14.0) + 16.0);
  const double height = bottom + 40.0 + (turned ? 0.7 * longest : 0.0);
  Svg svg(width, height, map.title);
  svg.text(0.5 * width, 19.0, map.title, {.size = 14.0});
  svg.text(0.5 * (left + right), height - 5.0, map.x_label);
  svg.text(12.0, 0.5 * (top + bottom), map.y_label, {.turned = -90.0});
  const auto x_of = [&](std::size_t x) { return left + kCellWidth * static_cast<double>(x); };
  const auto y_of = [&](std::size_t y) { return top + kCellHeight * static_cast<double>(y); };
  for (std::size_t x = 0; x < map.x_names.size(); ++x) {
    svg.text(x_of(x) + 0.5 * kCellWidth, bottom + 16.0, map.x_names[x],
             turned ? Lettering{.anchor = "end", .turned = -35.0} : Lettering{});
  }
  for (std::size_t y = 0; y < map.y_names.size(); ++y) {
    svg.text(left - 7.0, y_of(y) + 0.5 * kCellHeight + 4.0, map.y_names[y], {.anchor = "end"});
    for (std::size_t x = 0; x < map.x_names.size(); ++x) {
      const double value = map.values[y][x];
      const double middle = x_of(x) + 0.5 * kCellWidth, base = y_of(y) + 0.5 * kCellHeight + 4.0;
      if (!std::isfinite(value)) {
        svg.text(middle, base, "–");
        continue;
      }
      const Rgb color = color_of(high > low ? (value - low) / (high - low) : 0.5);
      svg.rectangle(x_of(x) + kGap, y_of(y) + kGap, kCellWidth - 2.0 * kGap,
                    kCellHeight - 2.0 * kGap, as_text(color));
      svg.text(middle, base, fmt::format("{:.{}f}", value, map.decimals),
               {.color = text_color_on(color)});
    }
  }
  if (map.mark && map.mark->first < map.y_names.size() && map.mark->second < map.x_names.size()) {
    const double x = x_of(map.mark->second) + kGap, y = y_of(map.mark->first) + kGap;
    // Dark around light: visible on every cell and every background.
    for (const Stroke& stroke :
         {Stroke{.color = "#0a0a0a", .width = 5.0}, Stroke{.color = "#ffffff", .width = 2.2}}) {
      svg.frame(x, y, kCellWidth - 2.0 * kGap, kCellHeight - 2.0 * kGap, stroke);
    }
  }
  return svg.finish();
}

}  // namespace stkr::report
