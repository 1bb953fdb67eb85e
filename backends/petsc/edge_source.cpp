#include "edge_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <optional>

#include "dataset/listed_edges.hpp"
#include "entry_exchange.hpp"
#include "format/edge_lines.hpp"
#include "format/matrix_market.hpp"
#include "format/number_text.hpp"
#include "format/utf8.hpp"
#include "session.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {
namespace {

using detail::TextRange;

constexpr Index kLeastPart = 1 << 16;  // bytes: the head of a file is in one part

// The part of the bytes [begin, end) that a process reads.
TextRange own_range(Index begin, Index end, MPI_Comm comm) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const Index each = std::max((end - begin) / ranks + 1, kLeastPart);
  return {std::min(end, begin + each * rank), std::min(end, begin + each * (rank + 1))};
}

// Entries in the order of the file, in pieces that one round can send.
class Pieces {
 public:
  void add(const Triplet& entry) {
    if (pieces_.empty() || static_cast<Index>(pieces_.back().size()) == kRoundEntries) {
      pieces_.emplace_back().reserve(kRoundEntries / 16);
    }
    pieces_.back().push_back(entry);
    ++count_;
  }
  Index count() const { return count_; }
  bool empty() const { return pieces_.empty(); }
  std::vector<Triplet> take() {
    if (pieces_.empty()) return {};
    std::vector<Triplet> first = std::move(pieces_.front());
    pieces_.pop_front();
    return first;
  }

 private:
  std::deque<std::vector<Triplet>> pieces_;
  Index count_ = 0;
};

// All entries of this process's rows.
std::vector<Triplet> delivered(const RowLayout& layout, Pieces pieces) {
  std::vector<Triplet> own;
  while (any_over(&layout, !pieces.empty())) {
    const std::vector<Triplet> some = exchanged(layout, pieces.take());
    own.insert(own.end(), some.begin(), some.end());
  }
  return own;
}

// Rows of this process, from entries whose rows are numbered among all N. Duplicates are added.
CsrMatrix own_rows(const RowLayout& layout, std::vector<Triplet> entries) {
  for (Triplet& entry : entries) entry.row -= static_cast<std::int32_t>(layout.first());
  return csr_from_triplets(layout.count(), layout.size(), std::move(entries));
}

template <std::size_t Count>
std::array<std::int64_t, Count> largest(std::array<std::int64_t, Count> own, MPI_Comm comm) {
  std::array<std::int64_t, Count> all{};
  reduce(own.data(), all.data(), Count, MPI_INT64_T, MPI_MAX, comm);
  return all;
}

template <std::size_t Count>
std::array<std::int64_t, Count> total(std::array<std::int64_t, Count> own, MPI_Comm comm) {
  std::array<std::int64_t, Count> all{};
  reduce(own.data(), all.data(), Count, MPI_INT64_T, MPI_SUM, comm);
  return all;
}

class EdgeListSource final : public GraphSource {
 public:
  EdgeListSource(std::filesystem::path path, const LoadOptions& options)
      : path_(std::move(path)), duplicates_(options.duplicates), directed_(options.symmetrize) {}

  OwnRows read(MPI_Comm comm) override {
    parse(comm);
    const Index nodes = count_nodes(comm);
    const auto layout = RowLayout::equal(comm, nodes);
    ListedEdges listed{.edges = delivered(*layout, std::move(edges_)),
                       .duplicates = duplicates_,
                       .directed = directed_,
                       .where = path_.string(),
                       .edge_name = edge_namer({})};
    if (!announced_) check_numbers(*layout, listed.edges);
    CombinedEdges combined;
    agree(comm, [&] { combined = combined_edges(std::move(listed)); });
    const auto counts =
        total(std::array<std::int64_t, 2>{combined.repeated, combined.differing}, comm);
    if (counts[0] > 0) notes_.push_back(duplicates_note(duplicates_, counts[0], counts[1]));
    std::vector<Triplet> entries = std::move(combined.edges);
    if (!directed_) {
      Pieces mirrored;
      for (const Triplet& edge : entries) {
        if (edge.row != edge.column) mirrored.add({edge.column, edge.row, edge.value});
      }
      const std::vector<Triplet> below = delivered(*layout, std::move(mirrored));
      entries.insert(entries.end(), below.begin(), below.end());
    }
    return balanced({layout, own_rows(*layout, std::move(entries))});
  }

