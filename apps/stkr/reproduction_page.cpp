#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Core>
#include <algorithm>
#include <ctime>
#include <map>

#include "console.hpp"
#include "report/line_plot.hpp"
#include "reproduction/richardson_grid.hpp"
#include "reproduction_names.hpp"
#include "stkr/version.hpp"

namespace stkr::app {

using namespace report;

namespace {

// Equal means share a rank; a mean over fewer seeds than the others is not ranked.
void rank(std::vector<ReportCell*> cells) {
  int seeds = 0;
  for (const ReportCell* cell : cells) seeds = std::max(seeds, cell->seeds);
  std::erase_if(cells, [&](const ReportCell* cell) { return cell->seeds < seeds; });
  std::vector<double> means;
  for (const ReportCell* cell : cells) {
    if (cell->mean) means.push_back(*cell->mean);
  }
  std::sort(means.begin(), means.end(), std::greater<>());
  means.erase(std::unique(means.begin(), means.end()), means.end());
  for (ReportCell* cell : cells) {
    if (!cell->mean) continue;
    const auto place = std::find(means.begin(), means.end(), *cell->mean) - means.begin();
    if (place < 2) cell->rank = static_cast<int>(place) + 1;
  }
}

ReportCell page_cell(const ReproducedCell* cell, const std::optional<PaperValue>& paper) {
  ReportCell result;
  if (paper) {
    result.paper_mean = paper->mean;
    result.paper_std = paper->std;
  }
  if (!cell) return result;
  result.mean = cell->comparison.mean;
  result.std = cell->comparison.std;
  result.difference = cell->comparison.difference;
  if (const auto& interval = cell->comparison.interval) {
    result.low = interval->low;
    result.high = interval->high;
  }
  result.seeds = cell->comparison.seeds;
  return result;
}

ReportTable page_table(const ReproducedExhibit& exhibit) {
  const bool shares = exhibit.exhibit == Exhibit::p_test_table;
  ReportTable table;
  table.title = title_of(exhibit.exhibit);
  table.caption = shares ? "The paper's table of inductive accuracies by the share of test nodes."
                         : "The paper's table of test accuracies.";
  table.row_head = shares ? "Test nodes" : "Method";
  if (shares) table.ranked = "of the methods for this share of test nodes";
  const std::vector<const PaperDataset*> datasets = datasets_of(exhibit);
  for (const PaperDataset* dataset : datasets) {
    table.column_heads.emplace_back(dataset->title);
  }
  const std::vector<ExhibitCell> cells = cells_of(exhibit);
  for (const ExhibitCell& cell : cells) {
    ReportRow row;
    row.counted = !is_added(cell.method);
    row.group = shares                                  ? row_label(cell.method)
                : cell.setting == Setting::transductive ? "Transductive"
                                                        : "Inductive";
    row.label = shares ? fmt::format("{:g}%", 100.0 * cell.p_test) : row_label(cell.method);
    for (const PaperDataset* dataset : datasets) {
      row.cells.push_back(page_cell(find(exhibit, dataset, cell),
                                    paper_value(dataset->name, exhibit.exhibit, cell)));
    }
    table.rows.push_back(std::move(row));
  }
  for (std::size_t column = 0; column < datasets.size(); ++column) {
    std::map<double, std::vector<ReportCell*>> rivals;  // by share of test nodes
    for (std::size_t k = 0; k < cells.size(); ++k) {
      rivals[cells[k].p_test].push_back(&table.rows[k].cells[column]);
    }
    for (const auto& [share, group] : rivals) {
      if (group.size() > 2) rank(group);
    }
  }
  return table;
}

ReportFigure page_figure(const ReproducedExhibit& exhibit, Setting setting) {
  const bool powers = exhibit.exhibit == Exhibit::power_figure;
  const std::vector<const PaperDataset*> datasets = datasets_of(exhibit);
  LinePlot plot;
  plot.x_label = powers ? "power p" : "η";
  plot.y_label = "test accuracy (%)";
  std::vector<ExhibitCell> cells;
  for (const ExhibitCell& cell : cells_of(exhibit)) {
    if (cell.setting == setting) cells.push_back(cell);
  }
  // η accumulates near 1: its values are drawn at equal distances.
  for (const ExhibitCell& cell : cells) {
    plot.x_names.push_back(fmt::format("{:.8g}", *cell.parameter));
  }
  for (const PaperDataset* dataset : datasets) {
    PlotSeries series;
    series.name = dataset->title;
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const ReproducedCell* found = find(exhibit, dataset, cells[k]);
      if (!found) continue;
      series.x.push_back(static_cast<double>(k));
      series.y.push_back(found->comparison.mean);
    }
    if (!series.x.empty()) plot.series.push_back(std::move(series));
  }
  ReportFigure figure;
  // With one data set there is no key to name it.
  figure.title = fmt::format(
      "{}{}, {}", datasets.size() == 1 ? std::string(datasets.front()->title) + ": " : "",
      title_of(exhibit.exhibit), to_string(setting));
  if (datasets.size() == 1) plot.title = figure.title;
  figure.caption = powers
                       ? "The paper's figure over p: the ridge is chosen per p on the validation "
                         "set. p = 1 is kernel ridge regression with the base kernel."
                       : "The paper's figure over η: the ridge is chosen per η on the validation "
                         "set.";
  figure.svg = render_svg(plot);
  return figure;
}

// SP-poly runs in the tables: all, and those that used the maximum number of steps.
struct StepTally {
  int runs = 0;
  int last = 0;
};
StepTally polynomial_steps(const ReproductionReport& reproduction) {
  StepTally tally;
  for (const ReproducedExhibit& exhibit : reproduction.exhibits) {
    for (const ReproducedCell& cell : exhibit.cells) {
      if (is_figure(exhibit.exhibit) || cell.cell.method != PaperMethod::polynomial) continue;
      for (const GridScore& choice : cell.choices) {
        ++tally.runs;
        tally.last += choice.point.iterations == kPaperSteps.back();
      }
    }
  }
  return tally;
}

std::vector<std::string> page_notes(const ReproductionReport& reproduction) {
  const StepTally steps = polynomial_steps(reproduction);
  std::vector<std::string> notes{
      "Each mean is over random splits with the paper's sizes; the paper's own splits are not "
      "published. Below each pair of means is our mean minus the paper's with its 95% interval "
      "(Welch's, from the standard error √(s²/seeds + s²(paper)/10)). An interval that contains 0 "
      "does not show that the two agree, only that this many seeds cannot distinguish them. "
      "Standard deviations are sample standard deviations, with a divisor of one less than the "
      "number of seeds; so are the paper's."};
  notes.push_back(
      reproduction.no_evidence == NoEvidence::first_class
          ? "Nodes without evidence (f = 0) are predicted as the first class, the argmax over "
            "zeros, as in the paper's tables (--no-evidence first-class). It matters for KRR, "
            "which reaches only neighbors of labeled nodes. Everywhere else stkr flags samples "
            "without evidence and predicts the most frequent class."
          : "Nodes without evidence (f = 0) are predicted as the most frequent class "
            "(--no-evidence prior). The paper's tables use the argmax over zeros, the first class: "
            "expect higher KRR rows than the paper's.");
  notes.push_back(
      reproduction.solver == PaperSolver::exact
          ? "Every ridge system is solved exactly. The paper iterates: its grid has T = 1, 2, 4, "
            "8, 16 or 32 steps of Richardson's iteration (Algorithms 1 and 2). On these graphs the "
            "largest eigenvalue of a system is about n and its smallest about nβ: a condition "
            "number of 1/β. So 32 steps act like a ridge of about 1/32, however small β is, while "
            "exact solves use smaller ridges if validation prefers them. This explains SP-poly "
            "rows above the paper's; --solver richardson stops early as the paper does, and "
            "reproduces its rows."
          : fmt::format(
                "SP-Lap, SP-poly and KRR are the paper's iterations (Algorithms 1 and 2), stopped "
                "after T = 1, 2, 4, 8, 16 or 32 steps. T is chosen on the validation set like the "
                "other parameters; the step size is 1 over the largest eigenvalue of each system, "
                "because the paper does not give its own. Validation chose the last T in {} of {} "
                "runs of SP-poly: there the iteration ends before it converges, and exact solves "
                "(the default) fit better.",
                steps.last, steps.runs));
  notes.push_back(
      "SP-topd is the paper's definition: the d largest eigenvalues over all unlabeled nodes. Each "
      "connected component has its own largest eigenvalue, even if it has no label; with more such "
      "components than d, nothing is left for the others. “SP-topd, reached” uses the d largest in "
      "the part of the graph that labels reach. It is compared with the same numbers of the paper "
      "and is not included in the counts above the table.");
  notes.push_back(
      "Seconds are for the whole grid of a family and one seed; SP-poly and KRR share a grid.");
  notes.insert(notes.end(), reproduction.missing.begin(), reproduction.missing.end());
  notes.insert(notes.end(), reproduction.warnings.begin(), reproduction.warnings.end());
  return notes;
}

// "LP (t) 0.02, SP-Lap (t) 0.41, ..." for each data set of a table.
void add_times(const ReproducedExhibit& exhibit,
               std::vector<std::pair<std::string, std::string>>& facts) {
  for (const PaperDataset* dataset : datasets_of(exhibit)) {
    std::vector<std::string> parts;
    for (const ReproducedCell& cell : exhibit.cells) {
      if (cell.dataset != dataset) continue;
      parts.push_back(fmt::format("{} ({}) {:.2f}", to_string(cell.cell.method),
                                  short_setting(cell.cell.setting), cell.seconds));
    }
    facts.emplace_back(fmt::format("Seconds per seed, {}", dataset->title),
                       fmt::format("{}", fmt::join(parts, ", ")));
  }
}

std::string figure_name(Exhibit exhibit, Setting setting) {
  return fmt::format("{}-{}", exhibit == Exhibit::power_figure ? "p" : "eta", to_string(setting));
}

}  // namespace

