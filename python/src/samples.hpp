#pragma once

#include <pybind11/pybind11.h>

#include <variant>

#include "stkr/dataset/dataset.hpp"
#include "stkr/estimator/recipe.hpp"

namespace stkr::python {

namespace py = pybind11;

// A kernel that is a linear operator of Python's.
struct OperatorKernel {
  py::object kernel;
  Index size;
};

// What a gram is made of: points, a graph, a kernel matrix, or an operator.
struct Samples {
  std::variant<Dataset, OperatorKernel> data;

  Index size() const;
};

// The gram of `samples`, which are used up. Call it without the interpreter's lock.
PreparedGram prepare(Samples& samples, const Recipe& recipe);

}  // namespace stkr::python
