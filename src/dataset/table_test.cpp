#include "dataset/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::detail::table_test {
namespace {

using stkr::testing::message_of;
using stkr::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Tables : public ::testing::Test {
 protected:
  Table open(std::string_view text, std::optional<bool> header = {},
             std::vector<std::string> missing = {}) const {
    return Table(folder_.write("a.csv", text), header, missing);
  }
  TemporaryFolder folder_;
};

TEST_F(Tables, AFirstLineOfNumbersIsNoHeader) {
  EXPECT_FALSE(open("1,2\n3,4\n").has_header());
  EXPECT_FALSE(open("1,5;2,5;3,5\n3;4;5\n").has_header());
  EXPECT_FALSE(open("1,,NA\n3,4,5\n").has_header());
  EXPECT_TRUE(open("a,2\n3,4\n").has_header());
  EXPECT_TRUE(open(",0,1\n0,5,6\n").has_header());
  EXPECT_TRUE(open("1,2\n3,4\n", true).has_header());
  EXPECT_FALSE(open("a,b\n3,4\n", false).has_header());
  EXPECT_THAT(open("a,b\n3,4\n", false).names(), ElementsAre("0", "1"));
}

TEST_F(Tables, DoubtsAHeaderOfNumbersAndText) {
  EXPECT_THAT(message_of<DataError>([&] { open("5.1,3.5,setosa\n4.9,3,setosa\n"); }),
              HasSubstr("line 1: holds numbers, such as '5.1': is there no header?"));
  EXPECT_THAT(message_of<DataError>([&] { open("5,3,setosa\n4,3,setosa\n"); }),
              HasSubstr("--no-header"));
  EXPECT_THAT(open("2019,2020,city\n1,2,x\n").notes(), ElementsAre(HasSubstr("--no-header")));
  EXPECT_THAT(open("2019,2020,city\n1,2,x\n", true).notes(), ElementsAre());
  EXPECT_THAT(open("a,b,2020\n1,2,3\n").notes(), ElementsAre());
}

TEST_F(Tables, TakesRowNamesOfRWithoutAHeading) {
  EXPECT_THAT(open("a,b\nanna,1,2\n").names(), ElementsAre("", "a", "b"));
  EXPECT_THAT(open("\"a\",\"b\"\n\"1\",1,2\n").names(), ElementsAre("", "a", "b"));
  for (const char* text : {"a,b\n1,2,3\n", "a,b\nanna,1,\n", "a,b\nanna,1,2,3\n"}) {
    Table table = open(text);
    EXPECT_THAT(message_of<DataError>([&] { table.next(); }), HasSubstr("expected 2"));
  }
}

TEST_F(Tables, ReadsDecimalCommasBetweenSemicolons) {
  Table table = open("a;b\n1,5;-2,5e1\n");
  ASSERT_TRUE(table.next());
  EXPECT_EQ(table.number(table.cell(0)), 1.5);
  EXPECT_EQ(table.number(table.cell(1)), -25.0);
  EXPECT_EQ(table.text(table.cell(0)), "1.5");
  EXPECT_EQ(table.text("1,5,5"), "1,5,5");
  EXPECT_EQ(table.comma_line(), 2u);
  EXPECT_EQ(table.point_line(), 0u);
  EXPECT_EQ(table.number("2.5"), 2.5);
  EXPECT_EQ(table.point_line(), 2u);
  EXPECT_THAT(message_of<DataError>([&] { check_decimals("a.csv", 2, 2); }),
              HasSubstr("line 2 has a number with a decimal comma, but line 2 one with a decimal"));
  Table tabs = open("a\tb\n1,5\t2\n");
  ASSERT_TRUE(tabs.next());
  EXPECT_EQ(tabs.number(tabs.cell(0)), std::nullopt);
  EXPECT_EQ(tabs.comma_line(), 0u);
}

TEST_F(Tables, MarksOfMissingCellsCanBeReplaced) {
  const Table usual = open("a\n1\n");
  for (const char* mark : {"", "NA", "N/A", "<NA>", "#N/A", "None", "nan", "NaN", "-nan", "+nan",
                           "nan(1)", "NULL", "null"}) {
    EXPECT_TRUE(usual.missing(mark)) << mark;
  }
  for (const char* text : {"none", "na", "?", "0", "-", "-na", "-999"})
    EXPECT_FALSE(usual.missing(text));
  Table own = open("a\n1\n", {}, {"-999", "?"});
  EXPECT_TRUE(own.missing("?"));
  EXPECT_TRUE(own.missing(""));
  EXPECT_FALSE(own.missing("NA"));
  EXPECT_EQ(own.number("-999"), std::nullopt);
  EXPECT_EQ(own.number("-998"), -998.0);
}

}  // namespace
}  // namespace stkr::detail::table_test
