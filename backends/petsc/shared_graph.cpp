#include "shared_graph.hpp"

#include <fmt/format.h>

#include <array>
#include <numeric>

#include "graph_source.hpp"
#include "session.hpp"
#include "shared_weights.hpp"

namespace stkr::petsc {
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
  append_rows(layout, std::as_bytes(std::span(starts)), crc);
  append_rows(layout, std::as_bytes(std::span(graph.rows.column)), crc);
  append_rows(layout, std::as_bytes(std::span(graph.rows.value)), crc);
  append_labels(graph, crc);
  return fmt::format("crc64:{:016x}", crc.value());
}

SharedGraph read_graph(MPI_Comm comm, const std::filesystem::path& path, const LoadOptions& options,
                       Index per_class, std::uint64_t seed, Dataset* at_first) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::unique_ptr<GraphSource> source = graph_source(comm, path, options);
  OwnRows own = source->read(comm);
  SharedGraph graph;
  graph.layout = std::move(own.layout);
  Dataset labels;
  agree(comm, [&] {
    if (rank == 0) {
      labels = assembled_labels(source->labels(options), path, graph.layout->size(), options,
                                per_class, seed);
    }
  });
  source.reset();
  if (at_first) *at_first = labels;
  static_cast<SharedSamples&>(graph) = share_samples(std::move(labels), graph.layout);
  graph.rows =
      checked_weights(graph.layout, std::move(own.rows), options.symmetrize, path.string());
  graph.entries = static_cast<std::int64_t>(
      sum_over(graph.layout.get(), static_cast<double>(graph.rows.entries())));
  return graph;
}

}  // namespace stkr::petsc
