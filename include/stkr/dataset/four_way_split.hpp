#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stkr/matrix.hpp"

namespace stkr {

// The paper's four sets of samples: labeled ones to fit on and to select with, and unlabeled ones
// that are judged or only help. Every sample is in exactly one of them.
struct FourWaySplit {
  std::vector<Index> train;
  std::vector<Index> val;
  std::vector<Index> test;  // may be empty: then only validation is scored
  std::vector<Index> other;
};

// Throws a DataError that starts with `where` unless each of the `size` samples is in exactly one
// set, and neither train nor val is empty.
void check_split(const FourWaySplit& split, Index size, const std::string& where);

// Arrays `train`, `val`, `test` and `other` of an .npz archive: indices from 0, integers of any
// width. Without `test` nothing is tested; without `other` it is the rest. Checked.
FourWaySplit load_split(const std::filesystem::path& path, Index size);
void save_split(const std::filesystem::path& path, const FourWaySplit& split);

}  // namespace stkr
