#include "stkr/dataset/edge_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "csv_records.hpp"
#include "number_text.hpp"
#include "stkr/dataset/atomic_file.hpp"
#include "stkr/dataset/csv.hpp"
#include "stkr/error.hpp"
#include "text_file.hpp"

namespace stkr {
namespace {

// The edges of a file, nodes still as text.
class EdgeLines {
 public:
  explicit EdgeLines(const std::filesystem::path& path) : lines_(path) {}

  // The next edge; false at the end.
  bool next() {
    while (lines_.next()) {
      const std::string_view line = detail::trimmed(lines_.line());
      if (line.empty()) continue;
      if (line.front() == '#' || line.front() == '%') {
        read_comment(line);
        continue;
      }
      split(line);
      const bool first = !seen_line_;
      seen_line_ = true;
      if (first && is_header()) continue;
      if (fields_.size() != 2 && fields_.size() != 3) {
        fail(fmt::format("has {} fields, expected two nodes and perhaps a weight", fields_.size()));
      }
      if (fields_[0].empty() || fields_[1].empty()) fail("names only one node, expected two");
      read_weight();
      return true;
    }
    return false;
  }

  const std::string& from() const { return fields_[0]; }
  const std::string& to() const { return fields_[1]; }
  double weight() const { return weight_; }
  std::optional<Index> announced_nodes() const { return announced_nodes_; }
  const detail::LineReader& lines() const { return lines_; }

  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(fmt::format("{}: line {}: {}", lines_.shown_path(), lines_.number(), what));
  }

 private:
  void read_comment(std::string_view line) {
    const auto words = detail::split_words(line.substr(1));
    if (words.size() == 2 && words[0] == "nodes")
      announced_nodes_ = detail::parse_integer(words[1]);
  }

  void split(std::string_view line) {
    if (!seen_line_) {
      for (const char candidate : {'\t', ',', ';'}) {
        if (separator_ == ' ' && line.find(candidate) != std::string_view::npos) {
          separator_ = candidate;
        }
      }
    }
    fields_.clear();
    if (separator_ == ' ') {
      for (const std::string_view word : detail::split_words(line)) fields_.emplace_back(word);
      return;
    }
    detail::FieldSplitter record(separator_);
    if (!record.add(line)) fail("a quote is opened and never closed");
    for (const std::string& field : record.fields()) fields_.emplace_back(detail::trimmed(field));
  }

  bool is_header() const {
    if (fields_.size() < 2) return false;
    if (fields_.size() > 2 && !detail::parse_number(fields_[2])) return true;
    const auto one_of = [](const std::string& field, std::initializer_list<const char*> words) {
      const std::string lower = detail::lower_case(field);
      return std::any_of(words.begin(), words.end(),
                         [&](const char* word) { return lower == word; });
    };
    return one_of(fields_[0], {"source", "from", "src", "node1", "u", "i", "new", "node"}) &&
           one_of(fields_[1], {"target", "to", "dst", "node2", "v", "j", "known", "neighbor"});
  }

  void read_weight() {
    weight_ = 1.0;
    if (fields_.size() < 3) return;
    const auto weight = detail::parse_number(fields_[2]);
    if (!weight || !std::isfinite(*weight) || *weight < 0.0) {
      fail(fmt::format("weight '{}', expected a finite number ≥ 0", fields_[2].substr(0, 40)));
    }
    weight_ = *weight;
  }

