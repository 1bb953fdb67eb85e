#include "dataset/dataset_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <sstream>

#include "dataset/anndata.hpp"
#include "dataset/csv.hpp"
#include "dataset/point_stream.hpp"
#include "dataset/table_profile.hpp"
#include "format/csv_records.hpp"
#include "format/file_format.hpp"
#include "format/graph_parts.hpp"
#include "format/npy.hpp"
#include "format/number_text.hpp"
#include "format/petsc_binary.hpp"
#include "format/text_file.hpp"
#include "parsed.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// count · each, saturated at the largest value.
std::uint64_t bytes(Index count, std::uint64_t each) {
  std::uint64_t product = 0;
  const bool overflow =
      __builtin_mul_overflow(static_cast<std::uint64_t>(std::max<Index>(count, 0)), each, &product);
  return overflow ? std::numeric_limits<std::uint64_t>::max() : product;
}

// Throws DataError unless the sizes that a file declares fit into 32 bits, as its reader requires.
void check_sizes(Index rows, Index columns, const std::string& where) {
  constexpr Index kMost = std::numeric_limits<std::int32_t>::max();
  if (rows >= 0 && columns >= 0 && rows <= kMost && columns <= kMost) return;
  throw DataError(fmt::format("{}: declares {} × {} values; expected sizes from 0 to {}", where,
                              rows, columns, kMost));
}

// Of the text, if the file is compressed.
std::uint64_t file_bytes(const std::filesystem::path& path) {
  return static_cast<std::uint64_t>(detail::content_size(path));
}

// Per label: its text or whole number, its sorted value, and its code.
constexpr std::uint64_t kLabelBytes = 48;

void set_dense(const NpyHeader& header, DatasetShape& shape) {
  shape.samples = header.shape.empty() ? 0 : header.shape[0];
  shape.features = shape.samples > 0 ? header.elements / shape.samples : 0;
  // An array in Fortran order is transposed as a whole.
  shape.reading = bytes(header.elements, (header.fortran_order ? 2 : 1) * sizeof(double));
}

// Points from a sparse matrix: its arrays, which are sorted in a copy, and the values if they are
// stored densely.
void set_sparse(Index features, Index entries, DatasetShape& shape) {
  shape.features = features;
  shape.reading += bytes(entries, 28);
  if (stays_sparse(shape.samples, features, entries)) {
    shape.feature_entries = std::max<Index>(entries, 1);
  } else {
    shape.reading += bytes(shape.samples * features, sizeof(double));
  }
}

void npz_shape(const NpzReader& reader, const LoadOptions& options, DatasetShape& shape) {
  const detail::NpzLayout layout = detail::npz_layout(reader, options);
  shape.kind = layout.kind;
  if (!layout.array.empty()) {
    set_dense(reader.header(layout.array), shape);
    return;
  }
  const auto size = reader.array(layout.parts + "shape").as_integers();
  const Index entries = reader.header(layout.parts + "indices").elements;
  if (size.size() == 2) check_sizes(size[0], size[1], reader.shown_path());
  shape.samples = size.size() == 2 ? size[0] : 0;
  shape.reading = bytes(entries, 12) + bytes(shape.samples, 24);
  if (shape.kind == DatasetKind::graph) {
    shape.entries = entries;
  } else {
    set_sparse(size.size() == 2 ? size[1] : 0, entries, shape);
  }
}

void petsc_shape(const std::filesystem::path& path, const LoadOptions& options,
                 DatasetShape& shape) {
  const PetscBinary file(path);
  shape.kind = options.kind.value_or(DatasetKind::graph);
  shape.samples = file.rows();
  shape.reading = bytes(file.entries(), 12) + bytes(shape.samples, 24);
  if (shape.kind == DatasetKind::graph) {
    shape.entries = file.entries();
  } else if (shape.kind == DatasetKind::points) {
    set_sparse(file.cols(), file.entries(), shape);
  } else {
    shape.reading += bytes(file.rows() * file.cols(), 2 * sizeof(double));
  }
}

