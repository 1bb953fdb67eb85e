#include "dataset/save_dataset.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/load_dataset.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::save_dataset_test {
namespace {

using ::testing::Contains;
using testing::content_of;
using ::testing::ElementsAre;
using testing::FullDisk;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::message_of;
using ::testing::Not;
using testing::TemporaryFolder;

Dataset partly_labeled(Dataset dataset) {
  keep_only(dataset.labels, std::vector<Index>{0, 3, 5});
  return dataset;
}

TEST(SaveDataset, NpzKeepsEverythingOfPoints) {
  const TemporaryFolder folder;
  const Dataset data = partly_labeled(two_moons(12, 0.1, 1));
  EXPECT_THAT(save_dataset(folder / "a.npz", data), IsEmpty());
  const Dataset loaded = load_dataset(folder / "a.npz");
  EXPECT_EQ(loaded.points().values, data.points().values);
  EXPECT_EQ(loaded.points().feature_names, data.points().feature_names);
  EXPECT_EQ(std::get<ClassLabels>(loaded.labels), std::get<ClassLabels>(data.labels));
  EXPECT_EQ(std::get<ClassLabels>(loaded.truth), std::get<ClassLabels>(data.truth));
}

TEST(SaveDataset, KeepsIdsOfSamples) {
  const TemporaryFolder folder;
  Dataset data = two_moons(3, 0.1, 1);
  data.ids = {"7", "anna", "7"};
  data.id_column = "patient, id";
  EXPECT_THAT(save_dataset(folder / "a.npz", data), IsEmpty());
  const Dataset loaded = load_dataset(folder / "a.npz");
  EXPECT_EQ(loaded.sample_names(), data.ids);
  EXPECT_EQ(loaded.sample_name_column(), "patient, id");
  EXPECT_THAT(subset(loaded, std::vector<Index>{1}).sample_names(), ElementsAre("anna"));
  EXPECT_THAT(save_dataset(folder / "a.mtx", data), Contains(HasSubstr("ids of samples")));
  data.ids.pop_back();
  save_dataset(folder / "a.npz", data);
  EXPECT_THAT(message_of<DataError>([&] { load_dataset(folder / "a.npz"); }),
              HasSubstr("names for 2 samples, but there are 3"));
}

TEST(SaveDataset, NpzKeepsEverythingOfAGraph) {
  const TemporaryFolder folder;
  Dataset data = partly_labeled(load_shipped("karate"));
  std::vector<std::string> names;
  for (Index i = 0; i < data.size(); ++i) names.push_back("member " + std::to_string(i));
  std::get<Graph>(data.samples).node_names = names;
  EXPECT_THAT(save_dataset(folder / "a.npz", data), IsEmpty());
  const Dataset loaded = load_dataset(folder / "a.npz");
  EXPECT_EQ(loaded.graph().adjacency.column, data.graph().adjacency.column);
  EXPECT_EQ(loaded.graph().adjacency.value, data.graph().adjacency.value);
  EXPECT_EQ(loaded.sample_names(), names);
  EXPECT_EQ(loaded.sample_name_column(), "node");
  EXPECT_EQ(std::get<ClassLabels>(loaded.labels), std::get<ClassLabels>(data.labels));
}

TEST(SaveDataset, NpzKeepsTheFeaturesOfNodes) {
  const TemporaryFolder folder;
  Dataset data = attributed_block_model(std::vector<Index>{5, 4}, 0.8, 0.2, 3, 0.1, 1);
  data.features->feature_names = {"a", "b", "c"};
  EXPECT_THAT(save_dataset(folder / "a.npz", data), IsEmpty());
  const Dataset loaded = load_dataset(folder / "a.npz", {.node_features = true});
  EXPECT_EQ(loaded.graph().adjacency.column, data.graph().adjacency.column);
  ASSERT_TRUE(loaded.features.has_value());
  EXPECT_EQ(loaded.features->values, data.features->values);
  EXPECT_EQ(loaded.features->feature_names, data.features->feature_names);
  EXPECT_THAT(save_dataset(folder / "a.mtx", data), Contains(HasSubstr("node features")));
}

TEST(SaveDataset, NpzKeepsSparseFeatures) {
  const TemporaryFolder folder;
  Dataset data = attributed_block_model(std::vector<Index>{2, 2}, 0.8, 0.2, 3, 0.1, 1);
  data.features =
      Points{.values = CsrMatrix{4, 3, {0, 1, 1, 3, 4}, {2, 0, 1, 0}, {0.5, 1.0, -2.0, 3.0}},
             .feature_names = {"a", "b", "c"}};
  save_dataset(folder / "a.npz", data);
  const Dataset loaded = load_dataset(folder / "a.npz", {.node_features = true});
  ASSERT_TRUE(loaded.features && loaded.features->values.sparse());
  EXPECT_EQ(loaded.features->values, data.features->values);
  EXPECT_EQ(loaded.features->feature_names, data.features->feature_names);
}

TEST(SaveDataset, NpzTellsClassMinusOneFromUnlabeled) {
  const TemporaryFolder folder;
  Dataset data = two_moons(4, 0.1, 1);
  data.labels = class_labels(std::vector<std::string>{"-1", "", "1", "-1"});
  data.truth = data.labels;
  save_dataset(folder / "a.npz", data);
  EXPECT_EQ(std::get<ClassLabels>(load_dataset(folder / "a.npz").labels),
            std::get<ClassLabels>(data.labels));
}

TEST(SaveDataset, NpzKeepsTargetsAndKernels) {
  const TemporaryFolder folder;
  Dataset data = swiss_roll(5, 0.0, 2);
  std::get<TargetValues>(data.labels).names = {"angle"};
  data.truth = data.labels;
  save_dataset(folder / "a.npz", data);
  const auto targets = std::get<TargetValues>(load_dataset(folder / "a.npz").labels);
  EXPECT_THAT(targets.names, ElementsAre("angle"));
  EXPECT_EQ(targets.values, std::get<TargetValues>(data.labels).values);
  data.samples = PrecomputedKernel{Matrix::Identity(5, 5)};
  for (const char* name : {"k.npz", "k.npy", "k.mtx"}) {
    save_dataset(folder / name, data);
    EXPECT_EQ(load_dataset(folder / name, {.kind = DatasetKind::kernel}).kernel().values,
              Matrix::Identity(5, 5));
  }
}

TEST(SaveDataset, WritesLabelsBesideFormatsWithoutThem) {
  const TemporaryFolder folder;
  const Dataset points = partly_labeled(two_moons(12, 0.1, 1));
  const Dataset graph = partly_labeled(load_shipped("karate"));
  for (const char* name : {"p.npy", "p.mtx", "g.mtx", "g.tsv"}) {
    const Dataset& data = name[0] == 'p' ? points : graph;
    const auto notes = save_dataset(folder / name, data);
    EXPECT_THAT(notes, ::testing::Contains(HasSubstr(".labels.txt")));
    EXPECT_THAT(notes, ::testing::Contains(HasSubstr("hidden labels")));
    const std::string labels = (folder / (std::string(1, name[0]) + ".labels.txt")).string();
    const Dataset loaded = load_dataset(folder / name, {.labels = labels});
    EXPECT_EQ(std::get<ClassLabels>(loaded.labels).code, std::get<ClassLabels>(data.labels).code);
    EXPECT_EQ(loaded.size(), data.size());
    if (name[0] == 'g') {
      EXPECT_EQ(loaded.graph().adjacency.column, data.graph().adjacency.column);
    } else {
      EXPECT_EQ(loaded.points().values, data.points().values);
    }
  }
}

TEST(SaveDataset, KeepsHugeTargetsBesideFormatsWithoutThem) {
  const TemporaryFolder folder;
  Dataset data = two_moons(3, 0.1, 1);
  const Matrix values = (Matrix(3, 1) << 1, NAN, 104893833081293980.0).finished();
  data.labels = TargetValues{.names = {"target"}, .values = values};
  save_dataset(folder / "a.npy", data);
  const std::string file = (folder / "a.labels.txt").string();
  const Labels labels = load_dataset(folder / "a.npy", {.labels = file}).labels;
  EXPECT_EQ(std::get<TargetValues>(labels).values(2, 0), 104893833081293980.0);
}

// No notation of whole numbers says whether they are classes.
TEST(SaveDataset, SaysThatWholeTargetsWillBeReadAsClasses) {
  const TemporaryFolder folder;
  Dataset data = two_moons(3, 0.1, 1);
  const auto notes = [&](const char* name, const Matrix& values) {
    data.labels = data.truth = TargetValues{.names = {"target"}, .values = values};
    std::filesystem::remove(folder / "a.labels.txt");
    return save_dataset(folder / name, data);
  };
  const Matrix whole = (Matrix(3, 1) << 1, NAN, 7).finished();
  const Matrix half = (Matrix(3, 1) << 1, NAN, 0.5).finished();
  const Matrix none = Matrix::Constant(3, 1, NAN);
  for (const char* name : {"a.csv", "a.svmlight", "a.npy", "a.mtx"}) {
    EXPECT_THAT(notes(name, whole), Contains(HasSubstr("--task regression"))) << name;
    EXPECT_THAT(notes(name, half), Not(Contains(HasSubstr("--task regression")))) << name;
    EXPECT_THAT(notes(name, none), Not(Contains(HasSubstr("--task regression")))) << name;
  }
  EXPECT_THAT(notes("a.npz", whole), Not(Contains(HasSubstr("--task regression"))));
  EXPECT_TRUE(std::holds_alternative<TargetValues>(load_dataset(folder / "a.npz").labels));
}

TEST(SaveDataset, RefusesClassNamesThatALineCannotHold) {
  const TemporaryFolder folder;
  Dataset data = two_moons(3, 0.1, 1);
  for (const std::string& name :
       {std::string("a\nb"), std::string("a\rb"), std::string("a\0b", 3)}) {
    data.labels = class_labels(std::vector<std::string>{"x", name, "x"});
    EXPECT_THAT(message_of<ValueError>([&] { save_dataset(folder / "a.npy", data); }),
                HasSubstr("a.labels.txt: a line cannot store the class name"));
    EXPECT_EQ(folder.file_count(), 0u);
  }
}

TEST(SaveDataset, ReplacesNoLabelsThatAreSomebodyElses) {
  const TemporaryFolder folder;
  const Dataset data = partly_labeled(two_moons(12, 0.1, 1));
  folder.write("a.labels.txt", "mine\n");
  const std::string message = message_of<WriteError>([&] { save_dataset(folder / "a.npy", data); });
  EXPECT_THAT(message, HasSubstr("a.labels.txt"));
  EXPECT_EQ(content_of(folder / "a.labels.txt"), "mine\n");
  EXPECT_EQ(folder.file_count(), 1u);  // no other file was written
  save_dataset(folder / "b.npy", data);
  save_dataset(folder / "b.npy", data);  // identical content may be replaced
}

TEST(SaveDataset, RefusesKindsAFormatCannotHold) {
  const TemporaryFolder folder;
  const Dataset graph = load_shipped("karate");
  const Dataset points = two_moons(4, 0.0, 1);
  EXPECT_THROW(save_dataset(folder / "a.npy", graph), ValueError);
  EXPECT_THROW(save_dataset(folder / "a.csv", graph), ValueError);
  EXPECT_THROW(save_dataset(folder / "a.svmlight", graph), ValueError);
  EXPECT_THROW(save_dataset(folder / "a.tsv", points), ValueError);
  EXPECT_THROW(save_dataset(folder / "a.xyz", points), ValueError);
  EXPECT_EQ(folder.file_count(), 0u);
}

// An edge list without lines could not be read again.
TEST(SaveDataset, RefusesAGraphWithoutEdgesAsAnEdgeList) {
  const TemporaryFolder folder;
  Dataset data;
  data.samples = Graph{CsrMatrix{2, 2, {0, 0, 0}, {}, {}}, {"a", "b"}};
  EXPECT_THAT(message_of<ValueError>([&] { save_dataset(folder / "a.tsv", data); }),
              HasSubstr("no edges"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.tsv"));
  EXPECT_NO_THROW(save_dataset(folder / "a.npz", data));
}

TEST(SaveDataset, LeavesTheOldFileWhenTheDiskIsFull) {
  const TemporaryFolder folder;
  const Dataset points = two_moons(1000, 0.1, 1);
  for (const char* name : {"a.npz", "a.npy", "a.csv", "a.svmlight", "a.mtx"}) {
    const auto path = folder.write(name, "old");
    {
      const FullDisk full(1000);
      EXPECT_THROW(save_dataset(path, points), WriteError) << name;
    }
    EXPECT_EQ(testing::content_of(path), "old");
  }
  EXPECT_EQ(folder.file_count(), 5u);
}

TEST(SaveDataset, KeepsSparsePointsSparse) {
  const TemporaryFolder folder;
  Dataset data;
  data.samples =
      points_from_sparse({4, 1000, {0, 1, 1, 3, 4}, {2, 0, 999, 7}, {0.5, 1.0, -2.0, 3.0}}, {});
  data.labels = data.truth = class_labels(std::vector<std::int64_t>{1, 2, 1, 2});
  ASSERT_TRUE(data.points().values.sparse());
  for (const char* name : {"a.npz", "a.svmlight", "a.mtx"}) {
    SCOPED_TRACE(name);
    save_dataset(folder / name, data);
    const Dataset loaded = load_dataset(folder / name, {.kind = DatasetKind::points});
    ASSERT_TRUE(loaded.points().values.sparse());
    EXPECT_EQ(loaded.points().values, data.points().values);
  }
  save_dataset(folder / "a.csv", data);
  EXPECT_EQ(load_dataset(folder / "a.csv").points().values, data.points().values);
  // Zeros that nobody asked for do not fill the disk.
  CsrMatrix wide{4, 2'000'000'000, {0, 1, 1, 3, 4}, {2, 0, 999, 7}, {0.5, 1.0, -2.0, 3.0}};
  data.samples = points_from_sparse(std::move(wide), {});
  for (const char* name : {"b.csv", "b.npy"}) {
    EXPECT_THAT(message_of<ValueError>([&] { save_dataset(folder / name, data); }),
                HasSubstr("use .npz, .svmlight or .mtx"));
  }
}

TEST(SaveDataset, AStreamedMatrixMakesTheSameFile) {
  const TemporaryFolder folder;
  Dataset data = partly_labeled(load_shipped("karate"));
  save_dataset(folder / "whole.npz", data);
  const CsrMatrix matrix = data.graph().adjacency;
  std::get<Graph>(data.samples).adjacency = {};
  const auto reader = [](const auto& values) {
    return [rest = std::as_bytes(std::span(values))](std::span<std::byte> next) mutable {
      std::copy_n(rest.begin(), next.size(), next.begin());
      rest = rest.subspan(next.size());
    };
  };
  save_streamed_graph(folder / "streamed.npz", data,
                      {.nodes = matrix.rows,
                       .entries = matrix.entries(),
                       .value = reader(matrix.value),
                       .column = reader(matrix.column),
                       .row_start = reader(matrix.row_start)});
  EXPECT_TRUE(content_of(folder / "streamed.npz") == content_of(folder / "whole.npz"));
}

}  // namespace
}  // namespace stkr::save_dataset_test
