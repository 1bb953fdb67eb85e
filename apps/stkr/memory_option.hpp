#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>

#include "stkr/dataset/load_dataset.hpp"
#include "stkr/gram/neighbor_graph.hpp"

namespace stkr::app {

// --memory: what a run may take altogether.
struct MemoryOption {
  std::string text = "80%";
};
void add_memory_option(CLI::App& command, MemoryOption& option);

// Bytes. Throws CLI::ValidationError for anything but a size; says so where it is more than free.
std::uint64_t allowed_memory(const MemoryOption& option);

// Throws MemoryError where reading would not fit, and lets sparse points be stored as densely as
// does. Returns what it takes.
std::uint64_t check_reading(const std::string& input, LoadOptions& options, std::uint64_t memory);

// The same for the graph of the nearest neighbors of points that were read; returns what it takes.
std::uint64_t check_neighbors(const Dataset& dataset, const NeighborGraphOptions& options,
                              std::uint64_t memory);

// The same for a model and the new samples it predicts; `samples` may be empty.
void check_predicting(const std::string& model, const std::string& samples, std::uint64_t memory);

}  // namespace stkr::app
