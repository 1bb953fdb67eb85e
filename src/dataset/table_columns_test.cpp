#include "dataset/table_columns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::detail::table_columns_test {
namespace {

using stkr::testing::message_of;
using stkr::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TableRoles : public ::testing::Test {
 protected:
  TableColumns assign(std::string_view text, const LoadOptions& options = {}) const {
    return assign_columns(Table(folder_.write("a.csv", text), options.header, {}), options);
  }
  std::string refusal(std::string_view text, const LoadOptions& options = {}) const {
    return message_of<DataError>([&] { assign(text, options); });
  }
  TableColumns match(std::string_view text, const TableEncoding& encoding) const {
    return match_columns(Table(folder_.write("a.csv", text), {}, {}), encoding);
  }
  TemporaryFolder folder_;
};

TEST_F(TableRoles, FindsTheUsualLabelAndId) {
  const TableColumns columns = assign("ID,a,Target\n1,2,3\n");
  EXPECT_EQ(columns.id, 0u);
  EXPECT_THAT(columns.features, ElementsAre(1));
  EXPECT_THAT(columns.labels, ElementsAre(2));
  EXPECT_THAT(columns.notes, ElementsAre(HasSubstr("labels are in column Target"),
                                         HasSubstr("column ID holds the ids")));
  const TableColumns none = assign("id,a,y\n1,2,3\n", {.labels = "a", .id = "none"});
  EXPECT_THAT(none.features, ElementsAre(0, 2));
  EXPECT_THAT(none.notes, ElementsAre(HasSubstr("column y is a feature, though")));
}

TEST_F(TableRoles, RefusesWhatIsAmbiguousOrAbsent) {
  EXPECT_THAT(refusal("a,target,y\n1,2,3\n"), HasSubstr("the columns target and y may all be"));
  EXPECT_THAT(assign("a,target,y\n1,2,3\n", {.drop = {"y"}}).labels, ElementsAre(1));
  EXPECT_THAT(assign("a,target,y\n1,2,3\n", {.id = "y"}).labels, ElementsAre(1));
  EXPECT_THAT(refusal("x,target\n1,2\n", {.labels = "Target"}),
              HasSubstr("labels 'Target': there is no column and no file of that name; the data "
                        "has x, target; did you mean target?"));
  EXPECT_THAT(refusal("x,target\n1,2\n", {.labels = "x,z"}), HasSubstr("no column 'z'"));
  EXPECT_THAT(refusal("x,y\n1,2\n", {.drop = {"z"}}), HasSubstr("--drop: there is no column 'z'"));
  EXPECT_THAT(refusal("x,y\n1,2\n", {.id = "z"}), HasSubstr("--id"));
  EXPECT_THAT(refusal("x,y\n1,2\n", {.categorical = {"z"}}), HasSubstr("--categorical"));
}

TEST_F(TableRoles, YIsACoordinateBesideX) {
  const TableColumns plane = assign("X,y,label\n1,2,3\n");
  EXPECT_THAT(plane.features, ElementsAre(0, 1));
  EXPECT_THAT(plane.labels, ElementsAre(2));
  EXPECT_THAT(plane.notes,
              ElementsAre(HasSubstr("column y is a feature, because there is a column x"),
                          HasSubstr("labels are in column label")));
  EXPECT_THAT(assign("x,y\n1,2\n").labels, ElementsAre(1));
}

TEST_F(TableRoles, AFileWithLabelsReplacesTheColumn) {
  const std::string labels = folder_.write("l.txt", "1\n").string();
  const TableColumns columns = assign("x,target\n1,2\n", {.labels = labels});
  EXPECT_THAT(columns.labels, IsEmpty());
  EXPECT_THAT(columns.features, ElementsAre(0));
  EXPECT_THAT(columns.notes, ElementsAre(HasSubstr("column target is not used")));
}

TEST_F(TableRoles, EdgesAreNoPoints) {
  EXPECT_THAT(refusal("source,target,weight\na,b,1\n"), HasSubstr("--kind graph"));
  EXPECT_THAT(refusal("From,To\na,b\n"), HasSubstr("--kind points"));
  EXPECT_THAT(assign("source,target,weight\n1,2,1\n", {.kind = DatasetKind::points}).labels,
              ElementsAre(1));
}

TEST_F(TableRoles, AnUnnamedFirstColumnMayBeRowNames) {
  EXPECT_EQ(assign(",a,label\nx,1,2\n").roles[0], ColumnRole::row_number);
  EXPECT_EQ(assign(",a,id\nx,1,2\n").roles[0], ColumnRole::ignored);
  EXPECT_EQ(assign("a,,label\nx,1,2\n").roles[1], ColumnRole::ignored);
}

TEST_F(TableRoles, MatchesNewTablesByName) {
  const TableEncoding encoding{.columns = {{.name = "a"}, {.name = "b"}},
                               .ignored = {"kind", "dropped"},
                               .id_column = "name"};
  EXPECT_THAT(match("a,b\n1,2\n", encoding).features, ElementsAre(0, 1));
  const TableColumns all = match("dropped,b,name,a,kind,\n1,2,3,4,5,6\n", encoding);
  EXPECT_THAT(all.features, ElementsAre(3, 1));
  EXPECT_EQ(all.id, 2u);
  EXPECT_THAT(match("1,2\n3,4\n", encoding).features, ElementsAre(0, 1));
  const auto refused = [&](std::string_view text) {
    return message_of<DataError>([&] { match(text, encoding); });
  };
  EXPECT_THAT(refused("a,c\n1,2\n"), HasSubstr("lacks the feature 'b' and has 'c', unknown"));
  EXPECT_THAT(refused("1,2,3\n3,4,5\n"), HasSubstr("has 3 features, expected the 2"));
}

TEST_F(TableRoles, MatchesNumberedAndDuplicateColumnsByOrder) {
  const TableEncoding numbered{
      .columns = {{.name = "1"}, {.name = "2"}}, .header = false, .ignored = {"0"}};
  EXPECT_THAT(match("7,8,9\n1,2,3\n", numbered).features, ElementsAre(1, 2));
  EXPECT_THAT(match("8,9\n2,3\n", numbered).features, ElementsAre(0, 1));
  EXPECT_THAT(message_of<DataError>([&] { match("8,9,1,2\n2,3,4,5\n", numbered); }),
              HasSubstr("has '3', unknown"));
  const TableEncoding twice{.columns = {{.name = "a"}, {.name = "a"}}, .ignored = {"label"}};
  EXPECT_THAT(match("a,label,a\n1,2,3\n", twice).features, ElementsAre(0, 2));
  EXPECT_THAT(message_of<DataError>([&] { match("a,label\n1,2\n", twice); }),
              HasSubstr("has 1 features, expected the 2"));
}

}  // namespace
}  // namespace stkr::detail::table_columns_test
