#include <pybind11/stl.h>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "labels.hpp"
#include "module.hpp"
#include "samples.hpp"
#include "specification.hpp"
#include "stkr/error.hpp"
#include "stkr/selection/select_model.hpp"

namespace stkr::python {
namespace {

// The scores of a grid, and the specification of any of its points.
struct SelectionResult {
  ModelSelection all;
  std::optional<double> expected;  // estimated score of the chosen point on new samples
  NamedSpecification named;        // of the call

  const Selection& selection() const { return all.selections.front().second; }

  NamedSpecification specification(std::size_t place) const {
    const Specification spec = all.specification(selection(), place);
    NamedSpecification result = named;
    result.chosen_kernel = spec.kernel;
    result.chosen_added = spec.added;
    result.method = options_of(spec.method);
    result.decision = spec.decision;
    return result;
  }
};

ClassMassChoice class_mass_from(const std::string& name) {
  if (name == "off") return ClassMassChoice::off;
  return name == "on" ? ClassMassChoice::on : ClassMassChoice::both;
}

std::optional<FourWaySplit> split_of(
    const std::optional<std::pair<py::array, py::array>>& train_and_validation, Index size) {
  if (!train_and_validation) return std::nullopt;
  FourWaySplit split;
  split.train = indices_from(train_and_validation->first, "train");
  split.val = indices_from(train_and_validation->second, "validation");
  std::vector<char> used(size, 0);
  for (const auto* part : {&split.train, &split.val}) {
    for (const Index i : *part) {
      if (i >= 0 && i < size) used[i] = 1;
    }
  }
  for (Index i = 0; i < size; ++i) {
    if (!used[i]) split.other.push_back(i);
  }
  return split;
}

SelectionResult select(Samples& samples, const py::array& y, std::vector<std::string> names,
                       const NamedSpecification& named, const Grid& grid, const KernelGrid& kernels,
                       int folds,
                       const std::optional<std::pair<py::array, py::array>>& train_and_validation,
                       const std::string& score, const std::string& class_mass) {
  const Labels labels = labels_from(y, std::move(names));
  SelectOptions options;
  options.grid = grid;
  if (!score.empty()) options.score = score_from_name(score);
  options.class_mass = class_mass_from(class_mass);
  options.literal_top_d = named.method.literal_top_d;
  const ValidationSpec validation{.split = split_of(train_and_validation, samples.size()),
                                  .folds = folds};
  return interruptible([&](std::stop_token cancel) {
    check_grid(grid);
    check_kernel_grid(kernels);
    const Context context = named.with(std::move(cancel));
    const Specification spec = named.specification();
    check_label_count(labels, samples.size(), "y");
    SelectionResult result{{}, {}, named};
    if (auto* dataset = std::get_if<Dataset>(&samples.data)) {
      dataset->labels = labels;
      result.all = select_model(*dataset, spec, kernels, validation, options, context);
    } else {
      const PreparedGram prepared = prepare(samples, spec, context);
      result.all = select_model(*prepared.gram, labels, spec, validation, options, context);
    }
    result.expected = result.selection().expected_best(labels, result.all.validated, context.seed);
    return result;
  });
}

py::dict scores_of(const SelectionResult& result) {
  py::list family, parameter, ridge, beta, iterations, class_mass, kernel, validation, loss;
  for (const GridScore& score : result.selection().scores) {
    family.append(to_string(score.point.family));
    parameter.append(score.point.parameter);
    ridge.append(score.point.ridge);
    beta.append(score.beta);
    iterations.append(score.point.iterations);
    class_mass.append(score.point.class_mass);
    kernel.append(result.selection().kernels[score.point.kernel].description);
    validation.append(score.validation);
    loss.append(score.loss);
  }
  py::dict columns;
  columns["family"] = family;
  columns["parameter"] = parameter;
  columns["ridge"] = ridge;
  columns["beta"] = beta;
  columns["iterations"] = iterations;
  columns["class_mass"] = class_mass;
  columns["kernel"] = kernel;
  columns["score"] = validation;
  columns["loss"] = loss;
  return columns;
}

py::list left_out_of(const SelectionResult& result) {
  py::list all;
  for (const TriedKernel& kernel : result.selection().kernels) {
    if (!kernel.left_out.empty()) {
      all.append(py::make_tuple("kernel " + kernel.description, kernel.left_out));
    }
  }
  for (const LeftOut& point : result.selection().left_out) {
    const std::string& kernel = result.selection().kernels[point.kernel].description;
    const std::string name = describe({point.family, point.parameter}, result.all.grid);
    all.append(py::make_tuple(kernel.empty() ? name : kernel + ", " + name, point.reason));
  }
  return all;
}

}  // namespace

void bind_select(py::module_& module) {
  py::class_<Grid>(module, "Grid")
      .def(py::init<>())
      .def_readwrite("powers", &Grid::powers)
      .def_readwrite("polynomials", &Grid::polynomials)
      .def_readwrite("etas", &Grid::etas)
      .def_readwrite("times", &Grid::times)
      .def_readwrite("dimensions", &Grid::dimensions)
      .def_readwrite("ridges", &Grid::ridges)
      .def_readwrite("betas", &Grid::betas)
      .def_readwrite("propagation_etas", &Grid::propagation_etas)
      .def_readwrite("propagation_steps", &Grid::propagation_steps);
  py::class_<KernelGrid>(module, "KernelGrid")
      .def(py::init<>())
      .def_property(
          "kernels",
          [](const KernelGrid& grid) {
            std::vector<std::string> names;
            for (const KernelSpec& kernel : grid.kernels) names.push_back(name_of(kernel));
            return names;
          },
          [](KernelGrid& grid, const std::vector<std::string>& names) {
            grid.kernels.clear();
            for (const std::string& name : names) grid.kernels.push_back(kernel_spec(name));
          })
      .def_readwrite("length_scales", &KernelGrid::length_scales)
      .def_readwrite("neighbor_counts", &KernelGrid::neighbor_counts)
      .def_readwrite("smoothings", &KernelGrid::smoothings)
      .def_readwrite("mixes", &KernelGrid::mixes);
  py::class_<SelectionResult>(module, "Selection")
      .def_property_readonly("scores", &scores_of)
      .def_property_readonly("ranking",
                             [](const SelectionResult& r) { return r.selection().ranking(); })
      .def_property_readonly(
          "score", [](const SelectionResult& r) { return to_string(r.selection().score); })
      .def_property_readonly("warnings",
                             [](const SelectionResult& r) { return r.selection().warnings; })
      .def_property_readonly("seconds",
                             [](const SelectionResult& r) { return r.selection().seconds; })
      .def_property_readonly("tied", [](const SelectionResult& r) { return r.selection().tied(); })
      .def_property_readonly("left_out", &left_out_of)
      .def_readonly("expected_score", &SelectionResult::expected)
      .def("specification", &SelectionResult::specification, py::arg("place"))
      .def("describe", [](const SelectionResult& r, std::size_t place) {
        return describe(r.selection().scores.at(place).point, r.all.grid);
      });
  module.def("select", &select, py::arg("samples"), py::arg("y"), py::arg("names"), py::arg("spec"),
             py::arg("grid"), py::arg("kernels"), py::arg("folds"), py::arg("train_and_validation"),
             py::arg("score"), py::arg("class_mass"),
             "Scores every point of the grid. folds = 0: leave-one-out.");
}

}  // namespace stkr::python
