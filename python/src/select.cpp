#include <fmt/format.h>
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "labels.hpp"
#include "module.hpp"
#include "samples.hpp"
#include "selection_result.hpp"
#include "specification.hpp"
#include "stkr/error.hpp"
#include "stkr/selection/select_model.hpp"

namespace stkr::python {
namespace {

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

using Pairs = std::vector<std::pair<py::array, py::array>>;

std::vector<Fold> folds_of(const std::optional<Pairs>& pairs) {
  std::vector<Fold> folds;
  for (const auto& [train, held_out] : pairs.value_or(Pairs())) {
    folds.push_back({indices_from(train, "train"), indices_from(held_out, "held_out")});
  }
  return folds;
}

// A Python function of scores, evidence, class indices and samples as a score.
std::optional<OwnScore> own_score_of(const py::object& function, const std::string& name) {
  if (function.is_none()) return std::nullopt;
  return OwnScore{name,
                  [&function](const Predictions& predictions, std::span<const Index> samples) {
                    const py::gil_scoped_acquire lock;
                    py::array_t<bool> evidence(static_cast<Index>(predictions.evidence.size()));
                    std::copy(predictions.evidence.begin(), predictions.evidence.end(),
                              evidence.mutable_data());
                    return function(to_numpy(Matrix(predictions.scores)), evidence,
                                    py::array_t<Index>(std::ssize(predictions.class_index),
                                                       predictions.class_index.data()),
                                    py::array_t<Index>(std::ssize(samples), samples.data()))
                        .cast<double>();
                  }};
}

SelectionResult select(Samples& samples, const py::array& y, std::vector<std::string> names,
                       const NamedSpecification& named, const Grid& grid, const KernelGrid& kernels,
                       int folds,
                       const std::optional<std::pair<py::array, py::array>>& train_and_validation,
                       const std::optional<Pairs>& own_folds, const std::string& score,
                       const py::object& own_score, const std::string& class_mass) {
  const Labels labels = labels_from(y, std::move(names));
  SelectOptions options;
  options.grid = grid;
  options.own_score = own_score_of(own_score, score);
  if (!score.empty() && !options.own_score) options.score = score_from_name(score);
  options.deviations = true;
  options.class_mass = class_mass_from(class_mass);
  options.literal_top_d = named.method.literal_top_d;
  const ValidationSpec validation{.split = split_of(train_and_validation, samples.size()),
                                  .own_folds = folds_of(own_folds),
                                  .folds = folds};
  ProgressWatch watch(named.progress);
  const auto work = [&](std::stop_token cancel) {
    check_grid(grid);
    check_kernel_grid(kernels);
    const Context context = named.with(std::move(cancel), watch);
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
  };
  return interruptible(work, &watch);
}

py::dict scores_of(const SelectionResult& result) {
  py::list family, parameter, ridge, beta, iterations, class_mass, kernel, validation, deviation,
      loss;
  for (const GridScore& score : result.selection().scores) {
    family.append(to_string(score.point.family));
    parameter.append(score.point.parameter);
    ridge.append(score.point.ridge);
    beta.append(score.beta);
    iterations.append(score.point.iterations);
    class_mass.append(score.point.class_mass);
    kernel.append(result.selection().kernels[score.point.kernel].description);
    validation.append(score.validation);
    deviation.append(score.deviation);
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
  columns["deviation"] = deviation;
  columns["loss"] = loss;
  return columns;
}

py::object to_python(const LengthScale& scale) {
  if (scale.median) return py::str("median");
  if (!scale.relative) return py::float_(scale.value);
  return scale.is_default() ? py::object(py::none()) : py::str(fmt::format("{}x", scale.value));
}

// What a KernelGrid varies, of a point's kernel, by Python's names of the parameters.
py::dict kernel_of(const SelectionResult& result, std::size_t place) {
  const Specification& spec =
      result.all.candidates.at(result.selection().scores.at(place).point.kernel).spec;
  py::dict options;
  options["kernel"] = name_of(spec.kernel);
  if (const auto* points = spec.kernel.get_if<PointKernelSpec>()) {
    options["length_scale"] = to_python(points->length_scale);
  }
  if (const auto* graph = spec.kernel.get_if<NeighborGraphSpec>()) {
    options["n_neighbors"] = graph->neighbors;
  }
  if (!spec.added.empty()) {
    options["smooth"] = spec.added.front().kernel.smoothing();
    options["share"] = spec.added.front().share;
  }
  return options;
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
      .def_property_readonly("score",
                             [](const SelectionResult& r) {
                               const Selection& all = r.selection();
                               return all.own_score.empty() ? to_string(all.score) : all.own_score;
                             })
      .def_property_readonly("warnings",
                             [](const SelectionResult& r) { return r.selection().warnings; })
      .def_property_readonly("seconds",
                             [](const SelectionResult& r) { return r.selection().seconds; })
      .def_property_readonly("tied", [](const SelectionResult& r) { return r.selection().tied(); })
      .def_property_readonly("left_out", &left_out_of)
      .def_readonly("expected_score", &SelectionResult::expected)
      .def("specification", &SelectionResult::specification, py::arg("place"))
      .def("kernel", &kernel_of, py::arg("place"))
      .def("describe", [](const SelectionResult& r, std::size_t place) {
        return describe(r.selection().scores.at(place).point, r.all.grid);
      });
  module.def("select", &select, py::arg("samples"), py::arg("y"), py::arg("names"), py::arg("spec"),
             py::arg("grid"), py::arg("kernels"), py::arg("folds"), py::arg("train_and_validation"),
             py::arg("own_folds"), py::arg("score"), py::arg("own_score"), py::arg("class_mass"),
             "Scores every point of the grid. folds = 0: leave-one-out. own_score: a function of "
             "scores, evidence, class indices and samples, of the name `score`; larger is better.");
}

}  // namespace stkr::python
