#include "kernel/kernel_tile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/custom_tile.hpp"
#include "kernel/fast_exp.hpp"
#include "pairwise.hpp"

namespace stkr {
namespace {

// Up to this many features, differences cost no more than inner products and nothing cancels.
constexpr Index direct_features = 8;

// d² from inner products has an error of a few ε(‖x‖²+‖y‖²). Below this fraction of ‖x‖²+‖y‖² it is
// recomputed from x - y; above, its relative error is at most about 1e-11 (1e-5 in float).
template <class Scalar>
constexpr Scalar cancellation = std::is_same_v<Scalar, double> ? Scalar(1e-4) : Scalar(2e-2);

// ε-neighbors are decided in double if a d² in float or with cancellation is this close to ε².
template <class Scalar>
constexpr Scalar near_radius = 64 * std::numeric_limits<Scalar>::epsilon();

template <class Scalar>
double squared_distance(const Scalar* x, const Scalar* y, Index features) {
  double sum = 0.0;
  for (Index k = 0; k < features; ++k) {
    const double difference = static_cast<double>(x[k]) - static_cast<double>(y[k]);
    sum += difference * difference;
  }
  return sum;
}

// ‖x_i - y_j‖₂² term by term.
template <class Scalar>
double squared_distance(const PointRows<Scalar>& x, Index i, const PointRows<Scalar>& y, Index j) {
  if (x.sparse) return stkr::squared_distance(x.sparse_row(i), y.sparse_row(j));
  return squared_distance(x.data + i * x.features, y.data + j * x.features, x.features);
}

// Inner products, features in order.
template <class Scalar>
void inner_product_tile(PointRows<Scalar> x, const PackedPoints<Scalar>& y, Scalar* tile,
                        Index stride) {
  if (!x.sparse) return pairwise<InnerProduct>(x, y, tile, stride);
  for (Index i = 0; i < x.count; ++i) {
    Scalar* row = tile + i * stride;
    std::fill(row, row + y.padded_count(), Scalar(0));
    y.lists().add_products(x.sparse_row(i), row);
  }
}

// ‖x-y‖₁; of sparse points ‖x‖₁ + ‖y‖₁ minus what they share.
template <class Scalar>
void manhattan_tile(PointRows<Scalar> x, const PackedPoints<Scalar>& y, Scalar* tile,
                    Index stride) {
  if (!x.sparse) return pairwise<ManhattanDistance>(x, y, tile, stride);
  for (Index i = 0; i < x.count; ++i) {
    Scalar* row = tile + i * stride;
    const SparsePoint point = x.sparse_row(i);
    const auto own = static_cast<Scalar>(absolute_sum(point));
    std::fill(row, row + y.padded_count(), Scalar(0));
    y.lists().add_overlaps(point, row);
    for (Index j = 0; j < y.padded_count(); ++j) {
      row[j] = std::max(Scalar(0), (own + y.absolute_sums()[j]) - row[j]);
    }
  }
}

template <int Lanes, class V>
V vector_sqrt(V v) {
  for (int l = 0; l < Lanes; ++l) v[l] = std::sqrt(v[l]);
  return v;
}

// Applies map(value, j) to a row, `Lanes` columns at a time.
template <class Scalar, class Map>
void map_row(Scalar* row, Index length, Map map) {
  constexpr int lanes = simd::lanes<Scalar>;
  for (Index j = 0; j < length; j += lanes) {
    simd::store<Scalar, lanes>(row + j, map(simd::load<Scalar, lanes>(row + j), j));
  }
}

// d² → K for the euclidean kinds.
template <class Scalar>
void map_squared_distances(const Kernel& kernel, Scalar* row, Index length) {
  constexpr int lanes = simd::lanes<Scalar>;
  using V = simd::Vec<Scalar, lanes>;
  const double l = kernel.length_scale();
  switch (kernel.kind()) {
    case KernelKind::rbf: {
      const auto factor = static_cast<Scalar>(-1.0 / (2.0 * l * l));
      map_row(row, length, [=](V d2, Index) { return fast_exp<lanes>(d2 * factor); });
      break;
    }
    case KernelKind::matern12: {
      const auto factor = static_cast<Scalar>(1.0 / (l * l));
      map_row(row, length,
              [=](V d2, Index) { return fast_exp<lanes>(-vector_sqrt<lanes>(d2 * factor)); });
      break;
    }
    case KernelKind::matern32: {
      const auto factor = static_cast<Scalar>(3.0 / (l * l));
      map_row(row, length, [=](V d2, Index) {
        const V t = vector_sqrt<lanes>(d2 * factor);
        return (1 + t) * fast_exp<lanes>(-t);
      });
      break;
    }
    case KernelKind::matern52: {
      const auto factor = static_cast<Scalar>(5.0 / (l * l));
      map_row(row, length, [=](V d2, Index) {
        const V t = vector_sqrt<lanes>(d2 * factor);
        return (1 + t + t * t * Scalar(1.0 / 3.0)) * fast_exp<lanes>(-t);
      });
      break;
    }
    default: {  // epsilon_neighbor
      const auto radius2 = static_cast<Scalar>(l * l);
      map_row(row, length, [=](V d2, Index) { return d2 <= radius2 ? V{} + 1 : V{}; });
      break;
    }
  }
}

// Inner products → d² in place, never negative. Returns whether some pair cancels.
template <class Scalar>
bool squared_distances_from_products(Scalar* row, Scalar norm, const Scalar* norms, Index length) {
  constexpr int lanes = simd::lanes<Scalar>;
  using V = simd::Vec<Scalar, lanes>;
  V smallest = V{} + 1;
  map_row(row, length, [&](V product, Index j) {
    const V scale = norm + simd::load<Scalar, lanes>(norms + j);
    V d2 = scale - 2 * product;
    const V margin = d2 - cancellation<Scalar> * scale;
    smallest = margin < smallest ? margin : smallest;
    return d2 < 0 ? V{} : d2;
  });
  bool some = false;
  for (int l = 0; l < lanes; ++l) some = some || smallest[l] <= 0;
  return some;
}

// Returns whether some d² is within rounding of ε².
template <class Scalar>
bool some_near_radius(Scalar* row, Scalar norm, const Scalar* norms, Scalar radius2, Index length) {
  for (Index j = 0; j < length; ++j) {
    const Scalar scale = norm + norms[j] + radius2;
    if (std::abs(row[j] - radius2) <= near_radius<Scalar> * scale) return true;
  }
  return false;
}

// map(row) turns a row of d² into K.
template <class Scalar, class Map>
void euclidean_tile(const Kernel& kernel, PointRows<Scalar> x, const PackedPoints<Scalar>& y,
                    Scalar* tile, Index stride, Map map) {
  const Index length = y.padded_count();
  const PointRows<Scalar>& y_rows = y.rows();
  const bool direct = !x.sparse && x.features <= direct_features;
  const bool neighbor = kernel.kind() == KernelKind::epsilon_neighbor;
  const auto radius2 = static_cast<Scalar>(kernel.length_scale() * kernel.length_scale());
  if (direct) {
    pairwise<SquaredDistance>(x, y, tile, stride);
  } else {
    inner_product_tile(x, y, tile, stride);
  }
  for (Index i = 0; i < x.count; ++i) {
    Scalar* row = tile + i * stride;
    const Scalar norm = x.squared_norms[i];
    const auto exact = [&](Index j) { return squared_distance(x, i, y_rows, j); };
    if (!direct && squared_distances_from_products(row, norm, y.squared_norms(), length)) {
      for (Index j = 0; j < y_rows.count; ++j) {
        if (row[j] <= cancellation<Scalar> * (norm + y.squared_norms()[j])) {
          row[j] = static_cast<Scalar>(exact(j));
        }
      }
    }
    if (neighbor && some_near_radius(row, norm, y.squared_norms(), radius2, y_rows.count)) {
      for (Index j = 0; j < y_rows.count; ++j) {
        const Scalar scale = norm + y.squared_norms()[j] + radius2;
        if (std::abs(row[j] - radius2) <= near_radius<Scalar> * scale) {
          row[j] = kernel.of_squared_distance(exact(j)) > 0.0 ? Scalar(0) : 2 * radius2;
        }
      }
    }
    map(row);
  }
}

template <class Scalar>
void product_tile(const Kernel& kernel, PointRows<Scalar> x, const PackedPoints<Scalar>& y,
                  Scalar* tile, Index stride) {
  constexpr int lanes = simd::lanes<Scalar>;
  using V = simd::Vec<Scalar, lanes>;
  const Index length = y.padded_count();
  inner_product_tile(x, y, tile, stride);
  if (kernel.kind() == KernelKind::linear) return;
  for (Index i = 0; i < x.count; ++i) {
    Scalar* row = tile + i * stride;
    if (kernel.kind() == KernelKind::cosine) {
      const Scalar norm = x.squared_norms[i];
      const Scalar inverse = norm > 0 ? 1 / std::sqrt(norm) : Scalar(0);
      map_row(row, length, [&](V product, Index j) {
        return product * (inverse * simd::load<Scalar, lanes>(y.inverse_norms() + j));
      });
    } else {
      const auto gamma = static_cast<Scalar>(kernel.gamma());
      const auto coef0 = static_cast<Scalar>(kernel.coef0());
      map_row(row, length, [&](V product, Index) {
        // Repeated squaring, from the lowest bit of the degree.
        V base = gamma * product + coef0;
        V power = V{} + 1;
        for (int degree = kernel.degree(); degree > 0; degree >>= 1) {
          if (degree & 1) power *= base;
          base *= base;
        }
        return power;
      });
    }
  }
}

template <class Scalar>
void custom_tile(const Kernel& kernel, PointRows<Scalar> x, const PackedPoints<Scalar>& y,
                 Scalar* tile, Index stride) {
  const CustomKernel& custom = *kernel.custom();
  const auto map_with = [&](const RowMap& f, Scalar* row) {
    map_custom_row(custom, f, row, y.rows().count, y.padded_count());
  };
  if (const auto* distances = std::get_if<OfSquaredDistance>(&custom.formula)) {
    euclidean_tile(kernel, x, y, tile, stride, [&](Scalar* row) { map_with(distances->f, row); });
  } else if (const auto* products = std::get_if<OfInnerProduct>(&custom.formula)) {
    inner_product_tile(x, y, tile, stride);
    for (Index i = 0; i < x.count; ++i) map_with(products->f, tile + i * stride);
  } else {
    custom_tile_of_points(custom, std::get<OfPoints>(custom.formula).f, x, y, tile, stride);
  }
}

}  // namespace

template <class Scalar>
double squared_norm(const Scalar* x, Index features) {
  double sum = 0.0;
  for (Index k = 0; k < features; ++k) sum += static_cast<double>(x[k]) * static_cast<double>(x[k]);
  return sum;
}

template <class Scalar>
void PackedPoints<Scalar>::pack(PointRows<Scalar> points) {
  rows_ = points;
  const Index length = padded_count();
  squared_norms_.assign(length, Scalar(0));
  inverse_norms_.assign(length, Scalar(0));
  for (Index j = 0; j < points.count; ++j) {
    squared_norms_[j] = points.squared_norms[j];
    if (squared_norms_[j] > 0) inverse_norms_[j] = 1 / std::sqrt(squared_norms_[j]);
  }
  if (!points.sparse) return pack_panels();
  lists_.build(*points.sparse, points.first, points.count);
  absolute_sums_.assign(length, Scalar(0));
  for (Index j = 0; j < points.count; ++j) {
    absolute_sums_[j] = static_cast<Scalar>(absolute_sum(points.sparse_row(j)));
  }
}

template <class Scalar>
void PackedPoints<Scalar>::pack_panels() {
  const PointRows<Scalar>& points = rows_;
  const Index features = points.features;
  data_.resize(padded_count() * features);
  for (Index p = 0; p < panels(); ++p) {
    Scalar* to = data_.data() + p * panel_width * features;
    const Index width = std::min(panel_width, points.count - p * panel_width);
    for (Index j = 0; j < panel_width; ++j) {
      const Scalar* from = points.data + (p * panel_width + j) * features;
      for (Index k = 0; k < features; ++k)
        to[k * panel_width + j] = j < width ? from[k] : Scalar(0);
    }
  }
}

template <class Scalar>
void evaluate_tile(const Kernel& kernel, PointRows<Scalar> x, const PackedPoints<Scalar>& y,
                   Scalar* tile, Index stride) {
  if (kernel.custom() != nullptr) {
    custom_tile(kernel, x, y, tile, stride);
  } else if (kernel.euclidean()) {
    euclidean_tile(kernel, x, y, tile, stride,
                   [&](Scalar* row) { map_squared_distances(kernel, row, y.padded_count()); });
  } else if (kernel.kind() == KernelKind::laplacian) {
    constexpr int lanes = simd::lanes<Scalar>;
    using V = simd::Vec<Scalar, lanes>;
    const auto factor = static_cast<Scalar>(-1.0 / kernel.length_scale());
    manhattan_tile(x, y, tile, stride);
    for (Index i = 0; i < x.count; ++i) {
      map_row(tile + i * stride, y.padded_count(),
              [=](V distance, Index) { return fast_exp<lanes>(distance * factor); });
    }
  } else {
    product_tile(kernel, x, y, tile, stride);
  }
}

template <class Scalar>
void squared_distance_tile(PointRows<Scalar> x, const PackedPoints<Scalar>& y, Scalar* tile,
                           Index stride) {
  // A kernel without a radius: nothing is decided near it.
  euclidean_tile(Kernel::rbf(1.0), x, y, tile, stride, [](Scalar*) {});
}

template double squared_norm(const float*, Index);
template double squared_norm(const double*, Index);
template class PackedPoints<float>;
template class PackedPoints<double>;
template void evaluate_tile(const Kernel&, PointRows<float>, const PackedPoints<float>&, float*,
                            Index);
template void evaluate_tile(const Kernel&, PointRows<double>, const PackedPoints<double>&, double*,
                            Index);
template void squared_distance_tile(PointRows<double>, const PackedPoints<double>&, double*, Index);

}  // namespace stkr
