#include "listed_edges.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::listed_edges_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::message_of;

// 0-1 with weights 1 and 5 in one direction and 2 in the other, 1-2 twice with weight 1, 0-2 once.
const std::vector<Triplet> kEdges = {{0, 1, 1}, {0, 1, 5}, {1, 0, 2},
                                     {1, 2, 1}, {1, 2, 1}, {2, 0, 7}};

// The weights of 0-1, 0-2 and 1-2.
std::vector<double> weights(DuplicateEdges rule, bool directed, std::vector<std::string>& notes) {
  const CsrMatrix matrix = undirected_adjacency(3,
                                                {.edges = kEdges,
                                                 .duplicates = rule,
                                                 .directed = directed,
                                                 .where = "a",
                                                 .edge_name = edge_namer({})},
                                                notes);
  EXPECT_EQ(asymmetry(matrix).largest, 0.0);
  EXPECT_THAT(matrix.column, ElementsAre(1, 2, 0, 2, 0, 1));
  return {matrix.value[0], matrix.value[1], matrix.value[3]};
}

TEST(ListedEdges, AreCombinedByTheRule) {
  std::vector<std::string> notes;
  EXPECT_THAT(weights(DuplicateEdges::largest, false, notes), ElementsAre(5, 7, 1));
  EXPECT_THAT(notes, ElementsAre("2 edges are listed more than once, 1 of them with different "
                                 "weights; the largest weight is used (--duplicates sum adds them "
                                 "instead)"));
  notes.clear();
  EXPECT_THAT(weights(DuplicateEdges::sum, false, notes), ElementsAre(8, 7, 2));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("the weights are added")));
}

// A directed graph: the weights of each direction are combined, then the larger one is used.
TEST(ListedEdges, OfADirectedGraphAreCombinedByDirection) {
  std::vector<std::string> notes;
  EXPECT_THAT(weights(DuplicateEdges::largest, true, notes), ElementsAre(5, 7, 1));
  EXPECT_THAT(weights(DuplicateEdges::sum, true, notes), ElementsAre(6, 7, 2));
  notes.clear();
  const CsrMatrix both = undirected_adjacency(2,
                                              {.edges = {{0, 1, 1}, {1, 0, 3}},
                                               .duplicates = DuplicateEdges::error,
                                               .directed = true,
                                               .where = "a",
                                               .edge_name = edge_namer({})},
                                              notes);
  EXPECT_THAT(both.value, ElementsAre(3, 3));
  EXPECT_THAT(notes, IsEmpty());
}

TEST(ListedEdges, MayBeRequiredToOccurOnce) {
  std::vector<std::string> notes;
  const std::vector<std::string> names = {"n0", "n1", "n2"};
  const auto refusal = message_of<DataError>([&] {
    undirected_adjacency(3,
                         {.edges = kEdges,
                          .duplicates = DuplicateEdges::error,
                          .directed = false,
                          .where = "a.tsv",
                          .edge_name = edge_namer(names)},
                         notes);
  });
  EXPECT_THAT(refusal, AllOf(HasSubstr("a.tsv: the edge of 'n0' and 'n1' is listed 3 times"),
                             HasSubstr("5 and 1"), HasSubstr("--duplicates max or sum")));
}

TEST(ListedEdges, KeepLoopsOnceAndDropZeros) {
  std::vector<std::string> notes;
  const CsrMatrix matrix = undirected_adjacency(2,
                                                {.edges = {{0, 0, 2}, {0, 1, 0}, {1, 1, 3}},
                                                 .duplicates = DuplicateEdges::sum,
                                                 .directed = false,
                                                 .where = "a",
                                                 .edge_name = edge_namer({})},
                                                notes);
  EXPECT_THAT(matrix.value, ElementsAre(2, 3));
  EXPECT_THAT(notes, IsEmpty());
}

}  // namespace
}  // namespace stkr::listed_edges_test
