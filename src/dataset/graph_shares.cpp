#include "dataset/graph_shares.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dataset/parsed.hpp"
#include "format/csr_rows.hpp"
#include "format/graph_parts.hpp"
#include "format/petsc_binary.hpp"
#include "format/row_cuts.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

using EntriesBefore = std::function<Index(Index row)>;

GraphShare share_of(Index rows, Index processes, const EntriesBefore& entries_before) {
  const std::vector<Index> cuts = row_cuts(rows, processes, entries_before);
  GraphShare share{.fewest_rows = rows};
  for (std::size_t p = 0; p + 1 < cuts.size(); ++p) {
    const Index count = cuts[p + 1] - cuts[p];
    share.most_rows = std::max(share.most_rows, count);
    share.fewest_rows = std::min(share.fewest_rows, count);
    share.entries = std::max(share.entries, entries_before(cuts[p + 1]) - entries_before(cuts[p]));
  }
  return share;
}

GraphShare share_of_file(const std::filesystem::path& path, const LoadOptions& options,
                         Index processes) {
  std::error_code absent;
  if (!std::filesystem::exists(path, absent)) detail::no_such_file(path);
  const FileFormat format = detail::sample_format(path, options);
  switch (format) {
    case FileFormat::npz: {
      const NpzReader reader(path);
      const std::string prefix = detail::npz_layout(reader, options).parts;
      return share_of(detail::CsrRows(reader, prefix).rows(), processes,
                      [&](Index row) { return detail::entries_before(reader, prefix, row); });
    }
    case FileFormat::parts: {
      const GraphParts parts(path);
      return share_of(parts.nodes(), processes,
                      [&](Index row) { return parts.entries_before(row); });
    }
    case FileFormat::petsc: {
      PetscBinary file(path);
      return share_of(file.rows(), processes, [&](Index row) { return file.entries_before(row); });
    }
    case FileFormat::csv:
      if (options.kind != DatasetKind::graph) refuse_to_share(path, format);
      [[fallthrough]];
    case FileFormat::edge_list:
    case FileFormat::matrix_market: {
      const Dataset dataset = load_dataset(path, options);
      const CsrMatrix& matrix = dataset.graph().adjacency;
      return share_of(matrix.rows, processes, [&](Index row) { return matrix.row_start[row]; });
    }
    default:
      refuse_to_share(path, format);
  }
}

}  // namespace

GraphShare largest_share(const std::filesystem::path& path, const LoadOptions& options,
                         Index processes) {
  GraphShare share = share_of_file(path, options, processes);
  if (options.symmetrize) share.entries *= 2;
  return share;
}

GraphShare equal_share(Index nodes, Index entries, Index processes) {
  const auto part = [&](Index all) { return all / processes + (all % processes > 0); };
  return {.most_rows = part(nodes), .fewest_rows = nodes / processes, .entries = part(entries)};
}

void refuse_to_share(const std::filesystem::path& path, FileFormat format) {
  throw ParameterError(
      fmt::format("{0}: the PETSc engine does not read graphs from files of format {1} in "
                  "parts; convert it first: stkr data convert {0} graph.npz",
                  path.string(), format_name(format)));
}

}  // namespace stkr
