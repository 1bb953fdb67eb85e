#pragma once

#include <pybind11/numpy.h>

#include <string>
#include <vector>

#include "stkr/dataset/labels.hpp"

namespace stkr::python {

namespace py = pybind11;

// Classes: one-dimensional int32 codes, -1 for unlabeled, and the names of the classes, which may
// be truth values. Numbers to predict: two-dimensional float64 values, rows of NaN for unlabeled,
// and the names of the targets.
Labels labels_from(const py::array& values, std::vector<std::string> names, bool boolean = false);

}  // namespace stkr::python
