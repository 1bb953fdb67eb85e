#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "reproduction/checkpoint.hpp"
#include "reproduction/comparison.hpp"
#include "reproduction/exhibit.hpp"

namespace stkr {

// The state of a reproduction before each group of experiments and while it runs.
struct ReproduceProgress {
  const PaperDataset& dataset;
  std::span<const Experiment> running;  // they share a split
  int finished = 0;                     // experiments computed or read so far
  double seconds_left = -1.0;           // estimate; negative: nothing measured yet
};

struct ReproduceOptions {
  std::vector<Exhibit> exhibits{Exhibit::accuracy_table};
  std::vector<PaperMethod> methods{};  // rows of the tables; empty: all. A figure has one method.
  std::vector<std::uint64_t> seeds{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};  // one random split each
  PaperSolver solver = PaperSolver::exact;
  NoEvidence no_evidence = NoEvidence::first_class;
  bool fresh = false;  // ignore results in the checkpoint
  std::function<void(const ReproduceProgress&)> watch{};
  std::function<void(const std::string&)> warn{};  // as warnings occur; they are also returned
};

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
  std::vector<ReproducedCell> cells{};  // by data set, each in the order of the table or figure
};

struct Reproduction {
  std::vector<ReproducedExhibit> exhibits{};
  int computed = 0;  // experiments
  int resumed = 0;   // experiments read from the checkpoint
  double seconds = 0.0;
  std::vector<std::string> warnings{};
  std::vector<std::string> failures{};  // of data sets and splits; the others are complete
  bool out_of_memory = false;           // one of the failures
};

// The rows of a table or the points of a figure that `methods` leaves. Throws ValueError if a table
// has none of them.
std::vector<ExhibitCell> wanted_cells(Exhibit exhibit, const std::vector<PaperMethod>& methods);

// The run key of a checkpoint for `reproduce`: it changes with the version and whenever the results
// change.
std::string reproduction_run_key();

// Runs every experiment that the tables and figures need on the graphs in `folder`, each once, or
// reads it from `checkpoint`, if there is one, and compares the means with the paper's. Finished
// experiments are stored at once. A failure ends the experiments of its split, or of its graph if
// that cannot be read; the others go on. Throws Cancelled.
Reproduction reproduce(const std::filesystem::path& folder,
                       const std::vector<const PaperDataset*>& datasets,
                       const ReproduceOptions& options = {}, Checkpoint* checkpoint = nullptr,
                       const Context& context = {});

}  // namespace stkr
