#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reproduction/paper_results.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/selection/select.hpp"

namespace stkr {

enum class PaperSolver {
  exact,       // every ridge system solved to rounding
  richardson,  // the paper's Algorithms 1 and 2, stopped after T steps; T is part of the grid
};
const char* to_string(PaperSolver solver);      // "exact", "richardson"
const char* to_string(NoEvidence no_evidence);  // "first-class", "prior"

// One family of the paper's grid on one random split of a graph, as in its appendix "Experiments":
// the smallest unit of work whose result is stored.
struct Experiment {
  double p_test = 0.01;
  std::uint64_t seed = 0;
  Setting setting = Setting::transductive;
  Family family = Family::power;
  std::vector<double> parameters;  // of the family; β and T cover the paper's grid
  PaperSolver solver = PaperSolver::exact;
  NoEvidence no_evidence = NoEvidence::first_class;
  // Kernel PCA only: d counts eigenvalues of the part of the graph connected to labels, not of all
  // unlabeled nodes as in the paper.
  bool reached = false;

  bool operator==(const Experiment&) const = default;
};

// A text that identifies all fields: equal keys give equal results.
std::string experiment_key(const Experiment& experiment);

struct ExperimentResult {
  // For each parameter, the β and T with the best validation score; ties are broken by grid order.
  // An infeasible parameter (d larger than the number of eigenvalues) is omitted.
  std::vector<GridScore> choices;
  double seconds = 0.0;  // for the whole family
  std::vector<std::string> warnings;
};

// Converts a result to one line of JSON and back. Throws ValueError if the text is not a result.
std::string experiment_json(const ExperimentResult& result);
ExperimentResult experiment_from_json(const std::string& text);

// `sizes` gives the sizes of the labeled sets; the graph may have another number of nodes. The
// kernel is the paper's: the normalized adjacency without self-loops. Throws ValueError if the
// split does not fit the graph or leaves no test samples, and Cancelled if cancellation is
// requested.
ExperimentResult run_experiment(const Dataset& dataset, const PaperDataset& sizes,
                                const Experiment& experiment, const Context& context = {});

// Returns whether two experiments differ only in their families, so that they can run together.
bool share_a_split(const Experiment& a, const Experiment& b);

// The experiments in groups that can run together, each group where its first member stood.
std::vector<std::vector<Experiment>> groups_by_split(const std::vector<Experiment>& experiments);

// Runs experiments that share a split and returns the results in the same order. This costs less
// than separate runs: families share intermediate results (the inverse Laplacian uses kernel PCA's
// eigenvectors).
std::vector<ExperimentResult> run_experiments(const Dataset& dataset, const PaperDataset& sizes,
                                              const std::vector<Experiment>& experiments,
                                              const Context& context = {});

}  // namespace stkr
