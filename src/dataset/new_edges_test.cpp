#include "dataset/new_edges.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/npz.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::new_edges_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;
using testing::TemporaryFolder;

TEST(NewEdges, AreReadFromText) {
  const TemporaryFolder folder;
  const auto list = folder.write("e.tsv", "new\tknown\tweight\n1\t0\t2.5\n0\t3\t1\n");
  const auto market = folder.write(
      "e.mtx", "%%MatrixMarket matrix coordinate real general\n2 4 2\n2 1 2.5\n1 4 1\n");
  for (const auto& path : {list, market}) {
    const CsrMatrix edges = load_new_edges(path, 4);
    EXPECT_EQ(edges.rows, 2);
    EXPECT_EQ(edges.cols, 4);
    EXPECT_THAT(edges.column, ElementsAre(3, 0));
    EXPECT_THAT(edges.value, ElementsAre(1.0, 2.5));
  }
  EXPECT_THAT(message_of<DataError>([&] { load_new_edges(market, 5); }), HasSubstr("5 columns"));
  EXPECT_THAT(message_of<DataError>([&] { load_new_edges(list, 3); }), HasSubstr("line 3"));
}

std::filesystem::path write_archive(const TemporaryFolder& folder, std::vector<double> value) {
  const std::vector<std::int32_t> column = {2, 0, 1, 3};
  const std::vector<std::int64_t> start = {0, 2, 2, 4};
  const std::vector<std::int64_t> shape = {3, 4};
  NpzWriter writer;
  writer.add("data", value);
  writer.add("indices", column);
  writer.add("indptr", start);
  writer.add("shape", shape);
  writer.write(folder / "e.npz");
  return folder / "e.npz";
}

TEST(NewEdges, ComeNodeByNodeFromAnArchive) {
  const TemporaryFolder folder;
  const auto stream = open_new_edges(write_archive(folder, {1, 2, 3, 4}), 4);
  CsrMatrix part = stream->next(2);
  EXPECT_THAT(part.row_start, ElementsAre(0, 2, 2));
  EXPECT_THAT(part.column, ElementsAre(0, 2));  // sorted
  EXPECT_THAT(part.value, ElementsAre(2, 1));
  part = stream->next(2);
  EXPECT_THAT(part.row_start, ElementsAre(0, 2));
  EXPECT_THAT(part.value, ElementsAre(3, 4));
  EXPECT_EQ(stream->next(2).rows, 0);
}

TEST(NewEdges, NameTheNodeOfABadWeight) {
  const TemporaryFolder folder;
  const auto path = write_archive(folder, {1, 2, 3, -4});
  EXPECT_THAT(message_of<DataError>([&] { load_new_edges(path, 4); }),
              HasSubstr("the edge (2, 3) has weight -4"));
}

}  // namespace
}  // namespace stkr::new_edges_test
