#include "dataset/table_profile.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::table_profile_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::message_of;
using ::testing::Not;
using testing::TemporaryFolder;

class Profile : public ::testing::Test {
 protected:
  TableProfile read(std::string_view text, const LoadOptions& options = {}) const {
    return profile_table(folder_.write("a.csv", text), options);
  }
  TableEncoding encode(std::string_view text, const LoadOptions& options = {}) {
    notes_.clear();
    return encode_table(read(text, options), options, notes_);
  }
  std::string refusal(std::string_view text, const LoadOptions& options = {}) {
    return message_of<DataError>([&] { encode(text, options); });
  }
  TemporaryFolder folder_;
  std::vector<std::string> notes_;
};

TEST_F(Profile, CountsCellsByKind) {
  const TableProfile table = read("a,b,label\n1,red,\n3,True,NA\n8,red,x\nNA,,x\n");
  EXPECT_EQ(table.rows, 4);
  const ColumnProfile& a = table.profiles[0];
  EXPECT_EQ(a.numbers, 3);
  EXPECT_EQ(a.missing, 1);
  EXPECT_EQ(a.missing_line, 5u);
  EXPECT_EQ(a.mark, "NA");
  EXPECT_EQ(a.least, 1.0);
  EXPECT_EQ(a.greatest, 8.0);
  EXPECT_NEAR(a.deviation(), std::sqrt((9.0 + 1.0 + 16.0) / 3.0), 1e-12);
  const ColumnProfile& b = table.profiles[1];
  EXPECT_EQ(b.texts, 2);
  EXPECT_EQ(b.booleans, 1);
  EXPECT_EQ(b.levels->at("red"), 2);
  EXPECT_EQ(table.profiles[2].missing, 2);
}

TEST_F(Profile, EncodesNumbersTruthAndText) {
  const TableEncoding encoding = encode("n,t,c\n1,TRUE,x\n2,false,y\n3,True,x\n");
  EXPECT_THAT(encoding.feature_names(), ElementsAre("n", "t", "c=x", "c=y"));
  EXPECT_EQ(encoding.columns[1].kind, ColumnKind::boolean);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("categories"), HasSubstr("true and false")));
  EXPECT_THAT(encode("n\n1\n2\n1\n", {.categorical = {"n"}}).feature_names(),
              ElementsAre("n=1", "n=2"));
  EXPECT_THAT(encode("c\nx\nTRUE\nx\n").feature_names(), ElementsAre("c=TRUE", "c=x"));
}

TEST_F(Profile, RefusesTextThatIsNoCategory) {
  std::string unique = "c,x\n", many = "c,x\n", half = "c,x\n";
  for (int i = 0; i < 5; ++i) unique += fmt::format("t{},1\n", i);
  for (int i = 0; i < 500; ++i) many += fmt::format("t{},1\n", i % 101);
  for (int i = 0; i < 20; ++i) half += fmt::format("t{},1\n", i % 11);
  EXPECT_THAT(refusal(unique),
              HasSubstr("column c has 5 different texts in 5 lines, such as 't0'"));
  EXPECT_THAT(refusal(unique), HasSubstr("--id c"));
  EXPECT_THAT(refusal(many), HasSubstr("more than 100 different texts"));
  EXPECT_THAT(refusal(half), HasSubstr("--drop c"));
  EXPECT_EQ(encode("c\na\nb\nc\nd\n").features(), 4);
  EXPECT_THAT(encode(unique, {.id = "c"}).id_column, "c");
}

TEST_F(Profile, RefusesMixedAndMissingCellsWithARemedy) {
  EXPECT_THAT(refusal("a,b\n1,2\n3,red\n"), HasSubstr("line 3, column b: 'red', expected a finite "
                                                      "number like the 1 others"));
  EXPECT_THAT(refusal("a,b\n1,2\n3,red\n"), HasSubstr("--labels b if it holds the labels"));
  EXPECT_THAT(refusal("a,label\n1,2\nred,3\n"), Not(HasSubstr("--labels")));
  EXPECT_THAT(refusal("a\n1\ninf\n"), HasSubstr("line 3, column a: 'inf'"));
  EXPECT_THAT(refusal("a,b\n1,NA\n3,4\n"), HasSubstr("line 2, column b: 'NA', expected a value; 1 "
                                                     "of 2 cells are missing"));
  EXPECT_THAT(refusal("a,c\n1,x\n3,\n"), HasSubstr("--impute median"));
  EXPECT_THAT(refusal("a,c\n1,\n3,\n", {.impute = true}), HasSubstr("like all cells"));
  EXPECT_TRUE(encode("a,c\n1,x\n3,\n", {.impute = true}).impute);
}

TEST_F(Profile, AnUnnamedFirstColumnIsIdsUnlessItCounts) {
  EXPECT_EQ(read(",a\n0,5\n1,6\n").columns.id, std::nullopt);
  EXPECT_EQ(read(",a\n1,5\n2,6\n").columns.id, 0u);
  EXPECT_EQ(encode(",a\nanna,5\nbert,6\n").id_column, "row_name");
}

TEST_F(Profile, NotesCountersAndScales) {
  std::string counter = "nr,x\n", scales = "a,b\n";
  for (int i = 0; i < 10; ++i) {
    counter += fmt::format("{},{}\n", 100 + 3 * i, i % 3);
    scales += fmt::format("{},{}\n", 0.001 * (i % 2), i % 3);
  }
  encode(counter);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("column nr ascends from 100 to 127")));
  encode(counter, {.drop = {"nr"}});
  EXPECT_THAT(notes_, IsEmpty());
  encode(scales);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("--standardize")));
  encode(scales, {.standardize = true});
  EXPECT_THAT(notes_, IsEmpty());
}

}  // namespace
}  // namespace stkr::table_profile_test
