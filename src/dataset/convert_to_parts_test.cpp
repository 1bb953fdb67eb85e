#include "dataset/convert_to_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/save_dataset.hpp"
#include "format/graph_parts.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::convert_to_parts_test {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using testing::TemporaryFolder;

void expect_equal(const Dataset& found, const Dataset& expected) {
  EXPECT_EQ(found.graph().adjacency.row_start, expected.graph().adjacency.row_start);
  EXPECT_EQ(found.graph().adjacency.column, expected.graph().adjacency.column);
  EXPECT_EQ(found.graph().adjacency.value, expected.graph().adjacency.value);
  EXPECT_EQ(found.graph().node_names, expected.graph().node_names);
  EXPECT_EQ(std::get<ClassLabels>(found.labels).code, std::get<ClassLabels>(expected.labels).code);
  EXPECT_EQ(std::get<ClassLabels>(found.labels).names,
            std::get<ClassLabels>(expected.labels).names);
}

TEST(ConvertToParts, AFolderReadsAsTheFile) {
  const TemporaryFolder folder;
  Dataset graph = stochastic_block_model({40, 30, 20}, 0.2, 0.05, 3);
  for (Index i = 0; i < graph.size(); ++i) {
    std::get<Graph>(graph.samples).node_names.push_back("node " + std::to_string(i));
  }
  save_dataset(folder / "graph.npz", graph);
  save_dataset(folder / "graph.tsv", graph);
  const Dataset expected = load_dataset(folder / "graph.npz");
  for (const Index parts : {1, 3, 7, 500}) {
    const std::filesystem::path target = folder / fmt::format("parts-{}", parts);
    const ConvertedParts done = convert_to_parts(folder / "graph.npz", {}, parts, target);
    EXPECT_EQ(done.entries, expected.graph().adjacency.entries());
    EXPECT_EQ(done.dataset.size(), 90);
    const GraphParts written(target);
    EXPECT_EQ(written.parts().size(), static_cast<std::size_t>(std::min<Index>(parts, 90)));
    for (const GraphPart& part : written.parts()) {
      EXPECT_GE(part.rows, 1);
      // Shares are equal within a row.
      EXPECT_LE(part.rows + part.entries, (90 + done.entries) / parts + 60);
    }
    expect_equal(load_dataset(target), expected);
  }
  // A list of edges has names, but no labels.
  const ConvertedParts listed = convert_to_parts(folder / "graph.tsv", {}, 3, folder / "listed");
  EXPECT_THAT(listed.notes.back(), HasSubstr("read as a whole"));
  EXPECT_EQ(load_dataset(folder / "listed").graph().node_names,
            load_dataset(folder / "graph.tsv").graph().node_names);
}

TEST(ConvertToParts, RefusesWhatIsNoGraph) {
  const TemporaryFolder folder;
  save_dataset(folder / "points.npz", two_moons(20, 0.1, 1));
  EXPECT_THAT(message_of<ValueError>(
                  [&] { convert_to_parts(folder / "points.npz", {}, 2, folder / "parts"); }),
              HasSubstr("only graphs are written in parts"));
  EXPECT_NE(message_of<ParameterError>(
                [&] { convert_to_parts(folder / "points.npz", {}, 0, folder / "parts"); }),
            "");
  // A negative weight in the second part: nothing is written.
  folder.write("edges.mtx", "%%MatrixMarket matrix coordinate real general\n4 4 2\n1 2 1\n2 1 1\n");
  Dataset graph = load_dataset(folder / "edges.mtx");
  std::get<Graph>(graph.samples).adjacency.value[1] = -1.0;
  save_dataset(folder / "graph.npz", graph);
  EXPECT_THAT(message_of<DataError>(
                  [&] { convert_to_parts(folder / "graph.npz", {}, 2, folder / "parts"); }),
              HasSubstr("the edge (1, 0) has weight -1"));
  EXPECT_FALSE(std::filesystem::exists(folder / "parts"));
}

}  // namespace
}  // namespace stkr::convert_to_parts_test
