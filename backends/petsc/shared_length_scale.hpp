#pragma once

#include <span>

#include "model/length_scale.hpp"
#include "shared_samples.hpp"
#include "stkr/linop/feature_matrix.hpp"

namespace stkr::petsc {

// median_distance of all points, of which `own` are those of this process (kernel/bandwidth).
double shared_median_distance(const RowLayout& samples, const SharedMatrix& own,
                              std::uint64_t seed);

// median_neighbor_distance to the k-th nearest of all points, or of those in `among`, which all
// processes list.
double shared_neighbor_distance(const RowLayout& samples, const SharedMatrix& own, Index k,
                                const Context& context, std::span<const Index> among);

// The length scale of a kernel as the specification asks for it (model/length_scale). `rows` are
// the points of these samples of this process.
ChosenScale shared_length_scale(const Kernel& kernel, const LengthScale& scale,
                                const SharedSamples& samples, const SharedMatrix& rows,
                                const Context& context);

}  // namespace stkr::petsc
