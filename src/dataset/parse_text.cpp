#include <fmt/format.h>

#include "dataset/csv.hpp"
#include "dataset/edge_list.hpp"
#include "dataset/graphml.hpp"
#include "dataset/svmlight.hpp"
#include "format/csr_parts.hpp"
#include "format/matrix_market.hpp"
#include "format/petsc_binary.hpp"
#include "format/utf8.hpp"
#include "parsed.hpp"
#include "stkr/error.hpp"

namespace stkr::detail {
namespace {

[[noreturn]] void wrong_kind(const std::filesystem::path& path, DatasetKind wanted,
                             std::string_view holds) {
  throw DataError(fmt::format("{}: contains {}, expected data of kind {}", path.string(), holds,
                              kind_name(wanted)));
}

Parsed from_dense(Matrix values, const std::filesystem::path& path, const LoadOptions& options) {
  Parsed parsed;
  if (options.kind == DatasetKind::graph) wrong_kind(path, *options.kind, "a dense matrix");
  if (options.kind == DatasetKind::kernel) {
    check_kernel(values, path.string());
    parsed.samples = PrecomputedKernel{std::move(values)};
  } else {
    check_points(values, path.string());
    parsed.samples = Points{.values = std::move(values), .feature_names = {}};
  }
  return parsed;
}

// A graph, unless another kind is asked for.
Parsed from_sparse(CsrMatrix sparse, const std::filesystem::path& path,
                   const LoadOptions& options) {
  if (options.kind == DatasetKind::kernel) {
    return from_dense(densified(sparse, options.most_dense_bytes, path.string()), path, options);
  }
  Parsed parsed;
  if (options.kind == DatasetKind::points) {
    parsed.samples = points_from_sparse(checked_sparse_features(std::move(sparse), path.string()));
    return parsed;
  }
  parsed.samples =
      Graph{.adjacency = checked_adjacency(std::move(sparse), options.symmetrize, path.string()),
            .node_names = {}};
  return parsed;
}

}  // namespace

Parsed parse_npy_file(const std::filesystem::path& path, const LoadOptions& options) {
  return from_dense(open_npy(path).as_matrix(), path, options);
}

Parsed parse_matrix_market(const std::filesystem::path& path, const LoadOptions& options) {
  std::variant<CsrMatrix, Matrix> matrix = load_matrix_market(path);
  if (auto* dense = std::get_if<Matrix>(&matrix)) {
    return from_dense(std::move(*dense), path, options);
  }
  return from_sparse(std::move(std::get<CsrMatrix>(matrix)), path, options);
}

Parsed parse_petsc_binary(const std::filesystem::path& path, const LoadOptions& options) {
  PetscBinary file(path);
  return from_sparse(file.rows(0, file.rows()), path, options);
}

Parsed parse_edge_list(const std::filesystem::path& path, const LoadOptions& options) {
  if (options.kind == DatasetKind::points) return parse_csv(path, options);
  if (options.kind == DatasetKind::kernel) wrong_kind(path, *options.kind, "an edge list");
  EdgeListGraph loaded = load_edge_list(path, options);
  Parsed parsed;
  loaded.graph.adjacency =
      checked_adjacency(std::move(loaded.graph.adjacency), options.symmetrize, path.string());
  parsed.samples = std::move(loaded.graph);
  parsed.notes = std::move(loaded.notes);
  return parsed;
}

Parsed parse_graphml(const std::filesystem::path& path, const LoadOptions& options) {
  if (options.kind.value_or(DatasetKind::graph) != DatasetKind::graph) {
    wrong_kind(path, *options.kind, "a graph");
  }
  GraphmlGraph loaded = load_graphml(path, options);
  Parsed parsed;
  if (!loaded.label_attribute.empty()) {
    parsed.has_labels = true;
    take_labels(loaded.label_cells, std::span(&loaded.label_attribute, 1), options,
                fmt::format("{}: attribute {}", path.string(), printable(loaded.label_attribute)),
                parsed);
  }
  parsed.samples = std::move(loaded.graph);
  parsed.has_features = loaded.features.has_value();
  if (loaded.features) parsed.features = std::move(*loaded.features);
  parsed.candidates = std::move(loaded.attributes);
  parsed.notes.insert(parsed.notes.begin(), loaded.notes.begin(), loaded.notes.end());
  return parsed;
}

Parsed parse_csv(const std::filesystem::path& path, const LoadOptions& options) {
  if (options.kind == DatasetKind::graph) return parse_edge_list(path, options);
  CsvPoints table = load_csv(path, options);
  if (options.kind == DatasetKind::kernel) {
    return from_dense(table.points.values.matrix(), path, options);
  }
  Parsed parsed;
  take_label_columns(table.label_cells, table.label_columns, options, path, parsed);
  check_points(table.points.values.dense().as<double>(), path.string());
  parsed.samples = std::move(table.points);
  parsed.ids = std::move(table.ids);
  parsed.id_column = table.encoding.id_column;
  parsed.encoding = std::move(table.encoding);
  parsed.candidates = std::move(table.column_names);
  parsed.notes.insert(parsed.notes.begin(), table.notes.begin(), table.notes.end());
  return parsed;
}

Parsed parse_svmlight(const std::filesystem::path& path, const LoadOptions& options) {
  if (options.kind.value_or(DatasetKind::points) != DatasetKind::points) {
    wrong_kind(path, *options.kind, "points");
  }
  SvmlightData data = load_svmlight(path);
  if (options.features) {
    if (data.points.cols > *options.features) {
      throw DataError(fmt::format("{}: has {} features, expected at most {}", path.string(),
                                  data.points.cols, *options.features));
    }
    data.points.cols = *options.features;
  }
  Parsed parsed;
  parsed.samples =
      points_from_sparse(checked_sparse_features(std::move(data.points), path.string()));
  parsed.encoding.emplace().first_index = data.first_index;
  if (options.labels.empty()) {
    const std::string column = "target";
    take_labels(data.label, std::span(&column, 1), options, path.string(), parsed);
    parsed.has_labels = true;
  }
  return parsed;
}

}  // namespace stkr::detail
