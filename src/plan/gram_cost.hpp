#pragma once

#include <string>
#include <vector>

#include "stkr/estimator/execution.hpp"
#include "stkr/plan/plan.hpp"

namespace stkr {

// Entries of S if it is sparse, else 0.
Index sparse_entries(const ProblemShape& shape, const Specification& spec);

// Memory of a gram, in bytes.
struct GramMemory {
  std::uint64_t samples = 0;    // points, edges or kernel values
  std::uint64_t gram = 0;       // what S adds: norms, degrees, kept tiles
  std::uint64_t preparing = 0;  // in addition, while building it
  Index scratch = 0;            // N × C blocks that a product needs besides x and y
};
GramMemory gram_memory(const ProblemShape& shape, const Specification& spec,
                       const Execution& execution);

// Memory of the program itself, its thread buffers and the labels.
std::uint64_t program_memory(const ProblemShape& shape, int threads = 0);

// Memory of d eigenvectors of all samples or a subset, and of computing them: in a dense matrix for
// up to `dense_below` samples, unless S is sparse.
struct EigenpairMemory {
  std::uint64_t most = 0;
  std::uint64_t expected = 0;  // if the first attempt succeeds
};
EigenpairMemory eigenpair_memory(const ProblemShape& shape, const Specification& spec,
                                 Index dimension, Index dense_below);

// The ways to store the gram, fastest first: tiles and precision. Keeping tiles is one of them if
// `products` products make it worthwhile.
std::vector<Execution> gram_executions(const ProblemShape& shape, const Specification& spec,
                                       double products);
std::string describe_gram(const ProblemShape& shape, const Specification& spec,
                          const Execution& execution);

void add_products(const ProblemShape& shape, const Specification& spec, const Execution& execution,
                  double count, double columns, Work& work);

}  // namespace stkr
