#include "dataset/graphml.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gzip_text.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::graphml_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::gzip;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::message_of;
using testing::TemporaryFolder;

// A document with these keys, and with this content of an undirected graph.
std::string document(const std::string& keys, const std::string& content,
                     const std::string& direction = "undirected") {
  return "<?xml version='1.0' encoding='utf-8'?>\n<graphml "
         "xmlns=\"http://graphml.graphdrawing.org/xmlns\">" +
         keys + "<graph edgedefault=\"" + direction + "\">" + content + "</graph></graphml>\n";
}

const std::string kWeight = "<key id='w' for='edge' attr.name='weight' attr.type='double'/>";
const std::string kTriangle =
    "<node id='a'/><node id='c'/><node id='b'/>"
    "<edge source='a' target='b'><data key='w'>2.5</data></edge><edge source='b' target='c'/>";

class Graphml : public ::testing::Test {
 protected:
  GraphmlGraph load(const std::string& text, const LoadOptions& options = {}) const {
    return load_graphml(folder_.write("a.graphml", text), options);
  }
  std::string refusal(const std::string& text, const LoadOptions& options = {}) const {
    return message_of<DataError>([&] { load(text, options); });
  }
  TemporaryFolder folder_;
};

TEST_F(Graphml, HasNodesInTheOrderOfTheFileAndWeights) {
  const GraphmlGraph loaded = load(document(kWeight, kTriangle));
  EXPECT_THAT(loaded.graph.node_names, ElementsAre("a", "c", "b"));
  EXPECT_THAT(loaded.graph.adjacency.column, ElementsAre(2, 2, 0, 1));
  EXPECT_THAT(loaded.graph.adjacency.value, ElementsAre(2.5, 1, 2.5, 1));
  EXPECT_THAT(loaded.notes, IsEmpty());
  EXPECT_EQ(load(gzip(document(kWeight, kTriangle))).graph.adjacency.value,
            loaded.graph.adjacency.value);
  // Edges may come before their nodes, and a key may give the weight of the others.
  const GraphmlGraph late =
      load(document("<key id='w' for='edge' attr.name='weight'><default> 3 </default></key>",
                    "<edge source='y' target='x'/><node id='x'/><node id='y'/>"));
  EXPECT_THAT(late.graph.node_names, ElementsAre("x", "y"));
  EXPECT_THAT(late.graph.adjacency.value, ElementsAre(3, 3));
}

TEST_F(Graphml, TakesIdsInOrderForNumbers) {
  EXPECT_THAT(load(document("", "<node id='n0'/><node id='n1'/>")).graph.node_names, IsEmpty());
  EXPECT_THAT(load(document("", "<node id='0'/><node id='1'/>")).graph.node_names, IsEmpty());
  EXPECT_THAT(load(document("", "<node id='1'/><node id='0'/>")).graph.node_names,
              ElementsAre("1", "0"));
}

TEST_F(Graphml, NamesNodesByTheirAttribute) {
  const std::string key = "<key id='k' for='node' attr.name='name' attr.type='string'/>";
  const auto node = [](const char* id, const char* name) {
    return fmt::format("<node id='{}'><data key='k'>{}</data></node>", id, name);
  };
  const GraphmlGraph named =
      load(document(key, node("n0", "J&#246;rg &amp; Co") + node("n1", "x")));
  EXPECT_THAT(named.graph.node_names, ElementsAre("Jörg & Co", "x"));
  EXPECT_THAT(named.notes, ElementsAre(HasSubstr("by their attribute name, from Jörg & Co to x")));
  const GraphmlGraph same = load(document(key, node("a", "x") + node("b", "x")));
  EXPECT_THAT(same.graph.node_names, ElementsAre("a", "b"));
  EXPECT_THAT(same.notes, ElementsAre(HasSubstr("by their ids")));
}

const std::string kClasses =
    "<key id='l' for='node' attr.name='Label'/><key id='s' for='node' attr.name='size'>"
    "<default>1</default></key>";
const std::string kLabeled =
    "<node id='a'><data key='l'>red</data><data key='s'>2</data></node>"
    "<node id='b'/><node id='c'><data key='l'>red</data></node>"
    "<node id='d'><data key='l'>blue</data></node>";

TEST_F(Graphml, HasLabelsInAnAttribute) {
  const GraphmlGraph loaded = load(document(kClasses, kLabeled));
  EXPECT_EQ(loaded.label_attribute, "Label");
  EXPECT_THAT(loaded.label_cells, ElementsAre("red", "", "red", "blue"));
  EXPECT_THAT(loaded.attributes, ElementsAre("Label", "size"));
  const GraphmlGraph chosen = load(document(kClasses, kLabeled), {.labels = "size"});
  EXPECT_THAT(chosen.label_cells, ElementsAre("2", "1", "1", "1"));
  // Gephi stores the names of nodes in `label`.
  const GraphmlGraph names = load(document(
      kClasses,
      "<node id='a'><data key='l'>x</data></node><node id='b'><data key='l'>y</data></node>"));
  EXPECT_EQ(names.label_attribute, "");
  EXPECT_THAT(names.notes, ElementsAre(HasSubstr("different for every node")));
}

