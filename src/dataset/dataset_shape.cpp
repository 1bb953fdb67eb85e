#include "dataset/dataset_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>

#include "dataset/csv.hpp"
#include "format/csv_records.hpp"
#include "format/file_format.hpp"
#include "format/npy.hpp"
#include "format/number_text.hpp"
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

std::uint64_t file_bytes(const std::filesystem::path& path) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(path, failed);
  return failed ? 0 : size;
}

// Per label: its text or whole number, its sorted value, and its code.
constexpr std::uint64_t kLabelBytes = 48;

void set_dense(const NpyHeader& header, DatasetShape& shape) {
  shape.samples = header.shape.empty() ? 0 : header.shape[0];
  shape.features = shape.samples > 0 ? header.elements / shape.samples : 0;
  // An array in Fortran order is transposed as a whole.
  shape.reading = bytes(header.elements, (header.fortran_order ? 2 : 1) * sizeof(double));
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
    shape.features = size.size() == 2 ? size[1] : 0;
    shape.reading += bytes(shape.samples * shape.features, sizeof(double));
  }
}

void matrix_market_shape(const std::filesystem::path& path, const LoadOptions& options,
                         DatasetShape& shape) {
  std::ifstream in(path);
  std::string banner, line;
  std::getline(in, banner);
  do {
    if (!std::getline(in, line)) throw DataError(path.string() + ": has no line of sizes");
  } while (line.empty() || line.front() == '%');
  Index rows = 0, columns = 0, entries = 0;
  std::istringstream(line) >> rows >> columns >> entries;
  check_sizes(rows, columns, path.string());
  if (entries < 0 || static_cast<std::uint64_t>(entries) > file_bytes(path)) {
    throw DataError(
        fmt::format("{}: declares {} entries, more than it has bytes; it is truncated "
                    "or damaged",
                    path.string(), entries));
  }
  const bool coordinate = detail::lower_case(banner).find("coordinate") != std::string::npos;
  if (detail::lower_case(banner).find("symmetric") != std::string::npos) entries *= 2;
  shape.kind = options.kind.value_or(coordinate ? DatasetKind::graph : DatasetKind::points);
  shape.samples = rows;
  // The text; triplets and their sort buffer; rows.
  shape.reading = file_bytes(path) + bytes(coordinate ? entries : 0, 16 + 16 + 12);
  if (shape.kind == DatasetKind::graph) {
    shape.entries = entries;
  } else {
    shape.features = columns;
    shape.reading += bytes(rows * columns, 2 * sizeof(double));
  }
}

// Values in a matrix that grows by half, and label cells.
std::uint64_t csv_memory(Index values, Index rows) {
  return bytes(values, sizeof(double) * 3 / 2) + bytes(rows, kLabelBytes);
}

// Memory for the first line of a .csv: every field is text while it is read, and names are stored
// several times.
std::uint64_t header_memory(const std::filesystem::path& path) {
  constexpr std::uint64_t kField = 304;
  std::ifstream in(path, std::ios::binary);
  std::string part(std::min<std::uint64_t>(1 << 20, file_bytes(path) + 1), '\0');
  std::uint64_t length = 0, fields = 1;
  for (bool ended = false; in && !ended;) {
    in.read(part.data(), static_cast<std::streamsize>(part.size()));
    const std::string_view read = std::string_view(part).substr(0, in.gcount());
    const std::string_view line = read.substr(0, read.find('\n'));
    ended = line.size() < read.size();
    length += line.size();
    fields += static_cast<std::uint64_t>(std::count_if(
        line.begin(), line.end(), [](char c) { return c == ',' || c == ';' || c == '\t'; }));
  }
  return 4 * length + kField * fields;
}

// Approximate number of fields of a .csv, from the separators in its first part.
Index csv_fields(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string part(std::min<std::uint64_t>(1 << 20, file_bytes(path) + 1), '\0');
  in.read(part.data(), static_cast<std::streamsize>(part.size()));
  part.resize(static_cast<std::size_t>(in.gcount()));
  const auto ends = [](char c) { return c == ',' || c == ';' || c == '\t' || c == '\n'; };
  const auto fields = 1 + std::count_if(part.begin(), part.end(), ends);
  const double rest = static_cast<double>(file_bytes(path)) /
                      static_cast<double>(std::max<std::size_t>(part.size(), 1));
  return static_cast<Index>(1.2 * rest * static_cast<double>(fields));
}

DatasetShape shape_of_loaded(const std::filesystem::path& path, const LoadOptions& options) {
  Dataset dataset = load_dataset(path, options);
  DatasetShape shape{.kind = dataset.kind(), .samples = dataset.size()};
  if (shape.kind == DatasetKind::points) shape.features = dataset.points().values.cols();
  if (shape.kind == DatasetKind::graph) shape.entries = dataset.graph().adjacency.entries();
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

}  // namespace

DatasetShape read_shape(const std::filesystem::path& path, const LoadOptions& options) {
  std::error_code absent;
  if (!std::filesystem::exists(path, absent)) return shape_of_loaded(path, options);
  DatasetShape shape;
  detail::Parsed parsed;
  std::vector<std::string> node_names;
  switch (detect_format(path)) {
    case FileFormat::npz: {
      const NpzReader reader(path);
      npz_shape(reader, options, shape);
      parsed = detail::parse_npz_labels(reader, options);
      if (shape.kind == DatasetKind::graph) {
        node_names = detail::read_node_names(reader, shape.samples);
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
      CsvReader reader(path, options.labels);
      std::vector<std::string> cells;
      shape.samples = reader.skip_rows(cells);
      shape.features = reader.features();
      shape.reading =
          csv_memory(shape.samples * shape.features, shape.samples) + header_memory(path);
      parsed.has_labels = !reader.label_columns().empty();
      parsed.candidates = reader.column_names();
      parsed.notes = reader.notes();
      if (parsed.has_labels) {
        detail::take_label_columns(cells, reader.label_columns(), options.task, path, parsed);
      }
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
  Dataset rest = detail::assemble(std::move(parsed), options, path.stem().string(), path.string());
  if (rest.features) {
    shape.features = rest.features->cols();
    if (rest.features->sparse) shape.feature_entries = rest.features->sparse->entries();
  }
  shape.labels = std::move(rest.labels);
  shape.name = std::move(rest.name);
  shape.notes = std::move(rest.notes);
  return shape;
}

std::uint64_t streaming_memory(const std::filesystem::path& path) {
  std::error_code absent;
  if (!std::filesystem::exists(path, absent) || detect_format(path) != FileFormat::csv) return 0;
  return header_memory(path);
}

std::uint64_t reading_memory(const std::filesystem::path& path, const LoadOptions& options) {
  std::error_code absent;
  if (!std::filesystem::exists(path, absent)) return 0;
  DatasetShape shape;
  switch (detect_format(path)) {
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
      return csv_memory(csv_fields(path), 0) + header_memory(path);
    case FileFormat::edge_list:
      // Lines of a dozen bytes or more become sorted triplets, then rows, in both directions.
      return 8 * file_bytes(path);
    case FileFormat::svmlight:
      return 4 * file_bytes(path);
  }
  return shape.reading + bytes(shape.samples, kLabelBytes);
}

}  // namespace stkr
