#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "estimator/gram_spectrum.hpp"
#include "runtime/random.hpp"
#include "stkr/error.hpp"
#include "stkr/theory/spectrum.hpp"

namespace stkr {
namespace {

// Negative eigenvalues of this size, relative to the largest, are rounding.
constexpr double kRounding = 1e-10;

std::string remedy_for(const GramOperator& gram, const Definiteness& found) {
  const std::string what = fmt::format(
      "the kernel has negative eigenvalues down to {:.3g} (the largest is {:.3g}), so it is not a "
      "Mercer kernel; ",
      found.smallest, found.largest);
  if (gram.sparse() && gram.nonnegative()) {
    return what + "use the lazy walk (I + D^-1/2 W D^-1/2)/2 of the graph, or an even power";
  }
  return what + fmt::format(
                    "use an even power, add {:.3g} to K(x, x) of every sample, or take a kernel "
                    "that is positive semidefinite, such as rbf",
                    -found.smallest * static_cast<double>(gram.size()));
}

}  // namespace

Definiteness definiteness(const GramOperator& gram, const SpectralDensityOptions& options,
                          const Context& context) {
  return definiteness(gram, spectral_density(gram, options, context), context);
}

Definiteness definiteness(const GramOperator& gram, const SpectralDensity& density,
                          const Context& context) {
  Definiteness result;
  result.smallest = density.smallest();
  result.largest = density.largest();
  if (!density.exact) {
    const GramSpectrum ends = estimated_spectrum(gram, context);
    result.smallest = std::min(result.smallest, ends.smallest);
    result.largest = std::max(result.largest, ends.largest);
    // What the gram knows without computation.
    result.smallest = std::max(result.smallest, gram.bounds().lower);
    result.largest = std::min(result.largest, gram.bounds().upper);
  }
  const double scale = std::max(std::abs(result.smallest), std::abs(result.largest));
  result.semidefinite = result.smallest >= -kRounding * scale;
  if (result.semidefinite || density.size == 0) return result;
  const Estimate rest = density.count_above(-kRounding * scale);
  const auto n = static_cast<double>(density.size);
  result.negative = {1.0 - rest.value / n, rest.standard_error / n, rest.resolution / n};
  result.remedy = remedy_for(gram, result);
  return result;
}

KernelBound kernel_bound(const GramOperator& gram, Index most, const Context& context) {
  if (most < 0) {
    throw ParameterError(
        fmt::format("kernel bound: {} samples; expected 1 or more, or 0 for all", most));
  }
  std::vector<Index> samples;
  if (most > 0 && most < gram.size()) {
    samples = Random(context.seed).sample(gram.size(), most);
  } else {
    samples.resize(gram.size());
    std::iota(samples.begin(), samples.end(), Index{0});
  }
  KernelBound result{.samples = static_cast<Index>(samples.size())};
  result.complete = result.samples == gram.size();
  // Only the diagonals of the blocks are used.
  constexpr std::size_t batch = 32;
  const Vector* root = gram.root_weights();
  bool first_value = true;
  for (std::size_t first = 0; first < samples.size(); first += batch) {
    context.check_cancelled();
    const std::span<const Index> some(samples.data() + first,
                                      std::min(batch, samples.size() - first));
    const Matrix block = gram.block(some, some);
    for (std::size_t i = 0; i < some.size(); ++i) {
      double value = block(i, i);
      if (root) {
        const double weight = std::pow((*root)[some[i]], 2);
        if (weight == 0.0) continue;  // √w K √w does not say
        value /= weight;
      }
      if (!first_value && value <= result.kappa_squared) continue;
      first_value = false;
      result.kappa_squared = value;
      result.sample = some[i];
    }
  }
  return result;
}

}  // namespace stkr
