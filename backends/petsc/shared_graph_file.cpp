#include "shared_graph_file.hpp"

#include <numeric>
#include <span>
#include <vector>

#include "dataset/save_dataset.hpp"
#include "row_stream.hpp"
#include "session.hpp"

namespace stkr::petsc {
namespace {

// The row starts of this process among all entries, without the first one except in the first
// process.
std::vector<std::int64_t> own_starts(const SharedGraph& graph, const RowLayout& entries, int rank) {
  std::vector<std::int64_t> starts;
  starts.reserve(graph.rows.row_start.size());
  for (std::size_t i = rank == 0 ? 0 : 1; i < graph.rows.row_start.size(); ++i) {
    starts.push_back(entries.first() + graph.rows.row_start[i]);
  }
  return starts;
}

}  // namespace

void save_graph(const SharedGraph& graph, const Dataset& nodes, const std::filesystem::path& path) {
  MPI_Comm comm = graph.layout->comm();
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const auto entries = std::make_shared<const RowLayout>(comm, graph.rows.entries());
  const std::vector<std::int64_t> starts = own_starts(graph, *entries, rank);
  const auto ends = std::make_shared<const RowLayout>(comm, static_cast<Index>(starts.size()));
  RowStream of_entries(*entries), of_rows(*ends);
  const auto bytes = [](const auto& values) { return std::as_bytes(std::span(values)); };
  StreamedMatrix matrix{.nodes = graph.layout->size(),
                        .entries = entries->size(),
                        .value = of_entries.add(bytes(graph.rows.value), sizeof(double)),
                        .column = of_entries.add(bytes(graph.rows.column), sizeof(std::int32_t)),
                        .row_start = of_rows.add(bytes(starts), sizeof(std::int64_t))};
  agree(comm, [&] {
    if (rank > 0) {
      of_entries.send();
      of_rows.send();
      return;
    }
    try {
      save_streamed_graph(path, nodes, std::move(matrix));
    } catch (...) {
      of_entries.drain();
      of_rows.drain();
      throw;
    }
  });
}

}  // namespace stkr::petsc
