#include "dataset/save_dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <utility>

#include "dataset/csv.hpp"
#include "dataset/edge_list.hpp"
#include "dataset/svmlight.hpp"
#include "format/atomic_file.hpp"
#include "format/file_format.hpp"
#include "format/matrix_market.hpp"
#include "format/npz.hpp"
#include "format/number_text.hpp"
#include "format/utf8.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

[[noreturn]] void cannot_hold(const std::filesystem::path& path, const Dataset& dataset) {
  throw ValueError(fmt::format("{}: this format cannot store data of kind {}; use .npz instead",
                               path.string(), kind_name(dataset.kind())));
}

// Throws ValueError if zeros would make the file far larger than the sparse points.
void check_dense(const std::filesystem::path& path, const FeatureMatrix& values) {
  constexpr double kAlwaysFine = 1e6, kMostPerEntry = 2000.0;
  const double count = static_cast<double>(values.rows()) * static_cast<double>(values.cols());
  if (!values.sparse() || count <= kAlwaysFine ||
      count <= kMostPerEntry * static_cast<double>(values.sparse()->entries())) {
    return;
  }
  throw ValueError(fmt::format(
      "{}: this format stores every zero, {:.3g} values in all; use .npz, .svmlight or .mtx, which "
      "keep the points sparse",
      path.string(), count));
}

bool has_class_minus_one(const Labels& labels) {
  const auto* classes = std::get_if<ClassLabels>(&labels);
  return classes != nullptr &&
         std::find(classes->names.begin(), classes->names.end(), "-1") != classes->names.end();
}

// A note on targets of which no text says that they are not classes.
void note_whole_targets(const Labels& labels, std::vector<std::string>& notes) {
  const auto* targets = std::get_if<TargetValues>(&labels);
  if (targets == nullptr || targets->values.cols() != 1) return;
  const auto reads_as_class = [](double value) {
    return std::isnan(value) || detail::whole(value);
  };
  const double* values = targets->values.data();
  if (labeled_indices(labels).empty() ||
      !std::all_of(values, values + targets->values.size(), reads_as_class)) {
    return;
  }
  notes.emplace_back(
      "the targets are whole numbers, which are read as classes without --task regression; .npz "
      "keeps them as targets");
}

// Arrays that NpzWriter refers to until it has written them.
struct LabelArrays {
  std::vector<std::int64_t> integers;
  std::vector<std::string> texts;
  std::vector<std::int64_t> labeled;
};

void add_labels(const Dataset& dataset, LabelArrays& arrays, NpzWriter& writer) {
  const Labels& all =
      std::holds_alternative<std::monostate>(dataset.truth) ? dataset.labels : dataset.truth;
  const std::vector<Index> seen = labeled_indices(dataset.labels);
  const std::vector<Index> known = labeled_indices(all);
  const auto* classes = std::get_if<ClassLabels>(&all);
  bool index = seen != known;
  if (classes != nullptr) {
    // An explicit index prevents -1 from being read as unlabeled.
    index = index || has_class_minus_one(all);
    const bool integers = std::all_of(
        classes->names.begin(), classes->names.end(),
        [](const std::string& name) { return detail::parse_integer(name).has_value(); });
    const bool missing = known.size() < classes->code.size();
    if (integers && !(missing && index)) {
      for (const std::int32_t code : classes->code) {
        arrays.integers.push_back(
            code == kUnlabeled
                ? -1
                : *detail::parse_integer(classes->names[static_cast<std::size_t>(code)]));
      }
      writer.add("labels", arrays.integers);
    } else {
      for (const std::int32_t code : classes->code) {
        arrays.texts.push_back(code == kUnlabeled ? ""
                                                  : classes->names[static_cast<std::size_t>(code)]);
      }
      writer.add_strings("labels", arrays.texts);
    }
  } else if (const auto* targets = std::get_if<TargetValues>(&all)) {
    writer.add("labels", targets->values);
    writer.add_strings("target_names", targets->names);
  } else {
    return;
  }
  if (index) {
    arrays.labeled.assign(seen.begin(), seen.end());
    writer.add("labeled", arrays.labeled);
  }
}

// `shape` must live until the file is written.
void add_points(const Points& points, std::vector<std::int64_t>& shape, NpzWriter& writer) {
  if (const auto& sparse = points.values.sparse()) {
    shape = {sparse->rows, sparse->cols};
    writer.add("X_data", sparse->value);
    writer.add("X_indices", sparse->column);
    writer.add("X_indptr", sparse->row_start);
    writer.add("X_shape", shape);
  } else {
    writer.add("X", points.values.dense());
  }
  if (!points.feature_names.empty()) writer.add_strings("feature_names", points.feature_names);
}

