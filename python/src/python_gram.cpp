#include "python_gram.hpp"

#include <fmt/format.h>

#include "arrays.hpp"
#include "gram/dense_gram.hpp"
#include "stkr/error.hpp"

namespace stkr::python {

PythonGram::PythonGram(py::object kernel, Index size, int threads)
    : kernel_(new py::object(std::move(kernel)),
              [](const py::object* object) {
                const py::gil_scoped_acquire lock;
                delete object;
              }),
      size_(size),
      threads_(threads) {}

Matrix PythonGram::kernel_product(ConstMatrixRef x) const {
  const py::gil_scoped_acquire lock;
  const py::object answer = kernel_->attr("matmat")(to_numpy(Matrix(x)));
  const auto values =
      py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(answer);
  if (!values) throw py::error_already_set();
  if (values.ndim() != 2 || values.shape(0) != size_ || values.shape(1) != x.cols()) {
    std::string shape = py::str(values.attr("shape")).cast<std::string>();
    throw ShapeError(fmt::format(
        "the operator's matmat returned an array of shape {} for one of shape ({}, {}); expected "
        "the same shape",
        shape, x.rows(), x.cols()));
  }
  Matrix result = SharedMatrix::View<double>(values.data(), size_, x.cols());
  if (!result.allFinite()) {
    throw ValueError("the operator's matmat returned values that are not finite");
  }
  return result;
}

void PythonGram::apply(ConstMatrixRef x, MatrixRef y) const {
  check_apply_shapes(*this, x, y, "operator");
  if (x.cols() == 0) return;
  y = kernel_product(x) / static_cast<double>(size_);
}

Matrix PythonGram::block(std::span<const Index> rows, std::span<const Index> columns) const {
  check_block_indices(*this, rows, columns, "operator");
  constexpr Index kColumns = 64;
  const auto count = static_cast<Index>(columns.size());
  Matrix result(static_cast<Index>(rows.size()), count);
  for (Index first = 0; first < count; first += kColumns) {
    const Index part = std::min(kColumns, count - first);
    Matrix unit = Matrix::Zero(size_, part);
    for (Index k = 0; k < part; ++k) unit(columns[first + k], k) = 1.0;
    const Matrix k_unit = kernel_product(unit);
    for (Index i = 0; i < result.rows(); ++i) {
      result.row(i).segment(first, part) = k_unit.row(rows[i]);
    }
  }
  return result;
}

std::unique_ptr<CrossKernel> PythonGram::cross_kernel() const {
  return std::make_unique<DenseCrossKernel>(size_, threads_);
}

}  // namespace stkr::python
