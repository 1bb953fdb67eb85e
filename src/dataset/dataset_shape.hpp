#pragma once

#include <cstdint>
#include <filesystem>

#include "stkr/dataset/load_dataset.hpp"

namespace stkr {

// Size and labels of a data set, without its samples.
struct DatasetShape {
  DatasetKind kind = DatasetKind::points;
  Index samples = 0;
  Index features = 0;         // of points, or of nodes by LoadOptions::features_file
  Index feature_entries = 0;  // of these points or node features, if they are sparse
  Index entries = 0;          // of a graph's adjacency matrix: every edge in both directions
  std::uint64_t names = 0;    // bytes, as in ProblemShape
  std::uint64_t reading = 0;  // approximate peak memory of load_dataset in bytes
  Labels labels{};            // as in Dataset
  std::string name{};
  std::vector<std::string> notes{};
};

// Reads the headers of .npy, .npz and Matrix Market files, and makes one pass over the lines of a
// .csv; edge lists, svmlight files and shipped data sets are read completely. Throws DataError like
// load_dataset.
DatasetShape read_shape(const std::filesystem::path& path, const LoadOptions& options = {});

// Memory in bytes, besides the chunks, for reading a table of points in chunks: its first line,
// whose fields are stored as text. 0 for other files.
std::uint64_t streaming_memory(const std::filesystem::path& path, const LoadOptions& options = {});

// Only `reading`, from headers or from the size of a text file. 0 if the file does not exist.
std::uint64_t reading_memory(const std::filesystem::path& path, const LoadOptions& options = {});

}  // namespace stkr
