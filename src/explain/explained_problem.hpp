#pragma once

#include <memory>
#include <vector>

#include "stkr/dataset/dataset.hpp"
#include "stkr/estimator/decision.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/specification/specification.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

// Some samples of a data set with their gram and labels.
struct ExplainedProblem {
  std::vector<Index> samples;  // ascending
  std::shared_ptr<const GramOperator> gram;
  EncodedTargets targets;  // `labeled` counts within `samples`
};

// Builds the gram of some samples with the kernel of `spec`, which leaves nothing open.
ExplainedProblem problem_of(const Dataset& dataset, std::vector<Index> samples,
                            const Specification& spec, const Context& context);

// The same transform for another gram: η of the inverse Laplacian is in units of 1/λ₁, which is
// `largest` where `transform` comes from.
SpectralTransform transform_for(const GramOperator& gram, const SpectralTransform& transform,
                                double largest, const Context& context);

// All labeled samples and `unlabeled` others, drawn at random; ascending.
std::vector<Index> labeled_and_some(const Dataset& dataset, Index unlabeled, std::uint64_t seed);

}  // namespace stkr
