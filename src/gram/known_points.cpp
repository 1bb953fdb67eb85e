#include <fmt/format.h>

#include <cmath>

#include "stkr/error.hpp"
#include "stkr/gram/point_gram.hpp"
#include "stkr/kernel/point_shift.hpp"

namespace stkr {
template <class Scalar>
KnownPoints<Scalar>::KnownPoints(Points points, Kernel kernel, const char* who)
    : kernel_(kernel), shift_(Vector::Zero(points.cols())), points_(std::move(points)) {
  check_finite_points(points_, who);
  if (kernel_.euclidean() && points_.size() > 0) shift_ = helpful_shift(points_);
  for (Index i = 0; i < count(); ++i) {
    for (Index k = 0; k < features(); ++k) {
      points_(i, k) = static_cast<Scalar>(static_cast<double>(points_(i, k)) - shift_[k]);
    }
  }
  fill_norms(who);
}

template <class Scalar>
KnownPoints<Scalar>::KnownPoints(Points shifted, Vector shift, Kernel kernel, const char* who)
    : kernel_(kernel), shift_(std::move(shift)), points_(std::move(shifted)) {
  if (shift_.size() != features()) {
    throw ShapeError(
        fmt::format("{}: {} features but a shift of length {}", who, features(), shift_.size()));
  }
  check_finite_points(points_, who);
  check_finite_points(shift_.transpose(), who);
  fill_norms(who);
}

template <class Scalar>
void KnownPoints<Scalar>::fill_norms(const char* who) {
  if (count() == 0 || features() == 0) {
    throw ShapeError(
        fmt::format("{}: points are {} x {}; at least one point with one feature is "
                    "needed",
                    who, count(), features()));
  }
  squared_norms_.resize(count());
  for (Index i = 0; i < count(); ++i) {
    squared_norms_[i] = static_cast<Scalar>(squared_norm(points_.row(i).data(), features()));
    if (!std::isfinite(squared_norms_[i])) {
      throw ValueError(fmt::format(
          "{}: the squared norm of the point in row {} overflows; rescale the features", who, i));
    }
  }
}

template <class Scalar>
typename KnownPoints<Scalar>::Points KnownPoints<Scalar>::place(ConstMatrixRef points,
                                                                const char* who) const {
  if (points.cols() != features()) {
    throw ShapeError(fmt::format("{}: the new points have {} features but the known ones have {}",
                                 who, points.cols(), features()));
  }
  check_finite_points(points, who);
  Points placed(points.rows(), points.cols());
  for (Index i = 0; i < points.rows(); ++i) {
    for (Index k = 0; k < points.cols(); ++k) {
      placed(i, k) = static_cast<Scalar>(points(i, k) - shift_[k]);
    }
  }
  return placed;
}

template class KnownPoints<float>;
template class KnownPoints<double>;

}  // namespace stkr
