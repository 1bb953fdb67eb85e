#include "dataset/edge_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "dataset/csv.hpp"
#include "dataset/listed_edges.hpp"
#include "format/atomic_file.hpp"
#include "format/csr_parts.hpp"
#include "format/edge_lines.hpp"
#include "format/number_text.hpp"
#include "format/utf8.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// Maps each distinct name to a node.
struct Numbering {
  std::vector<std::int32_t> node;  // of each name, in order of appearance
  std::vector<std::string> names;  // empty if nodes are numbers
  Index nodes = 0;
};

// The value of a name that is an integer in its usual notation.
std::optional<std::int64_t> number_of(const std::string& name) {
  const auto value = detail::parse_integer(name);
  return value && name == std::to_string(*value) ? value : std::nullopt;
}

// The numbering that "# nodes N" declares. Throws DataError if it contradicts the edges.
Numbering announced_numbering(const std::vector<std::string>& names, Index announced,
                              const detail::EdgeLines& edges) {
  const auto fail = [&](const std::string& what) {
    throw DataError(
        fmt::format("{}: '# nodes {}' {}", edges.lines().shown_path(), announced, what));
  };
  if (announced < 1) fail("is not a number of nodes, expected 1 or more");
  if (!detail::plausible_count(announced, edges.lines().file_size())) {
    fail("is too large for the size of the file");
  }
  Numbering result{.node = {}, .names = {}, .nodes = announced};
  for (const std::string& name : names) {
    const auto number = number_of(name);
    if (!number || *number < 0 || *number >= announced) {
      fail(
          fmt::format("declares nodes from 0 to {}, but an edge has the node '{}'; correct the "
                      "line, or remove it if nodes have names",
                      announced - 1, printable(name)));
    }
    result.node.push_back(static_cast<std::int32_t>(*number));
  }
  return result;
}

Numbering number_nodes(const std::vector<std::string>& names) {
  std::vector<std::int64_t> integers;
  for (const std::string& name : names) {
    if (const auto number = number_of(name)) integers.push_back(*number);
  }
  Numbering result;
  result.node.resize(names.size());
  const bool all_integers = integers.size() == names.size();
  if (all_integers) {
    const auto [least, most] = std::minmax_element(integers.begin(), integers.end());
    if (*least == 0 && *most / 2 < static_cast<Index>(names.size())) {
      for (std::size_t i = 0; i < names.size(); ++i) {
        result.node[i] = static_cast<std::int32_t>(integers[i]);
      }
      result.nodes = *most + 1;
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

// Throws DataError if only the nodes of the first edge are not numbers: it is probably a header
// with unknown column names.
void check_first_edge(const std::vector<std::string>& names, std::size_t line,
                      const std::string& shown) {
  const auto is_number = [](const std::string& name) { return number_of(name).has_value(); };
  if (names.size() < 3 || is_number(names[0]) || is_number(names[1])) return;
  if (!std::all_of(names.begin() + 2, names.end(), is_number)) return;
  throw DataError(
      fmt::format("{}: line {}: '{}' and '{}' are the only nodes that are not numbers; if they are "
                  "column names, use source and target instead, or start the line with #",
                  shown, line, printable(names[0]), printable(names[1])));
}

}  // namespace

EdgeListGraph load_edge_list(const std::filesystem::path& path, const LoadOptions& options) {
  const std::string shown = path.string();
  detail::EdgeLines edges(path);
  std::unordered_map<std::string, std::int32_t> known;
  std::vector<std::string> names;
  std::vector<Triplet> triplets;
  const auto place = [&](const std::string& name) {
    const auto [entry, added] = known.try_emplace(name, static_cast<std::int32_t>(names.size()));
    if (added) {
      edges.check_node(name);
      names.push_back(name);
    }
    return entry->second;
  };
  std::size_t first_line = 0;
  bool first_alone = true;  // the nodes of the first edge have no other edge
  while (edges.next()) {
    const std::int32_t from = place(edges.from());
    const std::int32_t to = place(edges.to());
    if (first_line == 0) {
      first_line = edges.line();
    } else if (std::min(from, to) < 2) {
      first_alone = false;
    }
    triplets.push_back({from, to, edges.weight()});
  }
  if (names.empty() && !edges.announced_nodes()) {
    throw DataError(fmt::format("{}: has no edges, expected lines with two nodes", shown));
  }
  if (first_alone && !edges.has_header()) check_first_edge(names, first_line, shown);
  const std::optional<Index> announced = edges.announced_nodes();
  Numbering numbering =
      announced ? announced_numbering(names, *announced, edges) : number_nodes(names);
  for (Triplet& entry : triplets) {
    entry.row = numbering.node[static_cast<std::size_t>(entry.row)];
    entry.column = numbering.node[static_cast<std::size_t>(entry.column)];
  }
  EdgeListGraph result;
  if (!numbering.names.empty()) {
    result.notes.push_back(fmt::format("nodes are ordered by name, from {} to {}",
                                       printable(numbering.names.front()),
                                       printable(numbering.names.back())));
  }
  ListedEdges listed{.edges = std::move(triplets),
                     .duplicates = options.duplicates,
                     .directed = options.symmetrize,
                     .where = shown,
                     .edge_name = edge_namer(numbering.names)};
  result.graph.adjacency = undirected_adjacency(numbering.nodes, std::move(listed), result.notes);
  result.graph.node_names = std::move(numbering.names);
  return result;
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
      throw ValueError(fmt::format("{}: an edge list cannot store the node name '{}'; use .npz",
                                   path.string(), printable(text)));
    }
    return csv_field(text, text.ends_with('}'));  // not the end of attributes (edge_data.hpp)
  };
  Index isolated = 0;
  write_atomically(path, [&](FileSink& sink) {
    // The header prevents a node name in the first edge from being read as a column name.
    sink.write(graph.node_names.empty() ? fmt::format("# nodes {}\n", matrix.rows)
               : weighted               ? "source\ttarget\tweight\n"
                                        : "source\ttarget\n");
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
