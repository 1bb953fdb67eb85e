#pragma once

#include <cstdint>
#include <vector>

#include "stkr/gram/point_gram.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

// Memory of a gram, in bytes. Each function below is defined next to the code that allocates it.
struct GramMemory {
  std::uint64_t samples = 0;    // points, edges or kernel values
  std::uint64_t gram = 0;       // what S adds: norms, degrees, kept tiles
  std::uint64_t preparing = 0;  // in addition, while building it
  Index scratch = 0;            // N × C blocks that a product needs besides x and y
};

// Points: their features, and their entries if they are sparse.
struct PointShape {
  Index samples = 0;
  Index features = 0;
  Index entries = 0;  // 0: dense
};
GramMemory point_gram_memory(const PointShape& points, bool single_precision, Tiles tiles);
GramMemory neighbor_graph_memory(const PointShape& points, Index neighbors, double recall,
                                 Index components = 0);
GramMemory graph_gram_memory(Index samples, Index entries, bool self_loops);
GramMemory dense_gram_memory(Index samples);
// `entries` of the graph, `feature_entries` of X.
GramMemory smoothed_gram_memory(Index samples, Index entries, Index features,
                                Index feature_entries);

GramMemory sum_gram_memory(const std::vector<GramMemory>& parts);

// What normalizing or centering a gram adds.
GramMemory normalized_gram_memory(Index samples);
GramMemory centered_gram_memory(Index samples);

}  // namespace stkr
