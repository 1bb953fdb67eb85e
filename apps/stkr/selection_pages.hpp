#pragma once

#include <optional>

#include "report/fit_page.hpp"
#include "select_options.hpp"
#include "selection_report.hpp"

namespace CLI {
class App;
}

namespace stkr::app {

// The fit of the choice, for the page. References must be valid during the call.
struct ChosenFit {
  const FittedModel& fitted;  // how it was fitted
  const Model& model;         // of all samples
  const std::optional<LabelReach>& reach;
  const Labels& labels;
  const Labels& truth;
  const SharedMatrix* features = nullptr;  // of the samples, for pictures
  std::optional<report::PictureShape> picture{};
};

// Adds to the page of a selection what it says about the model.
void add_fit_page(const ChosenFit& chosen, SelectionReport& report);

// Writes the page of --html.
void write_selection_page(const SelectArguments& arguments, const CLI::App& command,
                          SelectionReport& report);

}  // namespace stkr::app
