#include "stkr/estimator/recipe.hpp"

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "module.hpp"
#include "recipe.hpp"
#include "runtime/memory.hpp"
#include "runtime/thread_count.hpp"

namespace stkr::python {
namespace {

Method method_from_name(const std::string& name) {
  for (const Method method :
       {Method::stkr, Method::kernel_pca, Method::kernel_ridge, Method::label_propagation}) {
    if (name == to_string(method)) return method;
  }
  throw py::value_error("method '" + name +
                        "' is unknown; expected stkr, kernel-pca, kernel-ridge or "
                        "label-propagation");
}

StkrSolver solver_from_name(const std::string& name) {
  for (const StkrSolver solver : {StkrSolver::automatic, StkrSolver::direct, StkrSolver::richardson,
                                  StkrSolver::cg, StkrSolver::minres, StkrSolver::diagonalize}) {
    if (name == to_string(solver)) return solver;
  }
  throw py::value_error("solver '" + name +
                        "' is unknown; expected automatic, direct, richardson, cg, minres or "
                        "diagonalize");
}

}  // namespace

void bind_recipe(py::module_& module) {
  py::class_<RecipeInContext>(module, "Recipe")
      .def(py::init<>())
      .def_readwrite("kernel", &Recipe::kernel)
      .def_readwrite("length_scale", &Recipe::length_scale)
      .def_readwrite("scale_factor", &Recipe::scale_factor)
      .def_readwrite("median_scale", &Recipe::median_scale)
      .def_readwrite("neighbors", &Recipe::neighbors)
      .def_readwrite("edge_weight", &Recipe::edge_weight)
      .def_readwrite("edge_rule", &Recipe::edge_rule)
      .def_readwrite("recall", &Recipe::recall)
      .def_readwrite("gamma", &Recipe::gamma)
      .def_readwrite("coef0", &Recipe::coef0)
      .def_readwrite("degree", &Recipe::degree)
      .def_readwrite("normalize", &Recipe::normalize)
      .def_readwrite("self_loops", &Recipe::self_loops)
      .def_readwrite("center", &Recipe::center)
      .def_property(
          "method",
          [](const RecipeInContext& recipe) { return std::string(to_string(recipe.method)); },
          [](RecipeInContext& recipe, const std::string& name) {
            recipe.method = method_from_name(name);
          })
      .def_readwrite("transform", &Recipe::transform)
      .def_readwrite("eta", &Recipe::eta)
      .def_readwrite("power", &Recipe::power)
      .def_readwrite("coefficients", &Recipe::coefficients)
      .def_readwrite("r", &Recipe::r)
      .def_readwrite("time", &Recipe::time)
      .def_readwrite("dimension", &Recipe::dimension)
      .def_readwrite("literal_top_d", &Recipe::literal_top_d)
      .def_readwrite("function", &Recipe::function)
      .def_readwrite("function_name", &Recipe::function_name)
      .def_readwrite("ridge", &Recipe::ridge)
      .def_readwrite("beta", &Recipe::beta)
      .def_property(
          "solver",
          [](const RecipeInContext& recipe) { return std::string(to_string(recipe.solver)); },
          [](RecipeInContext& recipe, const std::string& name) {
            recipe.solver = solver_from_name(name);
          })
      .def_readwrite("tolerance", &Recipe::tolerance)
      .def_readwrite("max_iterations", &Recipe::max_iterations)
      .def_readwrite("step_size", &Recipe::step_size)
      .def_readwrite("iterations", &Recipe::iterations)
      .def_readwrite("intercept", &Recipe::intercept)
      .def_property(
          "sample_weights",
          [](const RecipeInContext& recipe) { return to_numpy(recipe.sample_weights); },
          [](RecipeInContext& recipe,
             const py::array_t<double, py::array::c_style | py::array::forcecast>& weights) {
            recipe.sample_weights = Eigen::Map<const Vector>(weights.data(), weights.size());
          })
      .def_readwrite("measure", &Recipe::measure)
      .def_property(
          "class_mass", [](const RecipeInContext& recipe) { return recipe.decision.class_mass; },
          [](RecipeInContext& recipe, bool on) { recipe.decision.class_mass = on; })
      .def_property(
          "uniform_prior",
          [](const RecipeInContext& recipe) { return recipe.decision.uniform_prior; },
          [](RecipeInContext& recipe, bool on) { recipe.decision.uniform_prior = on; })
      .def_property(
          "prior", [](const RecipeInContext& recipe) { return recipe.decision.prior; },
          [](RecipeInContext& recipe, std::vector<double> prior) {
            recipe.decision.prior = std::move(prior);
          })
      .def_readwrite("embedding", &Recipe::embedding)
      .def_readwrite("pca_of_all", &Recipe::pca_of_all)
      .def_property(
          "memory", [](const RecipeInContext& recipe) { return recipe.context.memory; },
          [](RecipeInContext& recipe, std::uint64_t bytes) { recipe.context.memory = bytes; })
      .def_property(
          "seed", [](const RecipeInContext& recipe) { return recipe.context.seed; },
          [](RecipeInContext& recipe, std::uint64_t seed) { recipe.context.seed = seed; })
      .def_property(
          "threads", [](const RecipeInContext& recipe) { return recipe.context.threads; },
          [](RecipeInContext& recipe, int threads) { recipe.context.threads = threads; });
  module.def("parse_memory",
             [](const std::string& text) { return parse_memory(text, available_memory()); });
  module.def("default_threads", [] { return default_threads(); });
}

}  // namespace stkr::python
