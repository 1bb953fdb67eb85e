#include "dataset/feature_scale.hpp"

#include <algorithm>
#include <cmath>

namespace stkr {

void add_points(ConstMatrixRef points, Vector& sum) {
  for (Index i = 0; i < points.rows(); ++i) sum += points.row(i);
}

void add_squared_deviations(ConstMatrixRef points, const Vector& mean, Vector& squares) {
  for (Index i = 0; i < points.rows(); ++i) {
    squares += (points.row(i).transpose() - mean).cwiseAbs2();
  }
}

Vector feature_scale(const Vector& mean, const Vector& squares, Index points) {
  Vector scale = (squares / static_cast<double>(std::max<Index>(points, 1))).cwiseSqrt();
  for (Index c = 0; c < scale.size(); ++c) {
    if (!(scale[c] > 1e-12 * std::abs(mean[c]))) scale[c] = 1.0;
  }
  return scale;
}

}  // namespace stkr
