#pragma once

// Shared by the tests of transformed blocks.

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <string>

#include "selection/transformed_blocks.hpp"
#include "selection_cases.hpp"
#include "stkr/error.hpp"

namespace stkr::cases {

using Blocks = std::map<std::pair<Family, std::size_t>, TransformedBlock>;

inline Blocks collect(const GramOperator& gram, const KernelRows& rows, const Grid& grid,
                      const BlockOptions& options, BlockSummary* summary = nullptr,
                      const Context& context = {}) {
  Blocks blocks;
  std::mutex guard;
  const BlockSummary result = transformed_blocks(
      gram, rows, grid,
      [&](std::size_t place, const TransformedBlock& block) {
        const std::lock_guard lock(guard);
        EXPECT_TRUE(blocks.emplace(std::pair(block.family, place), block).second);
      },
      options, context);
  if (summary) *summary = result;
  return blocks;
}

inline BlockOptions precise(const reference::Dense& dense) {
  BlockOptions options;
  options.largest_eigenvalue = dense.largest();
  options.tolerance = 1e-11;
  options.eigen_tolerance = 1e-12;
  options.literal_top_d = true;  // as in the reference
  return options;
}

inline std::string named(const TransformedBlock& block) {
  return std::string(to_string(block.family)) + " " + std::to_string(block.parameter);
}

inline ScoredCase case_named(const std::string& name) {
  for (const ScoredCase& c : scored_cases()) {
    if (c.name == name) return c;
  }
  throw ValueError(name);
}

inline Grid only_dimensions(std::vector<Index> dimensions) {
  Grid grid;
  grid.powers = {};
  grid.etas = {};
  grid.dimensions = std::move(dimensions);
  return grid;
}

}  // namespace stkr::cases
