#pragma once

#include <pybind11/pybind11.h>

#include "stkr/gram/gram_operator.hpp"

namespace stkr::python {

namespace py = pybind11;

// S = K/N, where K is a Python object with `matmat` (a scipy.sparse.linalg.LinearOperator). New
// samples are kernel rows, as for an explicit kernel matrix.
class PythonGram final : public GramOperator {
 public:
  PythonGram(py::object kernel, Index size, int threads);

  Index size() const override { return size_; }
  void apply(ConstMatrixRef x, MatrixRef y) const override;
  // Computed by products with unit vectors.
  Matrix block(std::span<const Index> rows, std::span<const Index> columns) const override;
  std::unique_ptr<CrossKernel> cross_kernel() const override;

 private:
  Matrix kernel_product(ConstMatrixRef x) const;

  std::shared_ptr<const py::object> kernel_;  // released with the GIL held
  Index size_;
  int threads_;
};

}  // namespace stkr::python
