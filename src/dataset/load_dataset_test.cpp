#include "stkr/dataset/load_dataset.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "format/npz.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::load_dataset_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;
using testing::TemporaryFolder;

// Points with labels -1 and 1, and two lists of labeled samples.
std::filesystem::path two_class_points(const TemporaryFolder& folder) {
  const Matrix x = (Matrix(4, 2) << 1, 2, 3, 4, 5, 6, 7, 8).finished();
  const std::vector<std::int64_t> labels = {-1, 1, -1, 1};
  const std::vector<std::int64_t> splits = {0, 1, 2, 3};
  NpzWriter writer;
  writer.add("X", x);
  writer.add("labels", labels);
  writer.add("splits", std::span<const std::int64_t>(splits), {2, 2});
  writer.write(folder / "points.npz");
  return folder / "points.npz";
}

std::string refusal(const std::filesystem::path& path, const LoadOptions& options = {}) {
  return message_of<DataError>([&] { load_dataset(path, options); });
}

TEST(LoadDataset, HidesClassMinusOneUnlessAnIndexIsGiven) {
  const TemporaryFolder folder;
  const auto path = two_class_points(folder);
  const Dataset hidden = load_dataset(path);
  EXPECT_EQ(hidden.name, "points");
  EXPECT_EQ(hidden.size(), 4);
  EXPECT_THAT(std::get<ClassLabels>(hidden.labels).names, ElementsAre("1"));
  EXPECT_THAT(labeled_indices(hidden.labels), ElementsAre(1, 3));
  EXPECT_THAT(hidden.notes, ElementsAre(HasSubstr("class -1")));
  const Dataset chosen = load_dataset(path, {.labeled = "splits[1]"});
  EXPECT_THAT(std::get<ClassLabels>(chosen.labels).names, ElementsAre("-1", "1"));
  EXPECT_THAT(labeled_indices(chosen.labels), ElementsAre(2, 3));
  EXPECT_THAT(labeled_indices(chosen.truth), ElementsAre(0, 1, 2, 3));
  const Dataset kept = load_dataset(path, {.minus_one_is_unlabeled = false});
  EXPECT_EQ(std::get<ClassLabels>(kept.labels).names.size(), 2u);
}

// Labels give the same classes as integers, as floating point with -1 or NaN, and as text.
TEST(LoadDataset, TakesWholeNumbersForClassesHoweverTheyAreKept) {
  const TemporaryFolder folder;
  const Matrix x = Matrix::Random(5, 2);
  const std::vector<std::int64_t> integers = {0, -1, 1, -1, 1};
  const std::vector<double> marked = {0, -1, 1, -1, 1}, gaps = {0, NAN, 1, NAN, 1};
  const auto write = [&](const auto& labels, bool named = false) {
    NpzWriter writer;
    writer.add("X", x);
    writer.add("y", labels);
    const std::vector<std::string> names = {"price"};
    if (named) writer.add_strings("target_names", names);
    writer.write(folder / "a.npz");
    return load_dataset(folder / "a.npz");
  };
  const auto expected = std::get<ClassLabels>(write(integers).labels);
  EXPECT_THAT(expected.code, ElementsAre(0, kUnlabeled, 1, kUnlabeled, 1));
  for (const auto& labels : {marked, gaps}) {
    const Dataset data = write(labels);
    EXPECT_EQ(std::get<ClassLabels>(data.labels), expected);
    EXPECT_THAT(
        data.notes,
        ::testing::Contains(HasSubstr("float64 whole numbers are read as 2 classes, 2 unlabeled")));
  }
  // Saved regression targets stay regression targets.
  EXPECT_TRUE(std::holds_alternative<TargetValues>(write(gaps, true).labels));
  for (const char* none : {"nan", "NA", "-1", ""}) {
    const auto path = folder.write(
        "a.csv", "a,label\n1,0\n2," + std::string(none) + "\n3,1\n4," + none + "\n5,1.0\n");
    EXPECT_EQ(std::get<ClassLabels>(load_dataset(path).labels), expected) << none;
  }
  const auto path = folder.write("b.csv", "a,label\n1,x\n2,NA\n3,y\n");
  EXPECT_THAT(load_dataset(path).notes,
              ElementsAre(HasSubstr("the labels are in column label"),
                          HasSubstr("1 cell is read as unlabeled (1 'NA')")));
}

