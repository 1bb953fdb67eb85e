#include "report/line_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "report/svg.hpp"
#include "stkr/error.hpp"

namespace stkr::report {
namespace {

constexpr double kWidth = 480.0;
constexpr double kPlotHeight = 230.0;
constexpr double kRow = 18.0;  // of the key
constexpr std::size_t kMostTicks = 12;

// After Okabe and Ito, "Color Universal Design" (2008), with the lighter colors darkened: each has
// a contrast of at least 3:1 with both white and near-black. Then other colors, dashed.
constexpr std::array<const char*, 9> kSeriesColors = {"#0072B2", "#D55E00", "#009E73",
                                                      "#C2609A", "#AD7A00", "#808080",
                                                      "#3C8FCB", "#C0392B", "#5E9C30"};
constexpr std::size_t kSolid = 6;

const char* series_color(std::size_t series) {
  return kSeriesColors[series % kSeriesColors.size()];
}

bool is_point(const LinePlot& plot, const PlotSeries& series, std::size_t i) {
  return std::isfinite(series.x[i]) && std::isfinite(series.y[i]) &&
         (!plot.log_x || series.x[i] > 0.0) && (!plot.log_y || series.y[i] > 0.0);
}

void check_series(const LinePlot& plot) {
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

struct Tick {
  double at;
  std::string name;
};

// Multiples of 1, 2 or 5 times a power of ten.
std::vector<Tick> round_ticks(double low, double high, int about) {
  const double rough = (high - low) / about;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double share = rough / power;
  const double step = power * (share < 1.5 ? 1.0 : share < 3.5 ? 2.0 : share < 7.5 ? 5.0 : 10.0);
  std::vector<Tick> ticks;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) {
    ticks.push_back({k * step, fmt::format("{:.6g}", k == 0.0 ? 0.0 : k * step)});
  }
  return ticks;
}

// An axis: its range in data units, and its ticks.
struct Axis {
  double low = 0.0, high = 1.0;
  bool logarithmic = false;
  std::vector<Tick> ticks{};

  double share(double value) const {
    if (logarithmic) return std::log(value / low) / std::log(high / low);
    return (value - low) / (high - low);
  }
};

// Whether ticks would have the same text, or fall together: rounding makes such ranges.
bool is_flat(double low, double high) {
  const double size = std::max(std::abs(low), std::abs(high));
  return high - low <= std::max(1e-6 * size, 1e-300);
}

Axis x_axis(const LinePlot& plot) {
  Axis axis;
  if (!plot.x_names.empty()) {
    axis.low = -0.4;
    axis.high = static_cast<double>(plot.x_names.size()) - 0.6;
    for (std::size_t i = 0; i < plot.x_names.size(); ++i) {
      axis.ticks.push_back({static_cast<double>(i), plot.x_names[i]});
    }
    return axis;
  }
  std::set<double> values;
  for (const PlotSeries& series : plot.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (is_point(plot, series, i)) values.insert(series.x[i]);
    }
  }
  // Room at both ends, so that the axes cut no marker.
  const double low = *values.begin(), high = *values.rbegin();
  axis.logarithmic = plot.log_x;
  if (plot.log_x) {
    const double room = std::pow(std::max(high / low, 10.0), 0.04);
    axis.low = low / room;
    axis.high = high * room;
  } else if (plot.from_zero) {
    axis.high = is_flat(0.0, high) ? 1.0 : high;
  } else {
    const double room =
        is_flat(low, high) ? std::max(0.05 * std::abs(high), 0.5) : 0.04 * (high - low);
    axis.low = low - room;
    axis.high = high + room;
  }
  if (values.size() <= kMostTicks) {
    for (const double value : values) axis.ticks.push_back({value, fmt::format("{:g}", value)});
  } else if (plot.log_x) {
    for (double k = std::ceil(std::log10(axis.low)); k <= std::log10(axis.high); ++k) {
      const bool plain = std::abs(k) <= 4.0;  // -0 is 0
      axis.ticks.push_back({std::pow(10.0, k), plain ? fmt::format("{:g}", std::pow(10.0, k))
                                                     : fmt::format("1e{:g}", k)});
    }
  } else {
    axis.ticks = round_ticks(axis.low, axis.high, 7);
  }
  return axis;
}

// From the values alone: an error bar may reach below 0.
Axis log_y_axis(const LinePlot& plot) {
  double low = std::numeric_limits<double>::infinity(), high = 0.0;
  for (const PlotSeries& series : plot.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!is_point(plot, series, i)) continue;
      low = std::min(low, series.y[i]);
      high = std::max(high, series.y[i]);
    }
  }
  const double room = std::pow(std::max(high / low, 10.0), 0.05);
  Axis axis{.low = low / room, .high = high * room, .logarithmic = true};
  const double decades = std::log10(axis.high / axis.low);
  const double step = std::max(1.0, std::ceil(decades / 8.0));
  for (double k = std::floor(std::log10(axis.low)); k <= std::log10(axis.high); k += step) {
    for (const double leading : {1.0, 2.0, 5.0}) {
      const double at = leading * std::pow(10.0, k);
      if ((leading > 1.0 && decades > 2.0) || at < axis.low || at > axis.high) continue;
      axis.ticks.push_back({at, fmt::format("{:g}", at)});
    }
  }
  return axis;
}

