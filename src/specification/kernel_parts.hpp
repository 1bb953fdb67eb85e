#pragma once

#include <span>
#include <string>
#include <vector>

#include "stkr/gram/cross_kernel.hpp"
#include "stkr/specification/specification.hpp"

namespace stkr {

// One summand of a specification's kernel.
struct KernelPart {
  KernelSpec kernel;  // resolved for its samples
  double share = 1.0;
  bool features = false;  // a kernel of the graph's node features, not of the samples

  // Whether new samples have edges. Smoothed features need edges and features.
  bool needs_edges() const { return kernel.takes_graph() || kernel.smoothing() > 0; }
  // Whether S is a product of factors (gram/smoothed_gram) and K is never evaluated. Features that
  // are dense are points, as long as they are not smoothed.
  bool factored(bool sparse_features) const;
};

// The kernels that a specification adds, its main kernel first; just one if it names no other.
// Kernels without a given share divide the remainder equally; kernels with share 0 are left out.
// Throws ValueError for shares outside [0, 1], a sum above 1, or a kernel that does not apply to
// data of this kind.
std::vector<KernelPart> kernel_parts(DatasetKind kind, const Specification& spec);

// Whether the kernel can have a negative eigenvalue for some samples.
bool may_be_indefinite(DatasetKind kind, const Specification& spec);

// Throws ValueError if a kernel of features is applied to data without features.
void check_has_features(const Dataset& dataset, const KernelPart& part);

// "graph", "points" or "kernel", or "nodes" for edges and features of new nodes; or one per
// summand: "graph+points". The form in which new samples are passed to a model of this
// specification.
std::string sample_kinds(DatasetKind kind, const Specification& spec);

// Some samples in the form of new samples for a model of this specification fitted on `known`.
NewSamples as_new_samples(const Dataset& dataset, const Specification& spec,
                          std::span<const Index> fresh, std::span<const Index> known);

}  // namespace stkr