TEST(LoadDataset, RefusesNamesThatAreNotUtf8) {
  const TemporaryFolder folder;
  const auto csv = folder.write("a.csv", "x,label\n0,weiblich\n1,m\xe4nnlich\n");
  EXPECT_THAT(refusal(csv), AllOf(HasSubstr("a.csv: line 3: 'm\\xe4nnlich' is not UTF-8"),
                                  HasSubstr("iconv -f latin1")));
  EXPECT_THAT(refusal(folder.write("b.csv",
                                   "gr\xf6\xdf"
                                   "e,label\n0,a\n1,b\n")),
              HasSubstr("b.csv: line 1: 'gr\\xf6\\xdf"));
  EXPECT_THAT(refusal(folder.write("c.tsv", "anna\tj\xf6rg\n")), HasSubstr("c.tsv: line 1"));
  const auto points = folder.write("p.csv", "x\n0\n1\n");
  const auto labels = folder.write("l.txt", "a\nm\xe4nnlich\n").string();
  EXPECT_THAT(refusal(points, {.labels = labels}), HasSubstr("l.txt: line 2"));
  const auto table = folder.write("l.csv", "id,label\n0,a\n1,m\xe4nnlich\n").string();
  EXPECT_THAT(refusal(points, {.labels = table}), HasSubstr("l.csv: line 3"));
}

TEST(LoadDataset, ExplainsAWrongIndex) {
  const TemporaryFolder folder;
  const auto path = two_class_points(folder);
  EXPECT_THAT(refusal(path, {.labeled = "splits"}), HasSubstr("[0] to [1]"));
  EXPECT_THAT(refusal(path, {.labeled = "splits[2]"}), HasSubstr("out of range"));
  EXPECT_THAT(refusal(path, {.labeled = "absent"}), HasSubstr("X, labels, splits"));
  EXPECT_THAT(refusal(path, {.labeled = folder.write("i.txt", "0\n9\n").string()}),
              HasSubstr("sample 9 is out of range"));
  EXPECT_THAT(refusal(path, {.labeled = folder.write("j.txt", "0\nx\n").string()}),
              HasSubstr("line 2"));
}

TEST(LoadDataset, TakesLabelsAndIndicesFromOtherFiles) {
  const TemporaryFolder folder;
  const auto path = two_class_points(folder);
  const auto labels = folder.write("l.txt", "a\n\nb\na\n").string();
  const auto index = folder.write("i.txt", "# labeled\n0, 2\n").string();
  const Dataset data = load_dataset(path, {.labels = labels, .labeled = index});
  EXPECT_THAT(std::get<ClassLabels>(data.labels).code, ElementsAre(0, -1, 1, -1));
  EXPECT_THAT(std::get<ClassLabels>(data.truth).code, ElementsAre(0, -1, 1, 0));
  const auto csv = folder.write("l.csv", "id,label\n3,0.5\n0,1.5\n").string();
  const auto targets = std::get<TargetValues>(load_dataset(path, {.labels = csv}).labels);
  EXPECT_EQ(targets.values(3, 0), 0.5);
  EXPECT_TRUE(std::isnan(targets.values(1, 0)));
  EXPECT_THAT(refusal(path, {.labels = folder.write("s.txt", "a\nb\n").string()}),
              HasSubstr("2 labels for 4 samples"));
  EXPECT_THAT(refusal(path, {.labels = folder.write("n.csv", "id,label\n4,a\n").string()}),
              HasSubstr("'4' is not a sample"));
  EXPECT_THAT(refusal(path, {.labels = "nothing"}), HasSubstr("no such array, column or file"));
}

// A triangle 0-1-2 and an isolated node 3, without weights.
NpzWriter triangle(std::vector<std::vector<std::int32_t>>& owned) {
  owned = {{1, 2, 0, 2, 0, 1}, {0, 2, 4, 6, 6}, {4, 4}, {0, 1, 1, 0}};
  NpzWriter writer;
  writer.add("adj_indices", owned[0]);
  writer.add("adj_indptr", owned[1]);
  writer.add("adj_shape", owned[2]);
  writer.add("labels", owned[3]);
  return writer;
}

TEST(LoadDataset, ReadsAGraphWithoutWeights) {
  const TemporaryFolder folder;
  std::vector<std::vector<std::int32_t>> owned;
  triangle(owned).write(folder / "g.npz");
  const Dataset data = load_dataset(folder / "g.npz");
  EXPECT_EQ(data.kind(), DatasetKind::graph);
  EXPECT_EQ(data.size(), 4);
  EXPECT_THAT(data.graph().adjacency.value, ElementsAre(1, 1, 1, 1, 1, 1));
  EXPECT_THAT(refusal(folder / "g.npz", {.kind = DatasetKind::points}), HasSubstr("points"));
  EXPECT_THAT(refusal(folder / "g.npz", {.kind = DatasetKind::kernel}), HasSubstr("kernel"));
}

