#pragma once

#include <vector>

#include "stkr/linop/block.hpp"

namespace stkr {

// W = V R with orthonormal V, up to `tolerance`.
template <class Block>
struct BasicOrthonormalBasis {
  Block vectors;       // V: N × rank
  Matrix coordinates;  // R: rank × columns of W
};
using OrthonormalBasis = BasicOrthonormalBasis<Matrix>;

// A basis of the columns of a tall block W, which may be dependent: directions of W shorter than
// `tolerance` are dropped, so V can have fewer columns than W. V is also made orthogonal to the
// blocks in `against`, to which W must already be orthogonal up to rounding, because normalizing a
// short direction of W magnifies that rounding. Gram matrices resolve only a few decades at a time,
// so short directions are found in rounds, each with the longer ones projected out.
template <class Block>
BasicOrthonormalBasis<Block> orthonormal_basis(const Block& w, double tolerance,
                                               const std::vector<ConstBlockView<Block>>& against,
                                               int threads);

}  // namespace stkr
