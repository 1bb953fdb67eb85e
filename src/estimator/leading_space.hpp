#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stkr/gram/gram_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/solver/eigenpairs.hpp"

namespace stkr {

// How the d leading eigenvectors are defined if eigenvalues are equal.
enum class TopD {
  // d is extended to the end of a set of equal eigenvalues (or cut before it, if the end is far):
  // otherwise the seed would determine which of them are used
  whole,
  literal,  // exactly d, as in the definition
};

// The d leading eigenvectors of scale · Eᵀ S E over some samples.
struct LeadingSpace {
  std::vector<Index> samples;  // as given
  Vector values;               // decreasing, positive
  Matrix vectors;              // samples × kept, orthonormal
  Index positive = 0;          // positive eigenvalues found; if below d, no more exist
  bool ambiguous = false;      // a set of equal eigenvalues is split: depends on the seed
  SolveSummary summary;

  Index kept() const { return values.size(); }
};

// Returns fewer than d if fewer are positive. Throws Cancelled.
LeadingSpace leading_space(const GramOperator& gram, std::vector<Index> samples, double scale,
                           Index d, TopD kind, const EigenpairOptions& options,
                           const Context& context = {});

// How many of `values` to use for d: up to the next gap, else down to the previous one; d itself if
// there is no gap. A gap is assumed after the last value.
Index whole_dimension(const Vector& values, Index d);

// The dimension that leading_space would use for d, given the values that it kept for a larger d on
// `size` samples. `parts` says whether a set of equal eigenvalues is split.
struct WholeDimension {
  Index kept = 0;
  bool parts = false;
};
WholeDimension whole_dimension(const Vector& values, Index d, Index size);

// The samples in graph components that a label reaches, in order: on the others, leading
// eigenvectors are useless, and each component contributes one with λ = λ₁. All samples if the gram
// is not a graph.
std::vector<Index> samples_that_labels_reach(const GramOperator& gram,
                                             std::span<const Index> labeled);

// Adds a warning if `space` does not have d dimensions because of equal eigenvalues. `what` names
// the method.
void warn_of_copies(std::string_view what, Index d, const LeadingSpace& space,
                    std::vector<std::string>& warnings);

}  // namespace stkr