void parts_shape(const GraphParts& parts, DatasetShape& shape) {
  shape.kind = DatasetKind::graph;
  shape.samples = parts.nodes();
  shape.entries = parts.entries();
  shape.reading = bytes(shape.entries, 12) + bytes(shape.samples, 24);
}

void matrix_market_shape(const std::filesystem::path& path, const LoadOptions& options,
                         DatasetShape& shape) {
  detail::LineReader lines(path);
  lines.next();
  const std::string banner = detail::lower_case(lines.line());
  do {
    if (!lines.next()) throw DataError(path.string() + ": has no line of sizes");
  } while (lines.line().empty() || lines.line().front() == '%');
  Index rows = 0, columns = 0, entries = 0;
  std::istringstream(std::string(lines.line())) >> rows >> columns >> entries;
  check_sizes(rows, columns, path.string());
  if (entries < 0 || entries > lines.file_size()) {
    throw DataError(
        fmt::format("{}: declares {} entries, more than it has bytes; it is truncated "
                    "or damaged",
                    path.string(), entries));
  }
  const bool coordinate = banner.find("coordinate") != std::string::npos;
  if (banner.find("symmetric") != std::string::npos) entries *= 2;
  shape.kind = options.kind.value_or(coordinate ? DatasetKind::graph : DatasetKind::points);
  shape.samples = rows;
  // The text; triplets and their sort buffer; rows.
  shape.reading =
      static_cast<std::uint64_t>(lines.file_size()) + bytes(coordinate ? entries : 0, 16 + 16 + 12);
  if (shape.kind == DatasetKind::graph) {
    shape.entries = entries;
  } else if (shape.kind == DatasetKind::points && coordinate) {
    set_sparse(columns, entries, shape);
  } else {
    shape.features = columns;
    shape.reading += bytes(rows * columns, 2 * sizeof(double));
  }
}

void anndata_shape(const std::filesystem::path& path, const LoadOptions& options,
                   DatasetShape& shape) {
  const AnnDataFile file(path);
  const AnnDataFile::Place place = file.place(options);
  const Index entries = file.entries(place);
  constexpr std::uint64_t kNameBytes = 2 * 48;  // of a cell, in a set while they are compared
  shape.kind = place.kind;
  shape.samples = file.size();
  shape.reading = bytes(entries, 12) + bytes(shape.samples, 24 + kNameBytes);
  if (shape.kind == DatasetKind::graph) {
    shape.entries = entries;
  } else {
    shape.features = file.features(place);
    shape.feature_entries = file.is_sparse(place) ? std::max<Index>(entries, 1) : 0;
    if (!file.is_sparse(place)) {
      shape.reading += bytes(shape.samples * shape.features, sizeof(double));
    }
  }
}

// Values, a part of them that is being read, label cells and ids.
std::uint64_t csv_memory(const TableProfile& profile, Index features) {
  const Index part = std::min(profile.rows, points_at_a_time(features));
  return bytes(profile.rows + part, sizeof(double) * static_cast<std::uint64_t>(features)) +
         bytes(profile.rows, kLabelBytes * (profile.columns.id ? 2 : 1));
}

// Memory for the first line of a .csv: every field is text while it is read, names are stored
// several times, and every column has a profile.
std::uint64_t header_memory(const std::filesystem::path& path) {
  constexpr std::uint64_t kField = 304 + sizeof(ColumnProfile);
  detail::ByteSource in(path);
  std::string part(1 << 18, '\0');
  std::uint64_t length = 0, fields = 1;
  for (bool ended = false; !ended;) {
    const std::string_view read =
        std::string_view(part).substr(0, in.read(part.data(), part.size()));
    const std::string_view line = read.substr(0, read.find('\n'));
    ended = line.size() < part.size();
    length += line.size();
    fields += static_cast<std::uint64_t>(std::count_if(
        line.begin(), line.end(), [](char c) { return c == ',' || c == ';' || c == '\t'; }));
  }
  return 4 * length + kField * fields;
}

