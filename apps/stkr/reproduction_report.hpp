#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "html_report.hpp"
#include "stkr/reproduction/comparison.hpp"
#include "stkr/reproduction/exhibit.hpp"

namespace stkr::app {

// One number of a table or figure for one data set.
struct ReproducedCell {
  const PaperDataset* dataset = nullptr;
  ExhibitCell cell;
  Comparison comparison;
  double seconds = 0.0;              // for one seed, on average: the whole grid of its family
  std::vector<GridScore> choices{};  // what validation chose, one for each seed
};

struct ReproducedExhibit {
  Exhibit exhibit = Exhibit::accuracy_table;
  std::vector<ReproducedCell> cells;  // data set by data set, each in the order of the exhibit
};

// A run, as it is shown.
struct Reproduction {
  std::vector<ReproducedExhibit> exhibits;
  PaperSolver solver = PaperSolver::exact;
  NoEvidence no_evidence = NoEvidence::first_class;
  int seeds = 0;
  int threads = 0;
  std::string command;  // that does it again
  std::string checkpoint;
  int computed = 0;  // experiments
  int resumed = 0;   // experiments whose results were in the checkpoint
  double seconds = 0.0;
  std::vector<std::string> missing;   // data sets that are not there, and where to get them
  std::vector<std::string> warnings;  // on stderr as they come up; again on the page
  std::vector<std::string> failures;
};

void print_reproduction(const Reproduction& reproduction);
nlohmann::json reproduction_json(const Reproduction& reproduction);

// What the figures among them are called, two for each: "p-transductive".
std::vector<std::string> figure_names(const std::vector<Exhibit>& exhibits);

// The figures as files of their own: the name and an <svg> element of each that has results. Needs
// gnuplot, like the page below where it has figures.
std::vector<std::pair<std::string, std::string>> reproduction_figures(
    const Reproduction& reproduction);
Report reproduction_page(const Reproduction& reproduction);

}  // namespace stkr::app
