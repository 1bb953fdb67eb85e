#include "kernel_epilogue.cuh"
#include "kernel_product_plain.hpp"

namespace stkr::cuda {
namespace {

constexpr int tile = 64;
constexpr int chunk = 16;
constexpr int width = 16;
constexpr int threads = 256;

enum class Metric { inner, squared, squared_exact, absolute };

// One feature of a pair. squared_exact rounds like the definition of the kernel, term by term.
template <Metric M, class Scalar>
__device__ void add_feature(Scalar& sum, Scalar x, Scalar y) {
  if constexpr (M == Metric::inner) {
    sum = fma(x, y, sum);
  } else if constexpr (M == Metric::absolute) {
    sum += fabs(x - y);
  } else if constexpr (M == Metric::squared) {
    const Scalar difference = x - y;
    sum = fma(difference, difference, sum);
  } else {
    const double difference = __dadd_rn(x, -y);
    sum = __dadd_rn(sum, __dmul_rn(difference, difference));
  }
}

template <class Scalar>
struct PlainProblem {
  const Scalar* rows;
  const Scalar* columns;
  const double* row_norms;
  const double* column_norms;
  const double* vectors;
  double* row_sums;
  std::size_t row_stride;     // padded rows
  std::size_t column_stride;  // padded columns
  std::size_t column_count;
  std::size_t features;
  FormulaOnDevice formula;
};

template <Metric M, class Scalar>
__device__ Scalar plain_value(const PlainProblem<Scalar>& problem, Scalar sum, std::size_t row,
                              std::size_t column) {
  if constexpr (M == Metric::inner) {
    const auto constant = static_cast<Scalar>(problem.formula.sign * problem.row_norms[row] *
                                              problem.column_norms[column]);
    const Scalar value = power(sum + constant, problem.formula.degree);
    return problem.formula.negative ? -value : value;
  } else if constexpr (M == Metric::absolute) {
    if constexpr (sizeof(Scalar) == 4) return exp2f(-sum);
    return full_exp2(-static_cast<double>(sum));
  } else if constexpr (M == Metric::squared) {
    return euclidean_value(sum, problem.formula.kind);
  } else {
    return sqrt(sum) <= problem.formula.radius ? 1.0 : 0.0;
  }
}

// Each block: 64 rows and the columns of one strip.
template <Metric M, class Scalar>
__global__ void __launch_bounds__(threads)
    plain_tiles(const __grid_constant__ PlainProblem<Scalar> problem) {
  // Points are not needed any more when there are values.
  __shared__ union {
    Scalar points[2][chunk][tile];
    Scalar values[tile][tile + 1];
  } shared;
  __shared__ Scalar vectors[tile][width];
  auto& row_points = shared.points[0];
  auto& column_points = shared.points[1];
  auto& values = shared.values;
  const int x = threadIdx.x % 16;
  const int y = threadIdx.x / 16;
  const std::size_t row = std::size_t{blockIdx.x} * tile;
  const std::size_t tiles = (problem.column_count + tile - 1) / tile;
  const std::size_t begin = tiles * blockIdx.y / gridDim.y;
  const std::size_t end = tiles * (blockIdx.y + 1) / gridDim.y;
  double totals[4] = {};
  for (std::size_t column = begin * tile; column < end * tile; column += tile) {
    Scalar sums[4][4] = {};
    for (std::size_t k0 = 0; k0 < problem.features; k0 += chunk) {
      const int depth = static_cast<int>(min(problem.features - k0, std::size_t{chunk}));
      for (int i = threadIdx.x; i < depth * tile; i += threads) {
        const std::size_t k = k0 + i / tile;
        row_points[i / tile][i % tile] = problem.rows[k * problem.row_stride + row + i % tile];
        column_points[i / tile][i % tile] =
            problem.columns[k * problem.column_stride + column + i % tile];
      }
      __syncthreads();
      for (int k = 0; k < depth; ++k) {
        Scalar a[4];
        Scalar b[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          a[i] = row_points[k][y + 16 * i];
          b[i] = column_points[k][x + 16 * i];
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
          for (int j = 0; j < 4; ++j) add_feature<M>(sums[i][j], a[i], b[j]);
        }
      }
      __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        values[y + 16 * i][x + 16 * j] =
            plain_value<M>(problem, sums[i][j], row + y + 16 * i, column + x + 16 * j);
      }
    }
    for (int i = threadIdx.x; i < tile * width; i += threads) {
      vectors[i / width][i % width] = static_cast<Scalar>(problem.vectors[column * width + i]);
    }
    __syncthreads();
    const int own = threadIdx.x % tile;
    const int first = threadIdx.x / tile * 4;
    Scalar products[4] = {};
    for (int j = 0; j < tile; ++j) {
      const Scalar value = values[own][j];
#pragma unroll
      for (int c = 0; c < 4; ++c) products[c] = fma(value, vectors[j][first + c], products[c]);
    }
#pragma unroll
    for (int c = 0; c < 4; ++c) totals[c] += static_cast<double>(products[c]);
    __syncthreads();
  }
  double* to = problem.row_sums +
               (blockIdx.y * problem.row_stride + row + threadIdx.x % tile) * width +
               threadIdx.x / tile * 4;
#pragma unroll
  for (int c = 0; c < 4; ++c) to[c] = totals[c];
}

template <class Scalar>
void launch(const PlainProblem<Scalar>& problem, int strips) {
  const dim3 grid(static_cast<unsigned>(problem.row_stride / tile), static_cast<unsigned>(strips));
  const FormulaKind kind = problem.formula.kind;
  if (kind == FormulaKind::laplacian) {
    plain_tiles<Metric::absolute><<<grid, threads>>>(problem);
  } else if (kind == FormulaKind::polynomial) {
    plain_tiles<Metric::inner><<<grid, threads>>>(problem);
  } else if (kind == FormulaKind::epsilon_neighbor) {
    if constexpr (sizeof(Scalar) == 8) {
      plain_tiles<Metric::squared_exact><<<grid, threads>>>(problem);
    }
  } else {
    plain_tiles<Metric::squared><<<grid, threads>>>(problem);
  }
  check_launch("plain_tiles");
}

template <class Scalar>
PlainProblem<Scalar> plain_problem(const PackedPoints& rows, const PackedPoints& columns,
                                   const DeviceArray<Scalar>& row_values,
                                   const DeviceArray<Scalar>& column_values, const double* vectors,
                                   double* row_sums) {
  return {row_values.data(),
          column_values.data(),
          rows.storage().norms.data(),
          columns.storage().norms.data(),
          vectors,
          row_sums,
          rows.storage().rows,
          columns.storage().rows,
          columns.count(),
          rows.features(),
          FormulaOnDevice::of(rows.formula())};
}

}  // namespace

void plain_product(const PackedPoints& rows, const PackedPoints& columns, const double* vectors,
                   int strips, double* row_sums) {
  const PackedStorage& a = rows.storage();
  const PackedStorage& b = columns.storage();
  if (rows.layout() == PackedLayout::plain32) {
    launch(plain_problem(rows, columns, a.values32, b.values32, vectors, row_sums), strips);
  } else {
    launch(plain_problem(rows, columns, a.values64, b.values64, vectors, row_sums), strips);
  }
}

}  // namespace stkr::cuda
