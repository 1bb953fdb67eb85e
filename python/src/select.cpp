#include <pybind11/stl.h>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "labels.hpp"
#include "module.hpp"
#include "recipe.hpp"
#include "samples.hpp"
#include "selection/plan_selection.hpp"
#include "stkr/error.hpp"
#include "stkr/selection/select_kernels.hpp"

namespace stkr::python {
namespace {

// The grid, its scores, and the recipe of any of its points.
struct SelectionResult {
  Selection selection;
  Grid grid;
  std::vector<KernelCandidate> candidates;
  std::optional<double> expected;  // estimated score of the chosen point on new samples

  Context context;  // of the call

  RecipeInContext recipe(std::size_t place) const {
    const GridScore& score = selection.scores.at(place);
    return {recipe_of(score.point, grid, selection.largest_eigenvalue(score.point),
                      candidates[score.point.kernel].recipe, score.beta),
            context};
  }
};

ClassMassChoice class_mass_from(const std::string& name) {
  if (name == "off") return ClassMassChoice::off;
  return name == "on" ? ClassMassChoice::on : ClassMassChoice::both;
}

Selection run(Samples& samples, const Labels& labels,
              const std::vector<KernelCandidate>& candidates, int folds,
              const std::optional<FourWaySplit>& split, const SelectOptions& options,
              const Context& context) {
  if (std::holds_alternative<OperatorKernel>(samples.data)) {
    if (split) throw ValueError("got an operator and a split; use folds or leave-one-out instead");
    const PreparedGram prepared = prepare(samples, candidates.front().recipe, context);
    return folds > 0 ? select_by_folds(*prepared.gram, labels, folds, options, context)
                     : select_by_leave_one_out(*prepared.gram, labels, options, context);
  }
  const Dataset& dataset = std::get<Dataset>(samples.data);
  if (split) {
    return select_kernels_by_split(dataset, candidates, *split, Setting::transductive, options,
                                   context);
  }
  return folds > 0 ? select_kernels_by_folds(dataset, candidates, folds, options, context)
                   : select_kernels_by_leave_one_out(dataset, candidates, options, context);
}

SelectionResult select(Samples& samples, const py::array& y, std::vector<std::string> names,
                       const RecipeInContext& recipe, const Grid& grid, const KernelGrid& kernels,
                       int folds,
                       const std::optional<std::pair<py::array, py::array>>& train_and_validation,
                       const std::string& score, const std::string& class_mass) {
  Labels labels = labels_from(y, std::move(names));
  SelectOptions options;
  options.grid = grid;
  if (!score.empty()) options.score = score_from_name(score);
  options.class_mass = class_mass_from(class_mass);
  options.decision = recipe.decision;
  options.intercept = recipe.intercept;
  options.literal_top_d = recipe.literal_top_d;
  std::optional<FourWaySplit> split;
  if (train_and_validation) {
    split.emplace();
    split->train = indices_from(train_and_validation->first, "train");
    split->val = indices_from(train_and_validation->second, "validation");
    std::vector<char> used(samples.size(), 0);
    for (const auto* part : {&split->train, &split->val}) {
      for (const Index i : *part) {
        if (i >= 0 && i < samples.size()) used[i] = 1;
      }
    }
    for (Index i = 0; i < samples.size(); ++i) {
      if (!used[i]) split->other.push_back(i);
    }
  }
  return interruptible([&](std::stop_token cancel) {
    check_grid(grid);
    check_kernel_grid(kernels);
    const Context context = recipe.with(std::move(cancel));
    check_label_count(labels, samples.size(), "y");
    std::vector<KernelCandidate> candidates;
    if (auto* dataset = std::get_if<Dataset>(&samples.data)) {
      dataset->labels = labels;
      candidates = plan_candidates(*dataset, split, {Setting::transductive}, kernels, recipe,
                                   options, context)
                       .candidates;
    } else {
      candidates = kernel_candidates(kernels, recipe, DatasetKind::kernel);
    }
    Selection selection = run(samples, labels, candidates, folds, split, options, context);
    // The chosen point is fitted by a later call, which has its own plan.
    for (KernelCandidate& candidate : candidates) {
      candidate.recipe.execution = recipe.execution;
      candidate.recipe.single_precision = recipe.single_precision;
    }
    const std::vector<Index> validated = split ? split->val : labeled_indices(labels);
    const std::optional<double> expected = selection.expected_best(labels, validated, context.seed);
    for (std::string& warning : selection.warnings_of_best(labels, validated)) {
      selection.warnings.push_back(std::move(warning));
    }
    return SelectionResult{std::move(selection), grid, std::move(candidates), expected,
                           recipe.context};
  });
}

py::dict scores_of(const SelectionResult& result) {
  py::list family, parameter, ridge, beta, iterations, class_mass, kernel, validation, loss;
  for (const GridScore& score : result.selection.scores) {
    family.append(to_string(score.point.family));
    parameter.append(score.point.parameter);
    ridge.append(score.point.ridge);
    beta.append(score.beta);
    iterations.append(score.point.iterations);
    class_mass.append(score.point.class_mass);
    kernel.append(result.selection.kernels[score.point.kernel].description);
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
  for (const TriedKernel& kernel : result.selection.kernels) {
    if (!kernel.left_out.empty()) {
      all.append(py::make_tuple("kernel " + kernel.description, kernel.left_out));
    }
  }
  for (const LeftOut& point : result.selection.left_out) {
    const std::string& kernel = result.selection.kernels[point.kernel].description;
    const std::string name = describe({point.family, point.parameter}, result.grid);
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
  py::class_<LengthScale>(module, "LengthScale")
      .def(py::init([](double value, bool relative, bool median) {
             return LengthScale{value, relative, median};
           }),
           py::arg("value") = 1.0, py::arg("relative") = true, py::arg("median") = false);
  py::class_<KernelGrid>(module, "KernelGrid")
      .def(py::init<>())
      .def_readwrite("kernels", &KernelGrid::kernels)
      .def_readwrite("length_scales", &KernelGrid::length_scales)
      .def_readwrite("neighbor_counts", &KernelGrid::neighbor_counts);
  py::class_<SelectionResult>(module, "Selection")
      .def_property_readonly("scores", &scores_of)
      .def_property_readonly("ranking",
                             [](const SelectionResult& r) { return r.selection.ranking(); })
      .def_property_readonly("score",
                             [](const SelectionResult& r) { return to_string(r.selection.score); })
      .def_property_readonly("warnings",
                             [](const SelectionResult& r) { return r.selection.warnings; })
      .def_property_readonly("seconds",
                             [](const SelectionResult& r) { return r.selection.seconds; })
      .def_property_readonly("tied", [](const SelectionResult& r) { return r.selection.tied(); })
      .def_property_readonly("left_out", &left_out_of)
      .def_readonly("expected_score", &SelectionResult::expected)
      .def("recipe", &SelectionResult::recipe, py::arg("place"))
      .def("describe", [](const SelectionResult& r, std::size_t place) {
        return describe(r.selection.scores.at(place).point, r.grid);
      });
  module.def("select", &select, py::arg("samples"), py::arg("y"), py::arg("names"),
             py::arg("recipe"), py::arg("grid"), py::arg("kernels"), py::arg("folds"),
             py::arg("train_and_validation"), py::arg("score"), py::arg("class_mass"),
             "Scores every point of the grid. folds = 0: leave-one-out.");
}

}  // namespace stkr::python
