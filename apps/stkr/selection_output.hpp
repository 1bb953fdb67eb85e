#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "select_options.hpp"
#include "selection_report.hpp"

namespace stkr::app {

// Names the kernels that were tried by the options of fit, and the data after a single one.
// `kernels_given`: the user listed kernels.
void name_kernels(DatasetKind kind, bool kernels_given, SelectionReport& report);

// Draws the picture, says the warnings, and prints the report or the JSON document, with `data` and
// `notes`, and `engine` if it is given. Returns the exit code.
int report_selection(const SelectArguments& arguments, SelectionReport& report, bool converged,
                     const nlohmann::json& data, const std::vector<std::string>& notes,
                     const nlohmann::json* engine = nullptr);

}  // namespace stkr::app