// Approximate number of fields of a .csv, from the separators in its first part.
Index csv_fields(const std::filesystem::path& path) {
  const std::uint64_t size = file_bytes(path);
  detail::ByteSource in(path);
  std::string part(std::min<std::uint64_t>(1 << 20, size + 1), '\0');
  part.resize(in.read(part.data(), part.size()));
  const auto ends = [](char c) { return c == ',' || c == ';' || c == '\t' || c == '\n'; };
  const auto fields = 1 + std::count_if(part.begin(), part.end(), ends);
  const double rest =
      static_cast<double>(size) / static_cast<double>(std::max<std::size_t>(part.size(), 1));
  return static_cast<Index>(1.2 * rest * static_cast<double>(fields));
}

// The encoding decides on the number of features: one pass over the lines.
void csv_shape(const std::filesystem::path& path, const LoadOptions& options, DatasetShape& shape,
               detail::Parsed& parsed) {
  std::vector<std::string> cells, names, notes;
  const TableProfile profile = profile_table(path, options, &cells);
  notes = profile.notes;
  shape.samples = profile.rows;
  shape.features = encode_table(profile, options, notes).features();
  shape.reading = csv_memory(profile, shape.features) + header_memory(path);
  for (const std::size_t c : profile.columns.labels) names.push_back(profile.names[c]);
  detail::take_label_columns(cells, names, options, path, parsed);
  parsed.candidates = profile.names;
  parsed.notes.insert(parsed.notes.begin(), notes.begin(), notes.end());
}

DatasetShape shape_of_loaded(const std::filesystem::path& path, const LoadOptions& options) {
  Dataset dataset = load_dataset(path, options);
  DatasetShape shape{.kind = dataset.kind(), .samples = dataset.size()};
  if (shape.kind == DatasetKind::points) {
    const FeatureMatrix& values = dataset.points().values;
    shape.features = values.cols();
    if (values.sparse()) shape.feature_entries = std::max<Index>(values.sparse()->entries(), 1);
  }
  if (shape.kind == DatasetKind::graph) shape.entries = dataset.graph().adjacency.entries();
  if (dataset.features) {
    const FeatureMatrix& values = dataset.features->values;
    shape.features = values.cols();
    if (values.sparse()) shape.feature_entries = std::max<Index>(values.sparse()->entries(), 1);
  }
  shape.names = shape_of(dataset).names;
  shape.labels = std::move(dataset.labels);
  shape.name = std::move(dataset.name);
  shape.notes = std::move(dataset.notes);
  return shape;
}

// Placeholder for samples that were not read: as many rows without content, and the node names,
// which labels may refer to.
std::variant<Points, Graph, PrecomputedKernel> stand_in(const DatasetShape& shape,
                                                        std::vector<std::string> node_names) {
  switch (shape.kind) {
    case DatasetKind::points:
      return Points{.values = Matrix(shape.samples, 0), .feature_names = {}};
    case DatasetKind::graph:
      return Graph{.adjacency = {shape.samples, shape.samples, {}, {}, {}},
                   .node_names = std::move(node_names)};
    default:
      return PrecomputedKernel{Matrix(shape.samples, 0)};
  }
}

// Memory for a table with categories, whose number of features only a pass over all lines tells; 0
// if the first lines have none, or if the table will be refused.
std::uint64_t category_memory(const std::filesystem::path& path, const LoadOptions& options) {
  constexpr Index kFirst = 1000;
  if (options.kind.value_or(DatasetKind::points) != DatasetKind::points) return 0;
  try {
    const TableProfile first = profile_table(path, options, nullptr, kFirst);
    const bool categories =
        std::any_of(first.columns.features.begin(), first.columns.features.end(),
                    [&](std::size_t c) { return first.profiles[c].levels != nullptr; });
    if (!categories) return 0;
    const TableProfile profile = profile_table(path, options);
    std::vector<std::string> notes;
    return csv_memory(profile, encode_table(profile, options, notes).features());
  } catch (const DataError&) {
    return 0;
  }
}

}  // namespace

