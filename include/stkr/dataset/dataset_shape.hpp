#pragma once

#include <cstdint>
#include <filesystem>

#include "stkr/dataset/load_dataset.hpp"

namespace stkr {

// How much a data set holds, and its labels, without its samples.
struct DatasetShape {
  DatasetKind kind = DatasetKind::points;
  Index samples = 0;
  Index features = 0;         // of points
  Index entries = 0;          // of a graph's matrix: every edge in both directions
  std::uint64_t reading = 0;  // bytes that load_dataset takes at its peak, about
  Labels labels{};            // as in Dataset
  std::string name{};
  std::vector<std::string> notes{};
};

// From the headers of .npy, .npz and Matrix Market files, and from one pass over the lines of a
// .csv; edge lists, svmlight files and shipped data sets are read whole. Throws DataError as
// load_dataset does.
DatasetShape read_shape(const std::filesystem::path& path, const LoadOptions& options = {});

// What reading a table of points part by part takes besides the parts: its first line, whose fields
// are texts. 0 for other files.
std::uint64_t streaming_memory(const std::filesystem::path& path);

// `reading` alone: from headers, or from the size of a text file. 0 where there is no such file.
std::uint64_t reading_memory(const std::filesystem::path& path, const LoadOptions& options = {});

}  // namespace stkr
