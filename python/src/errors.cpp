#include "module.hpp"
#include "stkr/error.hpp"

namespace stkr::python {

// Translates the library's exceptions to Python exceptions with the same messages.
void bind_errors(py::module_& module) {
  static py::exception<DataError> data_error(module, "DataError", PyExc_ValueError);
  data_error.attr("__doc__") = "Data that cannot be used: a damaged file or an invalid graph.";
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const DataError& error) {
      data_error(error.what());
    } catch (const WriteError& error) {
      PyErr_SetString(PyExc_OSError, error.what());
    } catch (const MemoryError& error) {
      PyErr_SetString(PyExc_MemoryError, error.what());
    } catch (const Cancelled& error) {
      PyErr_SetString(PyExc_KeyboardInterrupt, error.what());
    } catch (const Error& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    }
  });
}

}  // namespace stkr::python