// Everything but the samples themselves, or the adjacency matrix of a graph.
class RestOfArchive {
 public:
  RestOfArchive(const Dataset& dataset, NpzWriter& writer) {
    if (const auto* graph = std::get_if<Graph>(&dataset.samples)) {
      if (!graph->node_names.empty()) writer.add_strings("node_names", graph->node_names);
      if (dataset.features) add_points(*dataset.features, features_shape_, writer);
    }
    const std::vector<std::string> id_column{dataset.id_column};
    if (!dataset.ids.empty()) {
      writer.add_strings("sample_names", dataset.ids);
      writer.add_strings("id_column", id_column);
    }
    add_labels(dataset, arrays_, writer);
  }

 private:
  // Referred to until the file is written.
  LabelArrays arrays_;
  std::vector<std::int64_t> features_shape_;
};

void write_npz(const NpzWriter& writer, const std::filesystem::path& path) {
  // Deflate takes minutes for gigabytes of indices, and so does reading them back.
  constexpr std::uint64_t kMostDeflated = std::uint64_t{1} << 26;
  writer.write(path, {.deflate = writer.data_bytes() <= kMostDeflated});
}

void save_npz(const std::filesystem::path& path, const Dataset& dataset) {
  NpzWriter writer;
  std::vector<std::int64_t> shape;
  if (const auto* points = std::get_if<Points>(&dataset.samples)) {
    add_points(*points, shape, writer);
  } else if (const auto* graph = std::get_if<Graph>(&dataset.samples)) {
    const CsrMatrix& matrix = graph->adjacency;
    shape = {matrix.rows, matrix.cols};
    writer.add("adj_data", matrix.value);
    writer.add("adj_indices", matrix.column);
    writer.add("adj_indptr", matrix.row_start);
    writer.add("adj_shape", shape);
  } else {
    writer.add("K", std::get<PrecomputedKernel>(dataset.samples).values);
  }
  const RestOfArchive rest(dataset, writer);
  write_npz(writer, path);
}

// Throws ValueError, starting with the path, for class names that would not be read as one line.
std::string one_label_a_line(const Labels& labels, const std::filesystem::path& path) {
  using namespace std::string_view_literals;
  if (const auto* classes = std::get_if<ClassLabels>(&labels)) {
    for (const std::string& name : classes->names) {
      if (name.find_first_of("\r\n\0"sv) == std::string::npos) continue;
      throw ValueError(fmt::format("{}: a line cannot store the class name '{}'; use .npz",
                                   path.string(), printable(name)));
    }
  }
  std::string text;
  const auto* targets = std::get_if<TargetValues>(&labels);
  for (Index i = 0; i < sample_count(labels); ++i) {
    if (targets != nullptr) {
      const double value = targets->values(i, 0);
      if (!std::isnan(value)) text += detail::target_text(value);
    } else {
      const auto& classes = std::get<ClassLabels>(labels);
      const std::int32_t code = classes.code[static_cast<std::size_t>(i)];
      if (code != kUnlabeled) text += classes.names[static_cast<std::size_t>(code)];
    }
    text += "\n";
  }
  return text;
}

bool holds(const std::filesystem::path& file, const std::string& text) {
  std::error_code error;
  if (std::filesystem::file_size(file, error) != text.size() || error) return false;
  std::ifstream in(file, std::ios::binary);
  std::string found(text.size(), '\0');
  return in.read(found.data(), static_cast<std::streamsize>(found.size())) && found == text;
}

// The label file for a format that cannot store labels. The user did not name this file, so an
// existing file with other content is not replaced; this is checked before anything is written.
class LabelsBeside {
 public:
  LabelsBeside(const std::filesystem::path& path, const Labels& labels)
      : path_(path), labels_(labels) {
    path_.replace_extension(".labels.txt");
    const auto* targets = std::get_if<TargetValues>(&labels);
    several_ = targets != nullptr && targets->values.cols() != 1;
    if (several_ || std::holds_alternative<std::monostate>(labels)) return;
    stream_ = is_stream(path);
    if (stream_) return;
    text_ = one_label_a_line(labels, path_);
    std::error_code absent;
    if (!std::filesystem::exists(path_, absent) || holds(path_, *text_)) return;
    throw WriteError(
        fmt::format("{0}: cannot write: its labels go to {1}, which exists with other content; "
                    "move {1} away, or give another name",
                    path.string(), path_.string()));
  }

  void save(std::vector<std::string>& notes) const {
    if (several_) {
      notes.push_back(
          "the targets are omitted, because there are several per sample; use .npz to keep them");
    }
    if (stream_) notes.emplace_back("the labels are omitted; a file has them beside it");
    if (!text_) return;
    write_atomically(path_, [&](FileSink& sink) { sink.write(*text_); });
    notes.push_back(fmt::format("the labels are in {}; pass that path as the labels when loading",
                                path_.string()));
    note_whole_targets(labels_, notes);
  }

 private:
  std::filesystem::path path_;
  const Labels& labels_;
  std::optional<std::string> text_;
  bool several_ = false;
  bool stream_ = false;
};

