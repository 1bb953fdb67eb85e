#include "new_edge_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "dataset/listed_edges.hpp"
#include "format/number_text.hpp"
#include "format/utf8.hpp"
#include "stkr/error.hpp"

namespace stkr::detail {
namespace {

constexpr Index kMostNodes = std::numeric_limits<std::int32_t>::max();

std::string shown(const std::string& name) { return printable(name.substr(0, 40)); }

}  // namespace

NewEdgeList::NewEdgeList(const std::filesystem::path& path, Index known,
                         const NewEdgeOptions& options)
    : edges_(path), known_count_(known), options_(options) {
  for (std::size_t i = 0; i < options.known_names.size(); ++i) {
    known_.emplace(options.known_names[i], static_cast<std::int32_t>(i));
  }
}

std::int32_t NewEdgeList::known_node(const std::string& name) const {
  if (!known_.empty()) {
    const auto found = known_.find(name);
    if (found == known_.end()) {
      edges_.fail(
          fmt::format("'{}' is not a node of the graph that the model was fitted on, which has "
                      "nodes such as '{}'; expected lines 'new known [weight]'",
                      shown(name), shown(options_.known_names.front())));
    }
    return found->second;
  }
  const auto number = parse_integer(name);
  if (!number || *number < 0 || *number >= known_count_) {
    edges_.fail(
        fmt::format("'{}' is not a known node from 0 to {}", shown(name), known_count_ - 1));
  }
  return static_cast<std::int32_t>(*number);
}

std::int32_t NewEdgeList::numbered_node(const std::string& name) {
  const auto number = parse_integer(name);
  if (!number || *number < 0 || *number >= kMostNodes) {
    edges_.fail(fmt::format(
        "'{}' is not the number of a new node, from 0{}", shown(name),
        options_.numbered ? ": new nodes are numbered by the rows of their features" : ""));
  }
  if (*number < first_) {
    edges_.fail(
        fmt::format("new node {} comes after node {}, too far from its other edges; sort a file "
                    "with more than {} edges by its first column",
                    *number, rows_ - 1, options_.held));
  }
  rows_ = std::max<Index>(rows_, *number + 1);
  return static_cast<std::int32_t>(*number);
}

std::int32_t NewEdgeList::new_node(const std::string& name) {
  if (!has_names()) return numbered_node(name);
  if (const auto found = row_of_.find(name); found != row_of_.end()) return found->second;
  edges_.check_node(name);
  if (known_.contains(name)) {
    edges_.fail(
        fmt::format("'{0}' is a node of the graph that the model was fitted on, expected a new "
                    "node first: 'new known [weight]'; use a different name for a new node, such "
                    "as new_{0}. Predictions for fitted nodes do not need a file of new edges",
                    shown(name)));
  }
  if (complete_.contains(std::hash<std::string>()(name))) {
    edges_.fail(
        fmt::format("new node '{}' is too far from its other edges; sort a file with more than {} "
                    "edges by its first column",
                    shown(name), options_.held));
  }
  if (rows_ == kMostNodes) edges_.fail("too many new nodes; split the file");
  const auto row = static_cast<std::int32_t>(rows_++);
  row_of_.emplace(name, row);
  names_.push_back(name);
  return row;
}

bool NewEdgeList::read_edge() {
  if (!edges_.next()) return false;
  const std::int32_t row = new_node(edges_.from());
  pending_.push_back({row, known_node(edges_.to()), edges_.weight()});
  return true;
}

// Determines the number of nodes at the end of the file.
void NewEdgeList::count_nodes() {
  const std::string& path = edges_.lines().shown_path();
  if (const auto announced = edges_.announced_nodes()) {
    if (has_names() ? *announced != rows_ : *announced < rows_) {
      throw DataError(fmt::format(
          "{}: '# nodes {}' contradicts the edges, which have {}{} new nodes; correct or remove "
          "that line",
          path, *announced, has_names() ? "" : "at least ", rows_));
    }
    rows_ = *announced;
  }
  if (rows_ == 0) throw DataError(fmt::format("{}: has no edges", path));
  if (!plausible_count(rows_, edges_.lines().file_size())) {
    throw DataError(
        fmt::format("{}: has {} new nodes, too many for the size of the file", path, rows_));
  }
}

// Reads until enough edges are held, and returns the number of complete nodes.
Index NewEdgeList::complete_nodes(Index most) {
  while (!ended_ && (static_cast<Index>(pending_.size()) < options_.held || rows_ - 1 <= first_)) {
    ended_ = !read_edge();
    if (ended_) count_nodes();
  }
  return std::min(most, (ended_ ? rows_ : rows_ - 1) - first_);
}

// The nodes of an edge of a part that starts at node `first`, for messages.
std::string NewEdgeList::edge_name(const Triplet& edge, Index first) const {
  const auto row = static_cast<std::size_t>(edge.row);
  const auto column = static_cast<std::size_t>(edge.column);
  return fmt::format("'{}' and '{}'",
                     has_names() ? shown(handed_out_[row]) : std::to_string(first + edge.row),
                     known_.empty() ? std::to_string(column) : shown(options_.known_names[column]));
}

CsrMatrix NewEdgeList::next(Index most) {
  const Index count = complete_nodes(most);
  const Index end = first_ + count;
  const auto later = std::partition(pending_.begin(), pending_.end(),
                                    [&](const Triplet& edge) { return edge.row >= end; });
  std::vector<Triplet> part(later, pending_.end());
  pending_.erase(later, pending_.end());
  for (Triplet& edge : part) edge.row -= static_cast<std::int32_t>(first_);
  first_ = end;
  if (has_names()) {
    handed_out_.assign(names_.begin(), names_.begin() + count);
    names_.erase(names_.begin(), names_.begin() + count);
    for (const std::string& name : handed_out_) {
      row_of_.erase(name);
      complete_.insert(std::hash<std::string>()(name));
    }
  }
  CombinedEdges combined = combined_edges(
      {.edges = std::move(part),
       .duplicates = options_.duplicates,
       .directed = true,
       .where = edges_.lines().shown_path(),
       .edge_name = [&](const Triplet& edge) { return edge_name(edge, end - count); }});
  duplicates_ += combined.repeated;
  return csr_from_triplets(count, known_count_, std::move(combined.edges));
}

double NewEdgeList::progress() const {
  const LineReader& lines = edges_.lines();
  return static_cast<double>(lines.bytes_read()) / static_cast<double>(lines.file_size());
}

}  // namespace stkr::detail
