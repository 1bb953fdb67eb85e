#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stkr::report {

// One colored cell with its number per pair of row and column, e.g. a grid of hyperparameters.
struct HeatMap {
  std::string title{};
  std::string x_label{};
  std::string y_label{};
  std::vector<std::string> x_names{};
  std::vector<std::string> y_names{};                         // from top to bottom
  std::vector<std::vector<double>> values{};                  // [y][x]; NaN: missing
  std::optional<std::pair<std::size_t, std::size_t>> mark{};  // (y, x) of the chosen cell
  int decimals = 1;
};

// Returns an <svg> element for a page or a file. Throws ValueError if the values do not match the
// names or are all missing.
std::string render_svg(const HeatMap& map);

}  // namespace stkr::report
