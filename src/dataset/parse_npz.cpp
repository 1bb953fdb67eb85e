#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_set>

#include "format/csr_parts.hpp"
#include "format/csr_rows.hpp"
#include "format/graph_parts.hpp"
#include "format/utf8.hpp"
#include "parsed.hpp"
#include "stkr/error.hpp"

namespace stkr::detail {
namespace {

constexpr std::array<std::string_view, 3> kPointArrays = {"X", "attr_matrix", "features"};
constexpr std::array<std::string_view, 2> kPointParts = {"X_", "attr_"};
constexpr std::array<std::string_view, 3> kKernelArrays = {"K", "kernel", "X"};
constexpr std::array<std::string_view, 2> kLabelArrays = {"labels", "y"};

std::vector<std::string> array_names(const NpzReader& reader) {
  std::vector<std::string> names;
  for (const NpzMember& member : reader.members()) {
    if (member.header) names.push_back(member.name);
  }
  return names;
}

[[noreturn]] void nothing_found(const NpzReader& reader, std::string_view expected) {
  throw DataError(fmt::format("{}: contains the arrays {}; expected {}", reader.shown_path(),
                              fmt::join(array_names(reader), ", "), expected));
}

std::string find_first(const NpzReader& reader, std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    if (reader.has_array(name)) return std::string(name);
  }
  return {};
}

// The prefix of the CSR parts of a graph, if any.
std::optional<std::string> graph_prefix(const NpzReader& reader) {
  for (const char* prefix : {"adj_", ""}) {
    if (has_csr(reader, prefix)) return prefix;
  }
  return std::nullopt;
}

DatasetKind choose_kind(const NpzReader& reader) {
  if (has_csr(reader, "adj_")) return DatasetKind::graph;
  if (has_points(reader)) return DatasetKind::points;
  if (has_csr(reader, "")) {
    const auto shape = reader.array("shape").as_integers();
    return shape.size() == 2 && shape[0] != shape[1] ? DatasetKind::points : DatasetKind::graph;
  }
  nothing_found(reader,
                "a graph (adj_data, adj_indices, adj_indptr, adj_shape) or points (X), or K with "
                "the kind kernel");
}

Points read_points(const NpzReader& reader) {
  const std::string name = dense_points(reader);
  if (name.empty()) {
    Points sparse = read_node_features(reader);
    return points_from_sparse(*sparse.values.sparse(), std::move(sparse.feature_names));
  }
  Matrix values = reader.array(name).as_matrix();
  check_points(values, fmt::format("{}: array {}", reader.shown_path(), name));
  std::vector<std::string> names = optional_names(reader, "feature_names", values.cols());
  return {.values = std::move(values), .feature_names = std::move(names)};
}

Graph read_graph(const NpzReader& reader, const LoadOptions& options) {
  const std::optional<std::string> prefix = graph_prefix(reader);
  if (!prefix) nothing_found(reader, "a graph: adj_indices, adj_indptr, adj_shape");
  Graph graph;
  graph.adjacency =
      checked_adjacency(read_csr(reader, *prefix), options.symmetrize, reader.shown_path());
  graph.node_names = read_node_names(reader, graph.adjacency.rows);
  return graph;
}

void take_node_features(const NpzReader& reader, const LoadOptions& options, Parsed& parsed) {
  if (!options.features_file.empty() || !has_points(reader)) return;
  if (options.node_features) {
    parsed.features =
        dense_points(reader).empty() ? read_node_features(reader) : read_points(reader);
  } else {
    parsed.notes.emplace_back(
        "the file also has node features, which are ignored; combine a feature kernel with "
        "the graph kernel, or read them as points");
  }
}

PrecomputedKernel read_kernel(const NpzReader& reader) {
  const std::string name = find_first(reader, kKernelArrays);
  if (name.empty()) nothing_found(reader, "a kernel matrix: K");
  Matrix values = reader.array(name).as_matrix();
  check_kernel(values, fmt::format("{}: array {}", reader.shown_path(), name));
  return {std::move(values)};
}

void read_labels(const NpzReader& reader, const LoadOptions& options, Parsed& parsed) {
  parsed.candidates = array_names(reader);
  const std::string name = options.labels.empty()             ? find_first(reader, kLabelArrays)
                           : reader.has_array(options.labels) ? options.labels
                                                              : std::string();
  if (name.empty()) return;
  // Target names imply regression: whole numbers are not read as classes.
  const bool targets_named = options.task == Task::automatic && reader.has_array("target_names");
  take_labels(reader.array(name), targets_named ? Task::regression : options.task, parsed);
  parsed.has_labels = true;
  parsed.label_source = "array " + name;
  if (auto* targets = std::get_if<TargetValues>(&parsed.labels)) {
    const auto names = optional_names(reader, "target_names", targets->values.cols());
    if (!names.empty()) targets->names = names;
  }
}

// Ids of samples that are not nodes. Unlike names of nodes, they may occur twice.
void read_ids(const NpzReader& reader, Parsed& parsed) {
  if (!reader.has_array("sample_names")) return;
  NpyArray array = reader.array("sample_names");
  if (!array.is_text() && !array.is_integer()) {
    throw DataError(fmt::format("{}: expected text or integers", array.where()));
  }
  parsed.ids = array.as_strings();
  const std::vector<std::string> column = optional_names(reader, "id_column", 1);
  parsed.id_column = column.empty() ? "id" : column.front();
}

}  // namespace

