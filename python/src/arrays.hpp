#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>

#include "stkr/linop/csr_matrix.hpp"
#include "stkr/linop/feature_matrix.hpp"

namespace stkr::python {

namespace py = pybind11;

// A two-dimensional C-contiguous float32 or float64 array without a copy; the result keeps it
// alive. Throws TypeError for any other array, which indicates a bug: python/stkr converts arrays
// first. `what` starts the message.
SharedMatrix borrow(const py::array& array, const char* what);

// Copies the three arrays of a CSR matrix, with 32- or 64-bit indices and float32 or float64
// values. Rows may be unsorted and have duplicates. Throws ShapeError if the lengths do not match,
// and ValueError if an index is out of range.
CsrMatrix csr_from_arrays(const py::array& indptr, const py::array& indices, const py::array& data,
                          Index rows, Index cols);

// to_numpy moves a matrix into a NumPy array and copies a vector. view_of returns a read-only view
// that keeps `owner` alive.
py::array_t<double> to_numpy(Matrix&& matrix);
py::array_t<double> to_numpy(const Vector& vector);
py::array_t<double> view_of(const Matrix& matrix, py::handle owner);

// The values of a one-dimensional int64 or int32 array; throws TypeError for any other array.
std::vector<Index> indices_from(const py::array& array, const char* what);

}  // namespace stkr::python
