#include "solver/filter_plan.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/byte_count.hpp"

namespace stkr {
namespace {

// p(λ) at the last wanted eigenvalue and at the top. A steeper filter needs fewer dimensions, but
// if it is too steep, rounding of the top pairs swamps the last wanted ones.
constexpr double kWantedGrowth = 1e3;
constexpr double kLargestGrowth = 1e10;

}  // namespace

Index lanczos_block(Index count) { return std::clamp<Index>((count / 8 + 15) / 16 * 16, 16, 64); }

EigenpairMemory eigenpair_memory(Index n, Index count, Index dense_below) {
  if (n <= dense_below || n < 3 * count) {
    const std::uint64_t dense = block_byte_count(n, static_cast<double>(n), 7.0);
    return {dense, dense};
  }
  // A basis of up to three times as many vectors plus those of the last attempts. Usually the first
  // attempt suffices, with half as many vectors more than requested.
  const auto d = static_cast<double>(count), b = static_cast<double>(lanczos_block(count));
  return {block_byte_count(n, 7.0 * d + 12.0 * b), block_byte_count(n, 5.5 * d + 4.0 * b)};
}

FilterPlan plan_filter(const SpectrumEstimate& spectrum, Index count, Index n, double surplus,
                       double scale, const EigenpairOptions& options) {
  FilterPlan plan;
  plan.block = lanczos_block(count);
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
