#pragma once

#include <span>

#include "stkr/explain/explain.hpp"

namespace stkr {

// The leading eigenvectors of S over the samples that labels reach (all without labels): one more
// eigenvalue λ₁ per component elsewhere would say nothing about the labels.
struct LeadingSpectrum {
  Vector values;               // decreasing, positive
  Matrix vectors;              // samples × d, orthonormal
  std::vector<Index> samples;  // ascending
};
LeadingSpectrum leading_spectrum(const GramOperator& gram, std::span<const Index> labeled,
                                 Index count, const Context& context);

// Everything about the kernel that does not depend on labels, except which samples they reach.
KernelFacts kernel_facts(const GramOperator& gram, std::span<const Index> labeled,
                         const LeadingSpectrum& leading, const Context& context);

}  // namespace stkr
