#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "console.hpp"
#include "reproduction_names.hpp"

namespace stkr::app {
namespace {

std::string table_text(const ReproducedExhibit& exhibit, int seeds) {
  const bool shares = exhibit.exhibit == Exhibit::p_test_table;
  std::vector<std::vector<std::string>> rows{{"dataset", "setting", "method"}};
  if (shares) rows[0].push_back("p_test");
  for (const char* head : {"ours", "paper", "difference", "s/seed"}) rows[0].push_back(head);
  bool incomplete = false;
  for (const ReproducedCell& cell : exhibit.cells) incomplete |= cell.comparison.seeds < seeds;
  if (incomplete) rows[0].push_back("seeds");
  for (const ReproducedCell& cell : exhibit.cells) {
    const Comparison& comparison = cell.comparison;
    std::vector<std::string> row{std::string(cell.dataset->name), to_string(cell.cell.setting),
                                 row_label(cell.cell.method)};
    if (shares) row.push_back(fmt::format("{:g}", cell.cell.p_test));
    row.push_back(value_text(comparison.mean, comparison.std));
    row.push_back(comparison.paper ? value_text(comparison.paper->mean, comparison.paper->std)
                                   : "");
    row.push_back(difference_text(comparison));
    row.push_back(fmt::format("{:.2f}", cell.seconds));
    if (incomplete) row.push_back(fmt::format("{}", comparison.seeds));
    rows.push_back(row);
  }
  return format_table(rows);
}

// One line per data set and setting, with the parameter across.
std::string figure_text(const ReproducedExhibit& exhibit) {
  std::vector<std::vector<std::string>> rows{{"dataset", "setting"}};
  const std::vector<ExhibitCell> cells = cells_of(exhibit);
  for (const ExhibitCell& cell : cells) {
    if (cell.setting != cells.front().setting) continue;
    rows[0].push_back(fmt::format("{}={:.8g}", exhibit.exhibit == Exhibit::power_figure ? "p" : "η",
                                  *cell.parameter));
  }
  for (const PaperDataset* dataset : datasets_of(exhibit)) {
    for (const Setting setting : {Setting::transductive, Setting::inductive}) {
      std::vector<std::string> row{std::string(dataset->name), to_string(setting)};
      for (const ExhibitCell& cell : cells) {
        if (cell.setting != setting) continue;
        const ReproducedCell* found = find(exhibit, dataset, cell);
        row.push_back(found ? fmt::format("{:.2f}", found->comparison.mean) : "-");
      }
      rows.push_back(row);
    }
  }
  return format_table(rows);
}

// "  photo SP-poly (i), ..." over several lines if needed.
std::string indented(const std::vector<std::string>& names) {
  std::string text = "  ";
  std::size_t width = 2;
  for (const std::string& name : names) {
    if (width + name.size() > 90) {
      text += "\n  ";
      width = 2;
    }
    text += name + (&name == &names.back() ? "" : ", ");
    width += name.size() + 2;
  }
  return text + "\n";
}

std::string tally_text(const ReproducedExhibit& exhibit) {
  std::vector<std::string> above, below;
  int compared = 0, with_interval = 0, open = 0;
  bool added = false;
  double half_widths = 0.0;
  for (const ReproducedCell& cell : exhibit.cells) {
    const Comparison& comparison = cell.comparison;
    added |= is_added(cell.cell.method);
    if (is_added(cell.cell.method)) continue;
    compared += comparison.difference.has_value();
    if (!comparison.interval) continue;
    ++with_interval;
    if (comparison.above()) {
      above.push_back(name_of(cell));
    } else if (comparison.below()) {
      below.push_back(name_of(cell));
    } else {
      ++open;
      half_widths += 0.5 * (comparison.interval->high - comparison.interval->low);
    }
  }
  std::string reached;
  if (added) {
    reached =
        "SP-topd, reached: takes d in the part of the graph that labels reach; compared with the\n"
        "same row of the paper, and not included in the counts\n";
  }
  if (compared == 0) return reached;
  std::string text =
      "difference: our mean minus the paper's, with its 95% interval (Welch); ± is the sample\n"
      "standard deviation. s/seed: the whole grid of the family; SP-poly and KRR share theirs\n";
  text += reached;
  if (with_interval == 0) return text + "fewer than three seeds: no intervals\n";
  text += fmt::format("{} of {} intervals lie above 0", above.size(), with_interval);
  text += above.empty() ? "\n" : ":\n" + indented(above);
  text += fmt::format("{} of {} intervals lie below 0", below.size(), with_interval);
  text += below.empty() ? "\n" : ":\n" + indented(below);
  if (open > 0) {
    text += fmt::format(
        "{} contain 0, with a mean half-width of {:.1f}: smaller differences cannot be "
        "detected\n",
        open, half_widths / open);
  }
  return text;
}

}  // namespace

void print_reproduction(const ReproductionReport& reproduction) {
  for (const ReproducedExhibit& exhibit : reproduction.exhibits) {
    if (exhibit.cells.empty()) continue;
    fmt::print(
        "{}; {} seed{}, {}\n\n{}{}\n", title_of(exhibit.exhibit), reproduction.seeds,
        reproduction.seeds == 1 ? "" : "s",
        reproduction.solver == PaperSolver::exact ? "exact solves" : "iterations stopped early",
        is_figure(exhibit.exhibit) ? figure_text(exhibit) : table_text(exhibit, reproduction.seeds),
        is_figure(exhibit.exhibit) ? "" : tally_text(exhibit));
  }
  fmt::print("{} experiment{} in {}", reproduction.computed, reproduction.computed == 1 ? "" : "s",
             rough_duration(reproduction.seconds));
  if (reproduction.resumed > 0) {
    fmt::print(", {} read from {}", reproduction.resumed, reproduction.checkpoint);
  }
  fmt::print("\n");
}

}  // namespace stkr::app
