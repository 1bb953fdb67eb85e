#include "reproduction/reproduce.hpp"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "interruptible.hpp"
#include "module.hpp"
#include "specification.hpp"

namespace stkr::python {
namespace {

template <class Value>
py::object object_or_none(const std::optional<Value>& value) {
  return value ? py::cast(*value) : py::none();
}

py::dict row_of(const ReproducedCell& reproduced) {
  const Comparison& result = reproduced.comparison;
  std::vector<double> accuracies;
  for (const GridScore& choice : reproduced.choices) accuracies.push_back(100.0 * *choice.test);
  py::dict row;
  row["dataset"] = std::string(reproduced.dataset->name);
  row["setting"] = to_string(reproduced.cell.setting);
  row["method"] = to_string(reproduced.cell.method);
  row["p_test"] = reproduced.cell.p_test;
  row["parameter"] = object_or_none(reproduced.cell.parameter);
  row["accuracies"] = accuracies;
  row["mean"] = result.mean;
  row["std"] = object_or_none(result.std);
  row["seeds"] = result.seeds;
  row["paper_mean"] = result.paper ? py::cast(result.paper->mean) : py::none();
  row["paper_std"] = result.paper ? py::cast(result.paper->std) : py::none();
  row["difference"] = object_or_none(result.difference);
  row["interval"] = result.interval
                        ? py::object(py::make_tuple(result.interval->low, result.interval->high))
                        : py::none();
  return row;
}

// The rows of one table or figure, the warnings and the failures.
py::tuple reproduced(const std::filesystem::path& folder, const std::vector<std::string>& datasets,
                     const std::string& exhibit, const std::vector<std::string>& methods,
                     const std::vector<std::uint64_t>& seeds, bool richardson, bool prior,
                     const std::optional<std::filesystem::path>& checkpoint,
                     const NamedSpecification& named) {
  ReproduceOptions options;
  options.exhibits = {exhibit_named(exhibit)};
  for (const std::string& name : methods) options.methods.push_back(paper_method(name));
  options.seeds = seeds;
  options.solver = richardson ? PaperSolver::richardson : PaperSolver::exact;
  options.no_evidence = prior ? NoEvidence::prior : NoEvidence::first_class;
  std::vector<const PaperDataset*> graphs;
  for (const std::string& name : datasets) graphs.push_back(&paper_dataset(name));
  const Reproduction result = interruptible([&](std::stop_token cancel) {
    std::optional<Checkpoint> finished;
    if (checkpoint) finished.emplace(*checkpoint, reproduction_run_key());
    return reproduce(folder, graphs, options, finished ? &*finished : nullptr,
                     named.with(std::move(cancel)));
  });
  py::list rows;
  for (const ReproducedCell& cell : result.exhibits.front().cells) rows.append(row_of(cell));
  return py::make_tuple(rows, result.warnings, result.failures);
}

}  // namespace

void bind_reproduce(py::module_& module) {
  module.def("reproduce", &reproduced, py::arg("folder"), py::arg("datasets"), py::arg("exhibit"),
             py::arg("methods"), py::arg("seeds"), py::arg("richardson"), py::arg("prior"),
             py::arg("checkpoint"), py::arg("spec"));
  module.def("paper_methods", [](const std::string& exhibit) {
    std::vector<std::string> names;
    for (const ExhibitCell& cell : exhibit_cells(exhibit_named(exhibit))) {
      const std::string name = to_string(cell.method);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
  });
  module.def("paper_datasets", [] {
    std::vector<std::string> names;
    for (const PaperDataset& dataset : paper_datasets()) names.emplace_back(dataset.name);
    return names;
  });
}

}  // namespace stkr::python