TEST(LoadDataset, ReadsNamesOfNodes) {
  const TemporaryFolder folder;
  std::vector<std::vector<std::int32_t>> owned;
  const auto load = [&](const auto& add_names) {
    NpzWriter writer = triangle(owned);
    add_names(writer);
    writer.write(folder / "g.npz");
    return load_dataset(folder / "g.npz").graph().node_names;
  };
  const std::vector<std::int64_t> numbers = {4, 1, 9, 2}, twice = {4, 1, 4, 2}, few = {1, 2};
  const std::vector<std::string> texts = {"anna", "bert", "carl", "dora"};
  const std::vector<double> floats = {1, 2, 3, 4};
  EXPECT_EQ(load([&](NpzWriter& writer) { writer.add_strings("node_names", texts); }), texts);
  EXPECT_THAT(load([&](NpzWriter& writer) { writer.add("node_names", numbers); }),
              ElementsAre("4", "1", "9", "2"));
  const auto refused = [&](const auto& names) {
    return message_of<DataError>(
        [&] { load([&](NpzWriter& writer) { writer.add("node_names", names); }); });
  };
  EXPECT_THAT(refused(twice), HasSubstr("'4' is the name of two nodes"));
  EXPECT_THAT(refused(few), HasSubstr("2 names for 4 nodes"));
  EXPECT_THAT(refused(floats), HasSubstr("text or integers"));
}

TEST(LoadDataset, RefusesGraphsWhoseArraysDisagree) {
  const TemporaryFolder folder;
  const auto changed = [&](std::size_t array, std::vector<std::int32_t> values) {
    std::vector<std::vector<std::int32_t>> owned;
    NpzWriter writer;
    triangle(owned);
    owned[array] = std::move(values);
    writer.add("adj_indices", owned[0]);
    writer.add("adj_indptr", owned[1]);
    writer.add("adj_shape", owned[2]);
    writer.add("labels", owned[3]);
    writer.write(folder / "g.npz");
    return refusal(folder / "g.npz");
  };
  EXPECT_THAT(changed(0, {1, 2, 0, 2, 0, 7}), HasSubstr("out of range"));
  EXPECT_THAT(changed(0, {1, 2, 0, 2, 0, -1}), HasSubstr("out of range"));
  EXPECT_THAT(changed(0, {1, 2, 0, 2, 0}), HasSubstr("number of entries"));
  EXPECT_THAT(changed(1, {0, 2, 4, 6}), HasSubstr("row starts"));
  EXPECT_THAT(changed(2, {4}), HasSubstr("expected 2"));
  EXPECT_THAT(changed(2, {-4, 4}), HasSubstr("exceeds the range"));
  EXPECT_THAT(changed(3, {0, 1, 1}), HasSubstr("3 labels for 4 samples"));
  EXPECT_THAT(changed(0, {1, 2, 0, 2, 0, 0}), HasSubstr("not symmetric"));
}

