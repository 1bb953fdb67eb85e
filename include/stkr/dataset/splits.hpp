#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "stkr/dataset/dataset.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

// Returns `per_class` random samples of each class in ascending order, for keep_only. Throws
// ValueError if a class has fewer.
std::vector<Index> labeled_per_class(const ClassLabels& labels, Index per_class,
                                     std::uint64_t seed);

struct Split {
  std::vector<Index> kept;      // ascending
  std::vector<Index> held_out;  // ascending
};

// Holds out `count` random elements of {0, ..., total-1}, or a fraction of them, rounded.
Split split_off(Index total, Index count, std::uint64_t seed);
Split split_off_share(Index total, double share, std::uint64_t seed);

// Rows and columns of the chosen nodes, in the order given.
CsrMatrix induced_subgraph(const CsrMatrix& graph, std::span<const Index> nodes);

// Rows of the new nodes, columns of the known nodes: the edges of new nodes to the known graph.
CsrMatrix cross_edges(const CsrMatrix& graph, std::span<const Index> new_nodes,
                      std::span<const Index> known_nodes);

// The chosen samples, in the order given, with their labels.
Dataset subset(const Dataset& dataset, std::span<const Index> samples);

// The paper's four sets of samples: labeled samples for fitting (train) and selection (val), and
// unlabeled samples that are evaluated on (test) or not (other). Every sample is in exactly one
// set.
struct FourWaySplit {
  std::vector<Index> train;
  std::vector<Index> val;
  std::vector<Index> test;  // may be empty; then only val is scored
  std::vector<Index> other;
};

// Throws a DataError that starts with `where` unless each of the `size` samples is in exactly one
// set, and neither train nor val is empty.
void check_split(const FourWaySplit& split, Index size, const std::string& where);

// Reads the arrays `train`, `val`, `test` and `other` of an .npz archive: indices from 0, integers
// of any width. A missing `test` is empty; a missing `other` is the remaining samples. Throws like
// check_split.
FourWaySplit load_split(const std::filesystem::path& path, Index size);
void save_split(const std::filesystem::path& path, const FourWaySplit& split);

}  // namespace stkr
