#include <pybind11/stl.h>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "labels.hpp"
#include "module.hpp"
#include "report/explain_json.hpp"
#include "report/explain_page.hpp"
#include "samples.hpp"
#include "specification.hpp"
#include "stkr/error.hpp"

namespace stkr::python {
namespace {

py::tuple explain_samples(Samples& samples, const py::array& y, std::vector<std::string> names,
                          const NamedSpecification& named, bool boolean, Index draws, bool curves,
                          const report::Facts& repeat) {
  auto* dataset = std::get_if<Dataset>(&samples.data);
  if (!dataset) {
    throw ValueError(
        "explain: X is an operator; expected points, a graph or a kernel matrix, of which parts "
        "can "
        "be taken");
  }
  dataset->labels = labels_from(y, std::move(names), boolean);
  check_label_count(dataset->labels, dataset->size(), "y");
  ProgressWatch watch(named.progress);
  const Explanation found = interruptible(
      [&](std::stop_token cancel) {
        return explain(*dataset, named.specification(), {.draws = draws, .curves = curves},
                       named.with(std::move(cancel), watch));
      },
      &watch);
  return py::make_tuple(report::explanation_text(found), report::explain_page(found, repeat));
}

}  // namespace

void bind_explain(py::module_& module) {
  module.def("explain", &explain_samples, py::arg("samples"), py::arg("y"), py::arg("names"),
             py::arg("spec"), py::arg("boolean"), py::arg("draws"), py::arg("curves"),
             py::arg("repeat"), "Returns a JSON document and an HTML page. Consumes the samples.");
}

}  // namespace stkr::python
