#include "stkr/gram/dense_gram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cross_kernels.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/parallel.hpp"
#include "tile_product.hpp"

namespace stkr {
namespace {

constexpr double symmetry_tolerance = 1e-10;
constexpr Index rows_per_task = 64;
constexpr Index columns_per_tile = 512;

// y = A x. Not Eigen's product: that starts threads of its own, and its sums depend on their
// number.
void multiply_dense(ConstMatrixRef a, ConstMatrixRef x, MatrixRef y, int threads) {
  const Index whole = a.cols() / tile::padding * tile::padding;
  // x in transposed strips, once for all threads.
  std::vector<double> packed(whole * x.cols());
  for (Index j = 0; j < whole; j += columns_per_tile) {
    const Index length = std::min(columns_per_tile, whole - j);
    tile::transpose(x.middleRows(j, length), length, packed.data() + j * x.cols());
  }
  parallel_chunks(a.rows(), rows_per_task, threads, [&](Index begin, Index end) {
    y.middleRows(begin, end - begin).setZero();
    for (Index j = 0; j < whole; j += columns_per_tile) {
      const Index length = std::min(columns_per_tile, whole - j);
      tile::add_product(a.row(begin).data() + j, a.outerStride(), end - begin, length,
                        packed.data() + j * x.cols(), x.cols(), y.row(begin).data(),
                        y.outerStride());
    }
    for (Index i = begin; i < end; ++i) {
      for (Index j = whole; j < a.cols(); ++j) y.row(i) += a(i, j) * x.row(j);
    }
  });
}

void check_finite(ConstMatrixRef values, const char* who) {
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index j = 0; j < values.cols(); ++j) {
      if (!std::isfinite(values(i, j))) {
        throw ValueError(
            fmt::format("{}: the kernel value in row {}, column {} is {}; kernel "
                        "values must be finite",
                        who, i, j, values(i, j)));
      }
    }
  }
}

void check_symmetric(const Matrix& kernel) {
  const double largest = kernel.cwiseAbs().maxCoeff();
  for (Index i = 0; i < kernel.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      if (std::abs(kernel(i, j) - kernel(j, i)) > symmetry_tolerance * largest) {
        throw ValueError(fmt::format(
            "DenseGram: K({}, {}) is {} but K({}, {}) is {}; a kernel matrix is symmetric, so pass "
            "(K + Kᵀ)/2 if that is what you mean",
            i, j, kernel(i, j), j, i, kernel(j, i)));
      }
    }
  }
}

}  // namespace

DenseGram::DenseGram(Matrix kernel, int threads) : kernel_(std::move(kernel)), threads_(threads) {
  if (kernel_.rows() != kernel_.cols() || kernel_.rows() == 0) {
    throw ShapeError(fmt::format("DenseGram: the kernel matrix is {} x {}; expected a square one",
                                 kernel_.rows(), kernel_.cols()));
  }
  check_finite(kernel_, "DenseGram");
  check_symmetric(kernel_);
  nonnegative_ = kernel_.minCoeff() >= 0.0;
  // |λ| ≤ max_i Σ_j |S_ij|
  const double radius =
      kernel_.cwiseAbs().rowwise().sum().maxCoeff() / static_cast<double>(kernel_.rows());
  bounds_ = {-radius, radius};
}

void DenseGram::apply(ConstMatrixRef x, MatrixRef y) const {
  check_apply_shapes(*this, x, y, "DenseGram::apply");
  if (x.cols() == 0) return;
  multiply_dense(kernel_, x, y, threads_);
  y /= static_cast<double>(size());
}

Matrix DenseGram::block(std::span<const Index> rows, std::span<const Index> columns) const {
  check_block_indices(*this, rows, columns, "DenseGram::block");
  Matrix result(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
  for (Index i = 0; i < result.rows(); ++i) {
    for (Index j = 0; j < result.cols(); ++j) result(i, j) = kernel_(rows[i], columns[j]);
  }
  return result;
}

std::unique_ptr<CrossKernel> DenseGram::into_cross_kernel() && {
  return std::make_unique<DenseCrossKernel>(size(), threads_);
}

Matrix DenseCrossKernel::apply(const NewSamples& samples, ConstMatrixRef c) const {
  const char* who = "DenseCrossKernel::apply";
  const Matrix& rows = expect_matrix(samples, who, "kernel rows, one per new sample");
  check_coefficients(*this, c, who);
  if (rows.cols() != known()) {
    throw ShapeError(fmt::format(
        "{}: the kernel rows have {} columns but there are {} known samples; pass K(x, x_i) for "
        "every known sample",
        who, rows.cols(), known()));
  }
  check_finite(rows, who);
  Matrix result(rows.rows(), c.cols());
  if (result.size() > 0) multiply_dense(rows, c, result, threads_);
  return result;
}

void DenseCrossKernel::save(CrossKernelSink& sink) const {
  sink.text("kind", "dense");
  sink.number("known", static_cast<double>(known_));
}

std::unique_ptr<CrossKernel> load_dense_cross_kernel(CrossKernelSource& source) {
  return std::make_unique<DenseCrossKernel>(load_count(source, "known"), source.threads());
}

}  // namespace stkr
