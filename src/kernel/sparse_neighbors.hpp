#pragma once

#include <stop_token>

#include "stkr/kernel/nearest_neighbors.hpp"
#include "stkr/linop/csr_matrix.hpp"

namespace stkr {

// The k nearest of the sparse `points` for each of the sparse `queries`, exactly and in double
// precision; ties are broken by index. `themselves`: the queries are the points, and a point is not
// its own neighbor. `reached`, if given, receives the points whose `reach` covers each query. Time
// is proportional to the pairs of entries that share a feature.
Neighbors sparse_neighbors(const CsrMatrix& queries, const CsrMatrix& points, Index k,
                           bool themselves, const Vector* reach, ReachedBy* reached, int threads,
                           const std::stop_token& cancel);

}  // namespace stkr
