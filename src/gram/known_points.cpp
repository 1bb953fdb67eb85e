#include "gram/known_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernel/point_shift.hpp"
#include "kernel/sparse_points.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// The values in the precision of Scalar.
template <class Scalar>
FeatureMatrix in_precision_of(const FeatureMatrix& points, const char* who) {
  if (!points.sparse()) return points.dense().in_precision_of<Scalar>();
  if constexpr (std::is_same_v<Scalar, float>) {
    throw ValueError(
        fmt::format("{}: single precision is for dense points, and these are sparse; use double "
                    "precision",
                    who));
  }
  return points;
}

template <class Scalar>
Scalar checked_norm(double squared_norm, Index row, const char* who) {
  const auto rounded = static_cast<Scalar>(squared_norm);
  if (std::isfinite(rounded)) return rounded;
  throw ValueError(fmt::format(
      "{}: the squared norm of the point in row {} overflows; rescale the features", who, row));
}

}  // namespace

template <class Scalar>
PointsView view_of(const PointRows<Scalar>& rows) {
  PointsView view{.count = rows.count, .features = rows.features};
  if constexpr (std::is_same_v<Scalar, float>) {
    view.single = rows.data;
  } else {
    view.full = rows.data;
  }
  return view;
}

template <class Scalar>
PointRows<Scalar> KnownPoints<Scalar>::Copied::rows() const {
  const auto count = static_cast<Index>(squared_norms.size());
  if (dense.cols() > 0) return {dense.data(), count, dense.cols(), squared_norms.data()};
  return {nullptr, count, sparse.cols, squared_norms.data(), &sparse};
}

template <class Scalar>
KnownPoints<Scalar>::KnownPoints(FeatureMatrix points, Kernel kernel, const char* who,
                                 const Device& device)
    : kernel_(kernel), points_(in_precision_of<Scalar>(points, who)), device_(device) {
  if (count() == 0 || features() == 0) {
    throw ShapeError(
        fmt::format("{}: points are {} x {}; expected at least one point with one feature", who,
                    count(), features()));
  }
  squared_norms_.resize(count());
  if (const auto& sparse = points_.sparse()) {
    check_csr(*sparse, who);
    for (Index i = 0; i < count(); ++i) {
      squared_norms_[i] = checked_norm<Scalar>(squared_norm(sparse_point(*sparse, i)), i, who);
    }
    return;
  }
  const auto values = points_.dense().as<Scalar>();
  check_finite_points(values, who);
  if (kernel_.euclidean()) shift_ = helpful_shift(values);
  measure(0, who);
  place_on_device();
}

template <class Scalar>
KnownPoints<Scalar>::KnownPoints(SharedMatrix points, Kernel kernel, Vector shift, Index first,
                                 const char* who)
    : kernel_(std::move(kernel)), points_(in_precision_of<Scalar>(std::move(points), who)) {
  if (kernel_.euclidean()) shift_ = std::move(shift);
  squared_norms_.resize(count());
  measure(first, who);
}

template <class Scalar>
void KnownPoints<Scalar>::measure(Index first, const char* who) {
  if (!shift_.any()) shift_.resize(0);
  std::vector<Scalar> row;
  for (Index i = 0; i < count(); ++i) {
    squared_norms_[i] =
        checked_norm<Scalar>(squared_norm(rows(i, 1, row).data, features()), first + i, who);
  }
}

// Sparse points stay on the host, and so do custom kernels.
template <class Scalar>
void KnownPoints<Scalar>::place_on_device() {
  const DeviceBackend* backend = device_.backend();
  if (!backend || points_.sparse() || kernel_.custom()) return;
  std::vector<Scalar> buffer;
  on_device_ = backend->points(view_of(rows(0, count(), buffer)), kernel_);
}

template <class Scalar>
Index KnownPoints<Scalar>::packed_features() const {
  return points_.sparse() ? sparse_packed_features(count(), points_.sparse()->entries())
                          : features();
}

template <class Scalar>
double KnownPoints<Scalar>::at_itself(Index i) const {
  if (!kernel_.of_points()) return kernel_.at_itself(squared_norms_[i]);
  const Vector point = points_.chosen_rows(std::span(&i, 1)).matrix().row(0);
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
  const Scalar* norms = squared_norms_.data() + begin;
  if (points_.sparse()) {
    return {nullptr, count, features(), norms, points_.sparse().get(), begin};
  }
  const Scalar* first = points_.dense().as<Scalar>().data() + begin * features();
  if (shift_.size() == 0) return {first, count, features(), norms};
  buffer.resize(count * features());
  for (Index i = 0; i < count; ++i) {
    shift_row(first + i * features(), buffer.data() + i * features());
  }
  return {buffer.data(), count, features(), norms};
}

