#pragma once

#include <span>
#include <vector>

#include "stkr/estimator/recipe.hpp"
#include "stkr/gram/cross_kernel.hpp"
#include "stkr/kernel/kernel.hpp"

namespace stkr {

// A name that belongs to kernels of graphs: lazy-walk, symmetric, probability, adjacency.
bool is_graph_kernel(const std::string& name);

// Not for linear, cosine and polynomial. No name is that of a default, which has one.
bool has_length_scale(const std::string& kernel);

// The kernel of points that a recipe names, rbf where it names none. Throws ValueError for a name
// or a parameter that no kernel has.
Kernel named_kernel(const KernelRecipe& recipe, double length_scale);

// Whether the kernel of these samples is divided by its degrees. Where the recipe leaves it open,
// kernels of points that are nowhere negative are; a neighbor graph is normalized already.
bool is_normalized(DatasetKind kind, const KernelRecipe& recipe);

// Whether nothing rules out a negative eigenvalue of a recipe's kernel, whatever the samples.
bool may_be_indefinite(DatasetKind kind, const Recipe& recipe);

// One summand of a recipe's kernel.
struct KernelPart {
  Recipe recipe;  // of this kernel alone
  double share = 1.0;
  bool features = false;  // of the features beside the graph, not of the samples themselves
};

// The kernels that a recipe adds up, --kernel's first; one where it names no other. A share that is
// not given is an equal part of what the others leave, and a kernel whose share is 0 is left out.
// Throws ValueError for shares outside [0, 1] or above 1 in all.
std::vector<KernelPart> kernel_parts(DatasetKind kind, const Recipe& recipe);

// Throws ValueError where a kernel of features meets data without any.
void check_has_features(const Dataset& dataset, const std::string& kernel);

// "graph", "points", "kernel", or one of them for each summand: "graph+points". What new samples
// of a model of this recipe come as.
std::string sample_kinds(DatasetKind kind, const Recipe& recipe);

// Some samples as new ones to a model of this recipe fitted on `known` ones.
NewSamples as_new_samples(const Dataset& dataset, const Recipe& recipe,
                          std::span<const Index> fresh, std::span<const Index> known);

}  // namespace stkr
