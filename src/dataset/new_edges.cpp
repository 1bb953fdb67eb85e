#include "dataset/new_edges.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "format/csr_parts.hpp"
#include "format/csr_rows.hpp"
#include "format/file_format.hpp"
#include "format/matrix_market.hpp"
#include "new_edge_list.hpp"
#include "stkr/dataset/dataset.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

void expect_columns(Index rows, Index cols, Index known, const std::string& shown) {
  if (cols == known) return;
  throw DataError(
      fmt::format("{}: is {} × {}, expected {} columns: one per node of the graph the new nodes "
                  "join",
                  shown, rows, cols, known));
}

class ArchiveEdges final : public NewEdgeStream {
 public:
  ArchiveEdges(const std::filesystem::path& path, Index known)
      : archive_(path), rows_(archive_, detail::has_csr(archive_, "adj_") ? "adj_" : "") {
    expect_columns(rows_.rows(), rows_.cols(), known, archive_.shown_path());
  }
  CsrMatrix next(Index most) override {
    CsrMatrix part = rows_.next(most);
    check_weights(part, archive_.shown_path(), done_);
    done_ += part.rows;
    return detail::canonical(std::move(part));
  }
  double progress() const override {
    return static_cast<double>(done_) / static_cast<double>(std::max<Index>(rows_.rows(), 1));
  }

 private:
  NpzReader archive_;
  detail::CsrRows rows_;
  Index done_ = 0;
};

class HeldEdges final : public NewEdgeStream {
 public:
  explicit HeldEdges(CsrMatrix edges) : edges_(std::move(edges)) {}
  CsrMatrix next(Index most) override {
    const Index count = std::min(most, edges_.rows - done_);
    done_ += count;
    return row_slice(edges_, done_ - count, count);
  }
  double progress() const override {
    return static_cast<double>(done_) / static_cast<double>(std::max<Index>(edges_.rows, 1));
  }

 private:
  CsrMatrix edges_;
  Index done_ = 0;
};

CsrMatrix load_market_edges(const std::filesystem::path& path, Index known) {
  const std::string shown = path.string();
  auto matrix = load_matrix_market(path);
  auto* edges = std::get_if<CsrMatrix>(&matrix);
  if (edges == nullptr) {
    throw DataError(fmt::format("{}: is a dense matrix, expected coordinate format", shown));
  }
  expect_columns(edges->rows, edges->cols, known, shown);
  check_weights(*edges, shown);
  return detail::canonical(std::move(*edges));
}

}  // namespace

std::unique_ptr<NewEdgeStream> open_new_edges(const std::filesystem::path& path, Index known,
                                              const NewEdgeOptions& options) {
  switch (options.format.empty() ? detect_format(path)
                                 : detect_format(path, format_from_name(options.format))) {
    case FileFormat::npz:
      return std::make_unique<ArchiveEdges>(path, known);
    case FileFormat::matrix_market:
      return std::make_unique<HeldEdges>(load_market_edges(path, known));
    case FileFormat::csv:
    case FileFormat::edge_list:
      return std::make_unique<detail::NewEdgeList>(path, known, options);
    default:
      throw DataError(
          fmt::format("{}: expected the edges of new nodes, as .npz, .mtx or a list of lines 'new "
                      "known [weight]'",
                      path.string()));
  }
}

CsrMatrix load_new_edges(const std::filesystem::path& path, Index known,
                         const NewEdgeOptions& options) {
  constexpr Index kNodesAtATime = 1 << 16;
  const auto stream = open_new_edges(path, known, options);
  CsrMatrix all = stream->next(kNodesAtATime);
  for (CsrMatrix part = stream->next(kNodesAtATime); part.rows > 0;
       part = stream->next(kNodesAtATime)) {
    for (Index row = 1; row <= part.rows; ++row) {
      all.row_start.push_back(all.entries() + part.row_start[static_cast<std::size_t>(row)]);
    }
    all.column.insert(all.column.end(), part.column.begin(), part.column.end());
    all.value.insert(all.value.end(), part.value.begin(), part.value.end());
    all.rows += part.rows;
  }
  return all;
}

}  // namespace stkr
