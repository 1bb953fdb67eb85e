#include <cstdint>
#include <vector>

#include "block_algebra_kernels.hpp"
#include "cuda_block.hpp"
#include "runtime/parallel.hpp"
#include "runtime/random.hpp"

namespace stkr::cuda {
namespace {

bool without_gaps(ConstCudaView x) { return x.stride() == x.cols(); }

std::uint64_t bytes(ConstCudaView x) {
  return sizeof(double) * static_cast<std::uint64_t>(x.rows() * x.cols());
}

// One number per column as arguments of a kernel, and their device array if they are too many.
class Staged {
 public:
  explicit Staged(const Vector& a) {
    if (a.size() <= kernels::ColumnScalars::most_values) {
      Vector::Map(scalars_.value, a.size()) = a;
    } else {
      array_ = DeviceArray<double>(std::span(a.data(), static_cast<std::size_t>(a.size())));
      scalars_.array = array_.data();
    }
  }
  operator const kernels::ColumnScalars&() const { return scalars_; }

 private:
  kernels::ColumnScalars scalars_{};
  DeviceArray<double> array_;
};

DeviceArray<std::int64_t> to_device(std::span<const Index> numbers) {
  static_assert(sizeof(Index) == sizeof(std::int64_t));
  return DeviceArray<std::int64_t>(numbers);
}

enum class Triangle { all, upper };

// A small matrix in device memory, padded as the kernels want it.
class SmallOnDevice {
 public:
  explicit SmallOnDevice(ConstMatrixRef m, Triangle triangle = Triangle::all) {
    const auto padded = [](Index n, Index unit) { return (n + unit - 1) / unit * unit; };
    Matrix host = Matrix::Zero(padded(m.rows(), kernels::small_rows),
                               padded(m.cols(), kernels::small_columns));
    if (triangle == Triangle::all) {
      host.topLeftCorner(m.rows(), m.cols()) = m;
    } else {
      for (Index i = 0; i < m.rows(); ++i) {
        for (Index j = i; j < m.cols(); ++j) host(i, j) = m(i, j);
      }
    }
    array_ = DeviceArray<double>(std::span(host.data(), static_cast<std::size_t>(host.size())));
    matrix_ = {array_.data(), static_cast<int>(host.rows()), static_cast<int>(host.cols())};
  }
  operator const kernels::SmallMatrix&() const { return matrix_; }