void save_dense_or_graph(const std::filesystem::path& path, const Dataset& dataset, bool npy) {
  if (const auto* graph = std::get_if<Graph>(&dataset.samples)) {
    if (npy) cannot_hold(path, dataset);
    return save_matrix_market(path, graph->adjacency);
  }
  const auto* points = std::get_if<Points>(&dataset.samples);
  if (points != nullptr && points->values.sparse()) {
    if (!npy) return save_matrix_market(path, *points->values.sparse());
    check_dense(path, points->values);
  }
  const Matrix values = points != nullptr
                            ? points->values.matrix()
                            : std::get<PrecomputedKernel>(dataset.samples).values.matrix();
  npy ? save_npy(path, values) : save_matrix_market(path, values);
}

void note_lost_names(const Dataset& dataset, std::vector<std::string>& notes) {
  const auto* points = std::get_if<Points>(&dataset.samples);
  const auto* graph = std::get_if<Graph>(&dataset.samples);
  if (points != nullptr && !points->feature_names.empty()) {
    notes.emplace_back("the feature names are omitted");
  }
  if (graph != nullptr && !graph->node_names.empty()) {
    notes.emplace_back("the node names are omitted");
  }
  if (!dataset.ids.empty()) notes.emplace_back("the ids of samples are omitted");
}

}  // namespace

void save_samples(const std::filesystem::path& path, const Dataset& dataset) {
  NpzWriter writer;
  const RestOfArchive rest(dataset, writer);
  if (!writer.empty()) write_npz(writer, path);
}

void save_streamed_graph(const std::filesystem::path& path, const Dataset& dataset,
                         StreamedMatrix matrix) {
  NpzWriter writer;
  const std::vector<std::int64_t> shape{matrix.nodes, matrix.nodes};
  const std::vector<Index> each{matrix.entries};
  writer.add_stream("adj_data", npy_descr<double>(), each, std::move(matrix.value));
  writer.add_stream("adj_indices", npy_descr<std::int32_t>(), each, std::move(matrix.column));
  writer.add_stream("adj_indptr", npy_descr<std::int64_t>(), {matrix.nodes + 1},
                    std::move(matrix.row_start));
  writer.add("adj_shape", shape);
  const RestOfArchive rest(dataset, writer);
  write_npz(writer, path);
}

std::vector<std::string> save_dataset(const std::filesystem::path& path, const Dataset& dataset,
                                      const std::string& given) {
  const FileFormat format = given.empty() ? format_for_writing(path) : format_from_name(given);
  std::vector<std::string> notes;
  const auto* points = std::get_if<Points>(&dataset.samples);
  const auto* graph = std::get_if<Graph>(&dataset.samples);
  switch (format) {
    case FileFormat::npz:
      save_npz(path, dataset);
      return notes;
    case FileFormat::npy:
    case FileFormat::matrix_market: {
      const LabelsBeside labels(path, dataset.labels);
      save_dense_or_graph(path, dataset, format == FileFormat::npy);
      note_lost_names(dataset, notes);
      labels.save(notes);
      break;
    }
    case FileFormat::edge_list: {
      if (graph == nullptr) cannot_hold(path, dataset);
      if (graph->adjacency.entries() == 0) {
        throw ValueError(fmt::format(
            "{}: the graph has no edges, and an edge list consists of edges; write .npz instead",
            path.string()));
      }
      const LabelsBeside labels(path, dataset.labels);
      if (const Index lost = save_edge_list(path, *graph); lost > 0) {
        notes.push_back(fmt::format("{} nodes without edges are omitted", lost));
      }
      labels.save(notes);
      break;
    }
    case FileFormat::csv:
      if (points == nullptr) cannot_hold(path, dataset);
      check_dense(path, points->values);
      notes = save_csv(path, *points, dataset.labels, dataset.ids, dataset.id_column);
      note_whole_targets(dataset.labels, notes);
      break;
    case FileFormat::svmlight:
      if (points == nullptr) cannot_hold(path, dataset);
      save_svmlight(path, points->values, dataset.labels);
      note_whole_targets(dataset.labels, notes);
      note_lost_names(dataset, notes);
      break;
    case FileFormat::graphml:
    case FileFormat::h5ad:
    case FileFormat::parts:
    case FileFormat::petsc:
      throw ValueError(fmt::format("{}: stkr reads {} but does not write data sets to it; use .npz",
                                   path.string(), format_name(format)));
  }
  if (dataset.features) {
    notes.emplace_back("the node features are omitted; .npz keeps them");
  }
  if (has_class_minus_one(dataset.labels)) {
    notes.emplace_back(
        "class -1 will be read as unlabeled; to keep it, use minus_one_is_unlabeled = false or "
        ".npz");
  }
  if (labeled_indices(dataset.labels) != labeled_indices(dataset.truth)) {
    notes.emplace_back("hidden labels are omitted; .npz keeps them");
  }
  return notes;
}

}  // namespace stkr
