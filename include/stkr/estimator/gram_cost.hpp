#pragma once

#include <string>
#include <vector>

#include "stkr/estimator/recipe.hpp"

namespace stkr {

// The problem size, as far as memory and work depend on it.
struct ProblemShape {
  DatasetKind kind = DatasetKind::points;
  Index samples = 0;          // N
  Index features = 0;         // of points or of graph nodes
  Index entries = 0;          // of a graph's matrix: every edge counts twice
  Index labeled = 0;          // n
  Index outputs = 1;          // C
  std::uint64_t names = 0;    // bytes of feature and node names, including copies
  std::uint64_t reading = 0;  // peak bytes while reading the data; 0 if it is already loaded
};
ProblemShape shape_of(const Dataset& dataset);
// Sets n and C as encode_targets does.
void count_labels(const Labels& labels, ProblemShape& shape);

// Entries of S if it is sparse, else 0. Only this function knows which recipes make a graph.
Index sparse_entries(const ProblemShape& shape, const Recipe& recipe);

// Memory of a recipe's gram, in bytes.
struct GramMemory {
  std::uint64_t samples = 0;    // points, edges or kernel values
  std::uint64_t gram = 0;       // what S adds: norms, degrees, kept tiles
  std::uint64_t preparing = 0;  // in addition, while building it
  Index scratch = 0;            // N × C blocks that a product needs besides x and y
};
GramMemory gram_memory(const ProblemShape& shape, const Recipe& recipe);

// Memory of the program itself, its thread buffers and the labels.
std::uint64_t program_memory(const ProblemShape& shape, int threads = 0);

// Memory of d eigenvectors of all samples or a subset, and of computing them: in a dense matrix for
// up to `dense_below` samples, unless S is sparse.
struct EigenpairMemory {
  std::uint64_t most = 0;
  std::uint64_t expected = 0;  // if the first attempt succeeds
};
EigenpairMemory eigenpair_memory(const ProblemShape& shape, const Recipe& recipe, Index dimension,
                                 Index dense_below);

// The ways to store the gram, fastest first: `recipe` with its tiles and precision set. Keeping
// tiles is one of them if `products` products make it worthwhile.
std::vector<Recipe> gram_strategies(const ProblemShape& shape, const Recipe& recipe,
                                    double products);
std::string describe_gram(const ProblemShape& shape, const Recipe& recipe);

// The cost of products with S.
struct Work {
  double products = 0.0;
  double evaluations = 0.0;  // kernel evaluations
  double operations = 0.0;   // floating-point operations
};
void add_products(const ProblemShape& shape, const Recipe& recipe, double count, double columns,
                  Work& work);

}  // namespace stkr
