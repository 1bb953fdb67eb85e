#include "kernel/point_shift.hpp"

#include <fmt/format.h>

#include <cmath>

#include "stkr/error.hpp"

namespace stkr {

template <class Points>
void check_finite_points(const Points& points, const char* who) {
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
  for (Index i = 0; i < points.rows(); ++i) sum += points.row(i).template cast<double>();
}

template <class Points>
void add_squares(const Points& points, const Vector& mean, Vector& square) {
  for (Index i = 0; i < points.rows(); ++i) {
    square += (points.row(i).template cast<double>().transpose() - mean).cwiseAbs2();
  }
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