template <class Scalar>
typename KnownPoints<Scalar>::Copied KnownPoints<Scalar>::gather(
    std::span<const Index> samples) const {
  Copied result;
  for (const Index i : samples) result.squared_norms.push_back(squared_norms_[i]);
  if (points_.sparse()) {
    result.sparse = chosen_rows(*points_.sparse(), samples);
    return result;
  }
  result.dense.resize(static_cast<Index>(samples.size()), features());
  std::vector<Scalar> row;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::copy_n(rows(samples[i], 1, row).data, features(), result.dense.row(i).data());
  }
  return result;
}

template <class Scalar>
KnownPoints<Scalar> KnownPoints<Scalar>::chosen(std::span<const Index> samples) const {
  KnownPoints result;
  result.kernel_ = kernel_;
  result.shift_ = shift_;
  result.points_ = points_.chosen_rows(samples);
  for (const Index i : samples) result.squared_norms_.push_back(squared_norms_[i]);
  result.device_ = device_;
  result.place_on_device();
  return result;
}

template <class Scalar>
typename KnownPoints<Scalar>::Copied KnownPoints<Scalar>::place(const FeatureMatrix& points,
                                                                const char* who) const {
  if (points.cols() != features()) {
    throw ShapeError(fmt::format("{}: the new points have {} features but the known ones have {}",
                                 who, points.cols(), features()));
  }
  if (points.sparse()) check_csr(*points.sparse(), who);
  Copied placed;
  placed.squared_norms.resize(points.rows());
  if (points_.sparse()) {
    placed.sparse = points.sparse() ? *points.sparse() : sparse_of(points.matrix());
    check_csr(placed.sparse, who);
    for (Index i = 0; i < points.rows(); ++i) {
      placed.squared_norms[i] = static_cast<Scalar>(squared_norm(sparse_point(placed.sparse, i)));
    }
    return placed;
  }
  const auto copy = [&](const auto& values) {
    check_finite_points(values, who);
    for (Index i = 0; i < values.rows(); ++i) {
      for (Index k = 0; k < values.cols(); ++k) {
        const auto value = static_cast<double>(values(i, k));
        placed.dense(i, k) = static_cast<Scalar>(shift_.size() > 0 ? value - shift_[k] : value);
      }
      placed.squared_norms[i] =
          static_cast<Scalar>(squared_norm(placed.dense.row(i).data(), features()));
    }
  };
  placed.dense.resize(points.rows(), points.cols());
  points.sparse() ? copy(points.matrix()) : points.dense().visit(copy);
  return placed;
}

template <class Scalar>
std::vector<Index> KnownPoints<Scalar>::nearest(const FeatureMatrix& points,
                                                std::span<const Index> among) const {
  const FeatureMatrix candidates = points_.chosen_rows(among);
  const bool sparse = candidates.sparse() != nullptr;
  const Matrix dense = sparse ? Matrix() : candidates.matrix();
  const CsrMatrix asking = !sparse           ? CsrMatrix()
                           : points.sparse() ? *points.sparse()
                                             : sparse_of(points.matrix());
  const Matrix dense_asking = sparse ? Matrix() : points.matrix();
  const auto row_of = [&](const Matrix& matrix, Index i) {
    return std::span<const double>(matrix.row(i).data(), static_cast<std::size_t>(features()));
  };
  std::vector<Index> result(points.rows(), among.front());
  for (Index i = 0; i < points.rows(); ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (Index j = 0; j < candidates.rows(); ++j) {
      const double distance =
          sparse ? kernel_distance(kernel_, sparse_point(asking, i),
                                   sparse_point(*candidates.sparse(), j), features())
                 : kernel_.distance(row_of(dense_asking, i), row_of(dense, j));
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
  return nearest(points_.chosen_rows(samples), among);
}

SpectrumBounds kernel_bounds(const Kernel& kernel, double mean_at_itself, double largest_square) {
  // No eigenvalue exceeds the sum of all eigenvalues, the trace of S.
  if (kernel.positive_semidefinite()) return {0.0, mean_at_itself};
  if (kernel.custom() != nullptr) return {};  // its values may be of any size
  // |K| ≤ 1, so |λ| ≤ max_i Σ_j |K_ij|/N ≤ 1.
  if (kernel.stationary()) return {-1.0, 1.0};
  // |K(x, y)| ≤ (|γ|‖x‖‖y‖ + |c₀|)^degree ≤ its value at the longest point.
  const double largest = std::pow(
      std::abs(kernel.gamma()) * largest_square + std::abs(kernel.coef0()), kernel.degree());
  return {-largest, largest};
}

template PointsView view_of(const PointRows<float>&);
template PointsView view_of(const PointRows<double>&);
template class KnownPoints<float>;
template class KnownPoints<double>;

}  // namespace stkr
