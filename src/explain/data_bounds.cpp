#include "explain/data_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "stkr/error.hpp"

namespace stkr {
namespace {

// The share of the labels' variance beyond the first d eigenvectors, from 0 to 1. Bands that d cuts
// count in proportion.
double share_beyond(const LabelEnergy& energy, Index d) {
  double within = 0.0;
  for (const EnergyBand& band : energy.bands) {
    const Index inside = std::clamp<Index>(d - band.first + 1, 0, band.count());
    within += band.share * static_cast<double>(inside) / static_cast<double>(band.count());
  }
  return std::clamp(1.0 - within, 0.0, 1.0);
}

}  // namespace

std::vector<Bound> data_bounds(const KernelFacts& kernel, const LabelEnergy& energy,
                               const SuggestedFit& fit, Index labels, double mean_square_y, Index d,
                               double delta,
                               std::vector<std::pair<std::string, std::string>>& missing) {
  std::vector<Bound> result;
  const auto add = [&](const char* name, const std::function<Bound()>& bound) {
    try {
      result.push_back(bound());
    } catch (const Error& error) {
      missing.emplace_back(name, error.what());
    }
  };
  const Vector& lambda = kernel.eigenvalues;
  const double largest = lambda[0], kappa_squared = kernel.bound.kappa_squared;
  const Index unlabeled = kernel.analyzed - labels;
  EstimationInputs estimation{.n = labels,
                              .p = fit.decay.p,
                              .kappa_squared = kappa_squared,
                              .slope = fit.transform(largest) / largest,
                              .epsilon = fit.epsilon(),
                              .scale_b = std::sqrt(fit.mean_square),
                              .sigma = fit.noise,
                              .moment_l = fit.largest_miss};
  const ApproximationInputs approximation{.transform = fit.transform,
                                          .n = labels,
                                          .m = unlabeled,
                                          .kappa_squared = kappa_squared,
                                          .lambda = largest,
                                          .beta = fit.beta,
                                          .delta = delta,
                                          .mean_square_y = mean_square_y};
  add("Theorem 2", [&] { return estimation_bound(estimation); });
  add("Theorem 3", [&] { return approximation_bound(approximation); });
  add("Proposition 3", [&] { return agnostic_laplacian_bound(estimation, 1.0 / (1.0 - 0.99)); });
  add("Lemma on λ̂₁",
      [&] { return largest_eigenvalue_bound(largest, kernel.analyzed, kappa_squared, delta); });
  add("Lemma on the gap of K̂_s", [&] { return kernel_gap_bound(approximation); });
  add("Corollary on inner products", [&] { return inner_product_gap_bound(approximation); });

  if (lambda.size() <= d) {
    missing.emplace_back("Proposition 4, Theorems 5 and 6",
                         "fewer eigenvalues are known than kernel PCA would use");
    return result;
  }
  const double next = std::max(lambda[d], 0.0);
  add("Proposition 4", [&] {
    return top_d_lower_bound({.s_first = fit.transform(largest),
                              .s_next = std::max(fit.transform(next), 0.0),
                              .epsilon = fit.epsilon(),
                              .scale_b = std::sqrt(fit.mean_square)});
  });
  const double beyond = share_beyond(energy, d) * energy.variance;
  add("Theorem 5", [&] {
    return top_d_estimation_bound({.estimation = estimation,
                                   .delta = delta,
                                   .lambda_d = lambda[d - 1],
                                   .gap_p = beyond,
                                   .gap_kernel = next > 0.0 ? beyond / next : 0.0});
  });
  try {
    const TopDApproximation bounds =
        top_d_approximation_bounds({.d = d,
                                    .m = unlabeled,
                                    .kappa_squared = kappa_squared,
                                    .lambda_1 = largest,
                                    .lambda_next = next,
                                    .slope = estimation.slope,
                                    .epsilon = fit.epsilon(),
                                    .scale_b = std::sqrt(fit.mean_square),
                                    .delta = delta});
    result.insert(result.end(), {bounds.g_lower, bounds.g_upper, bounds.kernel});
  } catch (const Error& error) {
    missing.emplace_back("Theorem 6", error.what());
  }
  return result;
}

}  // namespace stkr
