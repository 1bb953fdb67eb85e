#include "explain/transform_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stkr {
namespace {

// Shares are not known better than this, whatever the jackknife says.
constexpr double kShareError = 0.01;
constexpr double kPlausible = 4.0;

struct Weighted {
  Vector energy;  // shares
  Vector weight;  // 1/variance
  Vector count;   // eigenvectors, relative to all
};

// min Σ w (e - a x - b z)² over a, b ≥ 0.
double misfit(const Weighted& bands, const Vector& x) {
  const Vector& z = bands.count;
  const auto dot = [&](const Vector& u, const Vector& v) {
    return (bands.weight.array() * u.array() * v.array()).sum();
  };
  const double xx = dot(x, x), xz = dot(x, z), zz = dot(z, z), xe = dot(x, bands.energy),
               ze = dot(z, bands.energy);
  const double determinant = xx * zz - xz * xz;
  double a = 0.0, b = 0.0;
  if (determinant > 1e-12 * xx * zz) {
    a = (xe * zz - ze * xz) / determinant;
    b = (ze * xx - xe * xz) / determinant;
  }
  if (!(determinant > 1e-12 * xx * zz) || b < 0.0) {
    a = xe / xx;
    b = 0.0;
  }
  if (!(a > 0.0)) {
    a = 0.0;
    b = std::max(ze / zz, 0.0);
  }
  const Vector left = bands.energy - a * x - b * z;
  return dot(left, left);
}

std::vector<SpectralTransform> candidates(double largest) {
  std::vector<SpectralTransform> result;
  for (const double p : {1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 64.0}) {
    result.push_back(SpectralTransform::power(p));
  }
  for (const double eta : {0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 0.9999}) {
    result.push_back(SpectralTransform::inverse_laplacian(eta / largest));
  }
  return result;
}

}  // namespace

TransformAdvice advise_transform(const LabelEnergy& energy, const Vector& values,
                                 const SpectralDensity& density) {
  TransformAdvice result;
  if (!energy.unknown.empty()) {
    result.unknown = energy.unknown;
    return result;
  }
  if (values.size() < 3 || !(values[0] > 0.0)) {
    result.unknown = "the spectrum has fewer than three eigenvalues to compare";
    return result;
  }
  const bool rest = energy.rest.count() > 0;
  const auto bands = static_cast<Index>(energy.bands.size());
  Weighted known{Vector(bands + rest), Vector(bands + rest), Vector(bands + rest)};
  const auto set = [&](Index b, const EnergyBand& band) {
    known.energy[b] = band.share;
    known.weight[b] = 1.0 / (std::pow(band.standard_error, 2) + kShareError * kShareError);
    known.count[b] = static_cast<double>(band.count()) / static_cast<double>(energy.rest.last);
    // Constants of components: the labels are centered, and small components have little energy.
    if (band.smallest > (1.0 - 1e-6) * values[0]) known.weight[b] = 0.0;
  };
  for (Index b = 0; b < bands; ++b) set(b, energy.bands[static_cast<std::size_t>(b)]);
  if (rest) set(bands, energy.rest);

  const double last = values[values.size() - 1];
  for (const SpectralTransform& transform : candidates(values[0])) {
    const auto s = [&](double lambda) { return std::max(transform(lambda), 0.0); };
    Vector expected(bands + rest);
    for (Index b = 0; b < bands; ++b) {
      const EnergyBand& band = energy.bands[static_cast<std::size_t>(b)];
      expected[b] = 0.0;
      for (Index i = band.first - 1; i < band.last; ++i) expected[b] += s(values[i]);
    }
    if (rest) {
      const double below =
          density.trace([&](double lambda) { return lambda < last ? s(lambda) : 0.0; }).value;
      expected[bands] = below * static_cast<double>(energy.rest.last) /
                        static_cast<double>(std::max<Index>(density.size, 1));
    }
    expected /= expected.sum();
    result.candidates.push_back({transform, misfit(known, expected)});
  }
  // Ties are broken by the order of the candidates: the simpler first.
  std::stable_sort(result.candidates.begin(), result.candidates.end(),
                   [](const auto& a, const auto& b) { return a.misfit < b.misfit; });
  const double best = result.candidates.front().misfit, most = best + kPlausible;
  const double noise = misfit(known, known.count);
  result.agrees = best <= 2.0 * static_cast<double>(bands) + kPlausible && best < noise;
  std::erase_if(result.candidates, [&](const auto& one) { return one.misfit > most; });
  return result;
}

}  // namespace stkr
