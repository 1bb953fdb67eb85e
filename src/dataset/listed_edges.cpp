#include "listed_edges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "format/csr_parts.hpp"
#include "format/number_text.hpp"
#include "format/utf8.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

bool same_edge(const Triplet& a, const Triplet& b) {
  return a.row == b.row && a.column == b.column;
}

[[noreturn]] void refuse_duplicates(const ListedEdges& listed, const Triplet& first,
                                    const Triplet& second, std::ptrdiff_t times) {
  throw DataError(
      fmt::format("{}: the edge of {} is listed {} times, with weights such as {} and {}; list it "
                  "once, or choose what its weight is (--duplicates max or sum)",
                  listed.where, listed.edge_name(first), times, detail::number_text(first.value),
                  detail::number_text(second.value)));
}

}  // namespace

std::function<std::string(const Triplet&)> edge_namer(std::span<const std::string> names) {
  return [names](const Triplet& edge) {
    const auto name = [&](std::int32_t node) {
      return names.empty() ? std::to_string(node)
                           : printable(names[static_cast<std::size_t>(node)]);
    };
    return fmt::format("'{}' and '{}'", name(edge.row), name(edge.column));
  };
}

std::string duplicates_note(DuplicateEdges rule, Index repeated, Index differing) {
  const bool sum = rule == DuplicateEdges::sum;
  std::string weights;
  if (differing > 0) weights = fmt::format(", {} of them with different weights", differing);
  return fmt::format("{} edge{} listed more than once{}; {} (--duplicates {})", repeated,
                     repeated == 1 ? " is" : "s are", weights,
                     sum ? "the weights are added" : "the largest weight is used",
                     sum ? "max uses the largest instead" : "sum adds them instead");
}

CombinedEdges combined_edges(ListedEdges listed) {
  CombinedEdges result{.edges = std::move(listed.edges), .repeated = 0, .differing = 0};
  std::vector<Triplet>& edges = result.edges;
  // Also by weight, so that a sum does not depend on the order of the lines.
  std::sort(edges.begin(), edges.end(), [](const Triplet& a, const Triplet& b) {
    return std::tie(a.row, a.column, b.value) < std::tie(b.row, b.column, a.value);
  });
  auto to = edges.begin();
  for (auto from = edges.begin(); from != edges.end();) {
    const auto end = std::find_if(from + 1, edges.end(),
                                  [&](const Triplet& edge) { return !same_edge(edge, *from); });
    Triplet edge = *from;
    if (end - from > 1) {
      if (listed.duplicates == DuplicateEdges::error)
        refuse_duplicates(listed, *from, *(end - 1), end - from);
      ++result.repeated;
      result.differing += (end - 1)->value != from->value ? 1 : 0;
      if (listed.duplicates == DuplicateEdges::sum) {
        for (auto other = from + 1; other != end; ++other) edge.value += other->value;
      }
    }
    from = end;
    if (edge.value != 0.0) *to++ = edge;
  }
  edges.erase(to, edges.end());
  return result;
}

CsrMatrix undirected_adjacency(Index nodes, ListedEdges listed, std::vector<std::string>& notes) {
  const bool directed = listed.directed;
  if (!directed) {
    for (Triplet& edge : listed.edges) {
      if (edge.row > edge.column) std::swap(edge.row, edge.column);
    }
  }
  const DuplicateEdges rule = listed.duplicates;
  CombinedEdges combined = combined_edges(std::move(listed));
  if (combined.repeated > 0) {
    notes.push_back(duplicates_note(rule, combined.repeated, combined.differing));
  }
  std::vector<Triplet>& edges = combined.edges;
  const std::size_t count = edges.size();
  edges.reserve(2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const Triplet edge = edges[i];
    if (edge.row != edge.column) edges.push_back({edge.column, edge.row, edge.value});
  }
  return csr_from_triplets(nodes, nodes,
                           directed ? detail::largest_of_each(std::move(edges)) : std::move(edges));
}

}  // namespace stkr
