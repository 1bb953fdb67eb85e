#include "reproduction/paper_graph.hpp"

#include <gtest/gtest.h>

#include "dataset/save_dataset.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::paper_graph_test {
namespace {

using ::stkr::testing::TemporaryFolder;

Dataset triangle_with_loop() {
  Dataset dataset;
  dataset.name = "cora";
  dataset.samples = Graph{
      csr_from_triplets(3, 3, {{0, 0, 1.0}, {0, 1, 2.0}, {1, 0, 2.0}, {1, 2, 0.5}, {2, 1, 0.5}}),
      {}};
  dataset.labels = dataset.truth = ClassLabels{{"0", "1"}, {0, 1, 1}};
  return dataset;
}

TEST(PaperGraph, IsUndirectedUnweightedAndWithoutLoops) {
  const TemporaryFolder folder;
  const PaperDataset& cora = paper_dataset("cora");
  const auto path = paper_graph_path(folder / "", cora);
  EXPECT_EQ(path.filename(), "cora.npz");
  save_dataset(path, triangle_with_loop());
  const PaperGraph graph = load_paper_graph(path, cora);
  const CsrMatrix& adjacency = graph.dataset.graph().adjacency;
  EXPECT_EQ(adjacency.column, (std::vector<std::int32_t>{1, 0, 2, 1}));
  EXPECT_EQ(adjacency.value, std::vector<double>(4, 1.0));
}

TEST(PaperGraph, ComparesItsCountsWithThePapers) {
  const TemporaryFolder folder;
  const auto path = folder / "cora.npz";
  save_dataset(path, triangle_with_loop());
  const PaperGraph graph = load_paper_graph(path, paper_dataset("cora"));
  ASSERT_EQ(graph.warnings.size(), 3u);
  const auto says = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(says(graph.warnings[0], "3 nodes") && says(graph.warnings[0], "2708"));
  EXPECT_TRUE(says(graph.warnings[1], "4 edges") && says(graph.warnings[1], "10556"));
  EXPECT_TRUE(says(graph.warnings[2], "2 classes") && says(graph.warnings[2], "7"));
  PaperDataset as_found = paper_dataset("cora");
  as_found.nodes = 3;
  as_found.edges = 4;
  as_found.classes = 2;
  EXPECT_TRUE(load_paper_graph(path, as_found).warnings.empty());
}

TEST(PaperGraph, HasAFingerprintOfItsFile) {
  const TemporaryFolder folder;
  const PaperDataset& cora = paper_dataset("cora");
  Dataset dataset = triangle_with_loop();
  save_dataset(folder / "a.npz", dataset);
  std::get<ClassLabels>(dataset.truth).code[1] = 0;
  dataset.labels = dataset.truth;
  save_dataset(folder / "b.npz", dataset);
  EXPECT_EQ(load_paper_graph(folder / "a.npz", cora).fingerprint,
            load_paper_graph(folder / "a.npz", cora).fingerprint);
  EXPECT_NE(load_paper_graph(folder / "a.npz", cora).fingerprint,
            load_paper_graph(folder / "b.npz", cora).fingerprint);
}

TEST(PaperGraph, NeedsAClassForEveryNode) {
  const TemporaryFolder folder;
  Dataset dataset = triangle_with_loop();
  std::get<ClassLabels>(dataset.truth).code[1] = kUnlabeled;
  dataset.labels = dataset.truth;
  save_dataset(folder / "some.npz", dataset);
  EXPECT_THROW(load_paper_graph(folder / "some.npz", paper_dataset("cora")), DataError);
  dataset.labels = dataset.truth = std::monostate();
  save_dataset(folder / "none.npz", dataset);
  EXPECT_THROW(load_paper_graph(folder / "none.npz", paper_dataset("cora")), DataError);
  EXPECT_THROW(load_paper_graph(folder.write("bad.npz", "PK nonsense"), paper_dataset("cora")),
               DataError);
}

}  // namespace
}  // namespace stkr::paper_graph_test
