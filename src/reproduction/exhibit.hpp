#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "reproduction/experiment.hpp"

namespace stkr {

// The tables and figures of the paper's experiments, by label:
enum class Exhibit {
  accuracy_table,  // table: experiment test acc
  p_test_table,    // table: inductive inv s
  power_figure,    // fig:ablation p
  eta_figure,      // fig:ablation eta
};
inline constexpr Exhibit kExhibits[] = {Exhibit::accuracy_table, Exhibit::p_test_table,
                                        Exhibit::power_figure, Exhibit::eta_figure};
const char* to_string(Exhibit exhibit);  // "table accuracy", "table p-test", "figure p", ...
// Throws ValueError, with the available names, for any other name.
Exhibit exhibit_named(std::string_view name);
bool is_figure(Exhibit exhibit);

// One value of a table or figure, for any data set: a mean over seeds.
struct ExhibitCell {
  PaperMethod method = PaperMethod::laplacian;
  Setting setting = Setting::transductive;
  double p_test = 0.01;
  std::optional<double> parameter{};  // figures: p or η, fixed while β is selected
};

// The cells in the order of the paper.
std::vector<ExhibitCell> exhibit_cells(Exhibit exhibit);

// The experiment to run for a cell. Cells that differ only in the choice from its result share it.
Experiment experiment_for(const ExhibitCell& cell, std::uint64_t seed);

// The choice that the cell reports: the best validation score among its parameters; nullopt if
// there is none.
std::optional<GridScore> choice_for(const ExhibitCell& cell, const ExperimentResult& result);

// The paper's value. Figures are printed without values, so their cells have one only if a table
// contains it. The row that stkr adds is compared with the paper's row of the same method.
std::optional<PaperValue> paper_value(std::string_view dataset, Exhibit exhibit,
                                      const ExhibitCell& cell);

}  // namespace stkr
