#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <optional>

#include "inference/label_rows.hpp"
#include "inference/posterior_mixture.hpp"
#include "inference/posterior_paths.hpp"
#include "inference/term_system.hpp"
#include "stkr/error.hpp"
#include "stkr/inference/inference.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {

Posterior posterior(const FittedSystem& system, std::span<const Index> samples,
                    const PosteriorOptions& options, const Context& context) {
  check_system(system, "uncertainty");
  const LabelRows rows(system, samples);
  const auto count = static_cast<Index>(samples.size());
  const bool exact = system.size() <= options.exact_size || count <= options.exact_samples;
  if (!exact && options.probes < 2) throw ParameterError("uncertainty: needs at least 2 probes");
  PosteriorMixture mixture(system, count);
  Random random(context.seed);
  for_terms(system, context, [&](const TermSystem& term) {
    const Matrix k = rows(term);
    Matrix prior;
    Vector own;
    if (exact) {
      own = transformed_diagonal(term, samples);
    } else {
      prior = prior_paths(term, system, options.probes, random, context);
    }
    for (const TermRidge& ridge : term.ridges()) {
      const Vector noise = label_noise(term, ridge, system.labels());
      if (exact) {
        mixture.add(ridge, noise, k, own - explained_variance(ridge, system.targets.constant, k));
        continue;
      }
      const Matrix paths = posterior_paths(term, ridge.solution, noise, system, prior, random);
      const Vector all = paths.rowwise().squaredNorm() / static_cast<double>(options.probes);
      mixture.add(ridge, noise, k, gather_rows(all, samples));
    }
  });
  return mixture.result(exact ? 0.0 : std::sqrt(2.0 / static_cast<double>(options.probes)));
}

}  // namespace stkr
