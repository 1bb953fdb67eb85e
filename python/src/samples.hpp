#pragma once

#include <pybind11/pybind11.h>

#include <variant>

#include "stkr/dataset/dataset.hpp"
#include "stkr/model/fit_model.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr::python {

namespace py = pybind11;

// A kernel given as a Python linear operator.
struct OperatorKernel {
  py::object kernel;
  Index size;
};

// The input of a gram: points, a graph, a kernel matrix, or an operator.
struct Samples {
  std::variant<Dataset, OperatorKernel> data;

  Index size() const;
};

// Builds the gram of `samples`, which it consumes. Call it without holding the GIL.
PreparedGram prepare(Samples& samples, const Specification& spec, const Context& context);

}  // namespace stkr::python
