#include <pybind11/stl.h>

#include "module.hpp"
#include "stkr/theory/bounds.hpp"

namespace stkr::python {
namespace {

py::dict bound_dict(const Bound& bound) {
  py::dict inputs;
  for (const BoundInput& input : bound.inputs) inputs[input.name.c_str()] = input.value;
  py::list assumptions;
  for (const Assumption& one : bound.assumptions) {
    assumptions.append(py::make_tuple(one.name, one.holds, one.reason));
  }
  py::dict result;
  result["name"] = bound.name;
  result["label"] = bound.label;
  result["quantity"] = bound.quantity;
  result["lower"] = bound.lower;
  result["value"] = bound.value;
  result["constant_unknown"] = bound.constant_unknown;
  result["inputs"] = inputs;
  result["assumptions"] = assumptions;
  result["probability"] = bound.probability;
  result["trivial"] = bound.trivial;
  result["trivial_name"] = bound.trivial_name;
  result["vacuous"] = bound.vacuous();
  result["applies"] = bound.applies();
  result["verdict"] = bound.verdict();
  return result;
}

using ApproximationFunction = Bound (*)(const ApproximationInputs&);

// Theorem 3 and the lemmas that it follows from take the same inputs.
template <ApproximationFunction function>
py::dict approximation(const ApproximationInputs& inputs) {
  return bound_dict(function(inputs));
}

}  // namespace

void bind_theory_bounds(py::module_& module) {
  py::class_<TheoryFacts>(module, "TheoryFacts")
      .def(py::init<>())
      .def_readwrite("independent", &TheoryFacts::independent)
      .def_readwrite("kernel_bound", &TheoryFacts::kernel_bound)
      .def_readwrite("target", &TheoryFacts::target)
      .def_readwrite("moments", &TheoryFacts::moments)
      .def_readwrite("decay", &TheoryFacts::decay)
      .def_readwrite("embedding", &TheoryFacts::embedding);
  py::class_<EstimationInputs>(module, "EstimationInputs")
      .def(py::init<>())
      .def_readwrite("n", &EstimationInputs::n)
      .def_readwrite("p", &EstimationInputs::p)
      .def_readwrite("tau", &EstimationInputs::tau)
      .def_readwrite("kappa_squared", &EstimationInputs::kappa_squared)
      .def_readwrite("slope", &EstimationInputs::slope)
      .def_readwrite("epsilon", &EstimationInputs::epsilon)
      .def_readwrite("scale_b", &EstimationInputs::scale_b)
      .def_readwrite("sigma", &EstimationInputs::sigma)
      .def_readwrite("moment_l", &EstimationInputs::moment_l)
      .def_readwrite("facts", &EstimationInputs::facts);
  py::class_<ApproximationInputs>(module, "ApproximationInputs")
      .def(py::init<>())
      .def_readwrite("transform", &ApproximationInputs::transform)
      .def_readwrite("n", &ApproximationInputs::n)
      .def_readwrite("m", &ApproximationInputs::m)
      .def_readwrite("kappa_squared", &ApproximationInputs::kappa_squared)
      .def_readwrite("eigenvalue", &ApproximationInputs::lambda)
      .def_readwrite("beta", &ApproximationInputs::beta)
      .def_readwrite("delta", &ApproximationInputs::delta)
      .def_readwrite("mean_square_y", &ApproximationInputs::mean_square_y)
      .def_readwrite("facts", &ApproximationInputs::facts);
  py::class_<TopDApproximationInputs>(module, "TopDApproximationInputs")
      .def(py::init<>())
      .def_readwrite("d", &TopDApproximationInputs::d)
      .def_readwrite("m", &TopDApproximationInputs::m)
      .def_readwrite("kappa_squared", &TopDApproximationInputs::kappa_squared)
      .def_readwrite("lambda_1", &TopDApproximationInputs::lambda_1)
      .def_readwrite("lambda_next", &TopDApproximationInputs::lambda_next)
      .def_readwrite("g_squared", &TopDApproximationInputs::g_squared)
      .def_readwrite("slope", &TopDApproximationInputs::slope)
      .def_readwrite("epsilon", &TopDApproximationInputs::epsilon)
      .def_readwrite("scale_b", &TopDApproximationInputs::scale_b)
      .def_readwrite("delta", &TopDApproximationInputs::delta)
      .def_readwrite("facts", &TopDApproximationInputs::facts);
  py::class_<FischerSteinwartInputs>(module, "FischerSteinwartInputs")
      .def(py::init<>())
      .def_readwrite("n", &FischerSteinwartInputs::n)
      .def_readwrite("beta_n", &FischerSteinwartInputs::beta_n)
      .def_readwrite("p", &FischerSteinwartInputs::p)
      .def_readwrite("alpha", &FischerSteinwartInputs::alpha)
      .def_readwrite("embedding_c2", &FischerSteinwartInputs::embedding_c2)
      .def_readwrite("beta", &FischerSteinwartInputs::beta)
      .def_readwrite("source_c3", &FischerSteinwartInputs::source_c3)
      .def_readwrite("gamma", &FischerSteinwartInputs::gamma)
      .def_readwrite("largest_target", &FischerSteinwartInputs::largest_target)
      .def_readwrite("kappa_squared", &FischerSteinwartInputs::kappa_squared)
      .def_readwrite("sigma", &FischerSteinwartInputs::sigma)
      .def_readwrite("moment_l", &FischerSteinwartInputs::moment_l)
      .def_readwrite("tau", &FischerSteinwartInputs::tau)
      .def_readwrite("facts", &FischerSteinwartInputs::facts);
  module.def(
      "estimation_bound", [](const EstimationInputs& i) { return bound_dict(estimation_bound(i)); },
      py::arg("inputs"));
  module.def(
      "agnostic_laplacian_bound",
      [](const EstimationInputs& i, double own_slope) {
        return bound_dict(agnostic_laplacian_bound(i, own_slope));
      },
      py::arg("inputs"), py::arg("own_slope"));
  module.def("approximation_bound", &approximation<approximation_bound>, py::arg("inputs"));
  module.def("kernel_gap_bound", &approximation<kernel_gap_bound>, py::arg("inputs"));
  module.def("inner_product_gap_bound", &approximation<inner_product_gap_bound>, py::arg("inputs"));
  module.def(
      "largest_eigenvalue_bound",
      [](double lambda_1, Index samples, double kappa_squared, double delta,
         const TheoryFacts& facts) {
        return bound_dict(largest_eigenvalue_bound(lambda_1, samples, kappa_squared, delta, facts));
      },
      py::arg("lambda_1"), py::arg("samples"), py::arg("kappa_squared"), py::arg("delta"),
      py::arg("facts"));
  module.def(
      "top_d_lower_bound",
      [](double s_first, double s_next, double epsilon, double scale_b) {
        return bound_dict(top_d_lower_bound({s_first, s_next, epsilon, scale_b}));
      },
      py::arg("s_first"), py::arg("s_next"), py::arg("epsilon"), py::arg("scale_b"));
  module.def(
      "top_d_estimation_bound",
      [](const EstimationInputs& i, double delta, double lambda_d, double gap_p,
         double gap_kernel) {
        return bound_dict(top_d_estimation_bound({i, delta, lambda_d, gap_p, gap_kernel}));
      },
      py::arg("inputs"), py::arg("delta"), py::arg("lambda_d"), py::arg("gap_p"),
      py::arg("gap_kernel"));
  module.def("top_d_needed_labels", &top_d_needed_labels, py::arg("kappa_squared"),
             py::arg("lambda_d"), py::arg("delta"));
  module.def(
      "top_d_approximation_bounds",
      [](const TopDApproximationInputs& i) {
        const TopDApproximation found = top_d_approximation_bounds(i);
        return py::make_tuple(bound_dict(found.g_lower), bound_dict(found.g_upper),
                              bound_dict(found.kernel));
      },
      py::arg("inputs"));
  module.def(
      "fischer_steinwart_bound",
      [](const FischerSteinwartInputs& i) { return bound_dict(fischer_steinwart_bound(i)); },
      py::arg("inputs"));
  module.def("theory_beta", &theory_beta, py::arg("n"), py::arg("p"), py::arg("c"));
  module.def("needed_unlabeled", &needed_unlabeled, py::arg("n"), py::arg("p"));
  module.def(
      "power_series",
      [](const SpectralTransform& transform, double lambda) {
        const PowerSeriesCheck check = has_power_series(transform, lambda);
        return py::make_tuple(check.holds, check.reason);
      },
      py::arg("transform"), py::arg("eigenvalue"));
}

}  // namespace stkr::python