Axis y_axis(const LinePlot& plot) {
  if (plot.log_y) return log_y_axis(plot);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const PlotSeries& series : plot.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!is_point(plot, series, i)) continue;
      const double half =
          series.error.empty() || !std::isfinite(series.error[i]) ? 0.0 : series.error[i];
      low = std::min(low, series.y[i] - half);
      high = std::max(high, series.y[i] + half);
    }
  }
  if (plot.from_zero) low = 0.0;
  const double size = std::max(std::abs(low), std::abs(high));
  const double room = is_flat(low, high) ? std::max(0.05 * size, 0.5) : 0.05 * (high - low);
  Axis axis{.low = plot.from_zero ? 0.0 : low - room, .high = high + room};
  axis.ticks = round_ticks(axis.low, axis.high, 6);
  return axis;
}

// Where the axes are in the picture, and what is drawn in it.
class Drawing {
 public:
  explicit Drawing(const LinePlot& plot) : plot_(plot), x_(x_axis(plot)), y_(y_axis(plot)) {
    place_key();
    double widest = 0.0, longest = 0.0, all = 0.0;
    for (const Tick& tick : y_.ticks) widest = std::max(widest, Svg::text_width(tick.name));
    for (const Tick& tick : x_.ticks) {
      longest = std::max(longest, Svg::text_width(tick.name));
      all += Svg::text_width(tick.name) + 10.0;
    }
    left_ = 30.0 + widest;
    right_ = kWidth - 12.0;
    turned_ = all > right_ - left_;
    top_ = (plot.title.empty() ? 8.0 : 28.0) + kRow * key_rows_;
    bottom_ = top_ + kPlotHeight;
    height_ = bottom_ + 40.0 + (turned_ ? 0.7 * longest : 0.0);
  }

  std::string draw() {
    Svg svg(kWidth, height_, plot_.title);
    svg.text(0.5 * (left_ + right_), 18.0, plot_.title, {.size = 14.0});
    for (const Tick& tick : y_.ticks) {
      svg.line(left_, y(tick.at), right_, y(tick.at), {.opacity = 0.18});
      svg.text(left_ - 7.0, y(tick.at) + 4.0, tick.name, {.anchor = "end"});
    }
    svg.line(left_, top_, left_, bottom_, {.opacity = 0.7});
    svg.line(left_, bottom_, right_, bottom_, {.opacity = 0.7});
    for (const Tick& tick : x_.ticks) {
      svg.line(x(tick.at), bottom_, x(tick.at), bottom_ + 4.0, {.opacity = 0.7});
      svg.text(x(tick.at), bottom_ + 17.0, tick.name,
               turned_ ? Lettering{.anchor = "end", .turned = -35.0} : Lettering{});
    }
    svg.text(0.5 * (left_ + right_), height_ - 5.0, plot_.x_label);
    svg.text(12.0, 0.5 * (top_ + bottom_), plot_.y_label, {.turned = -90.0});
    for (std::size_t k = 0; k < plot_.series.size(); ++k) draw_bars(k, svg);
    for (std::size_t k = 0; k < plot_.series.size(); ++k) draw_series(k, svg);
    draw_key(svg);
    return svg.finish();
  }

