#include "shared_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "format/crc64.hpp"
#include "format/file_format.hpp"
#include "graph_source.hpp"
#include "session.hpp"
#include "shared_weights.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {
namespace {

// Labels, truth and what a report says about them, by the rules of one machine.
Dataset labels_of(const GraphSource& source, const std::filesystem::path& path, Index nodes,
                  const LoadOptions& options, Index per_class, std::uint64_t seed) {
  detail::Parsed parsed = source.labels(options);
  const auto& names = parsed.candidates;
  if (std::find(names.begin(), names.end(), "node_names") != names.end()) {
    throw ParameterError(fmt::format(
        "{}: the PETSc engine does not support names of nodes (node_names) yet; remove the array",
        path.string()));
  }
  Graph graph;
  graph.adjacency.rows = graph.adjacency.cols = nodes;
  parsed.samples = std::move(graph);
  LoadOptions own = options;
  own.features_file.clear();
  Dataset dataset =
      detail::assemble(std::move(parsed), own, without_gz(path).stem().string(), path.string());
  if (!dataset.ids.empty()) {
    throw ParameterError(fmt::format(
        "{}: the PETSc engine does not support names of samples (sample_names) yet; remove the "
        "array",
        path.string()));
  }
  if (per_class > 0) {
    const auto* classes = std::get_if<ClassLabels>(&dataset.labels);
    if (!classes) throw ParameterError("--per-class needs class labels in the data");
    keep_only(dataset.labels, labeled_per_class(*classes, per_class, seed));
  }
  return dataset;
}

}  // namespace

namespace {

// Appends the bytes of all processes, in the order of their rows.
template <class T>
void append(const RowLayout& layout, std::span<const T> own, Crc64& crc) {
  Crc64 part;
  part.update(std::as_bytes(own));
  const std::array<Index, 2> head = {std::bit_cast<Index>(part.value()),
                                     static_cast<Index>(own.size_bytes())};
  const std::vector<Index> all = layout.joined(head);
  for (std::size_t p = 0; p < all.size(); p += 2) {
    crc.append(std::bit_cast<std::uint64_t>(all[p]), static_cast<std::uint64_t>(all[p + 1]));
  }
}

}  // namespace

std::string fingerprint(const SharedGraph& graph) {
  const RowLayout& layout = *graph.layout;
  const std::array<Index, 1> entries = {graph.rows.entries()};
  const std::vector<Index> counts = layout.joined(entries);
  int rank = 0;
  MPI_Comm_rank(layout.comm(), &rank);
  // Row starts count the entries of all processes; the first one is 0.
  const std::int64_t before = std::accumulate(counts.begin(), counts.begin() + rank, Index{0});
  std::vector<std::int64_t> starts;
  for (std::size_t i = rank == 0 ? 0 : 1; i < graph.rows.row_start.size(); ++i) {
    starts.push_back(before + graph.rows.row_start[i]);
  }
  Crc64 crc;
  append(layout, std::span<const std::int64_t>(starts), crc);
  append(layout, std::span<const std::int32_t>(graph.rows.column), crc);
  append(layout, std::span<const double>(graph.rows.value), crc);
  if (const auto* classes = std::get_if<ClassLabels>(&graph.labels)) {
    append(layout, std::span<const std::int32_t>(classes->code), crc);
  } else if (const auto* targets = std::get_if<TargetValues>(&graph.labels)) {
    append(layout,
           std::span<const double>(targets->values.data(),
                                   static_cast<std::size_t>(targets->values.size())),
           crc);
  }
  return fmt::format("crc64:{:016x}", crc.value());
}

SharedGraph read_graph(MPI_Comm comm, const std::filesystem::path& path, const LoadOptions& options,
                       Index per_class, std::uint64_t seed) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::unique_ptr<GraphSource> source = graph_source(comm, path, options);
  OwnRows own = source->read(comm);
  SharedGraph graph;
  graph.layout = std::move(own.layout);
  Dataset labels;
  agree(comm, [&] {
    if (rank == 0) {
      labels = labels_of(*source, path, graph.layout->size(), options, per_class, seed);
    }
  });
  source.reset();
  static_cast<SharedSamples&>(graph) = share_samples(std::move(labels), graph.layout);
  graph.rows =
      checked_weights(graph.layout, std::move(own.rows), options.symmetrize, path.string());
  graph.entries = static_cast<std::int64_t>(
      sum_over(graph.layout.get(), static_cast<double>(graph.rows.entries())));
  return graph;
}

}  // namespace stkr::petsc
