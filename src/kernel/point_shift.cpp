#include "kernel/point_shift.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cmath>

#include "runtime/parallel.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr Index kRowsAtOnce = 256;     // rows at a time
constexpr Index kFeaturesAtOnce = 32;  // at a time: each sum is in the order of the rows

}  // namespace

template <class Points>
void check_finite_points(const Points& points, const char* who) {
  std::atomic<bool> finite = true;
  parallel_chunks(points.rows(), kRowsAtOnce, 0, [&](Index begin, Index end) {
    bool here = true;
    for (Index i = begin; i < end; ++i) {
      for (Index k = 0; k < points.cols(); ++k) here &= std::isfinite(points(i, k));
    }
    if (!here) finite = false;
  });
  if (finite) return;
  for (Index i = 0; i < points.rows(); ++i) {
    for (Index k = 0; k < points.cols(); ++k) {
      if (!std::isfinite(points(i, k))) {
        throw ValueError(fmt::format(
            "{}: the point in row {} has {} in column {}; points must be finite, so fill or drop "
            "missing values first",
            who, i, static_cast<double>(points(i, k)), k));
      }
    }
  }
}

template <class Points>
void add_features(const Points& points, Vector& sum) {
  parallel_chunks(points.cols(), kFeaturesAtOnce, 0, [&](Index begin, Index end) {
    for (Index i = 0; i < points.rows(); ++i) {
      for (Index k = begin; k < end; ++k) sum[k] += static_cast<double>(points(i, k));
    }
  });
}

template <class Points>
void add_squares(const Points& points, const Vector& mean, Vector& square) {
  parallel_chunks(points.cols(), kFeaturesAtOnce, 0, [&](Index begin, Index end) {
    for (Index i = 0; i < points.rows(); ++i) {
      for (Index k = begin; k < end; ++k) {
        const double apart = static_cast<double>(points(i, k)) - mean[k];
        square[k] += apart * apart;
      }
    }
  });
}

Vector shift_of(const Vector& mean, const Vector& square, Index count) {
  const auto n = static_cast<double>(count);
  Vector shift = Vector::Zero(mean.size());
  for (Index k = 0; k < shift.size(); ++k) {
    const double spread = std::sqrt(square[k] / n);
    if (!(std::abs(mean[k]) > spread) || !std::isfinite(mean[k])) continue;
    const double unit = spread > 0.0 ? std::exp2(std::floor(std::log2(spread))) : 0.0;
    const double rounded = unit > 0.0 ? std::round(mean[k] / unit) * unit : mean[k];
    shift[k] = std::isfinite(rounded) ? rounded : 0.0;
  }
  return shift;
}

template <class Points>
Vector helpful_shift(const Points& points) {
  Vector mean = Vector::Zero(points.cols());
  Vector square = Vector::Zero(points.cols());
  add_features(points, mean);
  mean /= static_cast<double>(points.rows());
  add_squares(points, mean, square);
  return shift_of(mean, square, points.rows());
}

template void check_finite_points(const Matrix& points, const char* who);
template void check_finite_points(const SharedMatrix::View<double>& points, const char* who);
template void check_finite_points(const SharedMatrix::View<float>& points, const char* who);
template void check_finite_points(const MatrixF& points, const char* who);
template void check_finite_points(const ConstMatrixRef& points, const char* who);
template void check_finite_points(const Eigen::Transpose<Vector>& points, const char* who);
template Vector helpful_shift(const SharedMatrix::View<double>& points);
template Vector helpful_shift(const SharedMatrix::View<float>& points);
template Vector helpful_shift(const ConstMatrixRef& points);
template void add_features(const SharedMatrix::View<double>& points, Vector& sum);
template void add_features(const SharedMatrix::View<float>& points, Vector& sum);
template void add_squares(const SharedMatrix::View<double>& points, const Vector& mean,
                          Vector& square);
template void add_squares(const SharedMatrix::View<float>& points, const Vector& mean,
                          Vector& square);

}  // namespace stkr
