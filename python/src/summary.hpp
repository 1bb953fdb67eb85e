#pragma once

#include <pybind11/pybind11.h>

#include "stkr/model/fit_model.hpp"

namespace stkr::python {

namespace py = pybind11;

// Convert to plain dictionaries and lists, which python/stkr formats.
py::dict to_dict(const SolveSummary& summary);
py::dict to_dict(const FitSummary& summary);
py::list to_list(const std::vector<Choice>& choices);

}  // namespace stkr::python
