#include <cstdlib>

#include "dataset/column_table.hpp"
#include "dataset/csv.hpp"
#include "dataset/dataset_shape.hpp"
#include "dataset/edge_list.hpp"
#include "dataset/new_edges.hpp"
#include "dataset/point_stream.hpp"
#include "dataset/svmlight.hpp"
#include "format/matrix_market.hpp"
#include "stkr/dataset/load_dataset.hpp"
#include "target.hpp"

namespace stkr::fuzz {
namespace {

using Path = std::filesystem::path;

// Limit for sparse points stored densely; more would only take time.
constexpr std::uint64_t kMostDense = 1 << 24;

// Reads a file like the command, as the given kind.
template <DatasetKind kind>
void load_as(const Path& path) {
  LoadOptions options;
  options.kind = kind;
  options.symmetrize = true;
  options.most_dense_bytes = kMostDense;
  const Dataset dataset = load_dataset(path, options);
  write_and_read(dataset, path.extension().string());
}

void stream_points(const Path& path) {
  LoadOptions options;
  options.features = 3;
  options.most_dense_bytes = kMostDense;
  const auto points = open_points(path, options);
  while (rows_of(points->next(2)) > 0) {
  }
}

void stream_edges(const Path& path) {
  const auto edges = open_new_edges(path, 12);
  while (edges->next(2).rows > 0) {
  }
}

// Reads a table with every option that changes cells, and again as new samples of a model.
void encoded_table(const Path& path) {
  LoadOptions options;
  options.kind = DatasetKind::points;
  options.missing = {"NA", "-999", "?"};
  options.impute = true;
  options.standardize = true;
  options.most_dense_bytes = kMostDense;
  const Dataset dataset = load_dataset(path, options);
  if (!dataset.points().values.matrix().allFinite()) std::abort();
  LoadOptions again;
  again.encoding = &*dataset.encoding;
  const auto stream = open_points(path, again);
  Index rows = 0;
  for (Index read = rows_of(stream->next(2)); read > 0; read = rows_of(stream->next(2))) {
    rows += read;
  }
  if (rows != dataset.size() || !stream->warnings().empty()) std::abort();
}

Path text_file(const char* name, std::string_view text) {
  return scratch_file(name, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

void shape(const Path& path) {
  LoadOptions options;
  options.most_dense_bytes = kMostDense;
  read_shape(path, options);
}

}  // namespace

void run_csv(Bytes input) {
  const Path path = scratch_file("input.csv", input);
  read_file(path, [](const Path& file) { load_csv(file); });
  read_file(path, [](const Path& file) {
    LoadOptions options;
    options.labels = "a,b";
    CsvReader reader(file, options);
    std::vector<std::string> labels, ids;
    while (reader.next_rows(1, &labels, &ids).rows() > 0) {
    }
  });
  read_file(path, encoded_table);
  read_file(path, load_as<DatasetKind::points>);
  read_file(path, load_as<DatasetKind::graph>);
  read_file(path, shape);
  read_file(path, stream_points);
}

void run_edge_list(Bytes input) {
  const Path path = scratch_file("input.tsv", input);
  read_file(path, [](const Path& file) { load_edge_list(file); });
  read_file(path, load_as<DatasetKind::graph>);
  read_file(path, shape);
  read_file(path, stream_edges);
  read_file(path, [](const Path& file) {
    NewEdgeOptions options;
    options.held = 2;  // so few that the order matters
    load_new_edges(file, 12, options);
  });
  read_file(path, [](const Path& file) {
    const std::vector<std::string> names{"a", "b", "0"};
    NewEdgeOptions options;
    options.known_names = names;
    load_new_edges(file, 3, options);
  });
}

void run_matrix_market(Bytes input) {
  const Path path = scratch_file("input.mtx", input);
  read_file(path, [](const Path& file) { load_matrix_market(file); });
  read_file(path, load_as<DatasetKind::points>);
  read_file(path, load_as<DatasetKind::graph>);
  read_file(path, load_as<DatasetKind::kernel>);
  read_file(path, shape);
  read_file(path, stream_points);
  read_file(path, stream_edges);
}

// Predictions, as stkr score reads them.
void run_answers(Bytes input) {
  for (const char* name : {"answers.jsonl", "answers.csv", "answers.npz"}) {
    read_file(scratch_file(name, input), [](const Path& file) { load_columns(file); });
  }
}

void run_svmlight(Bytes input) {
  const Path path = scratch_file("input.svmlight", input);
  read_file(path, [](const Path& file) { load_svmlight(file); });
  read_file(path, load_as<DatasetKind::points>);
  read_file(path, shape);
  read_file(path, stream_points);
}

void run_graphml(Bytes input) {
  const Path path = scratch_file("input.graphml", input);
  for (const DuplicateEdges duplicates :
       {DuplicateEdges::largest, DuplicateEdges::sum, DuplicateEdges::error}) {
    LoadOptions options;
    options.symmetrize = duplicates != DuplicateEdges::error;
    options.duplicates = duplicates;
    options.labels = duplicates == DuplicateEdges::sum ? "name" : "";
    read_file(path,
              [options](const Path& file) { write_and_read(load_dataset(file, options), ".npz"); });
  }
  read_file(path, [](const Path& file) {
    LoadOptions options;
    options.features_file = "weight,x";
    load_dataset(file, options);
  });
  read_file(path, shape);
}

// Text of several formats, compressed.
void run_gzip(Bytes input) {
  for (const char* name :
       {"input.tsv.gz", "input.csv.gz", "input.svmlight.gz", "input.graphml.gz"}) {
    const Path path = scratch_file(name, input);
    read_file(path, [](const Path& file) { load_dataset(file); });
    read_file(path, shape);
  }
}

// Only for files that are kept: random bytes would mostly test libhdf5.
void run_h5ad(Bytes input) {
  const Path path = scratch_file("input.h5ad", input);
  read_file(path, load_as<DatasetKind::graph>);
  read_file(path, load_as<DatasetKind::points>);
  read_file(path, shape);
  read_file(path, stream_points);
  for (const char* column : {"cell_type", "text", "number", "counts", "flag"}) {
    read_file(path, [column](const Path& file) {
      LoadOptions options;
      options.labels = column;
      load_dataset(file, options);
    });
  }
}

// Labels and indices of labeled samples in separate files, for a graph with five named nodes.
void run_labels(Bytes input) {
  static const Path graph = text_file("graph.tsv", "a\tb\nb\tc\nc\td\nd\te\n");
  static const Path known_labels = text_file("labels.txt", "0\n1\n0\n1\n0\n");
  const auto beside = [](const Path& path) {
    for (const Task task : {Task::automatic, Task::classification, Task::regression}) {
      LoadOptions options;
      options.labels = path.string();
      options.task = task;
      read_file(path, [options](const Path&) { load_dataset(graph, options); });
    }
    LoadOptions options;
    options.labels = known_labels.string();
    options.labeled = path.string();
    read_file(path, [options](const Path&) { load_dataset(graph, options); });
    options.labeled += "[1]";
    read_file(path, [options](const Path&) { load_dataset(graph, options); });
  };
  beside(scratch_file("input.txt", input));
  beside(scratch_file("input.csv", input));
}

}  // namespace stkr::fuzz
