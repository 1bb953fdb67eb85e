#pragma once

#include <string>
#include <vector>

namespace stkr::app {

struct PlotSeries {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;      // NaN: a gap
  std::vector<double> error;  // half the length of the error bars; empty: none
};

// Lines with a marker at each point. The colors are distinguishable for color-blind readers and on
// light and dark backgrounds; markers and dashes distinguish the series without color.
struct LinePlot {
  std::string title;
  std::string x_label;
  std::string y_label;
  bool log_x = false;
  std::vector<std::string> x_names;  // not empty: x is an index into these
  std::vector<PlotSeries> series;
};

// Returns an <svg> element for a page or a file. Throws ValueError if there is nothing to plot, and
// WriteError if gnuplot fails.
std::string render_svg(const LinePlot& plot);

}  // namespace stkr::app
