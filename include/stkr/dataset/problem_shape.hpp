#pragma once

#include <cstdint>

#include "stkr/dataset/dataset.hpp"

namespace stkr {

// The problem size, as far as memory and work depend on it.
struct ProblemShape {
  DatasetKind kind = DatasetKind::points;
  Index samples = 0;          // N
  Index features = 0;         // of points or of graph nodes
  Index entries = 0;          // of a graph's matrix: every edge counts twice
  Index feature_entries = 0;  // of sparse points or node features; 0: they are dense
  Index labeled = 0;          // n
  Index outputs = 1;          // C
  std::uint64_t names = 0;    // bytes of feature and node names, including copies
  std::uint64_t reading = 0;  // peak bytes while reading the data; 0 if it is already loaded
};
ProblemShape shape_of(const Dataset& dataset);
// Sets n and C as encode_targets does.
void count_labels(const Labels& labels, ProblemShape& shape);

}  // namespace stkr
