#include "dataset/graph_shares.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/convert_to_parts.hpp"
#include "dataset/save_dataset.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::graph_shares_test {
namespace {

using testing::TemporaryFolder;

// A path of 9 nodes, one of which is joined to all others.
Dataset hub() {
  std::vector<Triplet> entries;
  for (std::int32_t i = 0; i < 9; ++i) {
    if (i > 0) entries.push_back({i, i - 1, 1.0});
    if (i < 8) entries.push_back({i, i + 1, 1.0});
    if (i != 4 && i != 3 && i != 5) {
      entries.push_back({i, 4, 1.0});
      entries.push_back({4, i, 1.0});
    }
  }
  Dataset dataset;
  dataset.samples =
      Graph{.adjacency = csr_from_triplets(9, 9, std::move(entries)), .node_names = {}};
  return dataset;
}

void expect_share(const GraphShare& share, Index most, Index fewest, Index entries) {
  EXPECT_EQ(share.most_rows, most);
  EXPECT_EQ(share.fewest_rows, fewest);
  EXPECT_EQ(share.entries, entries);
}

TEST(GraphShares, AreTheSameForEveryFormat) {
  const TemporaryFolder folder;
  const Dataset dataset = hub();
  for (const char* name : {"hub.npz", "hub.mtx", "hub.tsv"}) save_dataset(folder / name, dataset);
  convert_to_parts(folder / "hub.npz", {}, 2, folder / "hub");
  for (const char* name : {"hub.npz", "hub.mtx", "hub.tsv", "hub"}) {
    SCOPED_TRACE(name);
    // Rows of 2, 3, 3, 2, 8, 2, 3, 3, 2 entries: the work of 37 is cut at 12 and 24.
    expect_share(largest_share(folder / name, {}, 1), 9, 9, 28);
    expect_share(largest_share(folder / name, {}, 3), 4, 2, 10);
  }
}

TEST(GraphShares, NoProcessHasLessThanAHub) {
  const TemporaryFolder folder;
  save_dataset(folder / "hub.npz", hub());
  for (const Index processes : {9, 20, 100}) {
    const GraphShare share = largest_share(folder / "hub.npz", {}, processes);
    EXPECT_EQ(share.entries, 8);
    EXPECT_EQ(share.fewest_rows, 0);
  }
}

TEST(GraphShares, SymmetrizingMayDoubleEntries) {
  const TemporaryFolder folder;
  save_dataset(folder / "hub.npz", hub());
  EXPECT_EQ(largest_share(folder / "hub.npz", {.symmetrize = true}, 3).entries, 20);
}

TEST(GraphShares, OfSizesAreEqual) {
  expect_share(equal_share(10, 31, 3), 4, 3, 11);
  expect_share(equal_share(2, 2, 4), 1, 0, 1);
}

TEST(GraphShares, RefuseWhatProcessesCannotRead) {
  const TemporaryFolder folder;
  EXPECT_THROW(largest_share(folder / "none.npz", {}, 2), DataError);
  save_dataset(folder / "points.csv", two_moons(20, 0.1, 1));
  EXPECT_THROW(largest_share(folder / "points.csv", {}, 2), ParameterError);
}

}  // namespace
}  // namespace stkr::graph_shares_test
