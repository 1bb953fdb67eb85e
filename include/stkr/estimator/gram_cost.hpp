#pragma once

#include <string>
#include <vector>

#include "stkr/estimator/recipe.hpp"

namespace stkr {

// The size of a problem, as far as memory and work depend on it.
struct ProblemShape {
  DatasetKind kind = DatasetKind::points;
  Index samples = 0;          // N
  Index features = 0;         // of points, or of the nodes of a graph
  Index entries = 0;          // of a graph's matrix: every edge in both directions
  Index labeled = 0;          // n
  Index outputs = 1;          // C
  std::uint64_t names = 0;    // bytes of the names of features and nodes, with their copies
  std::uint64_t reading = 0;  // bytes at most while the data is read; 0 where it is there already
};
ProblemShape shape_of(const Dataset& dataset);
// Sets n and C, as encode_targets has them.
void count_labels(const Labels& labels, ProblemShape& shape);

// Entries of S where it is sparse, else 0: the one place that knows which recipes make a graph.
Index sparse_entries(const ProblemShape& shape, const Recipe& recipe);

// What the gram of a recipe takes, in bytes.
struct GramMemory {
  std::uint64_t samples = 0;    // points, edges or kernel values
  std::uint64_t gram = 0;       // what S adds: norms, degrees, kept tiles
  std::uint64_t preparing = 0;  // beside both, while it is made
  Index scratch = 0;            // N × C blocks of a product beside its x and y
};
GramMemory gram_memory(const ProblemShape& shape, const Recipe& recipe);

// The program itself, the buffers of its threads, and labels.
std::uint64_t program_memory(const ProblemShape& shape, const Recipe& recipe);

// d eigenvectors of all samples or of some, and the search for them: of up to `dense_below` samples
// in a dense matrix, unless S is sparse.
struct EigenpairMemory {
  std::uint64_t most = 0;
  std::uint64_t expected = 0;  // where the first attempt succeeds
};
EigenpairMemory eigenpair_memory(const ProblemShape& shape, const Recipe& recipe, Index dimension,
                                 Index dense_below);

// The ways to hold the gram, fastest first: `recipe` with its tiles and its precision set. Keeping
// tiles is among them where that many products make it pay.
std::vector<Recipe> gram_strategies(const ProblemShape& shape, const Recipe& recipe,
                                    double products);
std::string describe_gram(const ProblemShape& shape, const Recipe& recipe);

// What products with S cost.
struct Work {
  double products = 0.0;
  double evaluations = 0.0;  // of the kernel
  double operations = 0.0;   // of floating point
};
void add_products(const ProblemShape& shape, const Recipe& recipe, double count, double columns,
                  Work& work);

}  // namespace stkr
