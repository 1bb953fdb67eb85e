#include "gram/dense_gram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cross_kernels.hpp"
#include "gram/gram_cost.hpp"
#include "runtime/aligned_vector.hpp"
#include "runtime/byte_count.hpp"
#include "runtime/parallel.hpp"
#include "stkr/error.hpp"
#include "tile_product.hpp"

namespace stkr {
namespace {

constexpr Index rows_per_task = 64;
constexpr Index columns_per_tile = 512;

// y = A x. Avoids Eigen's product, which starts its own threads and whose sums depend on their
// number.
template <class Values>
void multiply_dense(const Values& a, ConstMatrixRef x, MatrixRef y, int threads) {
  const Index whole = a.cols() / tile::padding * tile::padding;
  // Packs x in transposed strips, once for all threads.
  AlignedVector<double> packed(whole * x.cols());
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
      for (Index j = whole; j < a.cols(); ++j) {
        y.row(i) += static_cast<double>(a(i, j)) * x.row(j);
      }
    }
  });
}

template <class Values>
void check_finite(const Values& values, const char* who) {
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index j = 0; j < values.cols(); ++j) {
      if (!std::isfinite(values(i, j))) {
        throw ValueError(
            fmt::format("{}: the value in row {}, column {} is {}; expected a finite number", who,
                        i, j, values(i, j)));
      }
    }
  }
}

template <class Values>
void check_symmetric(const Values& kernel) {
  const double tolerance = std::is_same_v<typename Values::Scalar, float> ? 1e-5 : 1e-10;
  const double largest = kernel.cwiseAbs().maxCoeff();
  for (Index i = 0; i < kernel.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      if (std::abs(static_cast<double>(kernel(i, j) - kernel(j, i))) > tolerance * largest) {
        throw ValueError(
            fmt::format("kernel matrix: K({}, {}) is {} but K({}, {}) is {}; expected a symmetric "
                        "kernel matrix, so pass (K + Kᵀ)/2 to symmetrize it",
                        i, j, kernel(i, j), j, i, kernel(j, i)));
      }
    }
  }
}

// New samples given by their kernel rows.
class PlacedRows final : public PlacedSamples {
 public:
  PlacedRows(const CrossKernel& cross, const Matrix& rows, int threads)
      : cross_(cross), rows_(rows), threads_(threads) {}

  Matrix apply(ConstMatrixRef c) const override {
    check_coefficients(cross_, c, "DenseCrossKernel::apply");
    Matrix result(rows_.rows(), c.cols());
    if (result.size() > 0) multiply_dense(rows_, c, result, threads_);
    return result;
  }
  std::optional<Matrix> rows() const override { return rows_; }

 private:
  const CrossKernel& cross_;
  const Matrix& rows_;
  int threads_;
};

}  // namespace

DenseGram::DenseGram(SharedMatrix kernel, int threads)
    : kernel_(std::move(kernel)), threads_(threads) {
  if (kernel_.rows() != kernel_.cols() || kernel_.rows() == 0) {
    throw ShapeError(fmt::format("the kernel matrix is {} x {}; expected a square matrix",
                                 kernel_.rows(), kernel_.cols()));
  }
  kernel_.visit([&](const auto& values) {
    check_finite(values, "kernel matrix");
    check_symmetric(values);
    nonnegative_ = values.minCoeff() >= 0;
    // |λ| ≤ max_i Σ_j |S_ij|
    const double radius = values.template cast<double>().cwiseAbs().rowwise().sum().maxCoeff() /
                          static_cast<double>(values.rows());
    bounds_ = {-radius, radius};
  });
}

void DenseGram::apply(ConstMatrixRef x, MatrixRef y) const {
  check_apply_shapes(*this, x, y, "DenseGram::apply");
  if (x.cols() == 0) return;
  kernel_.visit([&](const auto& values) { multiply_dense(values, x, y, threads_); });
  y /= static_cast<double>(size());
}

Matrix DenseGram::block(std::span<const Index> rows, std::span<const Index> columns) const {
  check_block_indices(*this, rows, columns, "DenseGram::block");
  Matrix result(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
  kernel_.visit([&](const auto& values) {
    for (Index i = 0; i < result.rows(); ++i) {
      for (Index j = 0; j < result.cols(); ++j) result(i, j) = values(rows[i], columns[j]);
    }
  });
  return result;
}

std::unique_ptr<CrossKernel> DenseGram::cross_kernel() const {
  return std::make_unique<DenseCrossKernel>(size(), threads_);
}

std::unique_ptr<PlacedSamples> DenseCrossKernel::place(const NewSamples& samples) const {
  const char* who = "kernel rows";
  const Matrix& rows = expect_matrix(samples, who, "kernel rows, one per new sample");
  if (rows.cols() != known()) {
    throw ShapeError(fmt::format(
        "{}: the kernel rows have {} columns; expected {}: pass K(x, x_i) for every known sample",
        who, rows.cols(), known()));
  }
  check_finite(rows, who);
  return std::make_unique<PlacedRows>(*this, rows, threads_);
}

void DenseCrossKernel::save(CrossKernelSink& sink) const {
  sink.text("kind", "dense");
  sink.number("known", static_cast<double>(known_));
}

std::unique_ptr<CrossKernel> load_dense_cross_kernel(CrossKernelSource& source,
                                                     const CrossKernelRegistry&) {
  return std::make_unique<DenseCrossKernel>(load_count(source, "known"), source.threads());
}

GramCost dense_gram_cost(Index samples) {
  return {.samples = block_byte_count(samples, static_cast<double>(samples))};
}

}  // namespace stkr
