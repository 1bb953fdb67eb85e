#include "stkr/dataset/load_dataset.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dataset/point_stream.hpp"
#include "dataset/table_columns.hpp"
#include "format/file_format.hpp"
#include "format/utf8.hpp"
#include "parsed.hpp"
#include "runtime/suggestion.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

bool is_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) && !std::filesystem::is_directory(path, ignored);
}

detail::Parsed parse(const std::filesystem::path& path, const LoadOptions& options) {
  switch (detail::sample_format(path, options)) {
    case FileFormat::npz:
      return detail::parse_npz(NpzReader(path), options);
    case FileFormat::npy:
      return detail::parse_npy_file(path, options);
    case FileFormat::matrix_market:
      return detail::parse_matrix_market(path, options);
    case FileFormat::edge_list:
      return detail::parse_edge_list(path, options);
    case FileFormat::csv:
      return detail::parse_csv(path, options);
    case FileFormat::svmlight:
      return detail::parse_svmlight(path, options);
    case FileFormat::graphml:
      return detail::parse_graphml(path, options);
    case FileFormat::h5ad:
      return detail::parse_anndata(path, options);
    case FileFormat::parts:
      return detail::parse_graph_parts(path, options);
    case FileFormat::petsc:
      return detail::parse_petsc_binary(path, options);
  }
  throw ValueError("unknown format");
}

// Makes class -1 unlabeled, by convention.
void hide_unlabeled(Dataset& dataset, const LoadOptions& options) {
  auto* classes = std::get_if<ClassLabels>(&dataset.truth);
  if (classes == nullptr || !options.minus_one_is_unlabeled) return;
  const Index hidden = hide_minus_one(*classes);
  if (hidden == 0) return;
  dataset.notes.push_back(
      fmt::format("{} samples of class -1 are read as unlabeled{}; if -1 is a class, say "
                  "--minus-one-is-class, or list the labeled samples with --labeled",
                  hidden, classes->names.size() == 1 ? ", which leaves a single class" : ""));
}

// Gives every feature mean 0 and standard deviation 1.
void standardize(Dataset& dataset) {
  auto* points = std::get_if<Points>(&dataset.samples);
  if (points == nullptr) {
    throw DataError(fmt::format("{}: --standardize is for points, but the data is of kind {}",
                                dataset.source, kind_name(dataset.kind())));
  }
  if (points->values.cols() == 0) return;  // not read
  if (!dataset.encoding) dataset.encoding.emplace();
  const auto scaled = [&](auto values) -> FeatureMatrix {
    points->values = {};
    dataset.encoding->learn_scale(values);
    dataset.encoding->standardize(values);
    return FeatureMatrix(std::move(values));
  };
  points->values = points->values.sparse() ? scaled(CsrMatrix(*points->values.sparse()))
                                           : scaled(points->values.matrix());
  const Vector& scale = dataset.encoding->scale;
  if (!scale.allFinite() || !dataset.encoding->center.allFinite()) {
    throw DataError(fmt::format("{}: the values are too large to be standardized", dataset.source));
  }
}

// Notes that whole floating-point numbers were read as classes, because their type allows both.
void note_float_classes(Dataset& dataset, const std::string& type) {
  const auto* classes = std::get_if<ClassLabels>(&dataset.labels);
  if (classes == nullptr || type.empty()) return;
  const auto labeled = static_cast<Index>(labeled_indices(dataset.labels).size());
  dataset.notes.push_back(
      fmt::format("labels: {} whole numbers are read as {} classes, {} unlabeled (-1, NaN or not "
                  "listed); if they are regression targets, use regression (--task regression)",
                  type, classes->names.size(), dataset.size() - labeled));
}

// Notes ids that do not tell samples apart.
void note_ids(Dataset& dataset) {
  std::vector<std::string_view> ids(dataset.ids.begin(), dataset.ids.end());
  std::sort(ids.begin(), ids.end());
  const auto named = std::find_if(ids.begin(), ids.end(), [](auto id) { return !id.empty(); });
  const Index without = named - ids.begin();
  if (without > 0 && !ids.empty()) {
    dataset.notes.push_back(fmt::format("ids: column {} is empty for {} of {} samples",
                                        printable(dataset.id_column), without, dataset.size()));
  }
  const auto twice = std::adjacent_find(named, ids.end());
  if (twice == ids.end()) return;
  dataset.notes.push_back(
      fmt::format("ids: '{}' of column {} is the id of several samples; only their index tells "
                  "them apart",
                  printable(std::string(*twice)), printable(dataset.id_column)));
}

}  // namespace

