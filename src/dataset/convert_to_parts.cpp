#include "convert_to_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "format/csr_parts.hpp"
#include "format/csr_rows.hpp"
#include "format/graph_parts.hpp"
#include "parsed.hpp"
#include "save_dataset.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// The rows of each part, from the ends of all rows in their order: equal shares of entries plus
// rows, at least one row each.
class Cuts {
 public:
  Cuts(Index rows, Index entries, Index parts)
      : rows_(rows), work_(rows + entries), parts_(std::min(parts, rows)) {}

  void next_end(std::int64_t end) {
    ++row_;
    const auto part = static_cast<Index>(counts_.size());
    const bool full = end + row_ >= work_ / parts_ * (part + 1);
    const bool needed = rows_ - row_ == parts_ - part - 1;  // one row for each further part
    if (row_ < rows_ && !(part + 1 < parts_ && (full || needed))) return;
    counts_.push_back(row_ - begun_);
    begun_ = row_;
  }
  const std::vector<Index>& counts() const { return counts_; }

 private:
  Index rows_, work_, parts_;
  Index row_ = 0, begun_ = 0;
  std::vector<Index> counts_;
};

// The matrix of an archive, part by part.
void write_rows(const NpzReader& reader, const std::string& prefix, Index parts,
                GraphPartsWriter& writer, Index& entries) {
  detail::CsrRows csr(reader, prefix);
  Cuts cuts(csr.rows(), csr.entries(), parts);
  NpyArray starts = reader.array(prefix + "indptr");
  starts.skip(1);
  std::vector<std::int64_t> some(1 << 16);
  for (Index row = 0; row < csr.rows();) {
    some.resize(static_cast<std::size_t>(std::min<Index>(1 << 16, csr.rows() - row)));
    starts.read(std::span(some));
    for (const std::int64_t end : some) cuts.next_end(end);
    row += static_cast<Index>(some.size());
  }
  Index first = 0;
  for (const Index count : cuts.counts()) {
    CsrMatrix rows = csr.next(count);
    check_weights(rows, csr.where(), first);
    rows = detail::canonical(std::move(rows));
    writer.add(rows);
    entries += rows.entries();
    first += count;
  }
}

void write_rows(const CsrMatrix& matrix, Index parts, GraphPartsWriter& writer) {
  Cuts cuts(matrix.rows, matrix.entries(), parts);
  for (Index i = 1; i <= matrix.rows; ++i) {
    cuts.next_end(matrix.row_start[static_cast<std::size_t>(i)]);
  }
  Index first = 0;
  for (const Index count : cuts.counts()) {
    writer.add(row_slice(matrix, first, count));
    first += count;
  }
}

}  // namespace

ConvertedParts convert_to_parts(const std::filesystem::path& path, const LoadOptions& options,
                                Index parts, const std::filesystem::path& folder) {
  if (parts < 1) throw ParameterError("convert_to_parts: expected one part or more");
  LoadOptions load = options;
  load.node_features = true;
  ConvertedParts result;
  std::error_code absent;
  if (std::filesystem::exists(path, absent) && !load.symmetrize &&
      detail::sample_format(path, load) == FileFormat::npz) {
    const NpzReader reader(path);
    const detail::NpzLayout layout = detail::npz_layout(reader, load);
    if (layout.kind == DatasetKind::graph) {
      const detail::CsrRows csr(reader, layout.parts);
      if (csr.rows() != csr.cols() || csr.rows() == 0) {
        throw DataError(fmt::format("{}: is {} × {}, expected a square adjacency matrix",
                                    csr.where(), csr.rows(), csr.cols()));
      }
      result.dataset = detail::assemble(detail::parse_npz_nodes(reader, csr.rows(), load), load,
                                        path.stem().string(), path.string());
      GraphPartsWriter writer(folder, csr.rows());
      write_rows(reader, layout.parts, parts, writer, result.entries);
      save_samples(writer.samples(), result.dataset);
      writer.commit();
      result.notes = result.dataset.notes;
      return result;
    }
  }
  result.dataset = load_dataset(path, load);
  auto* graph = std::get_if<Graph>(&result.dataset.samples);
  if (!graph) {
    throw ValueError(fmt::format("{}: is data of kind {}; only graphs are written in parts",
                                 path.string(), kind_name(result.dataset.kind())));
  }
  CsrMatrix& matrix = graph->adjacency;
  result.entries = matrix.entries();
  result.notes = result.dataset.notes;
  result.notes.emplace_back(
      "the graph was read as a whole; only an .npz file without --symmetrize is converted part by "
      "part");
  GraphPartsWriter writer(folder, matrix.rows);
  write_rows(matrix, parts, writer);
  save_samples(writer.samples(), result.dataset);
  writer.commit();
  matrix = {matrix.rows, matrix.cols, {}, {}, {}};
  return result;
}

}  // namespace stkr
