#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "stkr/selection/select.hpp"

namespace stkr::app {

// A selection, as it is shown.
struct SelectionReport {
  std::string data;
  Grid grid;
  std::size_t ways = 1;    // of answering that every point of the grid was tried in
  std::string validation;  // "validation", "cross-validation", "leave-one-out"
  std::vector<std::pair<Setting, Selection>> selections;  // the first one's choice is the model
  double seconds = 0.0;                                   // for all of them
  std::string model;                                      // empty: none was written
  std::string recipe;                                     // options of fit that give it
  std::string plot;                                       // empty: none was drawn
};

// The ranked points, the best of each family, and the scores over parameter and ridge.
void print_selection(const SelectionReport& report, int top);

// Every grid point, in grid order.
nlohmann::json selection_json(const SelectionReport& report);

// An SVG of the scores over parameter and ridge (or steps) of one family, first selection.
std::string heat_map(const SelectionReport& report, Family family);

// "--transform power --power 8 --beta 0.001"
std::string fit_options(const GridPoint& point, const Grid& grid, double largest_eigenvalue);

}  // namespace stkr::app
