#pragma once

#include <span>
#include <string>
#include <vector>

#include "stkr/gram/gram_operator.hpp"
#include "stkr/solver/eigenpairs.hpp"

namespace stkr {

// What the d leading eigenvectors are where eigenvalues are equal.
enum class TopD {
  whole,  // d is extended to the end of a set of equal ones (or cut before it, where that is far):
          // which of them are taken would otherwise be a matter of the seed
  literal,  // d of them, as the definition has it
};

// The d leading eigenvectors of scale · Eᵀ S E over some samples.
struct LeadingSpace {
  std::vector<Index> samples;  // as given
  Vector values;               // decreasing, positive
  Matrix vectors;              // samples × kept, orthonormal
  Index positive = 0;          // positive eigenvalues met: below d, there are no more
  bool ambiguous = false;      // equal eigenvalues are parted: the choice depends on the seed
  SolveSummary summary;

  Index kept() const { return values.size(); }
};

// At most d where fewer are positive. Throws Cancelled.
LeadingSpace leading_space(const GramOperator& gram, std::vector<Index> samples, double scale,
                           Index d, TopD kind, const EigenpairOptions& options);

// How many of `values` to take for d: up to the next gap, else down to the one before; d itself
// where there is none. All of them are taken to be followed by a gap.
Index whole_dimension(const Vector& values, Index d);

// As leading_space itself takes for d, given the values that it kept for a larger one of `size`
// samples. `parts` says whether equal eigenvalues are parted.
struct WholeDimension {
  Index kept = 0;
  bool parts = false;
};
WholeDimension whole_dimension(const Vector& values, Index d, Index size);

// The samples in components of the graph that a label reaches, in order: on the others leading
// eigenvectors are no use, and every one of them has λ = λ₁. All samples where the gram is no
// graph.
std::vector<Index> samples_that_labels_reach(const GramOperator& gram,
                                             std::span<const Index> labeled);

// Says so where `space` has not d dimensions because of equal eigenvalues. `what` names the method.
void warn_of_copies(const char* what, Index d, const LeadingSpace& space,
                    std::vector<std::string>& warnings);

}  // namespace stkr
