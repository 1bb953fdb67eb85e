#include "dataset/column_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "format/npz.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::column_table_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ColumnTableTest : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::string message(const std::string& name, const std::string& text) {
    try {
      load_columns(write(name, text));
    } catch (const DataError& error) {
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
  }

  stkr::testing::TemporaryFolder folder_;
};

TEST_F(ColumnTableTest, ReadsTablesWithAnySeparator) {
  for (const auto& [name, text] : {std::pair("a.csv", "id,label\na,\"x, y\"\nb,\n"),
                                   std::pair("a.tsv", "id\tlabel\na\tx, y\nb\t\n"),
                                   std::pair("b.csv", "id;label\na;x, y\nb;\n")}) {
    const ColumnTable table = load_columns(write(name, text));
    EXPECT_THAT(table.names, ElementsAre("id", "label")) << name;
    EXPECT_THAT(table.column("id"), ElementsAre("a", "b")) << name;
    EXPECT_THAT(table.column("label"), ElementsAre("x, y", "")) << name;
  }
}

TEST_F(ColumnTableTest, ReadsJsonLines) {
  const ColumnTable table = load_columns(write(
      "a.jsonl", "{\"id\": \"a\", \"n\": 1.5}\n\n{\"id\": \"b\", \"tie\": true, \"n\": null}\n"));
  EXPECT_EQ(table.rows(), 2);
  EXPECT_THAT(table.column("id"), ElementsAre("a", "b"));
  EXPECT_THAT(table.column("n"), ElementsAre("1.5", ""));
  EXPECT_THAT(table.column("tie"), ElementsAre("", "1"));
}

TEST_F(ColumnTableTest, ReadsArchives) {
  NpzWriter writer;
  const std::vector<std::string> names{"a", "b"}, classes{"x", "y"};
  const std::vector<std::int64_t> index{3, 7};
  Matrix scores(2, 2);
  scores << 0.25, 1.0, -2.0, 0.5;
  writer.add("index", index);
  writer.add_strings("id", names);
  writer.add("scores", scores);
  writer.add_strings("classes", classes);
  writer.write(folder_ / "a.npz");
  const ColumnTable table = load_columns(folder_ / "a.npz");
  EXPECT_THAT(table.column("index"), ElementsAre("3", "7"));
  EXPECT_THAT(table.column("id"), ElementsAre("a", "b"));
  EXPECT_THAT(table.column("score_x"), ElementsAre("0.25", "-2"));
  EXPECT_THAT(table.column("score_y"), ElementsAre("1", "0.5"));
}

TEST_F(ColumnTableTest, TheFormatMayBeGiven) {
  EXPECT_TRUE(is_column_table("a.csv"));
  EXPECT_TRUE(is_column_table("a", "jsonl"));
  EXPECT_FALSE(is_column_table("a.mtx"));
  EXPECT_THAT(load_columns(write("plain", "id,label\na,x\n"), "csv").column("label"),
              ElementsAre("x"));
}

TEST_F(ColumnTableTest, SaysWhatIsWrong) {
  EXPECT_THAT(message("a.csv", "id,label\na\n"), HasSubstr("line 2: has 1 fields, expected 2"));
  EXPECT_THAT(message("a.csv", "id,label\n"), HasSubstr("has no rows"));
  EXPECT_THAT(message("a.jsonl", "{\"id\": 1}\n[1]\n"), HasSubstr("line 2: is not a JSON object"));
  EXPECT_THAT(message("a.jsonl", "{\"id\": [1]}\n"), HasSubstr("line 1: 'id' is array"));
  const ColumnTable table = load_columns(write("b.csv", "id,target\na,x\n"));
  try {
    table.column("Target");
    ADD_FAILURE() << "no error";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("has no column Target; it has id, target; did you mean"));
  }
}

}  // namespace
}  // namespace stkr::column_table_test
