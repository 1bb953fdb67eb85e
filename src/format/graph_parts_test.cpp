#include "format/graph_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::graph_parts_test {
namespace {

using testing::content_of;
using ::testing::HasSubstr;
using testing::message_of;
using testing::TemporaryFolder;

// A path of seven nodes, with a loop at its end.
CsrMatrix path_graph() {
  std::vector<Triplet> entries;
  for (std::int32_t i = 0; i + 1 < 7; ++i) {
    entries.push_back({i, i + 1, 1.0 + i});
    entries.push_back({i + 1, i, 1.0 + i});
  }
  entries.push_back({6, 6, 0.5});
  return csr_from_triplets(7, 7, std::move(entries));
}

// Parts of 3, 0 and 4 rows.
std::filesystem::path written(const TemporaryFolder& folder) {
  const CsrMatrix graph = path_graph();
  GraphPartsWriter writer(folder / "graph", 7);
  writer.add(row_slice(graph, 0, 3));
  writer.add(row_slice(graph, 3, 0));
  writer.add(row_slice(graph, 3, 4));
  NpzWriter samples;
  const std::vector<std::int64_t> labels = {0, 1, -1, -1, -1, 1, 0};
  samples.add("labels", labels);
  samples.write(writer.samples());
  writer.commit();
  return folder / "graph";
}

void replace(const std::filesystem::path& file, const std::string& from, const std::string& to) {
  std::string text = content_of(file);
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  std::ofstream(file, std::ios::binary) << text.replace(at, from.size(), to);
}

TEST(GraphParts, AnyRowsAreThoseOfTheWholeGraph) {
  const TemporaryFolder folder;
  const GraphParts parts(written(folder));
  const CsrMatrix graph = path_graph();
  EXPECT_EQ(parts.nodes(), 7);
  EXPECT_EQ(parts.entries(), graph.entries());
  for (Index first = 0; first <= 7; ++first) {
    EXPECT_EQ(parts.entries_before(first), graph.row_start[static_cast<std::size_t>(first)]);
    for (Index count = 0; count <= 7 - first; ++count) {
      const CsrMatrix found = parts.rows(first, count), expected = row_slice(graph, first, count);
      EXPECT_EQ(found.rows, count);
      EXPECT_EQ(found.cols, 7);
      EXPECT_EQ(found.row_start, expected.row_start) << first << " " << count;
      EXPECT_EQ(found.column, expected.column);
      EXPECT_EQ(found.value, expected.value);
    }
  }
  ASSERT_TRUE(parts.samples());
  EXPECT_TRUE(parts.samples()->has_array("labels"));
  EXPECT_TRUE(GraphParts::is_folder(folder / "graph"));
  EXPECT_FALSE(GraphParts::is_folder(folder / "graph/part-0000.npz"));
  EXPECT_EQ(folder.file_count(), 1u);  // nothing but the folder
}

TEST(GraphParts, RefusesFilesThatAreNotTheListedOnes) {
  const auto broken = [](auto&& change, Index first = 0, Index count = 7) {
    const TemporaryFolder folder;
    const std::filesystem::path graph = written(folder);
    change(graph);
    return message_of<DataError>([&] { GraphParts(graph).rows(first, count); });
  };
  using Path = std::filesystem::path;
  const auto remove = [](const Path& graph) { std::filesystem::remove(graph / "part-0002.npz"); };
  EXPECT_THAT(broken(remove), HasSubstr("part-0002.npz: no such file, but parts.json lists it"));
  EXPECT_EQ(broken(remove, 0, 3), "");  // not needed
  EXPECT_THAT(
      broken([](const Path& graph) { std::filesystem::resize_file(graph / "part-0002.npz", 700); }),
      HasSubstr("has 700 bytes, expected"));
  // Another part of the same size.
  EXPECT_THAT(broken([](const Path& graph) {
                CsrMatrix other = row_slice(path_graph(), 3, 4);
                other.value[0] = 9.0;
                GraphPartsWriter writer(graph.parent_path() / "other", 4);
                writer.add(other);
                writer.commit();
                std::filesystem::copy_file(graph.parent_path() / "other/part-0000.npz",
                                           graph / "part-0002.npz",
                                           std::filesystem::copy_options::overwrite_existing);
              }),
              HasSubstr("is not the one that parts.json lists"));
  // Without sizes and checksums, which other programs may leave out.
  EXPECT_THAT(
      broken([](const Path& graph) {
        std::ofstream(graph / "parts.json")
            << R"({"format": "stkr graph parts", "version": 1, "shape": [7, 7],)"
            << R"( "entries": 13, "parts": [{"file": "part-0000.npz", "rows": 4, "entries": 5},)"
            << R"({"file": "part-0002.npz", "rows": 3, "entries": 8}]})";
      }),
      HasSubstr("has 3 rows of 7 columns and 5 entries, expected 4 of 7 and 5"));
  // A flipped bit in the data.
  EXPECT_THAT(broken([](const Path& graph) {
                std::string bytes = content_of(graph / "part-0000.npz");
                bytes[bytes.find("indices.npy") + 160] ^= 1;
                std::ofstream(graph / "part-0000.npz", std::ios::binary) << bytes;
              }),
              HasSubstr("part-0000.npz"));
}

TEST(GraphParts, RefusesListsThatContradictThemselves) {
  const auto message = [](const std::string& from, const std::string& to) {
    const TemporaryFolder folder;
    const std::filesystem::path graph = written(folder);
    replace(graph / "parts.json", from, to);
    return message_of<DataError>([&] { const GraphParts parts(graph); });
  };
  EXPECT_THAT(message("\"rows\": 3", "\"rows\": 2"), HasSubstr("6 rows and 13 entries in all"));
  EXPECT_THAT(message("\"rows\": 3", "\"rows\": 8"), HasSubstr("more than the rest of 7 × 7"));
  EXPECT_THAT(message("\"entries\": 5", "\"entries\": -5"), HasSubstr("more than the rest"));
  EXPECT_THAT(message("\"version\": 1", "\"version\": 2"), HasSubstr("version 2, expected 1"));
  EXPECT_THAT(message("stkr graph parts", "others"), HasSubstr("has not the format"));
  EXPECT_THAT(message("part-0000.npz", "../../a.npz"), HasSubstr("is not the name of a file"));
  EXPECT_THAT(message("\"rows\": 3", "\"rows\": \"x\""), HasSubstr("is damaged"));
  EXPECT_THAT(message("{", "["), HasSubstr("is damaged"));
  EXPECT_THAT(message("  7\n", "  8\n"), HasSubstr("expected a square matrix"));
}

TEST(GraphParts, WritesAllOrNothing) {
  const TemporaryFolder folder;
  const std::filesystem::path graph = written(folder);
  const std::string before = content_of(graph / "parts.json");
  EXPECT_THAT(message_of<WriteError>([&] { const GraphPartsWriter writer(graph, 7); }),
              HasSubstr("exists and is not an empty folder"));
  {
    GraphPartsWriter unfinished(folder / "other", 7);
    unfinished.add(row_slice(path_graph(), 0, 3));
  }
  EXPECT_EQ(folder.file_count(), 1u);
  EXPECT_EQ(content_of(graph / "parts.json"), before);
  EXPECT_NE(message_of<WriteError>([&] { const GraphPartsWriter writer(folder / "no/such", 7); }),
            "");
  // An empty folder is used.
  std::filesystem::create_directory(folder / "empty");
  GraphPartsWriter writer(folder / "empty", 7);
  writer.add(path_graph());
  writer.commit();
  EXPECT_EQ(GraphParts(folder / "empty").entries(), 13);
  EXPECT_FALSE(GraphParts(folder / "empty").samples());
}

}  // namespace
}  // namespace stkr::graph_parts_test
