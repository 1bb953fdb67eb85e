#pragma once

#include <pybind11/pybind11.h>

namespace stkr::python {

namespace py = pybind11;

// Each adds the classes and functions of one concept to stkr._core.
void bind_errors(py::module_& module);
void bind_arrow(py::module_& module);
void bind_transform(py::module_& module);
void bind_specification(py::module_& module);
void bind_samples(py::module_& module);
void bind_gram(py::module_& module);
void bind_model(py::module_& module);
void bind_report(py::module_& module);
void bind_kept_system(py::module_& module);
void bind_fit(py::module_& module);
void bind_explain(py::module_& module);
void bind_select(py::module_& module);
void bind_reproduce(py::module_& module);
void bind_theory_spectrum(py::module_& module);
void bind_theory_norms(py::module_& module);
void bind_theory_kernels(py::module_& module);
void bind_theory_bounds(py::module_& module);
void bind_theory_fits(py::module_& module);

}  // namespace stkr::python
