#pragma once

#include <string>
#include <vector>

namespace stkr::report {

struct PlotSeries {
  std::string name{};
  std::vector<double> x{};
  std::vector<double> y{};      // NaN: a gap
  std::vector<double> error{};  // half the length of the error bars; empty: none
  bool line = true;
  bool markers = true;
  bool dashed = false;
};

// Lines with a marker at each point. The colors are distinguishable for color-blind readers and on
// light and dark backgrounds; markers and dashes distinguish the series without color.
struct LinePlot {
  std::string title{};
  std::string x_label{};
  std::string y_label{};
  bool log_x = false;
  bool log_y = false;                  // values that are not above 0 are gaps
  bool from_zero = false;              // both axes begin at 0
  bool key_in_rows = false;            // one row per series, for long names
  std::vector<std::string> x_names{};  // not empty: x is an index into these
  std::vector<PlotSeries> series{};
};

// Returns an <svg> element for a page or a file. Throws ValueError if there is nothing to plot.
std::string render_svg(const LinePlot& plot);

}  // namespace stkr::report
