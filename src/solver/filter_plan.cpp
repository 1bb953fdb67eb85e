#include "solver/filter_plan.hpp"

#include <algorithm>
#include <cmath>

namespace stkr {
namespace {

// p(λ) at the last wanted eigenvalue and at the top. A steeper filter needs fewer dimensions, but
// if it is too steep, rounding of the top pairs swamps the last wanted ones.
constexpr double kWantedGrowth = 1e3;
constexpr double kLargestGrowth = 1e10;

}  // namespace

FilterPlan plan_filter(const SpectrumEstimate& spectrum, Index count, Index n, double surplus,
                       double scale, const EigenpairOptions& options) {
  FilterPlan plan;
  plan.block = std::clamp<Index>((count / 8 + 15) / 16 * 16, 16, 64);
  ChebyshevFilter& filter = plan.filter;
  filter.lower = spectrum.bounds.lower - 1e-6 * scale;
  filter.top = spectrum.bounds.upper + 1e-12 * scale;
  const auto behind = static_cast<Index>(surplus * static_cast<double>(count)) + 8;
  // A narrower spectrum is cut at its lower end.
  const double lowest = filter.lower + 1e-3 * scale;
  filter.cut = std::clamp(spectrum.quantile(std::min(count + behind, n), n), lowest,
                          std::max(lowest, filter.top - 1e-3 * scale));
  const double last = filter.rate(spectrum.quantile(count, n));
  const double most = std::log(2.0 * kLargestGrowth) / filter.rate(filter.top);
  const double wanted = last > 0.0 ? std::log(2.0 * kWantedGrowth) / last : most;
  plan.degree = std::clamp(static_cast<int>(std::min(wanted, most)), 2, options.filter_degree);
  return plan;
}

}  // namespace stkr
