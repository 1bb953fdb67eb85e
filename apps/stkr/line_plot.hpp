#pragma once

#include <string>
#include <vector>

namespace stkr::app {

struct PlotSeries {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;      // NaN: a gap
  std::vector<double> error;  // half the length of the bars; none where empty
};

// Lines with a marker at each point. The colors differ for color-blind readers too and can be
// read on light and dark backgrounds; markers and dashes tell the series apart without them.
struct LinePlot {
  std::string title;
  std::string x_label;
  std::string y_label;
  bool log_x = false;
  std::vector<std::string> x_names;  // not empty: x counts these, from 0
  std::vector<PlotSeries> series;
};

// An <svg> element for a page, or a file of its own. Throws ValueError where there is nothing to
// plot, and WriteError where gnuplot fails.
std::string render_svg(const LinePlot& plot);

}  // namespace stkr::app