std::vector<std::string> optional_names(const NpzReader& reader, std::string_view name,
                                        Index count) {
  if (!reader.has_array(name)) return {};
  NpyArray array = reader.array(name);
  if (!array.is_text() || array.header().elements != count) return {};
  return array.as_strings();
}

std::vector<std::string> read_node_names(const NpzReader& reader, Index count) {
  if (!reader.has_array("node_names")) return {};
  NpyArray array = reader.array("node_names");
  const auto fail = [&](const std::string& what) {
    throw DataError(fmt::format("{}: {}", array.where(), what));
  };
  if (!array.is_text() && !array.is_integer()) fail("expected text or integers");
  if (array.header().elements != count) {
    fail(fmt::format("has {} names for {} nodes, expected one per node", array.header().elements,
                     count));
  }
  std::vector<std::string> names = array.as_strings();
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      fail(fmt::format("'{}' is the name of two nodes, expected unique names", printable(name)));
    }
  }
  return names;
}

CsrMatrix read_csr(const NpzReader& reader, const std::string& prefix) {
  CsrRows rows(reader, prefix);
  return rows.next(rows.rows());
}

std::optional<std::string> sparse_points(const NpzReader& reader) {
  for (const char* prefix : {"X_", "attr_", ""}) {
    if (has_csr(reader, prefix)) return prefix;
  }
  return std::nullopt;
}

Points read_node_features(const NpzReader& reader) {
  const std::optional<std::string> prefix = sparse_points(reader);
  if (!prefix) nothing_found(reader, "points: X, or its CSR parts X_indices, X_indptr, X_shape");
  CsrMatrix matrix = checked_sparse_features(
      read_csr(reader, *prefix), fmt::format("{}: matrix {}*", reader.shown_path(), *prefix));
  std::vector<std::string> names = optional_names(reader, "feature_names", matrix.cols);
  return {.values = std::move(matrix), .feature_names = std::move(names)};
}

std::string dense_points(const NpzReader& reader) { return find_first(reader, kPointArrays); }

bool has_points(const NpzReader& reader) {
  return !find_first(reader, kPointArrays).empty() ||
         std::any_of(kPointParts.begin(), kPointParts.end(),
                     [&](std::string_view prefix) { return has_csr(reader, std::string(prefix)); });
}

Parsed parse_npz(const NpzReader& reader, const LoadOptions& options) {
  Parsed parsed;
  switch (options.kind ? *options.kind : choose_kind(reader)) {
    case DatasetKind::points:
      parsed.samples = read_points(reader);
      break;
    case DatasetKind::graph:
      parsed.samples = read_graph(reader, options);
      take_node_features(reader, options, parsed);
      break;
    case DatasetKind::kernel:
      parsed.samples = read_kernel(reader);
      break;
  }
  Parsed labels = parse_npz_labels(reader, options);
  labels.samples = std::move(parsed.samples);
  labels.features = std::move(parsed.features);
  labels.notes.insert(labels.notes.begin(), parsed.notes.begin(), parsed.notes.end());
  return labels;
}

Parsed parse_npz_nodes(const NpzReader& reader, Index nodes, const LoadOptions& options) {
  Parsed parsed = parse_npz_labels(reader, options);
  take_node_features(reader, options, parsed);
  Graph graph;
  graph.adjacency.rows = graph.adjacency.cols = nodes;
  graph.node_names = read_node_names(reader, nodes);
  parsed.samples = std::move(graph);
  return parsed;
}

Parsed parse_graph_parts(const std::filesystem::path& path, const LoadOptions& options) {
  if (options.kind.value_or(DatasetKind::graph) != DatasetKind::graph) {
    throw DataError(fmt::format("{}: contains a graph, expected data of kind {}", path.string(),
                                kind_name(*options.kind)));
  }
  const GraphParts parts(path);
  Parsed parsed;
  parsed.samples = Graph();
  if (const std::optional<NpzReader> samples = parts.samples()) {
    parsed = parse_npz_nodes(*samples, parts.nodes(), options);
  }
  std::get<Graph>(parsed.samples).adjacency =
      checked_adjacency(parts.rows(0, parts.nodes()), options.symmetrize, path.string());
  return parsed;
}

NpzLayout npz_layout(const NpzReader& reader, const LoadOptions& options) {
  NpzLayout layout{.kind = options.kind ? *options.kind : choose_kind(reader)};
  if (layout.kind == DatasetKind::graph) {
    const std::optional<std::string> prefix = graph_prefix(reader);
    if (!prefix) nothing_found(reader, "a graph: adj_indices, adj_indptr, adj_shape");
    layout.parts = *prefix;
    return layout;
  }
  const bool kernel = layout.kind == DatasetKind::kernel;
  layout.array = kernel ? find_first(reader, kKernelArrays) : dense_points(reader);
  if (!layout.array.empty()) return layout;
  if (const auto parts = sparse_points(reader); parts && !kernel) {
    layout.parts = *parts;
    return layout;
  }
  nothing_found(reader, kernel ? "a kernel matrix: K" : "points: X, or its CSR parts");
}

Parsed parse_npz_labels(const NpzReader& reader, const LoadOptions& options) {
  Parsed parsed;
  read_labels(reader, options, parsed);
  read_ids(reader, parsed);
  const RowReference reference =
      parse_row_reference(options.labeled.empty() ? "labeled" : options.labeled);
  if (reader.has_array(reference.name)) {
    parsed.labeled = index_from_array(reader.array(reference.name), reference.row);
  }
  return parsed;
}

}  // namespace stkr::detail
