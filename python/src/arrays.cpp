#include "arrays.hpp"

#include <fmt/format.h>

#include <limits>

#include "stkr/error.hpp"

namespace stkr::python {
namespace {

// Keeps `array` alive. Acquires the GIL to release it, since the last owner may be on any thread.
std::shared_ptr<const void> keep_alive(const py::array& array) {
  return {array.ptr(), [kept = py::object(array).release()](const void*) mutable {
            const py::gil_scoped_acquire lock;
            kept.dec_ref();
          }};
}

[[noreturn]] void unexpected(const py::array& array, const char* what, const char* expected) {
  throw py::type_error(fmt::format("{}: got an array of {} with {} dimensions; expected {}", what,
                                   py::str(array.dtype()).cast<std::string>(), array.ndim(),
                                   expected));
}

template <class Scalar>
bool is_plain(const py::array& array) {
  return py::isinstance<py::array_t<Scalar, py::array::c_style>>(array) &&
         (array.flags() & py::detail::npy_api::NPY_ARRAY_ALIGNED_) != 0 &&
         array.dtype().byteorder() != '>';
}

// Calls f with a pointer to the values in the array's own type.
template <class First, class Second, class F>
void with_values(const py::array& array, const char* what, F&& f) {
  if (array.ndim() == 1 && is_plain<First>(array)) {
    f(static_cast<const First*>(array.data()));
  } else if (array.ndim() == 1 && is_plain<Second>(array)) {
    f(static_cast<const Second*>(array.data()));
  } else {
    unexpected(array, what, "one dimension and 32 or 64 bits");
  }
}

void fill_rows(const py::array& indptr, CsrMatrix& matrix, Index entries) {
  with_values<std::int32_t, std::int64_t>(indptr, "indptr", [&](const auto* start) {
    matrix.row_start.assign(start, start + matrix.rows + 1);
  });
  bool ascending = matrix.row_start.front() == 0 && matrix.row_start.back() == entries;
  for (Index i = 0; ascending && i < matrix.rows; ++i) {
    ascending = matrix.row_start[i] <= matrix.row_start[i + 1];
  }
  if (!ascending) {
    throw ValueError(
        fmt::format("sparse matrix: indptr does not ascend from 0 to {}, the number of entries; "
                    "rebuild it with scipy.sparse.csr_matrix",
                    entries));
  }
}

}  // namespace

SharedMatrix borrow(const py::array& array, const char* what) {
  if (array.ndim() != 2) unexpected(array, what, "two dimensions");
  const auto shared = [&]<class Scalar>(const Scalar* data) {
    return SharedMatrix(data, array.shape(0), array.shape(1), keep_alive(array));
  };
  if (is_plain<double>(array)) return shared(static_cast<const double*>(array.data()));
  if (is_plain<float>(array)) return shared(static_cast<const float*>(array.data()));
  unexpected(array, what, "C-contiguous float32 or float64");
}

CsrMatrix csr_from_arrays(const py::array& indptr, const py::array& indices, const py::array& data,
                          Index rows, Index cols) {
  if (indptr.size() != rows + 1 || indices.size() != data.size()) {
    throw ShapeError(fmt::format(
        "sparse matrix: {} rows with {} row starts, {} indices and {} values; rebuild it with "
        "scipy.sparse.csr_matrix",
        rows, indptr.size(), indices.size(), data.size()));
  }
  if (cols > std::numeric_limits<std::int32_t>::max()) {
    throw ValueError(fmt::format("sparse matrix: {} columns; expected at most 2^31 - 1", cols));
  }
  CsrMatrix matrix;
  matrix.rows = rows;
  matrix.cols = cols;
  fill_rows(indptr, matrix, data.size());
  with_values<std::int32_t, std::int64_t>(indices, "indices", [&](const auto* index) {
    matrix.column.resize(data.size());
    for (Index p = 0; p < data.size(); ++p) {
      if (index[p] < 0 || index[p] >= cols) {
        throw ValueError(
            fmt::format("sparse matrix: column index {} is out of range for {} columns; rebuild it "
                        "with scipy.sparse.csr_matrix",
                        index[p], cols));
      }
      matrix.column[p] = static_cast<std::int32_t>(index[p]);
    }
  });
  with_values<double, float>(
      data, "data", [&](const auto* value) { matrix.value.assign(value, value + data.size()); });
  sort_rows(matrix);
  return matrix;
}

py::array_t<double> to_numpy(Matrix&& matrix) {
  auto* kept = new Matrix(std::move(matrix));
  const py::capsule owner(kept, [](void* p) { delete static_cast<Matrix*>(p); });
  return py::array_t<double>({kept->rows(), kept->cols()}, kept->data(), owner);
}

py::array_t<double> to_numpy(const Vector& vector) {
  return py::array_t<double>(vector.size(), vector.data());
}

py::array_t<double> view_of(const Matrix& matrix, py::handle owner) {
  py::array_t<double> view({matrix.rows(), matrix.cols()}, matrix.data(), owner);
  view.attr("flags").attr("writeable") = false;
  return view;
}

std::vector<Index> indices_from(const py::array& array, const char* what) {
  std::vector<Index> result;
  with_values<std::int64_t, std::int32_t>(
      array, what, [&](const auto* index) { result.assign(index, index + array.size()); });
  return result;
}

}  // namespace stkr::python