  detail::Parsed labels(const LoadOptions&) const override {
    detail::Parsed parsed;
    parsed.notes = notes_;
    return parsed;
  }

 private:
  // Reads the lines of this process.
  void parse(MPI_Comm comm) {
    Index size = 0;
    agree(comm, [&] { size = detail::content_size(path_); });
    expect_same(comm, path_, fmt::format("a list of edges in {} bytes", size));
    size_ = size;
    std::optional<Index> announced;
    agree(comm, [&] {
      const TextRange range = own_range(0, size, comm);
      detail::EdgeLines head(path_);
      head.next();
      detail::EdgeLines lines(path_, range, head);
      while (lines.next()) {
        Triplet edge{node(lines, lines.from()), node(lines, lines.to()), lines.weight()};
        largest_ = std::max<Index>(largest_, std::max(edge.row, edge.column));
        smallest_ = std::min<Index>(smallest_, std::min(edge.row, edge.column));
        if (!directed_ && edge.row > edge.column) std::swap(edge.row, edge.column);
        edges_.add(edge);
      }
      announced = lines.announced_nodes();
    });
    // The last line that says so counts.
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const auto last = largest(std::array<std::int64_t, 1>{announced ? rank : -1}, comm)[0];
    if (last >= 0) {
      std::int64_t nodes = announced.value_or(0);
      MPI_Bcast(&nodes, 1, MPI_INT64_T, static_cast<int>(last), comm);
      announced_ = nodes;
    }
  }

  std::int32_t node(const detail::EdgeLines& lines, const std::string& name) const {
    const auto value = detail::parse_integer(name);
    constexpr Index kMost = std::numeric_limits<std::int32_t>::max() - 1;
    if (value && *value >= 0 && *value <= kMost && name == std::to_string(*value)) {
      return static_cast<std::int32_t>(*value);
    }
    throw ParameterError(fmt::format(
        "{}: line {}: the node '{}' is not a number from 0 to {}, and the PETSc engine does not "
        "support names of nodes yet; number the nodes from 0, and start a header with #",
        lines.lines().shown_path(), lines.line(), printable(name.substr(0, 40)), kMost));
  }

  // As one machine does, but names are refused.
  Index count_nodes(MPI_Comm comm) {
    const auto ends = largest(std::array<std::int64_t, 2>{largest_, -smallest_}, comm);
    const auto count = total(std::array<std::int64_t, 1>{edges_.count()}, comm)[0];
    largest_ = ends[0];
    smallest_ = -ends[1];
    const auto fail = [&](const std::string& what) {
      throw DataError(fmt::format("{}: {}", path_.string(), what));
    };
    if (announced_) {
      const std::string line = fmt::format("'# nodes {}'", *announced_);
      if (*announced_ < 1) fail(line + " is not a number of nodes, expected 1 or more");
      if (!detail::plausible_count(*announced_, size_)) {
        fail(line + " is too large for the size of the file");
      }
      if (largest_ >= *announced_) {
        fail(
            fmt::format("{} declares nodes from 0 to {}, but an edge has the node '{}'; correct "
                        "the line",
                        line, *announced_ - 1, largest_));
      }
      return *announced_;
    }
    if (count == 0) fail("has no edges, expected lines with two nodes");
    if (smallest_ != 0 || largest_ / 2 >= 2 * count) refuse_gaps();
    return largest_ + 1;
  }

