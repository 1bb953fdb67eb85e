#include "gram/known_points.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "kernel/point_shift.hpp"
#include "stkr/error.hpp"

namespace stkr {

template <class Scalar>
KnownPoints<Scalar>::KnownPoints(SharedMatrix points, Kernel kernel, const char* who)
    : kernel_(kernel), points_(points.in_precision_of<Scalar>()) {
  if (count() == 0 || features() == 0) {
    throw ShapeError(
        fmt::format("{}: points are {} x {}; expected at least one point with one feature", who,
                    count(), features()));
  }
  check_finite_points(points_.as<Scalar>(), who);
  if (kernel_.euclidean()) shift_ = helpful_shift(points_.as<Scalar>());
  if (!shift_.any()) shift_.resize(0);
  squared_norms_.resize(count());
  std::vector<Scalar> row;
  for (Index i = 0; i < count(); ++i) {
    squared_norms_[i] = static_cast<Scalar>(squared_norm(rows(i, 1, row).data, features()));
    if (!std::isfinite(squared_norms_[i])) {
      throw ValueError(fmt::format(
          "{}: the squared norm of the point in row {} overflows; rescale the features", who, i));
    }
  }
}

template <class Scalar>
double KnownPoints<Scalar>::at_itself(Index i) const {
  if (!kernel_.of_points()) return kernel_.at_itself(squared_norms_[i]);
  const Vector point = points_.as<Scalar>().row(i).template cast<double>();
  const std::span<const double> x(point.data(), static_cast<std::size_t>(point.size()));
  return kernel_(x, x);
}

template <class Scalar>
void KnownPoints<Scalar>::shift_row(const Scalar* from, Scalar* to) const {
  for (Index k = 0; k < features(); ++k) {
    to[k] = static_cast<Scalar>(static_cast<double>(from[k]) - shift_[k]);
  }
}

template <class Scalar>
PointRows<Scalar> KnownPoints<Scalar>::rows(Index begin, Index count,
                                            std::vector<Scalar>& buffer) const {
  const Scalar* first = points_.as<Scalar>().data() + begin * features();
  const Scalar* norms = squared_norms_.data() + begin;
  if (shift_.size() == 0) return {first, count, features(), norms};
  buffer.resize(count * features());
  for (Index i = 0; i < count; ++i) {
    shift_row(first + i * features(), buffer.data() + i * features());
  }
  return {buffer.data(), count, features(), norms};
}

template <class Scalar>
PointRows<Scalar> KnownPoints<Scalar>::gather(std::span<const Index> samples,
                                              std::vector<Scalar>& buffer,
                                              std::vector<Scalar>& norms) const {
  buffer.resize(samples.size() * features());
  norms.resize(samples.size());
  std::vector<Scalar> row;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const PointRows<Scalar> one = rows(samples[i], 1, row);
    std::copy_n(one.data, features(), buffer.data() + i * features());
    norms[i] = *one.squared_norms;
  }
  return {buffer.data(), static_cast<Index>(samples.size()), features(), norms.data()};
}

template <class Scalar>
KnownPoints<Scalar> KnownPoints<Scalar>::chosen(std::span<const Index> samples) const {
  KnownPoints result;
  result.kernel_ = kernel_;
  result.shift_ = shift_;
  result.points_ = points_.chosen_rows(samples);
  for (const Index i : samples) result.squared_norms_.push_back(squared_norms_[i]);
  return result;
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
      placed(i, k) =
          static_cast<Scalar>(shift_.size() > 0 ? points(i, k) - shift_[k] : points(i, k));
    }
  }
  return placed;
}

template <class Scalar>
std::vector<Index> KnownPoints<Scalar>::nearest(ConstMatrixRef points,
                                                std::span<const Index> among) const {
  const auto known = points_.as<Scalar>();
  Matrix candidates(static_cast<Index>(among.size()), features());
  for (std::size_t j = 0; j < among.size(); ++j) {
    candidates.row(j) = known.row(among[j]).template cast<double>();
  }
  std::vector<Index> result(points.rows(), among.front());
  for (Index i = 0; i < points.rows(); ++i) {
    const Vector x = points.row(i);
    double least = std::numeric_limits<double>::infinity();
    for (Index j = 0; j < candidates.rows(); ++j) {
      const double distance =
          kernel_.distance({x.data(), static_cast<std::size_t>(x.size())},
                           {candidates.row(j).data(), static_cast<std::size_t>(candidates.cols())});
      if (distance < least) {
        least = distance;
        result[i] = among[j];
      }
    }
  }
  return result;
}

template <class Scalar>
std::vector<Index> KnownPoints<Scalar>::nearest(std::span<const Index> samples,
                                                std::span<const Index> among) const {
  const auto known = points_.as<Scalar>();
  Matrix points(static_cast<Index>(samples.size()), features());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    points.row(i) = known.row(samples[i]).template cast<double>();
  }
  return nearest(points, among);
}

template class KnownPoints<float>;
template class KnownPoints<double>;

}  // namespace stkr
