#pragma once

#include <cstdint>

#include "stkr/linop/feature_matrix.hpp"
#include "stkr/matrix.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

// The directions in which points vary most. Many features are mostly noise (pixels): distances in a
// few principal components find better neighbors, and faster.
class PrincipalAxes {
 public:
  // `axes` has orthonormal columns, one per component. Throws ShapeError unless `mean` has one
  // entry per row of it.
  PrincipalAxes(Vector mean, Matrix axes);

  // Of the points, up to the accuracy that neighbors need: from at most 5,000 of them, evenly
  // spaced. Throws ValueError for a coordinate that is not finite or a number of components outside
  // [1, features]; `who` starts the message.
  static PrincipalAxes of(const SharedMatrix& points, Index components, const Context& context,
                          const char* who);

  Index features() const { return axes_.rows(); }
  Index components() const { return axes_.cols(); }
  const Vector& mean() const { return mean_; }
  const Matrix& axes() const { return axes_; }

  // (x - mean)ᵀ axes of each point. A row does not depend on the others, to the last bit, so that
  // equal points stay equal. Throws ShapeError for another number of features.
  Matrix project(const SharedMatrix& points, int threads) const;

 private:
  Vector mean_;
  Matrix axes_;  // features × components
};

// The peak memory of PrincipalAxes::of, in addition to the points: the sample of them.
std::uint64_t principal_axes_bytes(Index points, Index features);

}  // namespace stkr
