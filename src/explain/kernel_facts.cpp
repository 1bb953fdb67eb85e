#include "explain/kernel_facts.hpp"

#include <algorithm>
#include <numeric>

#include "estimator/leading_space.hpp"

namespace stkr {

LeadingSpectrum leading_spectrum(const GramOperator& gram, std::span<const Index> labeled,
                                 Index count, const Context& context) {
  std::vector<Index> samples(static_cast<std::size_t>(gram.size()));
  std::iota(samples.begin(), samples.end(), Index{0});
  if (!labeled.empty()) samples = samples_that_labels_reach(gram, labeled);
  const auto size = static_cast<Index>(samples.size());
  LeadingSpace space = leading_space(gram, std::move(samples), 1.0, std::min(count, size),
                                     TopD::literal, {.tolerance = 1e-7}, context);
  return {std::move(space.values), std::move(space.vectors), std::move(space.samples)};
}

KernelFacts kernel_facts(const GramOperator& gram, std::span<const Index> labeled,
                         const LeadingSpectrum& leading, const Context& context) {
  constexpr Index kMostDiagonal = 20'000;  // samples whose K(x, x) is looked at
  KernelFacts result;
  result.samples = result.analyzed = gram.size();
  result.reach = label_reach(gram, labeled);
  result.eigenvalues = leading.values;
  result.density = spectral_density(gram, {}, context);
  result.definiteness = definiteness(gram, result.density, context);
  result.bound = kernel_bound(gram, kMostDiagonal, context);
  result.decay = decay_of(leading.values);
  return result;
}

}  // namespace stkr
