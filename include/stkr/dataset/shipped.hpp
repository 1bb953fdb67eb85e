#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stkr/dataset/dataset.hpp"
#include "stkr/dataset/load_dataset.hpp"

namespace stkr {

// A small data set embedded in the library: no file is needed at run time.
struct ShippedInfo {
  std::string name;
  DatasetKind kind;
  Index samples;
  Index features;  // of points; 0 for graphs
  Index entries;   // of the adjacency matrix, each edge twice; 0 for points
  Index classes;
  std::string description;
  std::string source;
  std::string license;
};

std::vector<ShippedInfo> shipped_datasets();

// Throws DataError, with the available names, if no shipped data set has this name.
Dataset load_shipped(std::string_view name, const LoadOptions& options = {});

}  // namespace stkr
