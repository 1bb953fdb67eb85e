#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stkr/dataset/load_dataset.hpp"

namespace stkr {

struct ConvertedParts {
  Dataset dataset;    // without the edges
  Index entries = 0;  // of the matrix
  std::vector<std::string> notes;
};

// Writes the graph of a file to a folder of `parts` parts (graph_parts.hpp), each with about as
// many entries plus rows. The rows of an .npz file are read and written one part after the other,
// unless the graph has to be made symmetric; other formats are read as a whole, and a note says so.
// Throws as load_dataset and GraphPartsWriter do, and ValueError if the data is no graph.
ConvertedParts convert_to_parts(const std::filesystem::path& path, const LoadOptions& options,
                                Index parts, const std::filesystem::path& folder);

}  // namespace stkr