// NetworkX declares one key per type of the values.
TEST_F(Graphml, JoinsKeysOfOneName) {
  const std::string keys =
      "<key id='i' for='node' attr.name='age' attr.type='long'/>"
      "<key id='f' for='node' attr.name='age' attr.type='double'/>";
  const std::string nodes =
      "<node id='a'><data key='i'>3</data></node><node id='b'><data key='f'>2.5</data></node>";
  EXPECT_THAT(load(document(keys, nodes), {.labels = "age"}).label_cells, ElementsAre("3", "2.5"));
  EXPECT_THAT(load(document(keys, nodes)).attributes, ElementsAre("age"));
}

TEST_F(Graphml, HasFeaturesInNamedAttributes) {
  const GraphmlGraph loaded = load(document(kClasses, kLabeled), {.features_file = "size"});
  ASSERT_TRUE(loaded.features);
  EXPECT_THAT(loaded.features->feature_names, ElementsAre("size"));
  EXPECT_EQ(loaded.features->values.matrix(), (Matrix(4, 1) << 2, 1, 1, 1).finished());
  EXPECT_THAT(refusal(document(kClasses, kLabeled), {.features_file = "Size"}),
              AllOf(HasSubstr("no such file or node attribute; the nodes have Label, size"),
                    HasSubstr("did you mean size?")));
  EXPECT_THAT(refusal(document(kClasses, kLabeled), {.features_file = "size,Label"}),
              HasSubstr("node 'a': attribute Label is 'red', expected a finite number"));
}

TEST_F(Graphml, CombinesDuplicatesAndDirections) {
  const std::string twice = kTriangle + "<edge source='b' target='a'><data key='w'>4</data></edge>";
  EXPECT_THAT(load(document(kWeight, twice)).graph.adjacency.value, ElementsAre(4, 1, 4, 1));
  EXPECT_THAT(
      load(document(kWeight, twice), {.duplicates = DuplicateEdges::sum}).graph.adjacency.value,
      ElementsAre(6.5, 1, 6.5, 1));
  EXPECT_THAT(refusal(document(kWeight, twice), {.duplicates = DuplicateEdges::error}),
              HasSubstr("the edge of 'a' and 'b' is listed 2 times"));
  EXPECT_THAT(refusal(document(kWeight, kTriangle, "directed")),
              AllOf(HasSubstr("is directed"), HasSubstr("--symmetrize")));
  EXPECT_THAT(load(document(kWeight, twice, "directed"),
                   {.symmetrize = true, .duplicates = DuplicateEdges::sum})
                  .graph.adjacency.value,
              ElementsAre(4, 1, 4, 1));
}

TEST_F(Graphml, SkipsWhatOtherProgramsAdd) {
  const GraphmlGraph loaded =
      load(document("<key id='g' for='node' yfiles.type='nodegraphics'/>",
                    "<data key='x'>of the graph</data><node id='a'><port name='p'/><data key='g'>"
                    "<y:ShapeNode><y:NodeLabel>A</y:NodeLabel></y:ShapeNode></data></node>"));
  EXPECT_THAT(loaded.graph.node_names, ElementsAre("a"));
}

TEST_F(Graphml, NamesTheLineOfAnError) {
  EXPECT_THAT(refusal(document(kWeight, "<edge source='a' target='b'/><node id='a'/>")),
              HasSubstr("a.graphml: line 2: an edge has the node 'b', which is not declared"));
  EXPECT_THAT(refusal(document("", "<node id='a'/><node id='a'/>")), HasSubstr("'a' again"));
  EXPECT_THAT(refusal(document("", "<node/>")), HasSubstr("<node> has no attribute id"));
  EXPECT_THAT(refusal(document("", "<node id='a'><data key='q'>1</data></node>")),
              HasSubstr("key 'q', which is not declared for nodes"));
  EXPECT_THAT(refusal(document(kWeight,
                               "<node id='a'/><edge source='a' target='a'>"
                               "<data key='w'>-1</data></edge>")),
              HasSubstr("weight '-1', expected a finite number"));
  EXPECT_THAT(refusal(document("", "<hyperedge/>")), HasSubstr("hyperedge"));
  EXPECT_THAT(refusal(document("", "<node id='a'><graph/></node>")), HasSubstr("single graph"));
  EXPECT_THAT(refusal("<graphml/>"), HasSubstr("has no <graph>"));
  EXPECT_THAT(refusal(document("", "")), HasSubstr("no nodes"));
  EXPECT_THAT(refusal("<graphml><graph>"), AllOf(HasSubstr("XML"), HasSubstr("truncated?")));
  EXPECT_THAT(refusal("<graphml><graph></graphml>"), HasSubstr("mismatched tag"));
}

// An entity that expands without limit, and one that reads a file.
TEST_F(Graphml, ExpandsNoEntities) {
  EXPECT_THAT(refusal("<?xml version='1.0'?>\n<!DOCTYPE graphml [<!ENTITY a 'aaaa'>"
                      "<!ENTITY b '&a;&a;'>]><graphml><graph><node id='&b;'/></graph></graphml>"),
              HasSubstr("line 2: has a document type"));
  EXPECT_THAT(refusal("<!DOCTYPE graphml SYSTEM 'file:///etc/passwd'><graphml/>"),
              HasSubstr("document type"));
}

}  // namespace
}  // namespace stkr::graphml_test
