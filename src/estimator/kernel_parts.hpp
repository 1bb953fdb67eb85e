#pragma once

#include <span>
#include <vector>

#include "stkr/estimator/recipe.hpp"
#include "stkr/gram/cross_kernel.hpp"
#include "stkr/kernel/kernel.hpp"

namespace stkr {

// Whether `name` is a graph kernel: lazy-walk, symmetric, probability or adjacency.
bool is_graph_kernel(const std::string& name);

// False for linear, cosine and polynomial. An empty name means the default kernel, which has one.
bool has_length_scale(const std::string& kernel);

// The point kernel that a recipe names; rbf if it names none. Throws ValueError for an unknown name
// or an invalid parameter.
Kernel named_kernel(const KernelRecipe& recipe, double length_scale);

// Whether the kernel of these samples is divided by its degrees. If the recipe does not say,
// nonnegative point kernels are; a neighbor graph is normalized already.
bool is_normalized(DatasetKind kind, const KernelRecipe& recipe);

// Whether a recipe's kernel can have a negative eigenvalue for some samples.
bool may_be_indefinite(DatasetKind kind, const Recipe& recipe);

// One summand of a recipe's kernel.
struct KernelPart {
  Recipe recipe;  // for this kernel alone
  double share = 1.0;
  bool features = false;  // a kernel of the graph's node features, not of the samples
};

// The kernels that a recipe adds, its main kernel first; just one if it names no other. Kernels
// without a given share divide the remainder equally; kernels with share 0 are left out. Throws
// ValueError for shares outside [0, 1] or a sum above 1.
std::vector<KernelPart> kernel_parts(DatasetKind kind, const Recipe& recipe);

// Throws ValueError if a kernel of features is applied to data without features.
void check_has_features(const Dataset& dataset, const std::string& kernel);

// "graph", "points" or "kernel", or one per summand: "graph+points". The form in which new samples
// are passed to a model of this recipe.
std::string sample_kinds(DatasetKind kind, const Recipe& recipe);

// Some samples in the form of new samples for a model of this recipe fitted on `known`.
NewSamples as_new_samples(const Dataset& dataset, const Recipe& recipe,
                          std::span<const Index> fresh, std::span<const Index> known);

}  // namespace stkr