std::vector<std::string> figure_names(const std::vector<Exhibit>& exhibits) {
  std::vector<std::string> names;
  for (const Exhibit exhibit : exhibits) {
    if (!is_figure(exhibit)) continue;
    for (const Setting setting : {Setting::transductive, Setting::inductive}) {
      names.push_back(figure_name(exhibit, setting));
    }
  }
  return names;
}

std::vector<std::pair<std::string, std::string>> reproduction_figures(
    const ReproductionReport& reproduction) {
  std::vector<std::pair<std::string, std::string>> figures;
  for (const ReproducedExhibit& exhibit : reproduction.exhibits) {
    if (!is_figure(exhibit.exhibit) || exhibit.cells.empty()) continue;
    for (const Setting setting : {Setting::transductive, Setting::inductive}) {
      figures.emplace_back(figure_name(exhibit.exhibit, setting),
                           page_figure(exhibit, setting).svg);
    }
  }
  return figures;
}

Report reproduction_page(const ReproductionReport& reproduction) {
  Report report;
  report.title = "Spectrally transformed kernel regression: the paper's experiments, reproduced";
  report.intro.push_back(fmt::format(
      "Node classification with few labels, over {} random split{} per graph. {} Each of our "
      "numbers is shown with the paper's.",
      reproduction.seeds, reproduction.seeds == 1 ? "" : "s",
      reproduction.solver == PaperSolver::exact
          ? "All systems are solved exactly."
          : "Systems are iterated as in the paper and stopped early."));
  for (const ReproducedExhibit& exhibit : reproduction.exhibits) {
    if (exhibit.cells.empty()) continue;
    if (is_figure(exhibit.exhibit)) {
      for (const Setting setting : {Setting::transductive, Setting::inductive}) {
        report.figures.push_back(page_figure(exhibit, setting));
      }
    } else {
      report.tables.push_back(page_table(exhibit));
    }
  }
  report.facts = {
      {"Versions",
       fmt::format("stkr {}, Eigen {}.{}.{}, compiler {}", kVersion, EIGEN_WORLD_VERSION,
                   EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION, __VERSION__)},
      {"Command", reproduction.command},
      {"Seeds", reproduction.seeds == 1 ? "0" : fmt::format("0 to {}", reproduction.seeds - 1)},
      {"Solver", to_string(reproduction.solver)},
      {"No evidence", to_string(reproduction.no_evidence)},
      {"Threads", fmt::format("{}", reproduction.threads)},
      {"Experiments", fmt::format("{} in {}, {} from an earlier run", reproduction.computed,
                                  rough_duration(reproduction.seconds), reproduction.resumed)},
      {"Date", fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr)))}};
  for (const ReproducedExhibit& exhibit : reproduction.exhibits) {
    if (exhibit.exhibit == Exhibit::accuracy_table) add_times(exhibit, report.facts);
  }
  report.notes = page_notes(reproduction);
  report.failures = reproduction.failures;
  return report;
}

}  // namespace stkr::app