TEST(LoadDataset, ReadsSparsePoints) {
  const TemporaryFolder folder;
  const std::vector<float> data = {1.5f, 2.5f};
  const std::vector<std::int32_t> columns = {2, 0};
  const std::vector<std::int32_t> starts = {0, 1, 2};
  const auto write = [&](std::int64_t features) {
    const std::vector<std::int64_t> shape = {2, features};
    NpzWriter writer;
    writer.add("X_data", data);
    writer.add("X_indices", columns);
    writer.add("X_indptr", starts);
    writer.add("X_shape", shape);
    writer.write(folder / "x.npz");
    return folder / "x.npz";
  };
  EXPECT_EQ(load_dataset(write(3)).points().values,
            (Matrix(2, 3) << 0, 0, 1.5, 2.5, 0, 0).finished());
  // Dense if more than a quarter of the values are not 0.
  EXPECT_FALSE(load_dataset(write(3)).points().values.sparse());
  EXPECT_TRUE(load_dataset(write(4)).points().values.sparse());
  EXPECT_EQ(load_dataset(write(4)).points().values.sparse()->value,
            (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(load_dataset(write(2'000'000'000)).points().values.cols(), 2'000'000'000);
  EXPECT_THAT(refusal(write(2)), HasSubstr("out of range"));
}

TEST(LoadDataset, ReadsKernelsOnlyWhenAsked) {
  const TemporaryFolder folder;
  const Matrix kernel = Matrix::Identity(3, 3);
  NpzWriter writer;
  writer.add("K", kernel);
  writer.write(folder / "k.npz");
  EXPECT_THAT(refusal(folder / "k.npz"), HasSubstr("kind kernel"));
  EXPECT_EQ(load_dataset(folder / "k.npz", {.kind = DatasetKind::kernel}).kernel().values, kernel);
}

TEST(LoadDataset, NamesTheRowAndColumnOfANan) {
  const TemporaryFolder folder;
  Matrix x = Matrix::Zero(3, 2);
  x(1, 1) = NAN;
  save_npy(folder / "x.npy", x);
  EXPECT_THAT(refusal(folder / "x.npy"), HasSubstr("row 1, column 1"));
}

TEST(LoadDataset, TellsForeignEmptyAndMissingFiles) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal(folder.write("a.npz", "")), HasSubstr("is empty"));
  EXPECT_THAT(refusal(folder.write("b.npz", "x,y\n")), HasSubstr("does not start like"));
  EXPECT_THAT(refusal(folder.write("c.csv", "\x1f\x8b\x08 gz")), HasSubstr("gzip"));
  EXPECT_THAT(refusal(folder.write("d.pkl", "\x80\x04\x95")), HasSubstr("pickle"));
  EXPECT_THAT(refusal(folder.write("e.docx", "words")), HasSubstr("extension"));
  EXPECT_THAT(refusal(folder.write("f.csv", std::string("a\0b", 3))), HasSubstr("binary"));
  EXPECT_THAT(refusal(folder / "absent.npz"), HasSubstr("no such file"));
  EXPECT_THAT(refusal(folder / ""), HasSubstr("folder"));
}

// A triangle with node features, stored as in gnn-benchmark: CSR parts attr_*.
std::filesystem::path attributed_triangle(const TemporaryFolder& folder) {
  const std::vector<std::int64_t> indices = {1, 2, 0, 2, 0, 1}, indptr = {0, 2, 4, 6};
  const std::vector<std::int64_t> shape = {3, 3}, attr_shape = {3, 2};
  const std::vector<std::int64_t> attr_indices = {1, 0}, attr_indptr = {0, 1, 1, 2};
  const std::vector<double> attr = {2.5, -1.0};
  NpzWriter writer;
  writer.add("adj_indices", indices);
  writer.add("adj_indptr", indptr);
  writer.add("adj_shape", shape);
  writer.add("attr_data", attr);
  writer.add("attr_indices", attr_indices);
  writer.add("attr_indptr", attr_indptr);
  writer.add("attr_shape", attr_shape);
  writer.write(folder / "triangle.npz");
  return folder / "triangle.npz";
}

TEST(LoadDataset, ReadsFeaturesBesideAGraphWhereTheyAreAskedFor) {
  const TemporaryFolder folder;
  const auto path = attributed_triangle(folder);
  const Dataset alone = load_dataset(path);
  EXPECT_EQ(alone.kind(), DatasetKind::graph);
  EXPECT_FALSE(alone.features.has_value());
  EXPECT_THAT(alone.notes, ElementsAre(HasSubstr("node features")));
  const Dataset both = load_dataset(path, {.node_features = true});
  EXPECT_TRUE(both.notes.empty());
  ASSERT_TRUE(both.features.has_value());
  // Sparse features stay sparse.
  ASSERT_TRUE(both.features->values.sparse());
  EXPECT_EQ(both.features->values.sparse()->value, (std::vector<double>{2.5, -1.0}));
  EXPECT_EQ(both.features->values.matrix(),
            (Matrix(3, 2) << 0.0, 2.5, 0.0, 0.0, -1.0, 0.0).finished());
}

TEST(LoadDataset, TakesFeaturesFromAnotherFile) {
  const TemporaryFolder folder;
  const auto path = attributed_triangle(folder);
  const auto table = folder.write("x.csv", "a,b,c\n1,2,3\n4,5,6\n7,8,9\n").string();
  const Dataset data = load_dataset(path, {.features_file = table});
  EXPECT_TRUE(data.notes.empty());
  ASSERT_TRUE(data.features.has_value());
  EXPECT_EQ(data.features->values(1, 2), 6.0);
  EXPECT_THAT(data.features->feature_names, ElementsAre("a", "b", "c"));
  // The features of an archive stay sparse, too.
  const Dataset sparse = load_dataset(path, {.features_file = path.string()});
  EXPECT_TRUE(sparse.features->values.sparse());
  const auto shorter = folder.write("y.csv", "a\n1\n2\n").string();
  EXPECT_THAT(refusal(path, {.features_file = shorter}),
              AllOf(HasSubstr("y.csv"), HasSubstr("2 samples"), HasSubstr("3 nodes")));
  EXPECT_THAT(refusal(table, {.features_file = table}), HasSubstr("add the columns to the points"));
  EXPECT_THAT(refusal(path, {.features_file = (folder / "absent.csv").string()}),
              HasSubstr("absent.csv"));
}

}  // namespace
}  // namespace stkr::load_dataset_test
