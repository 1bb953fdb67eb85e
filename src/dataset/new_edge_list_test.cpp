#include "new_edge_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::detail::new_edge_list_test {
namespace {

using stkr::testing::message_of;
using stkr::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(NewEdgeList, IsChecked) {
  const TemporaryFolder folder;
  NewEdgeList list(folder.write("new.tsv", "# nodes 3\n0 1 2\n0 1 5\n1 0\n"), 2, {});
  const CsrMatrix edges = list.next(10);
  EXPECT_EQ(edges.rows, 3);
  EXPECT_THAT(edges.value, ElementsAre(5.0, 1.0));
  EXPECT_THAT(list.names(), IsEmpty());
  const auto bad = [&](std::string_view text) {
    return message_of<DataError>(
        [&] { NewEdgeList(folder.write("new.tsv", text), 2, {}).next(10); });
  };
  EXPECT_THAT(bad("0 2\n"), HasSubstr("'2' is not a known node from 0 to 1"));
  EXPECT_THAT(bad("-1 1\n"), HasSubstr("'-1' is not the number of a new node"));
  EXPECT_THAT(bad("2000000000 1\n"), HasSubstr("too many for the size"));
  EXPECT_THAT(bad("# nodes 1\n0 1\n4 1\n"), HasSubstr("'# nodes 1' contradicts the edges"));
}

// Sorted lists give the same result for any number of held edges, also with gaps and isolated nodes
// at the end.
TEST(NewEdgeList, ThatIsSortedComesWithLittleHeld) {
  const TemporaryFolder folder;
  const auto path = folder.write("e.tsv", "# nodes 9\n0 1\n0 0\n1 1\n4 0 2\n4 0 3\n5 1\n7 0\n");
  const CsrMatrix all = load_new_edges(path, 2);
  EXPECT_THAT(all.row_start, ElementsAre(0, 2, 3, 3, 3, 4, 5, 5, 6, 6));
  EXPECT_THAT(all.value, ElementsAre(1, 1, 1, 3, 1, 1));
  NewEdgeList reader(path, 2, {.held = 1});
  std::vector<std::int32_t> column;
  Index rows = 0;
  for (CsrMatrix part = reader.next(2); part.rows > 0; part = reader.next(2)) {
    EXPECT_LE(part.rows, 2);
    rows += part.rows;
    column.insert(column.end(), part.column.begin(), part.column.end());
  }
  EXPECT_EQ(rows, 9);
  EXPECT_EQ(column, all.column);
}

TEST(NewEdgeList, ThatIsLongMustBeSorted) {
  const TemporaryFolder folder;
  const auto path = folder.write("e.tsv", "0 1\n5 1\n6 0\n0 0\n");
  EXPECT_THAT(load_new_edges(path, 2).column, ElementsAre(0, 1, 1, 0));
  NewEdgeList reader(path, 2, {.held = 2});
  const std::string message = message_of<DataError>([&] {
    while (reader.next(10).rows > 0) {
    }
  });
  EXPECT_THAT(message, HasSubstr("line 4: new node 0 comes after node 6"));
  EXPECT_THAT(message, HasSubstr("sort"));
}

// Known nodes are found by name in any order; new nodes are in order of appearance.
TEST(NewEdgeList, IsMatchedByNameWhereKnownNodesHaveNames) {
  const TemporaryFolder folder;
  const std::vector<std::string> names = {"1", "2", "anna", "30"};
  const auto path = folder.write("e.tsv", "x 30 2\nbert anna\nx 1\n7 2\n");
  NewEdgeList list(path, 4, {.known_names = names});
  const CsrMatrix edges = list.next(10);
  EXPECT_THAT(edges.row_start, ElementsAre(0, 2, 3, 4));
  EXPECT_THAT(edges.column, ElementsAre(0, 3, 2, 1));
  EXPECT_THAT(edges.value, ElementsAre(1, 2, 1, 1));
  EXPECT_THAT(list.names(), ElementsAre("x", "bert", "7"));
  EXPECT_EQ(list.next(10).rows, 0);
  EXPECT_THAT(list.names(), IsEmpty());
  const auto bad = [&](std::string_view text) {
    return message_of<DataError>(
        [&] { NewEdgeList(folder.write("b.tsv", text), 4, {.known_names = names}).next(10); });
  };
  EXPECT_THAT(bad("x 30\ny 0\n"), AllOf(HasSubstr("b.tsv: line 2: '0' is not a node of the graph"),
                                        HasSubstr("such as '1'")));
  EXPECT_THAT(bad("x 30\n2 anna\n"),
              HasSubstr("line 2: '2' is a node of the graph that the model"));
  EXPECT_THAT(bad("anna x\n"), HasSubstr("'anna' is a node of the graph"));
  EXPECT_THAT(bad("# nodes 2\nx 30\n"), HasSubstr("contradicts"));
  EXPECT_THAT(bad("j\xf6rg 30\n"), HasSubstr("not UTF-8"));
}

TEST(NewEdgeList, WithNamesComesInParts) {
  const TemporaryFolder folder;
  const std::vector<std::string> names = {"a", "b"};
  const auto path = folder.write("e.tsv", "new known\nz a\nz b\ny b\nx a\nx b\nw a\n");
  NewEdgeList list(path, 2, {.known_names = names, .held = 2});
  std::vector<std::string> found;
  std::vector<std::int32_t> column;
  for (CsrMatrix part = list.next(2); part.rows > 0; part = list.next(2)) {
    ASSERT_EQ(static_cast<Index>(list.names().size()), part.rows);
    found.insert(found.end(), list.names().begin(), list.names().end());
    column.insert(column.end(), part.column.begin(), part.column.end());
  }
  EXPECT_THAT(found, ElementsAre("z", "y", "x", "w"));
  EXPECT_THAT(column, ElementsAre(0, 1, 1, 0, 1, 0));
  NewEdgeList torn(folder.write("t.tsv", "z a\ny b\nx a\nz b\n"), 2,
                   {.known_names = names, .held = 2});
  EXPECT_THAT(message_of<DataError>([&] {
                while (torn.next(10).rows > 0) {
                }
              }),
              HasSubstr("line 4: new node 'z' is too far"));
}

// New nodes are rows of a feature table and may have no edges.
TEST(NewEdgeList, CountsNewNodesOfNamedGraphsWhereAsked) {
  const TemporaryFolder folder;
  const std::vector<std::string> names = {"1", "2"};
  NewEdgeList list(folder.write("e.tsv", "0 1\n2 2\n"), 2,
                   {.known_names = names, .numbered = true});
  EXPECT_THAT(list.next(10).row_start, ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(list.names(), IsEmpty());
  NewEdgeList text(folder.write("t.tsv", "x 1\n"), 2, {.known_names = names, .numbered = true});
  EXPECT_THAT(message_of<DataError>([&] { text.next(10); }), HasSubstr("rows of their features"));
}

}  // namespace
}  // namespace stkr::detail::new_edge_list_test
