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
  while (points->next(2).rows() > 0) {
  }
}

void stream_edges(const Path& path) {
  const auto edges = open_new_edges(path, 12);
  while (edges->next(2).rows > 0) {
  }
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
    CsvReader reader(file, "a,b");
    std::vector<std::string> labels;
    reader.next_rows(1, &labels);
    reader.skip_rows(labels);
  });
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

void run_svmlight(Bytes input) {
  const Path path = scratch_file("input.svmlight", input);
  read_file(path, [](const Path& file) { load_svmlight(file); });
  read_file(path, load_as<DatasetKind::points>);
  read_file(path, shape);
  read_file(path, stream_points);
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
