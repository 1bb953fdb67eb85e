#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/html_report.hpp"
#include "reproduction/reproduce.hpp"

namespace stkr::app {

// A run of the library's `reproduce`, with what its reports show about the run.
struct ReproductionReport : Reproduction {
  PaperSolver solver = PaperSolver::exact;
  NoEvidence no_evidence = NoEvidence::first_class;
  int seeds = 0;
  int threads = 0;
  std::string command{};  // that repeats the run
  std::string checkpoint{};
  std::vector<std::string> missing{};  // missing data sets, and where to get them
};

void print_reproduction(const ReproductionReport& reproduction);
nlohmann::json reproduction_json(const ReproductionReport& reproduction);

// The names of the figures among them, two per entry: "p-transductive".
std::vector<std::string> figure_names(const std::vector<Exhibit>& exhibits);

// The figures as separate files: the name and an <svg> element of each that has results.
std::vector<std::pair<std::string, std::string>> reproduction_figures(
    const ReproductionReport& reproduction);
report::Report reproduction_page(const ReproductionReport& reproduction);

}  // namespace stkr::app
