#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/run_page.hpp"
#include "stkr/selection/select_model.hpp"

namespace CLI {
class App;
}

namespace stkr::app {

// A selection, for display.
struct SelectionReport {
  std::string data;
  std::string name;       // of the data set
  ModelSelection result;  // its first selection's choice is the model
  std::size_t ways = 1;   // of predicting, tried for every grid point
  std::vector<std::vector<std::string>>
      kernel_options;  // of fit, per kernel; empty if nothing varies
  std::uint64_t seed = 1;
  const CLI::App* command = nullptr;        // as it was given
  std::string model;                        // empty: none was written
  std::string plot;                         // empty: none was drawn
  std::string page;                         // empty: none was written
  std::optional<report::RunPage> fit_page;  // of the model, for the page
};

// The expected score of choosing the best of so many points; nullopt if it cannot be estimated.
std::optional<double> expected_score(const SelectionReport& report, const Selection& selection);

// The ranked points, the best of each family, and the scores over parameter and ridge.
void print_selection(const SelectionReport& report, int top);

// Every grid point, in grid order; or the `top` best, best first.
nlohmann::json selection_json(const SelectionReport& report, std::optional<int> top = {});

// An SVG of the scores over parameter and ridge (or steps) for the kernel and family of the choice.
std::string heat_map(const SelectionReport& report);

// --kernel rbf --transform power --power 8 --beta 0.001
std::vector<std::string> fit_words(const SelectionReport& report, const Selection& selection,
                                   const GridScore& score);
// "stkr fit digits --per-class 10 --kernel rbf ... -o model.npz"
std::string fit_command(const SelectionReport& report, const Selection& selection,
                        const GridScore& score);

}  // namespace stkr::app
