#pragma once

#include <cstdint>

#include "cuda_block_view.hpp"

namespace stkr::cuda::kernels {

// partial(k, :) = Σ weight_i x(i, :) over the samples i = sample[start[k]], ...,
// sample[start[k+1] - 1], or over those numbers themselves without an array. `partial` has no gaps.
void sum_pieces(const double* weight, const std::int64_t* sample, const std::int64_t* start,
                std::int64_t pieces, ConstCudaView x, double* partial);

// sums(g, :) = Σ partial(k, :) over k in [start[g], start[g+1]).
void sum_groups(const double* partial, const std::int64_t* start, CudaView sums);

}  // namespace stkr::cuda::kernels
