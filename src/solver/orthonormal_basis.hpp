#pragma once

#include <vector>

#include "stkr/matrix.hpp"

namespace stkr {

// W = V R with orthonormal V, up to `tolerance`.
struct OrthonormalBasis {
  Matrix vectors;      // V: N × rank
  Matrix coordinates;  // R: rank × columns of W
};

// A basis of the columns of a tall block W, which may be dependent: directions of W shorter than
// `tolerance` are dropped, so V can have fewer columns than W. V is also made orthogonal to the
// blocks in `against`, to which W must already be orthogonal up to rounding, because normalizing a
// short direction of W magnifies that rounding. Gram matrices resolve only a few decades at a time,
// so short directions are found in rounds, each with the longer ones projected out.
OrthonormalBasis orthonormal_basis(ConstMatrixRef w, double tolerance,
                                   const std::vector<ConstMatrixRef>& against, int threads);

}  // namespace stkr