  detail::LineReader lines_;
  char separator_ = ' ';
  bool seen_line_ = false;
  std::vector<std::string> fields_;
  double weight_ = 1.0;
  std::optional<Index> announced_nodes_;
};

// Where each distinct name goes, and which names the nodes have then.
struct Numbering {
  std::vector<std::int32_t> node;  // of each name, in order of appearance
  std::vector<std::string> names;  // empty when nodes are numbers
  Index nodes = 0;
};

Numbering number_nodes(const std::vector<std::string>& names, std::optional<Index> announced,
                       Index file_size) {
  std::vector<std::int64_t> integers;
  for (const std::string& name : names) {
    const auto value = detail::parse_integer(name);
    if (value && name == std::to_string(*value)) integers.push_back(*value);
  }
  Numbering result;
  result.node.resize(names.size());
  if (names.empty() && announced && *announced > 0 &&
      detail::plausible_count(*announced, file_size)) {
    result.nodes = *announced;
    return result;
  }
  const bool all_integers = integers.size() == names.size() && !names.empty();
  if (all_integers) {
    const auto [least, most] = std::minmax_element(integers.begin(), integers.end());
    const bool dense = *least == 0 && *most / 2 < static_cast<Index>(names.size());
    const Index nodes =
        announced.value_or(*most < std::numeric_limits<Index>::max() ? *most + 1 : *most);
    if (*least >= 0 && *most < nodes && (dense || announced) &&
        detail::plausible_count(nodes, file_size)) {
      for (std::size_t i = 0; i < names.size(); ++i) {
        result.node[i] = static_cast<std::int32_t>(integers[i]);
      }
      result.nodes = nodes;
      return result;
    }
  }
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return all_integers ? integers[a] < integers[b] : names[a] < names[b];
  });
  for (std::size_t k = 0; k < order.size(); ++k) {
    result.node[order[k]] = static_cast<std::int32_t>(k);
    result.names.push_back(names[order[k]]);
  }
  result.nodes = static_cast<Index>(names.size());
  return result;
}

// Of entries for the same place keeps the largest; drops zeros.
std::vector<Triplet> largest_of_each(std::vector<Triplet> triplets) {
  std::sort(triplets.begin(), triplets.end(), [](const Triplet& a, const Triplet& b) {
    return std::tie(a.row, a.column, b.value) < std::tie(b.row, b.column, a.value);
  });
  const auto end = std::unique(
      triplets.begin(), triplets.end(),
      [](const Triplet& a, const Triplet& b) { return a.row == b.row && a.column == b.column; });
  triplets.erase(end, triplets.end());
  std::erase_if(triplets, [](const Triplet& entry) { return entry.value == 0.0; });
  return triplets;
}

}  // namespace

EdgeListGraph load_edge_list(const std::filesystem::path& path) {
  const std::string shown = path.string();
  EdgeLines edges(path);
  std::unordered_map<std::string, std::int32_t> known;
  std::vector<std::string> names;
  std::vector<Triplet> triplets;
  const auto place = [&](const std::string& name) {
    const auto [entry, added] = known.try_emplace(name, static_cast<std::int32_t>(names.size()));
    if (added) names.push_back(name);
    return entry->second;
  };
  while (edges.next()) {
    const std::int32_t from = place(edges.from());
    const std::int32_t to = place(edges.to());
    triplets.push_back({from, to, edges.weight()});
    if (from != to) triplets.push_back({to, from, edges.weight()});
  }
  if (names.empty() && !edges.announced_nodes()) {
    throw DataError(fmt::format("{}: has no edge, expected lines of two nodes", shown));
  }
  Numbering numbering = number_nodes(names, edges.announced_nodes(), edges.lines().file_size());
  for (Triplet& entry : triplets) {
    entry.row = numbering.node[static_cast<std::size_t>(entry.row)];
    entry.column = numbering.node[static_cast<std::size_t>(entry.column)];
  }
  EdgeListGraph result;
  if (!numbering.names.empty()) {
    result.notes.push_back(fmt::format("nodes are named and come in ascending order, from {} to {}",
                                       numbering.names.front(), numbering.names.back()));
  }
  result.graph.node_names = std::move(numbering.names);
  result.graph.adjacency =
      csr_from_triplets(numbering.nodes, numbering.nodes, largest_of_each(std::move(triplets)));
  return result;
}

struct CrossEdgeReader::State {
  State(const std::filesystem::path& path, Index known_in, Index held_in)
      : edges(path), known(known_in), held(held_in) {}

