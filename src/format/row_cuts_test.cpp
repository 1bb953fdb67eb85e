#include "format/row_cuts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stkr::row_cuts_test {
namespace {

using testing::ElementsAre;

std::vector<Index> cuts(std::vector<Index> starts, Index parts) {
  return row_cuts(static_cast<Index>(starts.size()) - 1, parts,
                  [&](Index row) { return starts[static_cast<std::size_t>(row)]; });
}

TEST(RowCuts, PartsHaveAsManyEntriesPlusRows) {
  EXPECT_THAT(cuts({0, 2, 4, 6, 8, 10, 12}, 3), ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(cuts({0, 2, 4, 6, 8, 10, 12}, 1), ElementsAre(0, 6));
}

TEST(RowCuts, AHubIsAPartOfItsOwn) {
  // Work before each row: 0, 2, 4, 106, 108, 110.
  EXPECT_THAT(cuts({0, 1, 2, 103, 104, 105}, 2), ElementsAre(0, 3, 5));
  EXPECT_THAT(cuts({0, 101, 102, 103, 104, 105}, 2), ElementsAre(0, 1, 5));
}

TEST(RowCuts, PartsMayBeEmpty) {
  EXPECT_THAT(cuts({0, 1, 2}, 4), ElementsAre(0, 1, 1, 2, 2));
  EXPECT_THAT(cuts({0, 100, 100}, 3), ElementsAre(0, 0, 1, 2));
}

}  // namespace
}  // namespace stkr::row_cuts_test
