#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "format/npz.hpp"
#include "stkr/dataset/dataset.hpp"

namespace stkr {

// Writes a data set in the format of the extension, completely or not at all. Returns notes for the
// user: what the format could not store, and which other files were written.
//
// clang-format off
//   npz              everything, node features as X; if labels are hidden, all `labels` and an array `labeled`
//   csv, svmlight    points, and the labels that a learner may see
//   npy, mtx         points, a kernel, or (mtx only) a graph; labels in a separate file, see below
//   tsv, txt, edges  a graph; labels in a separate file
// clang-format on
//
// Labels that the format cannot store are written to NAME.labels.txt, one per line, with an empty
// line for an unlabeled sample; pass that path as LoadOptions::labels. Throws ValueError for a kind
// that the format cannot store, and WriteError if a file cannot be written or if NAME.labels.txt
// exists with other content.
// `format` ("csv") replaces the extension, e.g. for standard output, which cannot hold a second
// file with the labels.
std::vector<std::string> save_dataset(const std::filesystem::path& path, const Dataset& dataset,
                                      const std::string& format = {});

// The adjacency matrix of a graph, whose arrays come in order while the file is written.
struct StreamedMatrix {
  Index nodes = 0;
  Index entries = 0;
  NpzWriter::ReadBytes value, column, row_start;  // doubles, 32-bit and 64-bit integers
};

// Writes the .npz file that save_dataset would write of a graph with this matrix; `dataset` has
// everything else.
void save_streamed_graph(const std::filesystem::path& path, const Dataset& dataset,
                         StreamedMatrix matrix);

// Writes an .npz file with everything but the adjacency matrix of a graph: labels, names, features.
// Writes no file if there is nothing.
void save_samples(const std::filesystem::path& path, const Dataset& dataset);

}  // namespace stkr
