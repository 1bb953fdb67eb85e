#include <pybind11/pybind11.h>

#include "stkr/version.hpp"

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled part of stkr; use the names of the package instead.";
  module.attr("__version__") = stkr::kVersion;
}
