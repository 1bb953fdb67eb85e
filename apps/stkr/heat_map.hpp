#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stkr::app {

// One colored cell with its number for each pair of a row and a column: a grid of
// hyper-parameters, say.
struct HeatMap {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<std::string> x_names;
  std::vector<std::string> y_names;                         // from top to bottom
  std::vector<std::vector<double>> values;                  // [y][x]; NaN: missing
  std::optional<std::pair<std::size_t, std::size_t>> mark;  // (y, x), the one that was chosen
  int decimals = 1;
};

// An <svg> element for a page, or a file of its own. Throws ValueError where the values do not fit
// the names or are all missing, and WriteError where gnuplot fails.
std::string render_svg(const HeatMap& map);

}  // namespace stkr::app