 private:
  DeviceArray<double> array_;
  kernels::SmallMatrix matrix_{};
};

}  // namespace

// Copies of rows with gaps would be made row by row; the device removes the gaps first.
namespace {

// A new matrix has no memory pages yet. The driver's copy would ask for them one by one, which
// takes several times as long as the copy: all threads touch them first.
Matrix touched_matrix(Index rows, Index columns) {
  constexpr Index kPage = 4096 / sizeof(double);
  constexpr Index kLarge = Index{1} << 20;
  Matrix matrix(rows, columns);
  if (matrix.size() < kLarge) return matrix;
  double* const data = matrix.data();
  parallel_chunks(matrix.size(), kLarge, 0, [data](Index begin, Index end) {
    for (Index i = begin; i < end; i += kPage) data[i] = 0.0;
  });
  return matrix;
}

}  // namespace

Matrix download(ConstCudaView x) {
  Matrix host = touched_matrix(x.rows(), x.cols());
  if (host.size() == 0) return host;
  if (without_gaps(x)) {
    detail::copy_to_host(host.data(), x.data(), bytes(x));
  } else {
    DeviceArray<double> dense(static_cast<std::size_t>(host.size()));
    kernels::axpby(1.0, x, 0.0, CudaView(dense.data(), x.rows(), x.cols(), x.cols()));
    dense.download(host.data());
  }
  return host;
}

void upload(ConstMatrixRef host, CudaView x) {
  if (host.size() == 0) return;
  if (host.outerStride() != host.cols()) {
    upload(Matrix(host), x);
  } else if (without_gaps(x)) {
    detail::copy_to_device(x.data(), host.data(), bytes(x));
  } else {
    const DeviceArray<double> dense(std::span(host.data(), static_cast<std::size_t>(host.size())));
    kernels::axpby(1.0, ConstCudaView(dense.data(), x.rows(), x.cols(), x.cols()), 0.0, x);
  }
}

void set_zero(CudaView x, int) {
  if (x.rows() == 0 || x.cols() == 0) return;
  check(cudaMemset2DAsync(x.data(), sizeof(double) * x.stride(), 0, sizeof(double) * x.cols(),
                          x.rows()),
        "cudaMemset2DAsync");
}

void fill_normal(Random& random, CudaView x) {
  Matrix host(x.rows(), x.cols());
  fill_normal(random, host);
  upload(host, x);
}

bool all_finite(ConstCudaView x, int) { return kernels::all_finite(x); }

void copy_block(ConstCudaView x, CudaView y, int) {
  if (without_gaps(x) && without_gaps(y) && bytes(x) > 0) {
    check(cudaMemcpyAsync(y.data(), x.data(), bytes(x), cudaMemcpyDeviceToDevice),
          "cudaMemcpyAsync on the device");
  } else {
    kernels::axpby(1.0, x, 0.0, y);
  }
}

void gather_columns(ConstCudaView x, std::span<const Index> columns, CudaView y, int) {
  kernels::gather_columns(x, to_device(columns).data(), y);
}

void axpby(double a, ConstCudaView x, double b, CudaView y, int) { kernels::axpby(a, x, b, y); }

void recurrence_step(double a, ConstCudaView u, double b, ConstCudaView x, double c, CudaView y,
                     int) {
  kernels::recurrence_step(a, u, b, x, c, y);
}

Vector column_dots(ConstCudaView x, ConstCudaView y, int) {
  Vector sums(x.cols());
  kernels::column_dots(x, y, sums.data());
  return sums;
}

Vector column_norms(ConstCudaView x, int threads) { return column_dots(x, x, threads).cwiseSqrt(); }

void scale_columns(const Vector& a, ConstCudaView x, CudaView y, int) {
  kernels::scale_columns(Staged(a), x, y);
}
void divide_columns(const Vector& a, ConstCudaView x, CudaView y, int) {
  kernels::divide_columns(Staged(a), x, y);
}
void add_scaled(const Vector& a, ConstCudaView x, CudaView y, int) {
  kernels::add_scaled(Staged(a), x, y);
}
void scale_and_add(const Vector& a, ConstCudaView x, CudaView y, int) {
  kernels::scale_and_add(Staged(a), x, y);
}

void direction_step(const DirectionStep& step, ConstCudaView v, ConstCudaView w1, ConstCudaView w2,
                    CudaView w, CudaView x, int) {
  const Staged scale(step.scale), older(step.older), old(step.old), length(step.length);
  kernels::direction_step({scale, older, old, length}, v, w1, w2, w, x);
}

void scale_rows(ConstCudaView w, ConstCudaView x, CudaView y, int) { kernels::scale_rows(w, x, y); }

void add_and_scale_rows(ConstCudaView w, ConstCudaView t, ConstCudaView x, CudaView y, int) {
  kernels::add_and_scale_rows(w, t, x, y);
}

Matrix tall_product(ConstCudaView x, ConstCudaView y, int) {
  Matrix product(x.cols(), y.cols());
  kernels::tall_product(x, y, kernels::Part::all, product.data());
  return product;
}

Matrix symmetric_tall_product(ConstCudaView x, ConstCudaView y, int) {
  const Index k = x.cols();
  Matrix product(k, k);
  if (k == 0) return product;
  kernels::tall_product(x, y, kernels::Part::upper_tiles, product.data());
  const Index tile = kernels::tall_product_tile(k);
  for (Index i = 0; i < k; ++i) {
    for (Index j = 0; j < i; ++j) {
      if (i / tile == j / tile) product(j, i) = 0.5 * (product(i, j) + product(j, i));
      product(i, j) = product(j, i);
    }
  }
  return product;
}

CudaBlock tall_times_small(ConstCudaView x, ConstMatrixRef m, int) {
  CudaBlock y = block_like(x, m.cols());
  kernels::small_product(x, SmallOnDevice(m), kernels::Into::store, y);
  return y;
}

void subtract_product(ConstCudaView x, ConstMatrixRef m, CudaView y, int) {
  if (m.size() == 0) return;
  kernels::small_product(x, SmallOnDevice(m), kernels::Into::subtract, y);
}

void multiply_by_upper(CudaView x, ConstMatrixRef m, int) {
  kernels::multiply_by_upper(x, SmallOnDevice(m, Triangle::upper));
}

Matrix gather_rows(ConstCudaView x, std::span<const Index> samples) {
  CudaBlock rows = block_of_rows(x, samples, x.cols());
  gather_rows(1.0, x, samples, rows, 1);
  return download(rows);
}

void gather_rows(double scale, ConstCudaView x, std::span<const Index> samples, CudaView y, int) {
  kernels::gather_rows(scale, x, to_device(samples).data(), y);
}

void scatter_rows(ConstCudaView x, std::span<const Index> samples, CudaView y, int threads) {
  set_zero(y, threads);
  kernels::scatter_rows(x, to_device(samples).data(), y);
}

}  // namespace stkr::cuda
