#include "summary.hpp"

#include <pybind11/stl.h>

namespace stkr::python {

py::dict to_dict(const SolveSummary& summary) {
  py::dict result;
  result["solver"] = summary.solver;
  result["stop_reason"] = to_string(summary.reason);
  result["converged"] = summary.converged();
  result["iterations"] = summary.iterations;
  result["residual"] = summary.worst_residual();
  result["column_iterations"] = summary.column_iterations;
  result["residuals"] = summary.residuals;
  result["products"] = summary.products;
  result["rough_products"] = summary.rough_products;
  result["rough_precision"] = summary.rough_precision;
  result["preconditioner"] = summary.preconditioner;
  result["seconds"] = summary.seconds;
  result["message"] = summary.message;
  return result;
}

py::dict to_dict(const FitSummary& summary) {
  py::dict result = to_dict(summary.solve);
  result["method"] = summary.method;
  result["transform"] = summary.transform;
  result["spectrum"] = py::make_tuple(summary.spectrum.lower, summary.spectrum.upper);
  result["approximation_error"] = summary.approximation_error;
  result["answer_error"] = summary.answer_error;
  result["beta"] = summary.beta;
  result["ridge"] = summary.ridge;
  result["ridge_chosen"] = summary.ridge_chosen;
  result["warnings"] = summary.warnings;
  result["products"] = summary.products;
  result["seconds"] = summary.seconds;
  return result;
}

py::list to_list(const std::vector<Choice>& choices) {
  py::list result;
  for (const Choice& choice : choices) {
    result.append(py::make_tuple(choice.what, choice.value, choice.why));
  }
  return result;
}

}  // namespace stkr::python
