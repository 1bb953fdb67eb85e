#pragma once

#include <cstdint>

#include "cuda_block_view.hpp"

// What block_algebra.cpp and others launch; shapes are checked by the callers. An output may be one
// of the inputs of an element-by-element operation.
namespace stkr::cuda::kernels {

// One number per column: among the arguments of the kernel if there are few, which saves a copy,
// else in device memory.
struct ColumnScalars {
  static constexpr int most_values = 64;
  double value[most_values];
  const double* array = nullptr;
};

void axpby(double a, ConstCudaView x, double b, CudaView y);
void recurrence_step(double a, ConstCudaView u, double b, ConstCudaView x, double c, CudaView y);
void scale_columns(const ColumnScalars& a, ConstCudaView x, CudaView y);
void divide_columns(const ColumnScalars& a, ConstCudaView x, CudaView y);
void add_scaled(const ColumnScalars& a, ConstCudaView x, CudaView y);
void scale_and_add(const ColumnScalars& a, ConstCudaView x, CudaView y);
struct StepScalars {
  ColumnScalars scale, older, old, length;
};
void direction_step(const StepScalars& step, ConstCudaView v, ConstCudaView w1, ConstCudaView w2,
                    CudaView w, CudaView x);
void scale_rows(ConstCudaView w, ConstCudaView x, CudaView y);
void add_and_scale_rows(ConstCudaView w, ConstCudaView t, ConstCudaView x, CudaView y);

// Column and sample numbers are in device memory.
void gather_columns(ConstCudaView x, const std::int64_t* columns, CudaView y);
void gather_rows(double scale, ConstCudaView x, const std::int64_t* samples, CudaView y);
void scatter_rows(ConstCudaView x, const std::int64_t* samples, CudaView y);

// y += a diag(weight) C(group, :), where group[i] = -1 means no row, and no array means 0.
void add_groups(double a, const double* weight, const std::int32_t* group, ConstCudaView c,
                CudaView y);

// Sums into host memory, one per column.
void column_dots(ConstCudaView x, ConstCudaView y, double* sums);
bool all_finite(ConstCudaView x);

// sums[e] = Σ_s partial[s · entries + e], in device memory. With tile > 0, the entries are a square
// matrix, and tiles below the diagonal are not read and get zeros.
void sum_partials(const double* partial, std::int64_t strips, std::int64_t entries, double* sums,
                  int tile = 0, int columns = 0);

// Xᵀ Y into host memory, row by row. `upper_tiles` leaves parts below the diagonal 0: those in
// tiles of tall_product_tile() columns.
enum class Part { all, upper_tiles };
int tall_product_tile(std::int64_t columns);
void tall_product(ConstCudaView x, ConstCudaView y, Part part, double* product);
std::uint64_t tall_product_bytes(std::int64_t rows, std::int64_t x_columns, std::int64_t y_columns);

// A small matrix in device memory, padded with zeros to multiples of small_rows and small_columns.
constexpr int small_rows = 4, small_columns = 32;
struct SmallMatrix {
  const double* data;
  int rows, columns;  // with padding
};
enum class Into { store, subtract };
// Y = X M or Y -= X M.
void small_product(ConstCudaView x, const SmallMatrix& m, Into into, CudaView y);
// X ← X M for an upper triangular M.
void multiply_by_upper(CudaView x, const SmallMatrix& m);

}  // namespace stkr::cuda::kernels
