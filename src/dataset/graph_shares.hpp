#pragma once

#include <filesystem>

#include "format/file_format.hpp"
#include "stkr/dataset/load_dataset.hpp"

namespace stkr {

// The most and the fewest rows of a graph's matrix, and the most entries, that a process has of
// several that share the graph.
struct GraphShare {
  Index most_rows = 0;
  Index fewest_rows = 0;
  Index entries = 0;
};

// As the PETSc engine shares a file (row_cuts). Reads the row starts of .npz files, folders of
// parts and PETSc binary files; edge lists and Matrix Market files are read completely.
// LoadOptions::symmetrize counts every entry in both directions. Throws DataError like
// load_dataset, and ParameterError for formats that processes cannot share.
GraphShare largest_share(const std::filesystem::path& path, const LoadOptions& options,
                         Index processes);

// For a graph of which only the sizes are known: equal shares.
GraphShare equal_share(Index nodes, Index entries, Index processes);

[[noreturn]] void refuse_to_share(const std::filesystem::path& path, FileFormat format);

}  // namespace stkr
