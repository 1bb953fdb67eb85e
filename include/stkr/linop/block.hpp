#pragma once

#include <concepts>
#include <span>
#include <utility>

#include "stkr/linop/block_algebra.hpp"
#include "stkr/linop/known_eigenspace.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

// The seam for a GPU or for several processes: operators and iterative solvers are templates over a
// block type, which holds C columns over the N samples. The host's is Matrix. A backend provides:
//
// - A block, which owns its columns, may be empty and can be moved, and two views of a block or of
// adjacent columns, named by BlockTraits. A block converts to both views and a View to a ConstView;
// views are passed by value. rows() counts the rows of this process.
//
// - The functions in block_algebra.hpp and known_eigenspace.hpp on its views, in its own namespace.
// The concept below lists them. Scalars, vectors with one number per column and matrices of C × C
// or less stay on the host; sums run over all processes, and every process gets the result.
// `threads` is for the host. Sample numbers are global, and upload() and download() see all N rows
// on every process.
//
// - Operators: BasicLinearOperator<Block> with size(), local_size(), new_block() and apply().
//
// - One source that instantiates what it needs, from the headers that define the templates:
//
//     #include "cuda_block.hpp"             // CudaBlock and its functions, in stkr::cuda
//     #include "solver/cg_template.hpp"
//
//     namespace stkr {
//     template <>
//     struct BlockTraits<cuda::CudaBlock> {
//       using View = cuda::CudaView;
//       using ConstView = cuda::ConstCudaView;
//     };
//     static_assert(BlockType<cuda::CudaBlock>);
//     template BasicSolveResult<cuda::CudaBlock> solve_cg(
//         const BasicLinearOperator<cuda::CudaBlock>&, cuda::ConstCudaView,
//         const BasicCgOptions<cuda::CudaBlock>&, const Context&);
//     }  // namespace stkr
//
//     const auto solved = stkr::solve_cg(gram_on_gpu, labels_on_gpu);
//
// tests/handle_block.hpp is a complete example, on which the tests of every solver run.
template <class Block>
struct BlockTraits;

template <>
struct BlockTraits<Matrix> {
  using View = MatrixRef;
  using ConstView = ConstMatrixRef;
};

template <class Block>
using BlockView = typename BlockTraits<Block>::View;
template <class Block>
using ConstBlockView = typename BlockTraits<Block>::ConstView;

template <class Block>
concept BlockType = std::default_initializable<Block> && std::movable<Block> &&
    std::convertible_to<Block&, BlockView<Block>> &&
    std::convertible_to<const Block&, ConstBlockView<Block>> &&
    std::convertible_to<BlockView<Block>, ConstBlockView<Block>> &&
    requires(BlockView<Block> v, ConstBlockView<Block> c, Index k, int threads, double a,
             const Vector& s, ConstMatrixRef host, std::span<const Index> samples, Random& random,
             const DirectionStep& step, const KnownEigenspace& space) {
  { c.rows() } -> std::same_as<Index>;
  { c.cols() } -> std::same_as<Index>;
  { block_like(c, k) } -> std::same_as<Block>;
  { block_of_rows(c, samples, k) } -> std::same_as<Block>;
  { columns_of(c, k, k) } -> std::same_as<ConstBlockView<Block>>;
  { mutable_columns(v, k, k) } -> std::same_as<BlockView<Block>>;
  { download(c) } -> std::convertible_to<Matrix>;
  upload(host, v);
  set_zero(v, threads);
  fill_normal(random, v);
  { all_finite(c, threads) } -> std::same_as<bool>;
  copy_block(c, v, threads);
  gather_columns(c, samples, v, threads);
  axpby(a, c, a, v, threads);
  recurrence_step(a, c, a, c, a, v, threads);
  { column_dots(c, c, threads) } -> std::same_as<Vector>;
  { column_norms(c, threads) } -> std::same_as<Vector>;
  scale_columns(s, c, v, threads);
  divide_columns(s, c, v, threads);
  add_scaled(s, c, v, threads);
  scale_and_add(s, c, v, threads);
  direction_step(step, c, c, c, v, v, threads);
  scale_rows(c, c, v, threads);
  add_and_scale_rows(c, c, c, v, threads);
  { tall_product(c, c, threads) } -> std::same_as<Matrix>;
  { symmetric_tall_product(c, c, threads) } -> std::same_as<Matrix>;
  { tall_times_small(c, host, threads) } -> std::same_as<Block>;
  subtract_product(c, host, v, threads);
  multiply_by_upper(v, host, threads);
  { gather_rows(c, samples) } -> std::same_as<Matrix>;
  gather_rows(a, c, samples, v, threads);
  scatter_rows(c, samples, v, threads);
  project_out(space, v, threads);
  add_projection(space, a, c, v, threads);
};

static_assert(BlockType<Matrix>);

template <class Block>
Block copy_of(ConstBlockView<Block> x, int threads) {
  Block y = block_like(x, x.cols());
  copy_block(x, y, threads);
  return y;
}

// x ← [x, more]
template <class Block>
void append_columns(Block& x, ConstBlockView<Block> more, int threads) {
  Block joined = block_like(more, x.cols() + more.cols());
  copy_block(x, mutable_columns(joined, 0, x.cols()), threads);
  copy_block(more, mutable_columns(joined, x.cols(), more.cols()), threads);
  x = std::move(joined);
}

}  // namespace stkr
