#pragma once

#include <pybind11/numpy.h>

#include <string>
#include <vector>

#include "stkr/dataset/labels.hpp"

namespace stkr::python {

namespace py = pybind11;

// Classes: one-dimensional int32 codes, -1 for unlabeled, and the class names; `boolean` if the
// classes are booleans. Regression targets: two-dimensional float64 values, rows of NaN for
// unlabeled, and the target names.
Labels labels_from(const py::array& values, std::vector<std::string> names, bool boolean = false);

}  // namespace stkr::python
