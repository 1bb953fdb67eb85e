#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <map>

#include "interruptible.hpp"
#include "module.hpp"
#include "reproduction/comparison.hpp"
#include "reproduction/exhibit.hpp"
#include "reproduction/paper_graph.hpp"
#include "stkr/error.hpp"

namespace stkr::python {
namespace {

Exhibit exhibit_from(const std::string& name) {
  std::string known;
  for (const Exhibit exhibit : {Exhibit::accuracy_table, Exhibit::p_test_table,
                                Exhibit::power_figure, Exhibit::eta_figure}) {
    if (name == to_string(exhibit)) return exhibit;
    known += (known.empty() ? "" : ", ") + std::string(to_string(exhibit));
  }
  throw ValueError("exhibit '" + name + "' is unknown; expected one of " + known);
}

struct LoadedGraph {
  PaperGraph graph;
  const PaperDataset* dataset;
};

// Returns the test accuracy in percent of every cell for one seed; None if no point of the paper's
// grid is feasible. Cells that share a split are run together.
std::vector<std::optional<double>> run_cells(const LoadedGraph& loaded,
                                             const std::vector<ExhibitCell>& cells,
                                             std::uint64_t seed, bool richardson, bool prior,
                                             int threads) {
  return interruptible([&](std::stop_token cancel) {
    std::vector<Experiment> wanted;
    std::vector<std::size_t> of_cell;
    for (const ExhibitCell& cell : cells) {
      Experiment experiment = experiment_for(cell, seed);
      experiment.solver = richardson ? PaperSolver::richardson : PaperSolver::exact;
      experiment.no_evidence = prior ? NoEvidence::prior : NoEvidence::first_class;
      const auto known = std::find(wanted.begin(), wanted.end(), experiment);
      of_cell.push_back(static_cast<std::size_t>(known - wanted.begin()));
      if (known == wanted.end()) wanted.push_back(std::move(experiment));
    }
    const Context context{.threads = threads, .cancel = cancel};
    std::vector<ExperimentResult> results(wanted.size());
    std::vector<char> done(wanted.size(), 0);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      if (done[k]) continue;
      std::vector<Experiment> together;
      std::vector<std::size_t> places;
      for (std::size_t other = k; other < wanted.size(); ++other) {
        if (other != k && (done[other] || !share_a_split(wanted[k], wanted[other]))) continue;
        together.push_back(wanted[other]);
        places.push_back(other);
        done[other] = 1;
      }
      std::vector<ExperimentResult> some =
          run_experiments(loaded.graph.dataset, *loaded.dataset, together, context);
      for (std::size_t i = 0; i < places.size(); ++i) results[places[i]] = std::move(some[i]);
    }
    std::vector<std::optional<double>> accuracies;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::optional<GridScore> choice = choice_for(cells[c], results[of_cell[c]]);
      accuracies.push_back(choice && choice->test ? std::optional(100.0 * *choice->test)
                                                  : std::nullopt);
    }
    return accuracies;
  });
}

py::dict compared(const std::string& dataset, const std::string& exhibit, const ExhibitCell& cell,
                  const std::vector<double>& accuracies) {
  const Comparison result = compare(accuracies, paper_value(dataset, exhibit_from(exhibit), cell));
  py::dict row;
  row["mean"] = result.mean;
  row["std"] = result.std;
  row["seeds"] = result.seeds;
  row["paper_mean"] = result.paper ? py::object(py::float_(result.paper->mean)) : py::none();
  row["paper_std"] = result.paper ? py::object(py::float_(result.paper->std)) : py::none();
  row["difference"] = result.difference;
  row["interval"] = result.interval
                        ? py::object(py::make_tuple(result.interval->low, result.interval->high))
                        : py::none();
  return row;
}

}  // namespace

void bind_reproduce(py::module_& module) {
  py::class_<ExhibitCell>(module, "ExhibitCell")
      .def_property_readonly("method",
                             [](const ExhibitCell& cell) { return to_string(cell.method); })
      .def_property_readonly("setting",
                             [](const ExhibitCell& cell) { return to_string(cell.setting); })
      .def_readonly("p_test", &ExhibitCell::p_test)
      .def_readonly("parameter", &ExhibitCell::parameter);
  py::class_<LoadedGraph>(module, "PaperGraph")
      .def(py::init([](const std::filesystem::path& folder, const std::string& name) {
             const PaperDataset& dataset = paper_dataset(name);
             const py::gil_scoped_release unlocked;
             return LoadedGraph{load_paper_graph(paper_graph_path(folder, dataset), dataset),
                                &dataset};
           }),
           py::arg("folder"), py::arg("name"))
      .def_property_readonly("warnings",
                             [](const LoadedGraph& loaded) { return loaded.graph.warnings; })
      .def("run_cells", &run_cells, py::arg("cells"), py::arg("seed"), py::arg("richardson"),
           py::arg("prior"), py::arg("threads"));
  module.def("exhibit_cells",
             [](const std::string& exhibit) { return exhibit_cells(exhibit_from(exhibit)); });
  module.def("compare_with_paper", &compared, py::arg("dataset"), py::arg("exhibit"),
             py::arg("cell"), py::arg("accuracies"));
  module.def("paper_datasets", [] {
    py::list names;
    for (const PaperDataset& dataset : paper_datasets()) names.append(std::string(dataset.name));
    return names;
  });
}

}  // namespace stkr::python
