#include "memory_option.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli.hpp"
#include "dataset/dataset_shape.hpp"
#include "format/npz.hpp"
#include "plan/run_cost.hpp"
#include "runtime/memory.hpp"
#include "specification/kernel_cost.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"

namespace stkr::app {

void add_memory_option(CLI::App& command, MemoryOption& option) {
  command
      .add_option(
          "--memory", option.text,
          "Memory budget of the run: 4GB, 512MiB, or a share of the free memory (default: 80%). "
          "A strategy that fits is chosen; if none does, nothing runs (exit code 5)")
      ->option_text("SIZE");
}

std::uint64_t allowed_memory(const MemoryOption& option) {
  const std::uint64_t available = available_memory();
  try {
    const std::uint64_t memory = parse_memory(option.text, available);
    if (memory > available) {
      note(fmt::format("--memory {} exceeds the {} that are free now", option.text,
                       format_bytes(available)));
    }
    return memory;
  } catch (const ValueError& error) {
    throw CLI::ValidationError("--memory", error.what());
  }
}

namespace {

void require(std::uint64_t needed, std::uint64_t memory, const std::string& what) {
  if (needed <= memory) return;
  throw MemoryError(fmt::format(
      "{} needs about {}, but the memory budget is {}; raise it (--memory), or use fewer "
      "samples",
      what, format_bytes(needed), format_bytes(memory)));
}

}  // namespace

std::uint64_t check_reading(const std::string& input, LoadOptions& options, std::uint64_t memory) {
  options.most_dense_bytes = memory;
  const std::uint64_t needed = program_memory({}) + reading_memory(input, options);
  require(needed, memory, "reading " + input);
  return needed;
}

std::uint64_t check_neighbors(const ProblemShape& shape, const NeighborGraphOptions& options,
                              const Context& context, std::uint64_t more) {
  Specification spec;
  spec.kernel = NeighborGraphSpec{
      .neighbors = options.k, .recall = options.recall, .components = options.components};
  const GramCost gram = kernel_cost(shape, spec);
  const std::uint64_t needed =
      program_memory(shape, context.threads) + gram.samples + gram.gram + gram.preparing + more;
  require(needed, context.memory, fmt::format("the graph of {} neighbors", options.k));
  return needed;
}

std::uint64_t check_predicting(const std::string& model, const std::string& samples,
                               const std::string& format, std::uint64_t memory) {
  std::uint64_t arrays = 0, largest = 0;
  std::error_code absent;
  if (std::filesystem::exists(model, absent)) {
    const NpzReader reader(model);
    for (const NpzMember& member : reader.members()) {
      // A JSON tree takes up to this many times its text: "[]," becomes a node.
      constexpr std::uint64_t kTree = 32;
      const std::uint64_t bytes = member.bytes * (member.name.ends_with(".json") ? kTree : 1);
      arrays += bytes;
      largest = std::max(largest, bytes);
    }
  }
  // Arrays are converted one after the other; new samples are processed in parts.
  constexpr std::uint64_t kParts = 64'000'000;
  const std::uint64_t needed =
      program_memory({}) + arrays + largest + kParts +
      (samples.empty() ? 0 : streaming_memory(samples, {.format = format}));
  require(needed, memory, samples.empty() ? "predicting with " + model : "predicting " + samples);
  return needed;
}

}  // namespace stkr::app
