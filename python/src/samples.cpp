#include "samples.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "gram/weighted_gram.hpp"
#include "module.hpp"
#include "python_gram.hpp"
#include "stkr/error.hpp"

namespace stkr::python {
namespace {

Samples points(const py::array& values, std::vector<std::string> names) {
  Dataset dataset;
  dataset.samples = Points{borrow(values, "X"), std::move(names)};
  return {std::move(dataset)};
}

Samples sparse_points(const py::array& indptr, const py::array& indices, const py::array& data,
                      Index rows, Index cols, std::vector<std::string> names) {
  CsrMatrix matrix = csr_from_arrays(indptr, indices, data, rows, cols);
  const py::gil_scoped_release unlocked;
  Dataset dataset;
  dataset.samples =
      points_from_sparse(checked_sparse_features(std::move(matrix), "X"), std::move(names));
  return {std::move(dataset)};
}

Samples kernel(const py::array& values) {
  Dataset dataset;
  dataset.samples = PrecomputedKernel{borrow(values, "kernel matrix")};
  return {std::move(dataset)};
}

Samples graph(const py::array& indptr, const py::array& indices, const py::array& data, Index rows,
              Index cols, bool symmetrize) {
  CsrMatrix matrix = csr_from_arrays(indptr, indices, data, rows, cols);
  const py::gil_scoped_release unlocked;
  Dataset dataset;
  dataset.samples = Graph{checked_adjacency(std::move(matrix), symmetrize, "adjacency"), {}};
  return {std::move(dataset)};
}

void set_features(Samples& samples, Points features) {
  Dataset& dataset = std::get<Dataset>(samples.data);
  check_features(features, dataset, "features");
  dataset.features = std::move(features);
}

// Names of nodes, or of other samples: predictions refer to them in files.
void set_names(Samples& samples, std::vector<std::string> names) {
  Dataset& dataset = std::get<Dataset>(samples.data);
  if (static_cast<Index>(names.size()) != dataset.size()) {
    throw ShapeError(
        fmt::format("{} names for {} samples; expected one each", names.size(), dataset.size()));
  }
  if (auto* graph = std::get_if<Graph>(&dataset.samples)) {
    graph->node_names = std::move(names);
  } else {
    dataset.ids = std::move(names);
    dataset.id_column = "sample";
  }
}

}  // namespace

Index Samples::size() const {
  if (const auto* op = std::get_if<OperatorKernel>(&data)) return op->size;
  return std::get<Dataset>(data).size();
}

PreparedGram prepare(Samples& samples, const Specification& spec, const Context& context) {
  auto* op = std::get_if<OperatorKernel>(&samples.data);
  if (op == nullptr) return prepare_gram(std::get<Dataset>(samples.data), spec, {}, context);
  PreparedGram prepared;
  {
    const py::gil_scoped_acquire lock;
    prepared.gram = std::make_unique<PythonGram>(op->kernel, op->size, context.threads);
  }
  prepared.description = "operator";
  prepared.choices.push_back({"kernel", "a Python linear operator", ""});
  if (spec.sample_weights.size() > 0) {
    prepared.gram = std::make_unique<WeightedGram>(std::move(prepared.gram), spec.sample_weights);
    prepared.description += ", weighted samples";
    prepared.choices.push_back({"measure", "sample weights", ""});
  }
  return prepared;
}

void bind_samples(py::module_& module) {
  py::class_<Samples>(module, "Samples")
      .def_static("points", &points, py::arg("values"),
                  py::arg("feature_names") = std::vector<std::string>())
      .def_static("sparse_points", &sparse_points, py::arg("indptr"), py::arg("indices"),
                  py::arg("data"), py::arg("rows"), py::arg("cols"),
                  py::arg("feature_names") = std::vector<std::string>())
      .def_static("kernel", &kernel, py::arg("values"))
      .def_static("graph", &graph, py::arg("indptr"), py::arg("indices"), py::arg("data"),
                  py::arg("rows"), py::arg("cols"), py::arg("symmetrize") = false)
      .def_static(
          "operator",
          [](py::object op, Index size) {
            return Samples{OperatorKernel{std::move(op), size}};
          },
          py::arg("kernel"), py::arg("size"))
      .def(
          "set_features",
          [](Samples& samples, const py::array& values) {
            set_features(samples, Points{borrow(values, "features"), {}});
          },
          py::arg("values"))
      .def(
          "set_sparse_features",
          [](Samples& samples, const py::array& indptr, const py::array& indices,
             const py::array& data, Index rows, Index cols) {
            CsrMatrix matrix = csr_from_arrays(indptr, indices, data, rows, cols);
            set_features(samples,
                         Points{checked_sparse_features(std::move(matrix), "features"), {}});
          },
          py::arg("indptr"), py::arg("indices"), py::arg("data"), py::arg("rows"), py::arg("cols"))
      .def("set_names", &set_names, py::arg("names"))
      .def("__len__", &Samples::size);
}

}  // namespace stkr::python
