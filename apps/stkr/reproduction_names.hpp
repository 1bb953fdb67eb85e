#pragma once

#include "reproduction_report.hpp"

namespace stkr::app {

// The names and values of cells as text, the same in the terminal, the page and the document.

const char* short_setting(Setting setting);  // "t" or "i"

std::string value_text(double mean, const std::optional<double>& std);  // "70.1 ± 0.3"
std::string row_label(PaperMethod method);
std::string difference_text(const Comparison& comparison);  // "-3.2 [-6.1, -0.3]"
std::string title_of(Exhibit exhibit);
std::string name_of(const ReproducedCell& cell);  // "photo SP-poly (i)"

// Compared with the paper's SP-topd like the previous row, so that counts include only one of them.
bool is_added(PaperMethod method);

std::vector<const PaperDataset*> datasets_of(const ReproducedExhibit& exhibit);

// The cell of a data set; null if there is none.
const ReproducedCell* find(const ReproducedExhibit& exhibit, const PaperDataset* dataset,
                           const ExhibitCell& wanted);

// The cells of a table or figure for which any data set has a result.
std::vector<ExhibitCell> cells_of(const ReproducedExhibit& exhibit);

}  // namespace stkr::app
