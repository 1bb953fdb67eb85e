#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stkr/selection/select.hpp"

namespace stkr::app {

// A selection, as it is shown.
struct SelectionReport {
  std::string data;
  Grid grid;
  std::size_t ways = 1;  // of answering that every point of the grid was tried in
  std::vector<std::string> kernel_options;  // of fit, for each kernel; empty where nothing varies
  std::string validation;                   // "validation", "cross-validation", "leave-one-out"
  Labels truth;                             // and the samples of it that were validated on
  std::vector<Index> validated;
  std::uint64_t seed = 1;
  std::vector<std::pair<Setting, Selection>> selections;  // the first one's choice is the model
  double seconds = 0.0;                                   // for all of them
  std::string model;                                      // empty: none was written
  std::string plot;                                       // empty: none was drawn
};

bool several_kernels(const Selection& selection);

// What choosing the best of so many can be expected to score, where that can be told.
std::optional<double> expected_score(const SelectionReport& report, const Selection& selection);

// The ranked points, the best of each family, and the scores over parameter and ridge.
void print_selection(const SelectionReport& report, int top);

// Every grid point, in grid order.
nlohmann::json selection_json(const SelectionReport& report);

// An SVG of the scores over parameter and ridge (or steps) of the kernel and family of a point,
// first selection.
std::string heat_map(const SelectionReport& report, const GridPoint& point);

// "--kernel rbf --transform power --power 8 --beta 0.001"
std::string fit_options(const SelectionReport& report, const Selection& selection,
                        const GridScore& score);

}  // namespace stkr::app
