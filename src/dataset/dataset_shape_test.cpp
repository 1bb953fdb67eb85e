#include "dataset/dataset_shape.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/save_dataset.hpp"
#include "format/npy.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::dataset_shape_test {
namespace {

using testing::TemporaryFolder;

// The shape of a file equals that of the data set in it.
void expect_shape_of(const std::filesystem::path& path, const LoadOptions& options = {}) {
  SCOPED_TRACE(path.string());
  const Dataset dataset = load_dataset(path, options);
  const DatasetShape shape = read_shape(path, options);
  EXPECT_EQ(shape.kind, dataset.kind());
  EXPECT_EQ(shape.samples, dataset.size());
  EXPECT_EQ(shape.name, dataset.name);
  EXPECT_EQ(labeled_indices(shape.labels), labeled_indices(dataset.labels));
  EXPECT_EQ(shape.labels.index(), dataset.labels.index());
  EXPECT_EQ(shape.notes, dataset.notes);
  const bool shipped = !std::filesystem::exists(path);
  if (dataset.kind() == DatasetKind::points) {
    EXPECT_EQ(shape.features, dataset.points().values.cols());
    if (!shipped) {
      EXPECT_GE(reading_memory(path, options), 8u * dataset.points().values.dense().size());
    }
  }
  if (dataset.kind() == DatasetKind::graph) {
    EXPECT_EQ(shape.entries, dataset.graph().adjacency.entries());
    if (!shipped) {
      EXPECT_GE(reading_memory(path, options), 12u * shape.entries);
    }
  }
}

Dataset partly_labeled(Dataset dataset) {
  if (auto* classes = std::get_if<ClassLabels>(&dataset.labels)) {
    keep_only(dataset.labels, labeled_per_class(*classes, 3, 1));
  }
  return dataset;
}

TEST(DatasetShape, TakesLabelsByTheNamesOfNodes) {
  const TemporaryFolder folder;
  Dataset blocks = stochastic_block_model(std::vector<Index>{2, 2}, 1.0, 1.0, 1);
  std::get<Graph>(blocks.samples).node_names = {"anna", "bert", "carl", "dora"};
  save_dataset(folder / "g.npz", blocks);
  const auto labels = folder.write("l.csv", "node,label\ndora,x\nbert,y\n").string();
  expect_shape_of(folder / "g.npz", {.labels = labels});
}

TEST(DatasetShape, IsThatOfTheDataInEveryFormat) {
  const TemporaryFolder folder;
  const Dataset moons = partly_labeled(two_moons(40, 0.1, 1));
  for (const char* name : {"m.npz", "m.csv", "m.svmlight"}) {
    save_dataset(folder / name, moons);
    expect_shape_of(folder / name);
  }
  save_dataset(folder / "roll.csv", swiss_roll(30, 0.1, 1));
  expect_shape_of(folder / "roll.csv");
  save_npy(folder / "m.npy", moons.points().values.matrix());
  folder.write("l.txt", std::string(20, '\n') + "a\nb\n" + std::string(18, '\n'));
  expect_shape_of(folder / "m.npy", {.labels = (folder / "l.txt").string()});
  const Dataset blocks =
      partly_labeled(stochastic_block_model(std::vector<Index>{20, 20}, 0.4, 0.1, 1));
  for (const char* name : {"b.npz", "b.mtx", "b.tsv"}) {
    save_dataset(folder / name, blocks);
    expect_shape_of(folder / name);
  }
  expect_shape_of("karate");
  expect_shape_of("digits");
}

TEST(DatasetShape, QuotedLineEndsAndBlankLinesAreNoRows) {
  const TemporaryFolder folder;
  expect_shape_of(folder.write("q.csv", "a,b,label\n1,2,\"x\ny\"\n\n3,4,z\n5,6,\n"));
  expect_shape_of(folder.write("n.csv", "1,2\n3,4\n5,6"));
}

TEST(DatasetShape, CountsTheFeaturesOfCategories) {
  const TemporaryFolder folder;
  std::string text = "id,color,big,x,label\n";
  for (int i = 0; i < 3000; ++i) {
    text += fmt::format("n{},c{},{},{},{}\n", i, i % 40, i % 2 ? "true" : "FALSE", i, i % 3);
  }
  const auto path = folder.write("c.csv", text);
  expect_shape_of(path);
  EXPECT_EQ(read_shape(path).features, 42);
  EXPECT_GE(read_shape(path).reading, 8u * 42 * 3000);
  expect_shape_of(path, {.drop = {"color"}, .standardize = true});
}

TEST(DatasetShape, ExplainsWhatIsMissing) {
  const TemporaryFolder folder;
  EXPECT_THROW(read_shape(folder / "absent.npz"), DataError);
  EXPECT_THROW(read_shape(folder.write("e.csv", "a,b\n")), DataError);
  EXPECT_THROW(read_shape(folder.write("m.csv", "a,b\n1,2\n"), {.labels = "kind"}), DataError);
  EXPECT_EQ(reading_memory(folder / "absent.npz"), 0u);
}

TEST(DatasetShape, CountsTheEntriesOfSparsePoints) {
  const TemporaryFolder folder;
  Dataset data;
  data.samples =
      points_from_sparse({4, 1000, {0, 1, 1, 3, 4}, {2, 0, 999, 7}, {0.5, 1.0, -2.0, 3.0}}, {});
  for (const char* name : {"a.npz", "a.svmlight", "a.mtx"}) {
    SCOPED_TRACE(name);
    save_dataset(folder / name, data);
    const DatasetShape shape = read_shape(folder / name, {.kind = DatasetKind::points});
    EXPECT_EQ(shape.samples, 4);
    EXPECT_EQ(shape.features, 1000);
    EXPECT_EQ(shape.feature_entries, 4);
    EXPECT_LT(shape.reading, 8u * 4 * 1000);
  }
}

}  // namespace
}  // namespace stkr::dataset_shape_test
