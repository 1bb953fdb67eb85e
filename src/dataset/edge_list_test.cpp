#include "dataset/edge_list.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stkr/dataset/generators.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::edge_list_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::message_of;
using testing::TemporaryFolder;

class EdgeList : public ::testing::Test {
 protected:
  Graph load(std::string_view text) const {
    return load_edge_list(folder_.write("a.tsv", text)).graph;
  }
  std::string refusal(std::string_view text) const {
    return message_of<DataError>([&] { load(text); });
  }
  TemporaryFolder folder_;
};

TEST_F(EdgeList, CountsAnEdgeGivenTwiceOnce) {
  const Graph graph = load("# comment\n0 1\n1 0\n1 2\n1 2\n");
  EXPECT_THAT(graph.adjacency.value, ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(graph.adjacency.row_start, ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(graph.node_names, IsEmpty());
}

TEST_F(EdgeList, KeepsTheLargestWeight) {
  const Graph graph = load("0,1,2.5\n1,0,4\n0,0,1\n");
  EXPECT_THAT(graph.adjacency.value, ElementsAre(1.0, 4.0, 4.0));
}

TEST_F(EdgeList, SkipsAHeader) {
  EXPECT_EQ(load("source,target,weight\n0,1,2\n").adjacency.rows, 2);
  EXPECT_EQ(load("From\tTo\nanna\tbert\n").adjacency.rows, 2);
  EXPECT_EQ(load("anna\tbert\nbert\tcarl\n").adjacency.rows, 3);
}

// Only known column names make a header: no edge is dropped because of its node names.
TEST_F(EdgeList, TakesNoEdgeForAHeader) {
  EXPECT_THAT(load("u v\nv w\n").node_names, ElementsAre("u", "v", "w"));
  EXPECT_THAT(load("u v\n").node_names, ElementsAre("u", "v"));
  EXPECT_THAT(load("i j 2\nj k 3\n").adjacency.value, ElementsAre(2, 2, 3, 3));
  EXPECT_EQ(load("u v\n0 1\n1 2\n").adjacency.rows, 3);
  EXPECT_THAT(load("u v\n0 1\n1 2\n").node_names, IsEmpty());
  EXPECT_THAT(refusal("# edges\nanna\tbert\tstrong\n"), HasSubstr("line 2: weight 'strong'"));
  EXPECT_THAT(refusal("person,friend,strength\n0,1,2\n"),
              HasSubstr("name the columns source, target"));
  EXPECT_THAT(refusal("person,friend\n0,1\n1,2\n"),
              HasSubstr("line 1: 'person' and 'friend' are the only nodes that are not numbers"));
  EXPECT_EQ(load("a,b\nb,0\n0,1\n").adjacency.rows, 4);
  EXPECT_EQ(load("source,target\na,b\n0,1\n").adjacency.rows, 4);
}

TEST_F(EdgeList, RefusesACountThatContradictsTheEdges) {
  EXPECT_THAT(refusal("# nodes 3\n0 1\n2 5\n"),
              HasSubstr("'# nodes 3' declares nodes from 0 to 2, but an edge has the node '5'"));
  EXPECT_THAT(refusal("0 1\n-1 2\n# nodes 3\n"), HasSubstr("'-1'"));
  EXPECT_THAT(refusal("# nodes 3\nanna bert\n"), HasSubstr("'anna'"));
  EXPECT_THAT(refusal("# nodes 0\n"), HasSubstr("expected 1 or more"));
  EXPECT_THAT(refusal("# nodes 2000000000\n0 1999999999\n"), HasSubstr("too large for the size"));
}

TEST_F(EdgeList, ChecksTheNamesOfNodes) {
  EXPECT_THAT(refusal("anna bert\nbert j\xf6rg\n"), HasSubstr("line 2: 'j\\xf6rg' is not UTF-8"));
  EXPECT_THAT(refusal("a " + std::string(1001, 'b') + "\n"), HasSubstr("with 1001 bytes"));
  EXPECT_THAT(load_edge_list(folder_.write("a.tsv", "a\x1b[31m b\n")).notes,
              ElementsAre(HasSubstr("from a\\x1b[31m to b")));
}

TEST_F(EdgeList, SortsNamedNodes) {
  EXPECT_THAT(load("carl;anna\nbert;anna\n").node_names, ElementsAre("anna", "bert", "carl"));
  EXPECT_THAT(load("\"b, c\",a\n").node_names, ElementsAre("a", "b, c"));
  // Integers that do not number the nodes from 0 are also names.
  EXPECT_THAT(load("1000 35\n35 9\n").node_names, ElementsAre("9", "35", "1000"));
  EXPECT_THAT(load("1 2\n2 3\n").node_names, ElementsAre("1", "2", "3"));
}

TEST_F(EdgeList, LeavesGapsAsIsolatedNodes) {
  const Graph graph = load("0 1\n1 3\n");
  EXPECT_EQ(graph.adjacency.rows, 4);
  EXPECT_EQ(load("# nodes 7\n4 5\n").adjacency.rows, 7);
  EXPECT_EQ(load("# nodes 3\n").adjacency.rows, 3);
}

TEST_F(EdgeList, IsNotFooledByHugeNumbers) {
  const Graph graph = load("0 1999999999\n");
  EXPECT_THAT(graph.node_names, ElementsAre("0", "1999999999"));
  EXPECT_EQ(load("0 9223372036854775807\n").adjacency.rows, 2);
}

TEST_F(EdgeList, NamesTheLineOfAnError) {
  EXPECT_THAT(refusal("0 1\n2\n"), HasSubstr("line 2: has 1 fields"));
  EXPECT_THAT(refusal("0 1 1 1\n"), HasSubstr("4 fields"));
  EXPECT_THAT(refusal("0 1 1\n1 2 -3\n"), HasSubstr("line 2: weight '-3'"));
  EXPECT_THAT(refusal("0 1 1\n1 2 nan\n"), HasSubstr("'nan'"));
  EXPECT_THAT(refusal("0,\n"), HasSubstr("only one node"));
  EXPECT_THAT(refusal("# nothing\n"), HasSubstr("no edges"));
}

TEST_F(EdgeList, SavesWhatItLoads) {
  const std::vector<Index> blocks = {20, 10};
  Graph graph = stochastic_block_model(blocks, 0.1, 0.02, 3).graph();
  EXPECT_EQ(save_edge_list(folder_ / "out.tsv", graph), 0);
  Graph loaded = load_edge_list(folder_ / "out.tsv").graph;
  EXPECT_EQ(loaded.adjacency.row_start, graph.adjacency.row_start);
  EXPECT_EQ(loaded.adjacency.column, graph.adjacency.column);
  graph = load("a\tb c\t0.1\nb c\t\"d,\"\t0.3\n");
  save_edge_list(folder_ / "out.tsv", graph);
  loaded = load_edge_list(folder_ / "out.tsv").graph;
  EXPECT_EQ(loaded.node_names, graph.node_names);
  EXPECT_EQ(loaded.adjacency.value, graph.adjacency.value);
  for (const char* text :
       {"#\nx y\n", "to from\n", "1 \v1\n", "\" a\",a\na,\"b \"\n", "a,\"{'weight': 2}\"\n",
        "1 2\n,{'w' 2} 1\n", "source,target\nsource,target\n", "source,target\nu,v\n0,1\n"}) {
    graph = load(text);
    save_edge_list(folder_ / "out.tsv", graph);
    loaded = load_edge_list(folder_ / "out.tsv").graph;
    EXPECT_EQ(loaded.node_names, graph.node_names) << text;
    EXPECT_EQ(loaded.adjacency.column, graph.adjacency.column) << text;
  }
}

// The first bytes do not decide: named nodes are sorted when they are written.
TEST_F(EdgeList, HasNoZeroByteInNames) {
  using namespace std::string_literals;
  std::string text;
  for (int k = 0; k < 500; ++k) text += fmt::format("n{}\tn{}\n", k, k + 1);
  EXPECT_THAT(refusal(text + "\x04\0x\tn1\n"s), HasSubstr("line 501: contains a zero byte"));
  Graph graph = load("a\tb\n");
  graph.node_names = {"a", "b\0c"s};  // as NumPy's arrays may hold it
  EXPECT_THAT(message_of<ValueError>([&] { save_edge_list(folder_ / "out.tsv", graph); }),
              HasSubstr("'b\\x00c' contains a zero byte"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.tsv"));
}

}  // namespace
}  // namespace stkr::edge_list_test
