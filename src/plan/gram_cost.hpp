#pragma once

#include <string>
#include <vector>

#include "estimator/solve_cost.hpp"
#include "gram/gram_memory.hpp"
#include "stkr/plan/plan.hpp"

namespace stkr {

// Entries of S if it is sparse, else 0.
Index sparse_entries(const ProblemShape& shape, const Specification& spec);

GramMemory gram_memory(const ProblemShape& shape, const Specification& spec,
                       const Execution& execution);

// Memory of the program itself, its thread buffers and the labels.
std::uint64_t program_memory(const ProblemShape& shape, int threads = 0);

// What estimators need to state the cost of their solves.
SolveShape solve_shape(const ProblemShape& shape, const Specification& spec,
                       const GramMemory& gram);

// The ways to store the gram, fastest first: tiles and precision. Keeping tiles is one of them if
// `products` products make it worthwhile.
std::vector<Execution> gram_executions(const ProblemShape& shape, const Specification& spec,
                                       double products);
std::string describe_gram(const ProblemShape& shape, const Specification& spec,
                          const Execution& execution);

// Operations of evaluating a kernel once: an inner product and about twenty more.
double evaluation_operations(const ProblemShape& shape);

// The pairs of points that are compared to build the neighbor graphs of a specification.
double neighbor_pairs(const ProblemShape& shape, const Specification& spec);

void add_products(const ProblemShape& shape, const Specification& spec, const Execution& execution,
                  double count, double columns, Work& work);

}  // namespace stkr