namespace detail {

void no_such_file(const std::filesystem::path& path) {
  std::vector<std::string> names;
  for (const ShippedInfo& info : shipped_datasets()) names.push_back(info.name);
  throw DataError(fmt::format("{}: no such file; data sets shipped with stkr: {}", path.string(),
                              fmt::join(names, ", ")));
}

FileFormat sample_format(const std::filesystem::path& path, const LoadOptions& options) {
  if (options.format.empty()) return detect_format(path);
  return detect_format(path, format_from_name(options.format));
}

Points load_node_features(const std::filesystem::path& path, const LoadOptions& options) {
  if (is_file(path) && detect_format(path) == FileFormat::npz) {
    const NpzReader reader(path);
    if (dense_points(reader).empty() && sparse_points(reader)) return read_node_features(reader);
  }
  return load_points(path, {.most_dense_bytes = options.most_dense_bytes});
}

Dataset assemble(Parsed parsed, const LoadOptions& options, std::string name,
                 const std::string& source) {
  Dataset dataset;
  dataset.name = std::move(name);
  dataset.source = source;
  dataset.samples = std::move(parsed.samples);
  if (!parsed.ids.empty() && static_cast<Index>(parsed.ids.size()) != dataset.size()) {
    throw DataError(fmt::format("{}: has names for {} samples, but there are {}", source,
                                parsed.ids.size(), dataset.size()));
  }
  dataset.ids = std::move(parsed.ids);
  dataset.id_column = std::move(parsed.id_column);
  dataset.encoding = std::move(parsed.encoding);
  if (options.standardize) standardize(dataset);
  std::string where = dataset.source;
  dataset.features = std::move(parsed.features);
  if (!options.features_file.empty() && !parsed.has_features) {
    dataset.features = load_node_features(options.features_file, options);
    check_features(*dataset.features, dataset, options.features_file);
  } else if (dataset.features) {
    check_features(*dataset.features, dataset, where);
  }
  if (!parsed.has_labels && !options.labels.empty()) {
    if (!is_file(options.labels)) {
      throw DataError(
          fmt::format("{}: labels '{}': no such array, column or file; the data has {}{}", where,
                      options.labels, listed(parsed.candidates),
                      suggestion(options.labels, parsed.candidates)));
    }
    load_label_file(options.labels, options, dataset, parsed);
    where = options.labels;
  }
  check_label_count(parsed.labels, dataset.size(), where);
  dataset.truth = std::move(parsed.labels);
  dataset.label_source = std::move(parsed.label_source);
  dataset.notes = std::move(parsed.notes);

  if (!parsed.labeled && !options.labeled.empty()) {
    const RowReference reference = parse_row_reference(options.labeled);
    if (!is_file(reference.name)) {
      throw DataError(
          fmt::format("{}: labeled samples '{}': no such array or file; the data has {}{}",
                      dataset.source, options.labeled, listed(parsed.candidates),
                      suggestion(reference.name, parsed.candidates)));
    }
    parsed.labeled = load_index_file(reference.name, reference.row);
  }
  if (!parsed.labeled) hide_unlabeled(dataset, options);
  dataset.labels = dataset.truth;
  if (parsed.labeled) {
    try {
      keep_only(dataset.labels, *parsed.labeled);
    } catch (const ValueError& error) {
      throw DataError(fmt::format("{}: {}: {}", dataset.source,
                                  options.labeled.empty() ? "labeled" : options.labeled,
                                  error.what()));
    }
  }
  note_float_classes(dataset, parsed.label_type);
  note_ids(dataset);
  dataset.label_candidates = std::move(parsed.candidates);
  return dataset;
}

}  // namespace detail

Dataset load_dataset(const std::filesystem::path& path, const LoadOptions& options) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    for (const ShippedInfo& info : shipped_datasets()) {
      if (path == info.name) return load_shipped(info.name, options);
    }
    detail::no_such_file(path);
  }
  return detail::assemble(parse(path, options), options, without_gz(path).stem().string(),
                          path.string());
}

}  // namespace stkr