  // Numbers with gaps are names: at least half of them must occur.
  void check_numbers(const RowLayout& layout, const std::vector<Triplet>& edges) const {
    std::vector<char> seen(static_cast<std::size_t>(layout.count()), 0);
    std::vector<std::int32_t> ends;
    for (const Triplet& edge : edges) {
      seen[static_cast<std::size_t>(edge.row - layout.first())] = 1;
      ends.push_back(edge.column);
      if (ends.size() < ends.capacity() || ends.size() < kRoundEntries) continue;
      std::sort(ends.begin(), ends.end());
      ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
      ends.reserve(2 * ends.size());
    }
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    Pieces marks;
    for (const std::int32_t end : ends) marks.add({end, 0, 0.0});
    ends = {};
    while (any_over(&layout, !marks.empty())) {
      for (const Triplet& mark : exchanged(layout, marks.take())) {
        seen[static_cast<std::size_t>(mark.row - layout.first())] = 1;
      }
    }
    const auto found = static_cast<std::int64_t>(std::count(seen.begin(), seen.end(), 1));
    if (largest_ / 2 >= total(std::array<std::int64_t, 1>{found}, layout.comm())[0]) refuse_gaps();
  }

  [[noreturn]] void refuse_gaps() const {
    throw ParameterError(fmt::format(
        "{}: the nodes are numbers from {} to {} that do not start at 0 or have gaps, so they are "
        "names, which the PETSc engine does not support yet; number the nodes from 0, or add a "
        "line '# nodes {}' if those without edges are nodes, too",
        path_.string(), smallest_, largest_, largest_ + 1));
  }

  std::filesystem::path path_;
  DuplicateEdges duplicates_;
  bool directed_;
  Pieces edges_;
  Index size_ = 0;
  Index largest_ = -1, smallest_ = std::numeric_limits<std::int32_t>::max();
  std::optional<Index> announced_;
  std::vector<std::string> notes_;
};

class MatrixMarketSource final : public GraphSource {
 public:
  explicit MatrixMarketSource(std::filesystem::path path) : path_(std::move(path)) {}

  OwnRows read(MPI_Comm comm) override {
    std::optional<MatrixMarketReader> head;
    Pieces entries;
    Index listed = 0;
    agree(comm, [&] {
      head.emplace(path_);
      if (!head->coordinate() || head->rows() != head->cols() || head->rows() == 0) {
        throw DataError(fmt::format(
            "{}: is {} × {}{}, expected a square adjacency matrix in "
            "coordinate format",
            path_.string(), head->rows(), head->cols(), head->coordinate() ? "" : " as an array"));
      }
    });
    expect_same(comm, path_,
                fmt::format("a matrix of {} × {} with {} entries in {} bytes", head->rows(),
                            head->cols(), head->entries(), head->file_size()));
    agree(comm, [&] {
      MatrixMarketReader lines(path_, own_range(head->body(), head->file_size(), comm), *head);
      while (const auto entry = lines.next_entry()) {
        ++listed;
        entries.add(*entry);
        if (head->symmetric() && entry->row != entry->column) {
          entries.add({entry->column, entry->row, entry->value});
        }
      }
    });
    listed = total(std::array<std::int64_t, 1>{listed}, comm)[0];
    if (listed != head->entries()) {
      throw DataError(
          fmt::format("{}: has {} entries, but its size line declares {}; it is "
                      "truncated or damaged",
                      path_.string(), listed, head->entries()));
    }
    const auto layout = RowLayout::equal(comm, head->rows());
    return balanced({layout, own_rows(*layout, delivered(*layout, std::move(entries)))});
  }

  detail::Parsed labels(const LoadOptions&) const override { return {}; }

 private:
  std::filesystem::path path_;
};

}  // namespace

std::unique_ptr<GraphSource> edge_list_source(const std::filesystem::path& path,
                                              const LoadOptions& options) {
  return std::make_unique<EdgeListSource>(path, options);
}

std::unique_ptr<GraphSource> matrix_market_source(const std::filesystem::path& path) {
  return std::make_unique<MatrixMarketSource>(path);
}

}  // namespace stkr::petsc