DatasetShape read_shape(const std::filesystem::path& path, const LoadOptions& options) {
  std::error_code absent;
  if (!std::filesystem::exists(path, absent)) return shape_of_loaded(path, options);
  DatasetShape shape;
  detail::Parsed parsed;
  std::vector<std::string> node_names;
  switch (detail::sample_format(path, options)) {
    case FileFormat::npz: {
      const NpzReader reader(path);
      npz_shape(reader, options, shape);
      parsed = detail::parse_npz_labels(reader, options);
      if (shape.kind == DatasetKind::graph) {
        node_names = detail::read_node_names(reader, shape.samples);
      }
      break;
    }
    case FileFormat::petsc:
      petsc_shape(path, options, shape);
      break;
    case FileFormat::parts: {
      const GraphParts parts(path);
      parts_shape(parts, shape);
      if (const std::optional<NpzReader> samples = parts.samples()) {
        parsed = detail::parse_npz_labels(*samples, options);
        node_names = detail::read_node_names(*samples, shape.samples);
      }
      break;
    }
    case FileFormat::npy:
      shape.kind = options.kind.value_or(DatasetKind::points);
      set_dense(open_npy(path).header(), shape);
      break;
    case FileFormat::matrix_market:
      matrix_market_shape(path, options, shape);
      break;
    case FileFormat::csv: {
      if (options.kind.value_or(DatasetKind::points) != DatasetKind::points) {
        return shape_of_loaded(path, options);
      }
      csv_shape(path, options, shape, parsed);
      break;
    }
    default: {
      shape = shape_of_loaded(path, options);
      shape.reading = reading_memory(path, options);
      return shape;
    }
  }
  parsed.samples = stand_in(shape, std::move(node_names));
  shape.reading += bytes(shape.samples, kLabelBytes);
  Dataset rest =
      detail::assemble(std::move(parsed), options, without_gz(path).stem().string(), path.string());
  if (rest.features) {
    const FeatureMatrix& values = rest.features->values;
    shape.features = values.cols();
    if (values.sparse()) shape.feature_entries = values.sparse()->entries();
  }
  shape.names = shape_of(rest).names;
  shape.labels = std::move(rest.labels);
  shape.name = std::move(rest.name);
  shape.notes = std::move(rest.notes);
  return shape;
}

std::uint64_t streaming_memory(const std::filesystem::path& path, const LoadOptions& options) {
  std::error_code absent;
  if (!std::filesystem::exists(path, absent)) return 0;
  if (detail::sample_format(path, options) != FileFormat::csv) return 0;
  return header_memory(path);
}

std::uint64_t reading_memory(const std::filesystem::path& path, const LoadOptions& options) {
  std::error_code absent;
  if (!std::filesystem::exists(path, absent)) return 0;
  DatasetShape shape;
  switch (detail::sample_format(path, options)) {
    case FileFormat::npz:
      npz_shape(NpzReader(path), options, shape);
      break;
    case FileFormat::npy:
      set_dense(open_npy(path).header(), shape);
      break;
    case FileFormat::matrix_market:
      matrix_market_shape(path, options, shape);
      break;
    case FileFormat::csv:
      return header_memory(path) +
             std::max(bytes(csv_fields(path), sizeof(double)), category_memory(path, options));
    case FileFormat::edge_list:
      // Lines of a dozen bytes or more become sorted triplets, then rows, in both directions.
      return 8 * file_bytes(path);
    case FileFormat::svmlight:
      return 4 * file_bytes(path);
    case FileFormat::h5ad:
      anndata_shape(path, options, shape);
      break;
    case FileFormat::petsc:
      petsc_shape(path, options, shape);
      break;
    case FileFormat::parts:
      parts_shape(GraphParts(path), shape);
      break;
    case FileFormat::graphml:
      // Tags of 30 bytes or more become the same, or ids and the values of a few attributes.
      return 4 * file_bytes(path);
  }
  return shape.reading + bytes(shape.samples, kLabelBytes);
}

}  // namespace stkr
