#pragma once

#include <cstdint>
#include <string>

#include "stkr/dataset/load_dataset.hpp"
#include "stkr/gram/neighbor_graph.hpp"
#include "stkr/runtime/context.hpp"

namespace CLI {
class App;
}

namespace stkr::app {

// --memory: the memory budget of a run.
struct MemoryOption {
  std::string text = "80%";
};
void add_memory_option(CLI::App& command, MemoryOption& option);

// In bytes. Throws CLI::ValidationError for anything but a size; warns if it exceeds the free
// memory.
std::uint64_t allowed_memory(const MemoryOption& option);

// Throws MemoryError if reading would not fit, and sets how densely sparse points may be stored.
// Returns the memory that reading needs.
std::uint64_t check_reading(const std::string& input, LoadOptions& options, std::uint64_t memory);

// The same for the nearest-neighbor graph of points in memory; returns the memory it needs. `more`
// is what the caller needs besides.
std::uint64_t check_neighbors(const ProblemShape& shape, const NeighborGraphOptions& options,
                              const Context& context, std::uint64_t more = 0);

// The same for a model and the new samples it predicts; `samples` may be empty. Returns the memory
// that predicting needs.
std::uint64_t check_predicting(const std::string& model, const std::string& samples,
                               const std::string& format, std::uint64_t memory);

}  // namespace stkr::app
