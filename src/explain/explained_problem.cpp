#include "explain/explained_problem.hpp"

#include <algorithm>

#include "estimator/gram_spectrum.hpp"
#include "runtime/random.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/estimator/fit.hpp"
#include "stkr/model/fit_model.hpp"
#include "stkr/plan/plan.hpp"

namespace stkr {

ExplainedProblem problem_of(const Dataset& dataset, std::vector<Index> samples,
                            const Specification& spec, const Context& context) {
  Dataset some = subset(dataset, samples);
  const Execution execution = chosen_execution(plan_fit(shape_of(some), spec, context));
  EncodedTargets targets = encode_targets(some.labels, spec.decision);
  return {std::move(samples), prepare_gram(some, spec, execution, context.inner()).gram,
          std::move(targets)};
}

SpectralTransform transform_for(const GramOperator& gram, const SpectralTransform& transform,
                                double largest, const Context& context) {
  const auto* laplacian = std::get_if<InverseLaplacianTransform>(&transform.form());
  if (!laplacian) return transform;
  return SpectralTransform::inverse_laplacian(laplacian->eta * largest /
                                              largest_eigenvalue(gram, context.inner()));
}

std::vector<Index> labeled_and_some(const Dataset& dataset, Index unlabeled, std::uint64_t seed) {
  std::vector<Index> result = labeled_indices(dataset.labels);
  const std::vector<Index> others = unlabeled_samples(dataset.size(), result);
  const auto count = std::min(unlabeled, static_cast<Index>(others.size()));
  for (const Index k : Random(seed).sample(static_cast<Index>(others.size()), count)) {
    result.push_back(others[static_cast<std::size_t>(k)]);
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace stkr
