#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stkr/dataset/dataset.hpp"

namespace stkr {

// Writes a data set in the format its extension names, whole or not at all. Returns what a user
// should know: what the format could not carry, and which other files were written.
//
// clang-format off
//   npz              everything, node features as X; hidden labels as an array `labeled` beside all of `labels`
//   csv, svmlight    points, and the labels that a learner may see
//   npy, mtx         points, a kernel, or (mtx only) a graph; labels in a file beside it, see below
//   tsv, txt, edges  a graph; labels in a file beside it
// clang-format on
//
// Labels that do not fit into the format are written to NAME.labels.txt, one per line, an empty
// line for an unlabeled sample: pass that path as LoadOptions::labels. Throws ValueError for a
// kind that the format cannot hold, WriteError where a file cannot be written, or NAME.labels.txt
// is there and holds something else.
std::vector<std::string> save_dataset(const std::filesystem::path& path, const Dataset& dataset);

}  // namespace stkr
