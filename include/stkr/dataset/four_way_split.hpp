#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stkr/matrix.hpp"

namespace stkr {

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
