#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stkr/selection/select_model.hpp"

namespace stkr::app {

// A selection, for display.
struct SelectionReport {
  std::string data;
  ModelSelection result;                    // its first selection's choice is the model
  std::size_t ways = 1;                     // of predicting, tried for every grid point
  std::vector<std::string> kernel_options;  // of fit, per kernel; empty if nothing varies
  std::uint64_t seed = 1;
  std::string model;  // empty: none was written
  std::string plot;   // empty: none was drawn
};

// "validation", "cross-validation" or "leave-one-out"
std::string validation_name(const SelectionReport& report);

bool several_kernels(const Selection& selection);

// The expected score of choosing the best of so many points; nullopt if it cannot be estimated.
std::optional<double> expected_score(const SelectionReport& report, const Selection& selection);

// The ranked points, the best of each family, and the scores over parameter and ridge.
void print_selection(const SelectionReport& report, int top);

// Every grid point, in grid order.
nlohmann::json selection_json(const SelectionReport& report);

// An SVG of the scores over parameter and ridge (or steps) for the kernel and family of the choice.
std::string heat_map(const SelectionReport& report);

// "--kernel rbf --transform power --power 8 --beta 0.001"
std::string fit_options(const SelectionReport& report, const Selection& selection,
                        const GridScore& score);

}  // namespace stkr::app
