#include "linop/csr_product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "runtime/parallel.hpp"
#include "runtime/simd_vector.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// The number of columns whose sums stay in registers.
constexpr int widest_strip = 16;

// How many entries ahead the rows of x are prefetched, to hide memory latency.
constexpr std::int64_t prefetch_distance = 24;

// Entries and rows per task, times columns. Tasks are partitioned by size, never by thread count.
constexpr std::int64_t work_per_task = 1 << 18;
constexpr std::int64_t smallest_task = 1 << 13;

// Bytes of a block that stay in the shared cache between products.
constexpr Index cached_bytes = 1 << 20;

// Width doubles in the widest vectors that fit, then narrower ones: 10 = 8 + 2.
template <int Width>
struct Accumulator {
  static constexpr int lanes = std::min(simd::lanes<double>, int(std::bit_floor(unsigned(Width))));
  simd::Vec<double, lanes> head = {};
  Accumulator<Width - lanes> tail;

  void add(double a, const double* x) {
    head += a * simd::load<double, lanes>(x);
    tail.add(a, x + lanes);
  }
  void scale(double a) {
    head *= a;
    tail.scale(a);
  }
  void store(double* y) const {
    simd::store<double, lanes>(y, head);
    tail.store(y + lanes);
  }
};
template <>
struct Accumulator<0> {
  void add(double, const double*) {}
  void scale(double) {}
  void store(double*) const {}
};

// Prefetches every cache line of a row of x. Rows are rarely aligned, so the end may need one more.
template <int Width>
void prefetch_row(const double* x) {
  for (int c = 0; c < Width; c += 8) __builtin_prefetch(x + c);
  if constexpr (Width > 1) __builtin_prefetch(x + Width - 1);
}

// y ← a A x + b x + c y
struct Step {
  double a = 1.0, b = 0.0, c = 0.0;
  bool plain() const { return a == 1.0 && b == 0.0 && c == 0.0; }
};

// y(i, :) = Σ_p a_p x(column_p, :), and the rest of the step, for rows [begin, end) over Width
// columns.
template <int Width, bool Plain>
void multiply_rows(const CsrMatrix& matrix, const Step& step, const double* x, Index x_stride,
                   double* y, Index y_stride, Index begin, Index end) {
  const std::int32_t* column = matrix.column.data();
  const double* value = matrix.value.data();
  const std::int64_t last = matrix.row_start[end];
  for (Index i = begin; i < end; ++i) {
    Accumulator<Width> sum;
    for (std::int64_t p = matrix.row_start[i]; p < matrix.row_start[i + 1]; ++p) {
      if (p + prefetch_distance < last) {
        prefetch_row<Width>(x + column[p + prefetch_distance] * x_stride);
      }
      sum.add(value[p], x + column[p] * x_stride);
    }
    if constexpr (!Plain) {
      sum.scale(step.a);
      if (step.b != 0.0) sum.add(step.b, x + i * x_stride);
      if (step.c != 0.0) sum.add(step.c, y + i * y_stride);
    }
    sum.store(y + i * y_stride);
  }
}

using RowsFunction = void (*)(const CsrMatrix&, const Step&, const double*, Index, double*, Index,
                              Index, Index);

template <bool Plain, int... Widths>
RowsFunction rows_function(int width, std::integer_sequence<int, Widths...>) {
  constexpr RowsFunction functions[] = {multiply_rows<Widths + 1, Plain>...};
  return functions[width - 1];
}

// The first row i with row_start[i] + i ≥ `work`.
Index row_at(const CsrMatrix& matrix, std::int64_t work) {
  Index low = 0;
  Index high = matrix.rows;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (matrix.row_start[middle] + middle < work) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void run_step(const CsrMatrix& matrix, const Step& step, ConstMatrixRef x, MatrixRef y,
              int threads) {
  if (x.rows() != matrix.cols || y.rows() != matrix.rows || x.cols() != y.cols()) {
    throw ShapeError(fmt::format(
        "multiply: A is {} x {}, x is {} x {} and y is {} x {}; x needs one row per column of A, y "
        "one per row, and both the same number of columns",
        matrix.rows, matrix.cols, x.rows(), x.cols(), y.rows(), y.cols()));
  }
  if (matrix.rows == 0 || x.cols() == 0) return;
  const Index strips = (x.cols() + widest_strip - 1) / widest_strip;
  const std::int64_t grain = std::max<std::int64_t>(work_per_task / x.cols(), smallest_task);
  const std::int64_t work = matrix.entries() + matrix.rows;
  const Index tasks = (work + grain - 1) / grain;
  const auto widths = std::make_integer_sequence<int, widest_strip>();
  parallel_tasks(tasks, threads, [&](Index task) {
    const Index begin = row_at(matrix, task * grain);
    const Index end = task + 1 == tasks ? matrix.rows : row_at(matrix, (task + 1) * grain);
    for (Index s = 0; s < strips; ++s) {
      const Index first = s * x.cols() / strips;
      const int width = static_cast<int>((s + 1) * x.cols() / strips - first);
      const RowsFunction rows =
          step.plain() ? rows_function<true>(width, widths) : rows_function<false>(width, widths);
      rows(matrix, step, x.data() + first, x.outerStride(), y.data() + first, y.outerStride(),
           begin, end);
    }
  });
}

}  // namespace

void multiply(const CsrMatrix& matrix, ConstMatrixRef x, MatrixRef y, int threads) {
  run_step(matrix, {}, x, y, threads);
}

void multiply_step(const CsrMatrix& matrix, double a, ConstMatrixRef x, double b, double c,
                   MatrixRef y, int threads) {
  if (matrix.rows != matrix.cols) {
    throw ShapeError(
        fmt::format("multiply_step: A is {} x {}; expected square", matrix.rows, matrix.cols));
  }
  run_step(matrix, {a, b, c}, x, y, threads);
}

void multiply_add(const CsrMatrix& matrix, double a, ConstMatrixRef x, MatrixRef y, int threads) {
  run_step(matrix, {a, 0.0, 1.0}, x, y, threads);
}

Index cached_columns(Index rows) {
  const Index columns =
      cached_bytes / (static_cast<Index>(sizeof(double)) * std::max<Index>(rows, 1));
  return std::clamp<Index>(columns / widest_strip, 1, 8) * widest_strip;
}

}  // namespace stkr
