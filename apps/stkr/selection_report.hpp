#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stkr/selection/select.hpp"

namespace stkr::app {

// A selection, for display.
struct SelectionReport {
  std::string data;
  Grid grid;
  std::size_t ways = 1;                     // of predicting, tried for every grid point
  std::vector<std::string> kernel_options;  // of fit, per kernel; empty if nothing varies
  std::string validation;                   // "validation", "cross-validation", "leave-one-out"
  Labels truth;                             // with the validation samples below
  std::vector<Index> validated;
  std::uint64_t seed = 1;
  std::vector<std::pair<Setting, Selection>> selections;  // the first one's choice is the model
  double seconds = 0.0;                                   // for all of them
  std::string model;                                      // empty: none was written
  std::string plot;                                       // empty: none was drawn
};

bool several_kernels(const Selection& selection);

// The expected score of choosing the best of so many points; nullopt if it cannot be estimated.
std::optional<double> expected_score(const SelectionReport& report, const Selection& selection);

// The ranked points, the best of each family, and the scores over parameter and ridge.
void print_selection(const SelectionReport& report, int top);

// Every grid point, in grid order.
nlohmann::json selection_json(const SelectionReport& report);

// An SVG of the scores over parameter and ridge (or steps) for the kernel and family of a point, in
// the first selection.
std::string heat_map(const SelectionReport& report, const GridPoint& point);

// "--kernel rbf --transform power --power 8 --beta 0.001"
std::string fit_options(const SelectionReport& report, const Selection& selection,
                        const GridScore& score);

}  // namespace stkr::app