  bool read_edge() {
    if (!edges.next()) return false;
    const auto from = detail::parse_integer(edges.from());
    const auto to = detail::parse_integer(edges.to());
    if (!from || *from < 0 || *from >= std::numeric_limits<std::int32_t>::max()) {
      edges.fail(fmt::format("'{}' is not the number of a new node, from 0", edges.from()));
    }
    if (!to || *to < 0 || *to >= known) {
      edges.fail(fmt::format("'{}' is not a known node from 0 to {}", edges.to(), known - 1));
    }
    if (*from < first) {
      edges.fail(
          fmt::format("new node {} comes after node {}, too far from the others of its edges; sort "
                      "a file of more than {} edges by its first column",
                      *from, rows - 1, held));
    }
    rows = std::max<Index>(rows, *from + 1);
    pending.push_back(
        {static_cast<std::int32_t>(*from), static_cast<std::int32_t>(*to), edges.weight()});
    return true;
  }

  // Reads until enough is held, and says how many nodes are complete.
  Index complete_nodes(Index most) {
    while (!ended && (static_cast<Index>(pending.size()) < held || rows - 1 <= first)) {
      ended = !read_edge();
    }
    if (!ended) return std::min(most, rows - 1 - first);
    rows = std::max(rows, edges.announced_nodes().value_or(0));
    const std::string& shown = edges.lines().shown_path();
    if (rows == 0) throw DataError(fmt::format("{}: has no edge", shown));
    if (!detail::plausible_count(rows, edges.lines().file_size())) {
      throw DataError(
          fmt::format("{}: names {} new nodes, out of proportion to its size", shown, rows));
    }
    return std::min(most, rows - first);
  }

  EdgeLines edges;
  Index known;
  Index held;
  std::vector<Triplet> pending;  // of nodes from `first` on
  Index first = 0;               // the next node to hand out
  Index rows = 0;                // one more than the largest node so far
  bool ended = false;
};

CrossEdgeReader::CrossEdgeReader(const std::filesystem::path& path, Index known, Index held)
    : state_(std::make_unique<State>(path, known, held)) {}

CrossEdgeReader::~CrossEdgeReader() = default;

double CrossEdgeReader::progress() const {
  const detail::LineReader& lines = state_->edges.lines();
  return static_cast<double>(lines.bytes_read()) / static_cast<double>(lines.file_size());
}

CsrMatrix CrossEdgeReader::next(Index most) {
  State& state = *state_;
  const Index count = state.complete_nodes(most);
  const Index end = state.first + count;
  const auto later = std::partition(state.pending.begin(), state.pending.end(),
                                    [&](const Triplet& edge) { return edge.row >= end; });
  std::vector<Triplet> part(later, state.pending.end());
  state.pending.erase(later, state.pending.end());
  for (Triplet& edge : part) edge.row -= static_cast<std::int32_t>(state.first);
  state.first = end;
  return csr_from_triplets(count, state.known, largest_of_each(std::move(part)));
}

Index save_edge_list(const std::filesystem::path& path, const Graph& graph) {
  const CsrMatrix& matrix = graph.adjacency;
  check_csr(matrix, "save_edge_list");
  const bool weighted = std::any_of(matrix.value.begin(), matrix.value.end(),
                                    [](double value) { return value != 1.0; });
  const auto name = [&](Index node) {
    if (graph.node_names.empty()) return std::to_string(node);
    const std::string& text = graph.node_names[static_cast<std::size_t>(node)];
    if (text.empty() || text.find_first_of("\r\n") != std::string::npos || text[0] == '#' ||
        text[0] == '%') {
      throw ValueError(fmt::format("{}: an edge list cannot carry the node name '{}'; write .npz",
                                   path.string(), text));
    }
    return csv_field(text);
  };
  Index isolated = 0;
  write_atomically(path, [&](FileSink& sink) {
    if (graph.node_names.empty()) sink.write(fmt::format("# nodes {}\n", matrix.rows));
    for (Index row = 0; row < matrix.rows; ++row) {
      const auto begin = matrix.row_start[static_cast<std::size_t>(row)];
      const auto end = matrix.row_start[static_cast<std::size_t>(row) + 1];
      isolated += begin == end ? 1 : 0;
      for (auto i = begin; i < end; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (matrix.column[at] < row) continue;
        sink.write(fmt::format("{}\t{}", name(row), name(matrix.column[at])));
        if (weighted) sink.write(fmt::format("\t{}", detail::number_text(matrix.value[at])));
        sink.write("\n");
      }
    }
  });
  return graph.node_names.empty() ? 0 : isolated;
}

}  // namespace stkr
