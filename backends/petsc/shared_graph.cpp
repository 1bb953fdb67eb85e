#include "shared_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "dataset/parsed.hpp"
#include "format/crc64.hpp"
#include "format/csr_rows.hpp"
#include "format/file_format.hpp"
#include "session.hpp"
#include "shared_weights.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {
namespace {

// Where each process's rows begin: at equal shares of entries plus rows, found by bisection in the
// row starts, which never decrease.
std::vector<Index> shares(const NpzReader& reader, const std::string& prefix, Index rows,
                          std::int64_t entries, int ranks) {
  const auto work_before = [&](Index row) {
    NpyArray starts = reader.array(prefix + "indptr");
    std::int64_t start = 0;
    starts.skip(row);
    starts.read(std::span(&start, 1));
    return start + row;
  };
  std::vector<Index> first(static_cast<std::size_t>(ranks) + 1, rows);
  first[0] = 0;
  for (int p = 1; p < ranks; ++p) {
    const std::int64_t wanted = (entries + rows) / ranks * p + (entries + rows) % ranks * p / ranks;
    Index low = first[p - 1], high = rows;
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      if (work_before(middle) < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    // The nearer of two ends, so that a hub is not always added to what comes before it.
    if (low > first[p - 1] && wanted - work_before(low - 1) < work_before(low) - wanted) --low;
    first[p] = low;
  }
  return first;
}

std::string graph_prefix(const NpzReader& reader) {
  for (const char* prefix : {"adj_", ""}) {
    if (detail::has_csr(reader, prefix)) return prefix;
  }
  throw DataError(
      fmt::format("{}: contains no graph: expected adj_data, adj_indices, adj_indptr, "
                  "adj_shape",
                  reader.shown_path()));
}

void check_format(const std::filesystem::path& path, const LoadOptions& options) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw DataError(fmt::format("{}: no such file", path.string()));
  }
  if (detail::sample_format(path, options) == FileFormat::npz) return;
  throw ParameterError(
      fmt::format("{}: the PETSc engine reads graphs from .npz files, of which each process reads "
                  "its own rows; convert it first: stkr data convert {} graph.npz",
                  path.string(), path.string()));
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
  append_rows(layout, std::as_bytes(std::span(starts)), crc);
  append_rows(layout, std::as_bytes(std::span(graph.rows.column)), crc);
  append_rows(layout, std::as_bytes(std::span(graph.rows.value)), crc);
  append_labels(graph, crc);
  return fmt::format("crc64:{:016x}", crc.value());
}

SharedGraph read_graph(MPI_Comm comm, const std::filesystem::path& path, const LoadOptions& options,
                       Index per_class, std::uint64_t seed) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  SharedGraph graph;
  std::vector<Index> first(static_cast<std::size_t>(ranks) + 1, 0);
  std::optional<NpzReader> reader;
  std::optional<detail::CsrRows> csr;
  // Sizes as every process sees them: they may see different files.
  std::vector<Index> sizes(3, 0);
  agree(comm, [&] {
    check_format(path, options);
    reader.emplace(path);
    csr.emplace(*reader, graph_prefix(*reader));
    if (csr->rows() != csr->cols() || csr->rows() == 0) {
      throw DataError(fmt::format("{}: is {} × {}, expected a square adjacency matrix",
                                  csr->where(), csr->rows(), csr->cols()));
    }
    sizes = {csr->rows(), csr->entries(), static_cast<Index>(std::filesystem::file_size(path))};
    if (rank == 0) {
      first = shares(*reader, graph_prefix(*reader), csr->rows(), csr->entries(), ranks);
    }
  });
  std::vector<Index> others = sizes;
  MPI_Bcast(others.data(), 3, MPI_INT64_T, 0, comm);
  agree(comm, [&] {
    if (others == sizes) return;
    throw DataError(fmt::format(
        "{}: process {} sees a graph of {} nodes and {} entries in {} bytes, the first process {} "
        "nodes and {} entries in {} bytes; give all nodes the same file",
        path.string(), rank, sizes[0], sizes[1], sizes[2], others[0], others[1], others[2]));
  });
  MPI_Bcast(first.data(), ranks + 1, MPI_INT64_T, 0, comm);
  graph.layout = std::make_shared<const RowLayout>(comm, first[rank + 1] - first[rank]);
  Dataset labels;
  agree(comm, [&] {
    csr->skip(first[rank]);
    graph.rows = csr->next(first[rank + 1] - first[rank]);
    if (rank == 0) labels = read_npz_labels(*reader, path, csr->rows(), options, per_class, seed);
  });
  csr.reset();
  static_cast<SharedSamples&>(graph) = share_samples(std::move(labels), graph.layout);
  graph.rows =
      checked_weights(graph.layout, std::move(graph.rows), options.symmetrize, path.string());
  graph.entries = static_cast<std::int64_t>(
      sum_over(graph.layout.get(), static_cast<double>(graph.rows.entries())));
  return graph;
}

}  // namespace stkr::petsc
