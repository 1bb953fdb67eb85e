#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "html_report.hpp"
#include "reproduction/comparison.hpp"
#include "reproduction/exhibit.hpp"

namespace stkr::app {

// One number of a table or figure for one data set.
struct ReproducedCell {
  const PaperDataset* dataset = nullptr;
  ExhibitCell cell;
  Comparison comparison;
  double seconds = 0.0;              // mean per seed, for the whole grid of the family
  std::vector<GridScore> choices{};  // chosen by validation, one per seed
};

struct ReproducedExhibit {
  Exhibit exhibit = Exhibit::accuracy_table;
  std::vector<ReproducedCell> cells;  // by data set, each in the order of the table or figure
};

// The results of a run, for display.
struct Reproduction {
  std::vector<ReproducedExhibit> exhibits;
  PaperSolver solver = PaperSolver::exact;
  NoEvidence no_evidence = NoEvidence::first_class;
  int seeds = 0;
  int threads = 0;
  std::string command;  // that repeats the run
  std::string checkpoint;
  int computed = 0;  // experiments
  int resumed = 0;   // experiments read from the checkpoint
  double seconds = 0.0;
  std::vector<std::string> missing;   // missing data sets, and where to get them
  std::vector<std::string> warnings;  // written to stderr as they occur, and to the page
  std::vector<std::string> failures;
};

void print_reproduction(const Reproduction& reproduction);
nlohmann::json reproduction_json(const Reproduction& reproduction);

// The names of the figures among them, two per entry: "p-transductive".
std::vector<std::string> figure_names(const std::vector<Exhibit>& exhibits);

// The figures as separate files: the name and an <svg> element of each that has results. Needs
// gnuplot, as does the page below if it has figures.
std::vector<std::pair<std::string, std::string>> reproduction_figures(
    const Reproduction& reproduction);
Report reproduction_page(const Reproduction& reproduction);

}  // namespace stkr::app
