#pragma once

#include <cstdint>
#include <vector>

#include "stkr/gram/point_gram.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

// Memory and work of a gram. Each function below is defined next to the code that causes them.
struct GramCost {
  // Bytes.
  std::uint64_t samples = 0;    // points, edges or kernel values
  std::uint64_t gram = 0;       // what S adds: norms, degrees, kept tiles
  std::uint64_t preparing = 0;  // in addition, while building it
  Index scratch = 0;            // N × C blocks that a product needs besides x and y
  // Work.
  Index entries = 0;        // of the sparse matrices in a product; 0: it has N² values
  double evaluation = 0.0;  // operations of evaluating one of these values; 0: they are given
  double pairs = 0.0;       // of points that are compared to build it
};

// Points: their features, and their entries if they are sparse.
struct PointShape {
  Index samples = 0;
  Index features = 0;
  Index entries = 0;  // 0: dense
};
GramCost point_gram_cost(const PointShape& points, bool single_precision, Tiles tiles);
GramCost neighbor_graph_cost(const PointShape& points, Index neighbors, double recall,
                             Index components = 0);
GramCost graph_gram_cost(Index samples, Index entries, bool self_loops);
GramCost dense_gram_cost(Index samples);
// Features that are smoothed in some steps over a graph with so many entries.
GramCost smoothed_gram_cost(const PointShape& features, Index entries, Index steps);
// The same with a kernel of points, evaluated on the smoothed features.
GramCost smoothed_point_gram_cost(const PointShape& features, Index entries, Index steps,
                                  bool single_precision, Tiles tiles);

GramCost sum_gram_cost(const std::vector<GramCost>& parts);

// What normalizing or centering a gram adds.
GramCost normalized_gram_cost(Index samples);
GramCost centered_gram_cost(Index samples);

}  // namespace stkr
