#include "stkr/estimator/gram_cost.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "estimator/kernel_parts.hpp"
#include "runtime/parallel.hpp"
#include "stkr/gram/neighbor_graph.hpp"
#include "stkr/solver/eigenpairs.hpp"

namespace stkr {
namespace {

// The program with its libraries and the allocator's overhead.
constexpr std::uint64_t kProgram = 24'000'000;

// Tiles are kept up to this many samples: 1.6 GB, evaluated once in seconds.
constexpr Index kMostKept = 20'000;

// Products from which keeping tiles pays: it costs one extra evaluation.
constexpr double kKeepingPays = 6.0;

std::uint64_t bytes(Index count, double each) {
  return static_cast<std::uint64_t>(static_cast<double>(std::max<Index>(count, 0)) * each);
}

// Copies: in the data set, in the model, as a JSON tree and as its text.
std::uint64_t name_bytes(const std::vector<std::string>& names) {
  std::uint64_t total = 0;
  for (const std::string& name : names) total += 160 + 4 * name.size();
  return total;
}

Index neighbors_of(const Recipe& recipe) {
  return recipe.neighbors.value_or(NeighborGraphOptions{}.k);
}

// The shapes that the kernels of a sum see, each with its own recipe.
std::vector<std::pair<ProblemShape, Recipe>> parts_of(const ProblemShape& shape,
                                                      const Recipe& recipe) {
  std::vector<std::pair<ProblemShape, Recipe>> parts;
  for (const KernelPart& part : kernel_parts(shape.kind, recipe)) {
    ProblemShape seen = shape;
    if (part.features) seen.kind = DatasetKind::points;
    parts.emplace_back(seen, part.recipe);
  }
  return parts;
}

GramMemory sum_memory(const ProblemShape& shape, const Recipe& recipe) {
  GramMemory total;
  for (const auto& [seen, part] : parts_of(shape, recipe)) {
    const GramMemory one = gram_memory(seen, part);
    total.samples += one.samples;
    total.gram += one.gram;
    total.preparing += one.preparing;
    total.scratch = std::max(total.scratch, one.scratch);
  }
  ++total.scratch;
  return total;
}

}  // namespace

void count_labels(const Labels& labels, ProblemShape& shape) {
  shape.labeled = static_cast<Index>(labeled_indices(labels).size());
  if (const auto* classes = std::get_if<ClassLabels>(&labels)) {
    shape.outputs = static_cast<Index>(classes->names.size());
  } else if (const auto* targets = std::get_if<TargetValues>(&labels)) {
    shape.outputs = targets->values.cols();
  }
}

ProblemShape shape_of(const Dataset& dataset) {
  ProblemShape shape{.kind = dataset.kind(), .samples = dataset.size()};
  if (shape.kind == DatasetKind::points) shape.features = dataset.points().values.cols();
  if (shape.kind == DatasetKind::graph) shape.entries = dataset.graph().adjacency.entries();
  if (dataset.features) shape.features = dataset.features->values.cols();
  if (shape.kind == DatasetKind::points) shape.names += name_bytes(dataset.points().feature_names);
  if (shape.kind == DatasetKind::graph) shape.names += name_bytes(dataset.graph().node_names);
  if (dataset.features) shape.names += name_bytes(dataset.features->feature_names);
  count_labels(dataset.labels, shape);
  return shape;
}

Index sparse_entries(const ProblemShape& shape, const Recipe& recipe) {
  if (!recipe.added.empty()) {
    Index total = 0;
    for (const auto& [seen, part] : parts_of(shape, recipe)) {
      const Index entries = sparse_entries(seen, part);
      if (entries == 0) return 0;
      total += entries;
    }
    return total;
  }
  if (shape.kind == DatasetKind::points && recipe.kernel == "knn") {
    return 2 * neighbors_of(recipe) * shape.samples;  // if no neighbor is mutual
  }
  return shape.kind == DatasetKind::graph ? shape.entries : 0;
}

GramMemory gram_memory(const ProblemShape& shape, const Recipe& recipe) {
  if (!recipe.added.empty()) return sum_memory(shape, recipe);
  const double n = static_cast<double>(shape.samples);
  GramMemory memory;
  switch (shape.kind) {
    case DatasetKind::points: {
      if (recipe.kernel == "knn") {
        const Index values = shape.samples * shape.features;
        const Index found = shape.samples * neighbors_of(recipe);
        memory.samples = bytes(values, 4.0) + bytes(shape.samples, 32.0);
        memory.gram = bytes(sparse_entries(shape, recipe), 12.0) + bytes(shape.samples, 72.0);
        // Candidates and neighbors; then neighbors and the directed graph beside the symmetric
        // graph.
        std::uint64_t searching = bytes(found, 20.0) + bytes(shape.samples, 72.0);
        const std::uint64_t joining = bytes(found, 40.0);
        if (recipe.recall.value_or(1.0) < 1.0) {
          memory.samples += bytes(shape.samples, 4.0);  // the cell of each point
          searching += cell_search_bytes(shape.samples, shape.features);
        }
        // The points as read stay in memory throughout.
        memory.preparing = bytes(values, 8.0) + bytes(shape.samples, 80.0) +
                           std::max(joining, searching - std::min(searching, memory.gram));
        break;
      }
      const bool single = recipe.single_precision;
      const bool kept = recipe.execution.tiles == Tiles::kept;
      const Index values = shape.samples * shape.features;
      memory.samples = bytes(values, single ? 4.0 : 8.0);
      // Neighbor distances, then the points before rounding.
      memory.preparing = std::max(bytes(values, single ? 8.0 : 0.0), bytes(shape.samples, 40.0));
      memory.gram = bytes(shape.samples, 8.0);  // norms
      if (kept) {
        memory.gram += single ? PointGram<float>::tile_bytes(shape.samples, shape.features)
                              : PointGram<double>::tile_bytes(shape.samples, shape.features);
      }
      break;
    }
    case DatasetKind::graph:
      memory.samples = bytes(shape.entries, 12.0) + bytes(shape.samples, 8.0);
      memory.gram = bytes(shape.samples, 40.0);  // degrees, factors, components
      // The transpose for the symmetry check; a copy with self-loops.
      memory.preparing = bytes(shape.entries, 12.0) + bytes(shape.samples, 16.0);
      if (recipe.self_loops) {
        memory.samples += bytes(shape.samples, 12.0);
        memory.preparing += bytes(shape.samples, 12.0);
      }
      break;
    case DatasetKind::kernel:
      memory.samples = bytes(shape.samples, 8.0 * n);
      break;
  }
  if (is_normalized(shape.kind, recipe)) {
    memory.gram += bytes(shape.samples, 36.0);
    ++memory.scratch;
  }
  if (recipe.center) {
    memory.gram += bytes(shape.samples, 16.0);
    ++memory.scratch;
  }
  return memory;
}

std::uint64_t program_memory(const ProblemShape& shape, int threads) {
  std::uint64_t total = kProgram + shape.names + bytes(shape.samples, 16.0) +
                        bytes(shape.labeled, 16.0 + 16.0 * static_cast<double>(shape.outputs));
  if (shape.kind == DatasetKind::points) {
    const double packed = std::min(8e6, 480.0 * 8.0 * static_cast<double>(shape.features));
    total += bytes(resolve_threads(threads), 1e6 + packed);
  }
  return total;
}

std::vector<Recipe> gram_strategies(const ProblemShape& shape, const Recipe& recipe,
                                    double products) {
  std::vector<Recipe> ways;
  Recipe way = recipe;
  way.execution.tiles = Tiles::kept;
  const bool tiled = shape.kind == DatasetKind::points && sparse_entries(shape, recipe) == 0;
  if (tiled && shape.samples <= kMostKept && products >= kKeepingPays) {
    ways.push_back(way);
  }
  way.execution.tiles = Tiles::evaluated;
  ways.push_back(way);
  if (shape.kind == DatasetKind::points && recipe.kernel != "knn" && !recipe.single_precision &&
      recipe.may_round_to_single) {
    way.single_precision = true;
    ways.push_back(way);
  }
  return ways;
}

std::string describe_gram(const ProblemShape& shape, const Recipe& recipe) {
  switch (shape.kind) {
    case DatasetKind::graph:
      return "graph";
    case DatasetKind::kernel:
      return "kernel given";
    default:
      if (recipe.kernel == "knn") return "neighbor graph";
      return fmt::format("kernel {}{}",
                         recipe.execution.tiles == Tiles::kept ? "kept" : "evaluated",
                         recipe.single_precision ? ", single" : "");
  }
}

EigenpairMemory eigenpair_memory(const ProblemShape& shape, const Recipe& recipe, Index dimension,
                                 Index dense_below) {
  const Index entries = sparse_entries(shape, recipe);
  const double n = static_cast<double>(shape.samples);
  const Index dense = entries == 0 ? dense_below : EigenpairOptions{}.dense_below;
  if (shape.samples <= dense || shape.samples < 3 * dimension) {  // see top_eigenpairs
    const std::uint64_t dense_bytes = bytes(shape.samples, 8.0 * 7.0 * n);
    return {dense_bytes, dense_bytes};
  }
  // Filtered Lanczos: a basis of up to three times as many vectors plus those of the last attempts.
  const Index block = std::clamp<Index>((dimension / 8 + 15) / 16 * 16, 16, 64);
  // Usually the first attempt suffices, with half as many vectors more than requested.
  const auto columns = [&](double count) { return bytes(shape.samples, 8.0 * count); };
  const auto d = static_cast<double>(dimension), b = static_cast<double>(block);
  // The block of S over some samples, and the block over their large components.
  const std::uint64_t blocks =
      entries > 0 ? bytes(entries, 24.0) + bytes(shape.samples, 32.0) : std::uint64_t{0};
  return {columns(7.0 * d + 12.0 * b) + blocks, columns(5.5 * d + 4.0 * b) + blocks};
}

void add_products(const ProblemShape& shape, const Recipe& recipe, double count, double columns,
                  Work& work) {
  const double n = static_cast<double>(shape.samples);
  const double pairs = 0.5 * n * (n + 1.0);
  work.products += count;
  if (const Index entries = sparse_entries(shape, recipe); entries > 0) {
    work.operations += count * columns * 2.0 * static_cast<double>(entries);
    return;
  }
  work.operations += count * columns * 2.0 * n * n;
  if (shape.kind == DatasetKind::kernel) return;
  const bool kept = recipe.execution.tiles == Tiles::kept;
  // An inner product, and about twenty operations to evaluate the kernel.
  const double evaluated = kept ? std::max(0.0, pairs - work.evaluations) : count * pairs;
  work.evaluations += evaluated;
  work.operations += evaluated * (2.0 * static_cast<double>(shape.features) + 20.0);
}

}  // namespace stkr
