#pragma once

#include <vector>

#include "stkr/linop/matrix.hpp"

namespace stkr {

// W = V R with orthonormal V, up to `tolerance`.
struct OrthonormalBasis {
  Matrix vectors;      // V: N × rank
  Matrix coordinates;  // R: rank × columns of W
};

// A basis of the columns of a tall block W, which may be dependent: directions of W shorter than
// `tolerance` are left out, so V can have fewer columns than W. V is also made orthogonal to the
// blocks in `against`, which W must be already, up to rounding: a direction that is short in W
// would otherwise carry that rounding magnified. Gram matrices resolve few decades at a time, so
// short directions are found in rounds, each with the longer ones projected out.
OrthonormalBasis orthonormal_basis(ConstMatrixRef w, double tolerance,
                                   const std::vector<ConstMatrixRef>& against, int threads);

}  // namespace stkr
