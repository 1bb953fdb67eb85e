#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>

#include "stkr/linop/csr_matrix.hpp"
#include "stkr/linop/shared_matrix.hpp"

namespace stkr::python {

namespace py = pybind11;

// The numbers of a two-dimensional C-contiguous array of float32 or float64, where they are: the
// array is kept alive as long as they are used. TypeError for any other array; python/stkr has made
// sure before, so that this is a mistake of ours. `what` starts the message.
SharedMatrix borrow(const py::array& array, const char* what);

// The three arrays of a CSR matrix, with indices of 32 or 64 bits and values of float32 or float64.
// Rows may be in any order and have duplicates. ValueError where an index is out of range.
CsrMatrix csr_from_arrays(const py::array& indptr, const py::array& indices, const py::array& data,
                          Index rows, Index cols);

// NumPy arrays that take over the numbers, and one that looks into `owner`.
py::array_t<double> to_numpy(Matrix&& matrix);
py::array_t<double> to_numpy(const Vector& vector);
py::array_t<double> view_of(const Matrix& matrix, py::handle owner);

// One-dimensional int64 array.
std::vector<Index> indices_from(const py::array& array, const char* what);

}  // namespace stkr::python
