#pragma once

#include <span>

#include "cuda_block_view.hpp"
#include "stkr/linop/block.hpp"

// The block of the CUDA backend, on which every solver of the core runs. Functions mean what those
// in linop/block_algebra.hpp mean. They are queued on the default stream and return at once, except
// those that bring a result to the host. Sums are taken in an order that depends only on the shape,
// so that runs repeat bit for bit. `threads` is ignored.
namespace stkr::cuda {

inline CudaBlock block_like(ConstCudaView x, Index columns) { return {x.rows(), columns}; }
inline CudaBlock block_of_rows(ConstCudaView, std::span<const Index> samples, Index columns) {
  return {static_cast<Index>(samples.size()), columns};
}
inline ConstCudaView columns_of(ConstCudaView x, Index first, Index count) {
  return {x.data() + first, x.rows(), count, x.stride()};
}
inline CudaView mutable_columns(CudaView x, Index first, Index count) {
  return {x.data() + first, x.rows(), count, x.stride()};
}

Matrix download(ConstCudaView x);
void upload(ConstMatrixRef host, CudaView x);

void set_zero(CudaView x, int threads);

// The numbers of the host: made there and uploaded.
void fill_normal(Random& random, CudaView x);

bool all_finite(ConstCudaView x, int threads);
void copy_block(ConstCudaView x, CudaView y, int threads);
void gather_columns(ConstCudaView x, std::span<const Index> columns, CudaView y, int threads);
void axpby(double a, ConstCudaView x, double b, CudaView y, int threads);
void recurrence_step(double a, ConstCudaView u, double b, ConstCudaView x, double c, CudaView y,
                     int threads);

Vector column_dots(ConstCudaView x, ConstCudaView y, int threads);
Vector column_norms(ConstCudaView x, int threads);

void scale_columns(const Vector& a, ConstCudaView x, CudaView y, int threads);
void divide_columns(const Vector& a, ConstCudaView x, CudaView y, int threads);
void add_scaled(const Vector& a, ConstCudaView x, CudaView y, int threads);
void scale_and_add(const Vector& a, ConstCudaView x, CudaView y, int threads);
void direction_step(const DirectionStep& step, ConstCudaView v, ConstCudaView w1, ConstCudaView w2,
                    CudaView w, CudaView x, int threads);
void scale_rows(ConstCudaView w, ConstCudaView x, CudaView y, int threads);
void add_and_scale_rows(ConstCudaView w, ConstCudaView t, ConstCudaView x, CudaView y, int threads);

Matrix tall_product(ConstCudaView x, ConstCudaView y, int threads);
Matrix symmetric_tall_product(ConstCudaView x, ConstCudaView y, int threads);
CudaBlock tall_times_small(ConstCudaView x, ConstMatrixRef m, int threads);
void subtract_product(ConstCudaView x, ConstMatrixRef m, CudaView y, int threads);
void multiply_by_upper(CudaView x, ConstMatrixRef m, int threads);

Matrix gather_rows(ConstCudaView x, std::span<const Index> samples);
void gather_rows(double scale, ConstCudaView x, std::span<const Index> samples, CudaView y,
                 int threads);
void scatter_rows(ConstCudaView x, std::span<const Index> samples, CudaView y, int threads);

// These keep device copies of the last few spaces (eigenspace_on_device.hpp).
void project_out(const KnownEigenspace& space, CudaView x, int threads);
void add_projection(const KnownEigenspace& space, double a, ConstCudaView x, CudaView y,
                    int threads);

}  // namespace stkr::cuda

namespace stkr {

template <>
struct BlockTraits<cuda::CudaBlock> {
  using View = cuda::CudaView;
  using ConstView = cuda::ConstCudaView;
};
static_assert(BlockType<cuda::CudaBlock>);

}  // namespace stkr
