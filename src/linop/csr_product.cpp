#include "stkr/linop/csr_product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "stkr/error.hpp"
#include "stkr/linop/parallel.hpp"
#include "stkr/linop/simd_vector.hpp"

namespace stkr {
namespace {

// Columns whose sums stay in registers.
constexpr int widest_strip = 16;

// How many entries ahead the rows of x are asked for: the time one takes to arrive from memory.
constexpr std::int64_t prefetch_distance = 24;

// Entries and rows per task. A task is cut by its size, never by the number of threads.
constexpr std::int64_t work_per_task = 1 << 16;

// Width doubles as vectors of the widest lanes that still fit, then narrower ones: 10 = 8 + 2.
template <int Width>
struct Accumulator {
  static constexpr int lanes = std::min(simd::lanes<double>, int(std::bit_floor(unsigned(Width))));
  simd::Vec<double, lanes> head = {};
  Accumulator<Width - lanes> tail;

  void add(double a, const double* x) {
    head += a * simd::load<double, lanes>(x);
    tail.add(a, x + lanes);
  }
  void store(double* y) const {
    simd::store<double, lanes>(y, head);
    tail.store(y + lanes);
  }
};
template <>
struct Accumulator<0> {
  void add(double, const double*) {}
  void store(double*) const {}
};

// Asks for every cache line of a row of x. It seldom starts on one, so its end may lie on one more.
template <int Width>
void prefetch_row(const double* x) {
  for (int c = 0; c < Width; c += 8) __builtin_prefetch(x + c);
  if constexpr (Width > 1) __builtin_prefetch(x + Width - 1);
}

// y(i, :) = Σ_p a_p x(column_p, :) for rows [begin, end), over Width columns.
template <int Width>
void multiply_rows(const CsrMatrix& matrix, const double* x, Index x_stride, double* y,
                   Index y_stride, Index begin, Index end) {
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
    sum.store(y + i * y_stride);
  }
}

using RowsFunction = void (*)(const CsrMatrix&, const double*, Index, double*, Index, Index, Index);

template <int... Widths>
RowsFunction rows_function(int width, std::integer_sequence<int, Widths...>) {
  constexpr RowsFunction functions[] = {multiply_rows<Widths + 1>...};
  return functions[width - 1];
}

// The first row at which row_start[i] + i reaches `work`.
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

}  // namespace

void multiply(const CsrMatrix& matrix, ConstMatrixRef x, MatrixRef y, int threads) {
  if (x.rows() != matrix.cols || y.rows() != matrix.rows || x.cols() != y.cols()) {
    throw ShapeError(fmt::format(
        "multiply: A is {} x {}, x is {} x {} and y is {} x {}; x needs one row per column of A, y "
        "one per row, and both the same number of columns",
        matrix.rows, matrix.cols, x.rows(), x.cols(), y.rows(), y.cols()));
  }
  if (matrix.rows == 0 || x.cols() == 0) return;
  const std::int64_t work = matrix.entries() + matrix.rows;
  const Index tasks = (work + work_per_task - 1) / work_per_task;
  const Index strips = (x.cols() + widest_strip - 1) / widest_strip;
  parallel_tasks(tasks, threads, [&](Index task) {
    const Index begin = row_at(matrix, task * work_per_task);
    const Index end = task + 1 == tasks ? matrix.rows : row_at(matrix, (task + 1) * work_per_task);
    for (Index s = 0; s < strips; ++s) {
      const Index first = s * x.cols() / strips;
      const Index width = (s + 1) * x.cols() / strips - first;
      const RowsFunction rows =
          rows_function(static_cast<int>(width), std::make_integer_sequence<int, widest_strip>());
      rows(matrix, x.data() + first, x.outerStride(), y.data() + first, y.outerStride(), begin,
           end);
    }
  });
}

}  // namespace stkr
