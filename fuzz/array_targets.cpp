#include "dataset/dataset_shape.hpp"
#include "dataset/label_array.hpp"
#include "dataset/new_edges.hpp"
#include "dataset/point_stream.hpp"
#include "format/npz.hpp"
#include "stkr/dataset/load_dataset.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "stkr/model/model.hpp"
#include "target.hpp"

namespace stkr::fuzz {
namespace {

using Path = std::filesystem::path;

// An array can be read only once, so it is opened again for each way of reading.
template <class Open>
void every_way(const Path& path, const Open& open) {
  read_file(path, [&](const Path&) { open().as_matrix(); });
  read_file(path, [&](const Path&) { open().as_float_matrix(); });
  read_file(path, [&](const Path&) { open().as_integers(); });
  read_file(path, [&](const Path&) { open().as_strings(); });
  read_file(path, [&](const Path&) {
    NpyArray array = open();
    while (array.next_rows(3).rows() > 0) {
    }
  });
  for (const Task task : {Task::automatic, Task::classification, Task::regression}) {
    read_file(path, [&](const Path&) { labels_from_array(open(), task); });
  }
}

void every_dataset(const Path& path) {
  for (const auto kind : {DatasetKind::points, DatasetKind::graph, DatasetKind::kernel}) {
    LoadOptions options;
    options.kind = kind;
    options.symmetrize = true;
    options.node_features = true;
    options.most_dense_bytes = 1 << 24;
    read_file(path, [&](const Path& file) {
      const Dataset dataset = load_dataset(file, options);
      write_and_read(dataset, file.extension().string());
    });
    read_file(path, [&](const Path& file) { read_shape(file, options); });
    options.labels = "classes";
    options.labeled = "labeled_10[0]";
    read_file(path, [&](const Path& file) { load_dataset(file, options); });
  }
  read_file(path, [](const Path& file) { load_dataset(file); });
  read_file(path, [](const Path& file) {
    const auto points = open_points(file);
    while (rows_of(points->next(2)) > 0) {
    }
  });
}

}  // namespace

void run_npy(Bytes input) {
  const Path path = scratch_file("input.npy", input);
  every_way(path, [&] { return open_npy(path); });
  every_dataset(path);
}

void run_npz(Bytes input) {
  const Path path = scratch_file("input.npz", input);
  read_file(path, [](const Path& file) {
    const NpzReader reader(file);
    for (const NpzMember& member : reader.members()) {
      if (member.header) {
        every_way(file, [&] { return reader.array(member.name); });
      } else {
        read_file(file, [&](const Path&) { reader.text(member.name); });
      }
    }
  });
  every_dataset(path);
  read_file(path, [](const Path& file) {
    const auto edges = open_new_edges(file, 12);
    while (edges->next(2).rows > 0) {
    }
  });
}

void run_split(Bytes input) {
  const Path path = scratch_file("input.npz", input);
  for (const Index size : {1, 12, 60}) {
    read_file(path, [size](const Path& file) { load_split(file, size); });
  }
}

void run_model(Bytes input) {
  read_file(scratch_file("input.npz", input), [](const Path& file) {
    const Model model = Model::load(file, 1);
    model.predict();
    try {
      // A model without samples may have any number of features.
      if (const auto features = model.features(); features && *features < 10'000) {
        model.predict(NewSamples{Matrix::Constant(2, *features, 0.5)});
      }
      for (const Index columns : {model.features().value_or(model.size()), model.size()}) {
        model.predict(NewSamples{CsrMatrix{1, columns, {0, 1}, {0}, {1.0}}});
      }
    } catch (const Error&) {
      // The model expects other samples.
    }
    // A model that was read can be written and read back unchanged.
    const Path again = scratch_file("again.npz", {});
    model.save(again);
    if (Model::load(again, 1).fitted() != model.fitted()) std::abort();
  });
}

}  // namespace stkr::fuzz
