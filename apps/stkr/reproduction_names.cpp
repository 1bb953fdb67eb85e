#include "reproduction_names.hpp"

#include <fmt/format.h>

namespace stkr::app {

const char* short_setting(Setting setting) { return setting == Setting::transductive ? "t" : "i"; }

std::string value_text(double mean, const std::optional<double>& std) {
  return std ? fmt::format("{:.2f} ± {:.2f}", mean, *std) : fmt::format("{:.2f}", mean);
}

bool is_added(PaperMethod method) { return method == PaperMethod::top_d_reached; }

std::string row_label(PaperMethod method) {
  return is_added(method) ? "SP-topd, reached" : to_string(method);
}

std::string difference_text(const Comparison& comparison) {
  if (!comparison.difference) return {};
  std::string text = fmt::format("{:+.1f}", *comparison.difference);
  if (const auto& interval = comparison.interval) {
    text += fmt::format(" [{:.1f}, {:.1f}]", interval->low, interval->high);
  }
  return text;
}

std::string title_of(Exhibit exhibit) {
  switch (exhibit) {
    case Exhibit::accuracy_table:
      return "Test accuracy (%), 1% of the nodes in the test set";
    case Exhibit::p_test_table:
      return "Test accuracy (%) by share of test nodes, inductive";
    case Exhibit::power_figure:
      return "Test accuracy (%) of s(λ) = λ^p by p";
    case Exhibit::eta_figure:
      return "Test accuracy (%) of the inverse Laplacian by η";
  }
  return {};
}

std::string name_of(const ReproducedCell& cell) {
  std::string name = fmt::format("{} {} ({})", cell.dataset->name, to_string(cell.cell.method),
                                 short_setting(cell.cell.setting));
  if (cell.cell.p_test != 0.01) name += fmt::format(" p_test {:g}", cell.cell.p_test);
  return name;
}

std::vector<const PaperDataset*> datasets_of(const ReproducedExhibit& exhibit) {
  std::vector<const PaperDataset*> datasets;
  for (const ReproducedCell& cell : exhibit.cells) {
    if (datasets.empty() || datasets.back() != cell.dataset) datasets.push_back(cell.dataset);
  }
  return datasets;
}

const ReproducedCell* find(const ReproducedExhibit& exhibit, const PaperDataset* dataset,
                           const ExhibitCell& wanted) {
  for (const ReproducedCell& cell : exhibit.cells) {
    if (cell.dataset == dataset && cell.cell.method == wanted.method &&
        cell.cell.setting == wanted.setting && cell.cell.p_test == wanted.p_test &&
        cell.cell.parameter == wanted.parameter) {
      return &cell;
    }
  }
  return nullptr;
}

std::vector<ExhibitCell> cells_of(const ReproducedExhibit& exhibit) {
  std::vector<ExhibitCell> cells;
  for (const ExhibitCell& cell : exhibit_cells(exhibit.exhibit)) {
    for (const PaperDataset* dataset : datasets_of(exhibit)) {
      if (find(exhibit, dataset, cell) == nullptr) continue;
      cells.push_back(cell);
      break;
    }
  }
  return cells;
}

}  // namespace stkr::app
