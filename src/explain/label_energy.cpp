#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stkr/error.hpp"
#include "stkr/explain/explain.hpp"

namespace stkr {
namespace {

// Fewer labels say nothing about variances of variances.
constexpr Index kFewestOfEnergy = 6;

// The estimate of one projection from its two sums over the labels.
struct Sums {
  double diagonal = 0.0;  // Σ_i P_ii z_i²
  double pairs = 0.0;     // Σ_{i≠j} P_ij (z_i z_j + v/n - v/N)

  double estimate(Index labels, Index samples) const {
    const auto n = static_cast<double>(labels), size = static_cast<double>(samples);
    // The mean of n labels contains the two of a pair, which makes their product smaller.
    const double kept = 1.0 - 2.0 / n * (1.0 - 1.0 / n) * (1.0 - n / size);
    return diagonal / (n - 1.0) + size / (n * (n - 1.0)) * pairs / kept;
  }
};

struct Estimated {
  double value = 0.0;
  double standard_error = 0.0;
};

// `projection`: P at the labels; `products`: z_i z_j + v/n - v/N off the diagonal, z_i² on it.
Estimated estimated(const Matrix& projection, const Matrix& products, Index samples) {
  const Index n = projection.rows();
  const Matrix terms = projection.cwiseProduct(products);
  const Vector diagonal = terms.diagonal();
  const Vector rows = terms.rowwise().sum() - diagonal;
  const Sums all{diagonal.sum(), rows.sum()};
  Vector without(n);
  for (Index k = 0; k < n; ++k) {
    without[k] =
        Sums{all.diagonal - diagonal[k], all.pairs - 2.0 * rows[k]}.estimate(n - 1, samples);
  }
  const double spread = (without.array() - without.mean()).square().sum();
  return {all.estimate(n, samples),
          std::sqrt(static_cast<double>(n - 1) / static_cast<double>(n) * spread)};
}

}  // namespace

LabelEnergy label_energy(const Vector& values, ConstMatrixRef at_labels, Index samples,
                         ConstMatrixRef y) {
  const Index n = y.rows(), d = values.size();
  if (at_labels.rows() != n || at_labels.cols() != d) {
    throw ShapeError(fmt::format("label energy: eigenvectors of shape {} x {}, expected {} x {}",
                                 at_labels.rows(), at_labels.cols(), n, d));
  }
  if (d > samples || n > samples) {
    throw ShapeError(
        fmt::format("label energy: {} eigenvectors and {} labels of {} samples", d, n, samples));
  }
  LabelEnergy result;
  result.labels = n;
  if (n < kFewestOfEnergy) {
    result.unknown =
        fmt::format("{} labels do not tell; at least {} are needed", n, kFewestOfEnergy);
    return result;
  }
  Matrix z = y;
  z.rowwise() -= y.colwise().mean();
  result.variance = z.squaredNorm() / static_cast<double>(n - 1);
  if (!(result.variance > 0.0)) {
    result.unknown = "all labels are equal";
    return result;
  }
  Matrix products = z * z.transpose();
  const Vector squares = products.diagonal();
  products.array() +=
      result.variance * (1.0 / static_cast<double>(n) - 1.0 / static_cast<double>(samples));
  products.diagonal() = squares;

  const auto band = [&](Index first, Index last, const Estimated& found) {
    return EnergyBand{first + 1,
                      last,
                      values[first],
                      values[last - 1],
                      found.value / result.variance,
                      found.standard_error / result.variance};
  };
  for (Index first = 0; first < d;) {
    const Index last = std::min(2 * first + 1, d);
    const auto some = at_labels.middleCols(first, last - first);
    result.bands.push_back(
        band(first, last, estimated(some * some.transpose(), products, samples)));
    first = last;
  }
  const Estimated resolved = estimated(at_labels * at_labels.transpose(), products, samples);
  result.rest = {d + 1,
                 samples,
                 d > 0 ? values[d - 1] : 0.0,
                 0.0,
                 1.0 - resolved.value / result.variance,
                 resolved.standard_error / result.variance};
  if (d == samples) result.rest = {samples + 1, samples};
  return result;
}

}  // namespace stkr