 private:
  double x(double value) const { return left_ + x_.share(value) * (right_ - left_); }
  double y(double value) const { return bottom_ - y_.share(value) * (bottom_ - top_); }

  // The key is above the axes; each entry gets its place.
  void place_key() {
    if (plot_.series.size() < 2) return;
    double at = 0.0;
    int row = 0;
    for (const PlotSeries& series : plot_.series) {
      const double width = 48.0 + Svg::text_width(series.name);
      if (at > 0.0 && (plot_.key_in_rows || at + width > kWidth - 40.0)) {
        at = 0.0;
        ++row;
      }
      key_.emplace_back(at, row);
      at += width;
    }
    key_rows_ = row + 1;
  }

  Stroke stroke_of(std::size_t k) const {
    const bool dashed = plot_.series[k].dashed || k % kSeriesColors.size() >= kSolid;
    return {.color = series_color(k), .width = 2.0, .dashed = dashed};
  }

  void draw_key(Svg& svg) const {
    const double first = top_ - kRow * key_rows_ + 4.0;
    for (std::size_t k = 0; k < key_.size(); ++k) {
      const double from = left_ + key_[k].first, at = first + kRow * key_[k].second;
      if (plot_.series[k].line) svg.line(from, at, from + 26.0, at, stroke_of(k));
      if (plot_.series[k].markers) {
        svg.marker(from + 13.0, at, static_cast<int>(k), series_color(k));
      }
      svg.text(from + 32.0, at + 4.0, plot_.series[k].name, {.anchor = "start"});
    }
  }

  void draw_bars(std::size_t k, Svg& svg) const {
    const PlotSeries& series = plot_.series[k];
    for (std::size_t i = 0; i < series.error.size(); ++i) {
      if (!is_point(plot_, series, i) || !std::isfinite(series.error[i])) continue;
      const auto end = [&](double value) { return plot_.log_y ? std::max(value, y_.low) : value; };
      svg.line(x(series.x[i]), y(end(series.y[i] - series.error[i])), x(series.x[i]),
               y(end(series.y[i] + series.error[i])),
               {.color = series_color(k), .width = 1.2, .opacity = 0.5});
    }
  }

  void draw_series(std::size_t k, Svg& svg) const {
    const PlotSeries& series = plot_.series[k];
    std::vector<std::pair<double, double>> piece;
    for (std::size_t i = 0; i <= series.x.size(); ++i) {
      if (i < series.x.size() && is_point(plot_, series, i)) {
        piece.emplace_back(x(series.x[i]), y(series.y[i]));
        continue;
      }
      if (series.line) svg.path(piece, stroke_of(k));
      for (const auto& [at_x, at_y] : piece) {
        if (series.markers) svg.marker(at_x, at_y, static_cast<int>(k), series_color(k));
      }
      piece.clear();
    }
  }

  const LinePlot& plot_;
  Axis x_, y_;
  std::vector<std::pair<double, int>> key_;  // offset and row of each entry
  int key_rows_ = 0;
  bool turned_ = false;  // the names under the axis
  double left_ = 0.0, right_ = 0.0, top_ = 0.0, bottom_ = 0.0, height_ = 0.0;
};

}  // namespace

std::string render_svg(const LinePlot& plot) {
  check_series(plot);
  return Drawing(plot).draw();
}

}  // namespace stkr::report
