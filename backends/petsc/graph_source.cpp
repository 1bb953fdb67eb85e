#include "graph_source.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "dataset/graph_shares.hpp"
#include "edge_source.hpp"
#include "format/csr_rows.hpp"
#include "format/graph_parts.hpp"
#include "format/petsc_binary.hpp"
#include "format/row_cuts.hpp"
#include "session.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {
namespace {

// An .npz file.
class ArchiveSource final : public RowSource {
 public:
  using RowSource::RowSource;

  detail::Parsed labels(const LoadOptions& options) const override {
    return detail::parse_npz_nodes(*reader_, nodes_, options);
  }

 private:
  void open() override {
    reader_.emplace(where());
    for (const char* prefix : {"adj_", ""}) {
      if (!detail::has_csr(*reader_, prefix)) continue;
      prefix_ = prefix;
      csr_.emplace(*reader_, prefix_);
      nodes_ = csr_->rows();
      if (csr_->rows() == csr_->cols() && csr_->rows() > 0) return;
      throw DataError(fmt::format("{}: is {} × {}, expected a square adjacency matrix",
                                  csr_->where(), csr_->rows(), csr_->cols()));
    }
    throw DataError(
        fmt::format("{}: contains no graph: expected adj_data, adj_indices, adj_indptr, adj_shape",
                    reader_->shown_path()));
  }
  Index nodes() const override { return nodes_; }
  std::string seen() const override {
    return fmt::format("a graph of {} nodes and {} entries in {} bytes", nodes(), csr_->entries(),
                       std::filesystem::file_size(where()));
  }
  Index entries_before(Index row) const override {
    return detail::entries_before(*reader_, prefix_, row);
  }
  CsrMatrix rows(Index first, Index count) override {
    csr_->skip(first);
    CsrMatrix own = csr_->next(count);
    csr_.reset();
    return own;
  }

  std::optional<NpzReader> reader_;
  std::string prefix_;
  std::optional<detail::CsrRows> csr_;
  Index nodes_ = 0;
};

// A folder of parts.
class PartsSource final : public RowSource {
 public:
  using RowSource::RowSource;

  detail::Parsed labels(const LoadOptions& options) const override {
    const std::optional<NpzReader> samples = parts_->samples();
    return samples ? detail::parse_npz_nodes(*samples, nodes(), options) : detail::Parsed{};
  }

 private:
  void open() override { parts_.emplace(where()); }
  Index nodes() const override { return parts_->nodes(); }
  std::string seen() const override {
    return fmt::format("a graph of {} nodes and {} entries in {} parts (checksum {:016x})", nodes(),
                       parts_->entries(), parts_->parts().size(), parts_->checksum());
  }
  Index entries_before(Index row) const override { return parts_->entries_before(row); }
  CsrMatrix rows(Index first, Index count) override { return parts_->rows(first, count); }

  std::optional<GraphParts> parts_;
};

// PETSc's binary format. Labels are in other files.
class PetscSource final : public RowSource {
 public:
  using RowSource::RowSource;

  detail::Parsed labels(const LoadOptions&) const override { return {}; }

 private:
  void open() override {
    file_.emplace(where());
    if (file_->rows() == file_->cols() && file_->rows() > 0) return;
    throw DataError(fmt::format("{}: is {} × {}, expected a square adjacency matrix",
                                file_->shown_path(), file_->rows(), file_->cols()));
  }
  Index nodes() const override { return file_->rows(); }
  std::string seen() const override {
    return fmt::format("a matrix of {} rows and {} entries", nodes(), file_->entries());
  }
  Index entries_before(Index row) const override { return file_->entries_before(row); }
  CsrMatrix rows(Index first, Index count) override { return file_->rows(first, count); }

  mutable std::optional<PetscBinary> file_;
};

}  // namespace

void expect_same(MPI_Comm comm, const std::filesystem::path& path, const std::string& seen) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::string first = seen;
  auto size = static_cast<int>(first.size());
  MPI_Bcast(&size, 1, MPI_INT, 0, comm);
  first.resize(static_cast<std::size_t>(size));
  MPI_Bcast(first.data(), size, MPI_CHAR, 0, comm);
  agree(comm, [&] {
    if (seen == first) return;
    throw DataError(
        fmt::format("{}: process {} sees {}, the first process sees {}; give all nodes the same "
                    "file",
                    path.string(), rank, seen, first));
  });
}

OwnRows RowSource::read(MPI_Comm comm) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::string what;
  agree(comm, [&] {
    open();
    what = seen();
  });
  expect_same(comm, where(), what);
  // The first row of each process, then N.
  std::vector<Index> first(static_cast<std::size_t>(ranks) + 1);
  agree(comm, [&] {
    if (rank > 0) return;
    first = row_cuts(nodes(), ranks, [&](Index row) { return entries_before(row); });
  });
  MPI_Bcast(first.data(), ranks + 1, MPI_INT64_T, 0, comm);
  OwnRows own;
  own.layout = std::make_shared<const RowLayout>(comm, first[rank + 1] - first[rank]);
  agree(comm, [&] { own.rows = rows(first[rank], first[rank + 1] - first[rank]); });
  return own;
}

std::unique_ptr<GraphSource> graph_source(MPI_Comm comm, const std::filesystem::path& path,
                                          const LoadOptions& options) {
  FileFormat format = FileFormat::npz;
  agree(comm, [&] {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) detail::no_such_file(path);
    format = detail::sample_format(path, options);
  });
  expect_same(comm, path, fmt::format("the format {}", format_name(format)));
  switch (format) {
    case FileFormat::npz:
      return std::make_unique<ArchiveSource>(path);
    case FileFormat::parts:
      return std::make_unique<PartsSource>(path);
    case FileFormat::petsc:
      return std::make_unique<PetscSource>(path);
    case FileFormat::matrix_market:
      return matrix_market_source(path);
    case FileFormat::edge_list:
      return edge_list_source(path, options);
    case FileFormat::csv:
      if (options.kind == DatasetKind::graph) return edge_list_source(path, options);
      [[fallthrough]];
    default:
      refuse_to_share(path, format);
  }
}

}  // namespace stkr::petsc
