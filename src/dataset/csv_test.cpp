#include "dataset/csv.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "stkr/dataset/load_dataset.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::csv_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;
using testing::TemporaryFolder;

class Csv : public ::testing::Test {
 protected:
  CsvPoints load(std::string_view text, const std::string& label = {}) const {
    return load_csv(folder_.write("a.csv", text), {.labels = label});
  }
  std::string refusal(std::string_view text) const {
    return message_of<DataError>([&] { load(text); });
  }
  TemporaryFolder folder_;
};

TEST_F(Csv, ReadsFeaturesAndTheUsualLabelColumn) {
  const CsvPoints data = load("a,Class,b\n1,x,2\n3,,4.5e1\n");
  EXPECT_EQ(data.points.values, (Matrix(2, 2) << 1, 2, 3, 45).finished());
  EXPECT_THAT(data.points.feature_names, ElementsAre("a", "b"));
  EXPECT_THAT(data.label_cells, ElementsAre("x", ""));
}

TEST_F(Csv, ReadsQuotedFieldsAndWindowsLineEnds) {
  const CsvPoints data =
      load("\xef\xbb\xbf\"the \"\"a\"\"\",label\r\n 1 ,\"one, or\ntwo\"\r\n+2,b\r\n");
  EXPECT_THAT(data.points.feature_names, ElementsAre("the \"a\""));
  EXPECT_THAT(data.label_cells, ElementsAre("one, or\ntwo", "b"));
  EXPECT_EQ(data.points.values(1, 0), 2.0);
}

TEST_F(Csv, ReadsSemicolonsAndTabs) {
  EXPECT_EQ(load("a;b\n1;2\n").points.values.cols(), 2);
  EXPECT_EQ(load("a\tb\n1\t2\n").points.values.cols(), 2);
}

TEST_F(Csv, SeparatorsInQuotesSeparateNothing) {
  const CsvPoints data = load("a,\"b;c;\"\";d\",label\n1,2,\"x\ty;z\"\n");
  EXPECT_THAT(data.points.feature_names, ElementsAre("a", "b;c;\";d"));
  EXPECT_THAT(data.label_cells, ElementsAre("x\ty;z"));
  EXPECT_THAT(load("\"a,b,c\";5\" pipe;d\n1;2;3\n").points.feature_names,
              ElementsAre("a,b,c", "5\" pipe", "d"));
}

TEST_F(Csv, FieldsAreReadBack) {
  for (const std::string text : {"plain", "a b", "a;b;c;d", "a\tb\tc\td", "a,b", "say \"x\"", "\"",
                                 "\"\";\"", "two\nlines", "line\r\nend", "a\r"}) {
    const CsvPoints data =
        load(fmt::format("{0},label\n1,{0}\n", csv_field("name of " + text + ".")));
    EXPECT_THAT(data.points.feature_names, ElementsAre("name of " + text + "."));
    EXPECT_THAT(data.label_cells, ElementsAre("name of " + text + "."));
  }
  const std::string mark = "\xEF\xBB\xBF";
  EXPECT_THAT(load(csv_field(mark) + "\n1\n").points.feature_names, ElementsAre(mark));
  EXPECT_EQ(csv_field("plain name"), "plain name");
  EXPECT_EQ(csv_field(" a"), "\" a\"");
}

TEST_F(Csv, HasNoZeroByteInFields) {
  using namespace std::string_literals;
  const std::string far(600, 'x');  // so that the zero byte is not at the start of the file
  EXPECT_THAT(refusal("a,label\n1," + far + "\n2,y\0\n"s),
              HasSubstr("line 3: contains a zero byte"));
  EXPECT_THAT(message_of<ValueError>([&] { csv_field("y\0"s); }),
              HasSubstr("'y\\x00' contains a zero byte"));
}

TEST_F(Csv, NumbersTheColumnsOfATableWithoutHeader) {
  const CsvPoints data = load("1,2,7\n3,4,8", "2");
  EXPECT_EQ(data.points.values, (Matrix(2, 2) << 1, 2, 3, 4).finished());
  EXPECT_THAT(data.label_cells, ElementsAre("7", "8"));
}

TEST_F(Csv, FirstLinesOfNumbersAreData) {
  EXPECT_THAT(refusal("1,,3\n4,5,6\n"), HasSubstr("line 1, column 1: is empty"));
  EXPECT_THAT(refusal("1e400,2\n3,4\n"), HasSubstr("line 1, column 0: '1e400'"));
  EXPECT_THAT(refusal("1,NA\n3,4\n"), HasSubstr("line 1, column 1: 'NA'"));
  EXPECT_THAT(refusal(",\n1,2\n"), HasSubstr("line 1, column 0: is empty"));
  const CsvPoints data = load("1,2,\n3,4,8\n", "2");
  EXPECT_EQ(data.points.values, (Matrix(2, 2) << 1, 2, 3, 4).finished());
  EXPECT_THAT(data.label_cells, ElementsAre("", "8"));
  // This is how pandas writes a table with its row index but without column names.
  EXPECT_EQ(load(",0,1\n0,5,6\n1,7,8\n").points.values, (Matrix(2, 2) << 5, 6, 7, 8).finished());
}

TEST_F(Csv, LeavesOutAnUnnamedIndexColumn) {
  const CsvPoints data = load(",a\n0,5\n1,6\n");
  EXPECT_EQ(data.points.values, (Matrix(2, 1) << 5, 6).finished());
  EXPECT_THAT(data.notes, ElementsAre(HasSubstr("no name")));
  EXPECT_THAT(load("a,,,\n0,5,6,7\n").notes, ElementsAre(HasSubstr("3 columns have no name")));
}

TEST_F(Csv, NamesLineAndColumnOfWhatIsNoNumber) {
  EXPECT_THAT(refusal("a,b\n1,2\n\n3,red\n"), HasSubstr("line 4, column b: 'red'"));
  EXPECT_THAT(refusal("a,b\n1,\n"), HasSubstr("line 2, column b: is empty"));
  EXPECT_THAT(refusal("a,b\n1,nan\n"), HasSubstr("'nan'"));
  EXPECT_THAT(refusal("a,b\n1,1e999\n"), HasSubstr("'1e999'"));
}

TEST_F(Csv, RefusesRaggedUnfinishedAndEmptyTables) {
  EXPECT_THAT(refusal("a,b\n1,2,3\n"), HasSubstr("line 2: has 3 fields, expected 2"));
  EXPECT_THAT(refusal("a,b\n1,\"2\n"), HasSubstr("never closed"));
  EXPECT_THAT(refusal("a,b\n"), HasSubstr("no data after its header"));
  EXPECT_THAT(refusal(""), HasSubstr("is empty"));
  EXPECT_THAT(refusal("\xEF\xBB\xBF"), HasSubstr("holds no text"));
}

TEST_F(Csv, RefusesTextBehindAClosingQuote) {
  EXPECT_THAT(refusal("a,b\n\"1\"2,3\n"), HasSubstr("line 2: field 1 continues after its closing"));
  EXPECT_THAT(refusal("a,b\n1,\"2\"\"\"3\n"), HasSubstr("field 2"));
  EXPECT_EQ(load("a,b\n\"1\" ,\"2\"\r\n").points.values(0, 1), 2.0);
}

TEST_F(Csv, RefusesLinesOfMillionsOfFieldsBeforeTheyAreCut) {
  const auto path = folder_.write("wide.csv", std::string(4'000'000, ',') + "\n");
  EXPECT_THAT(message_of<DataError>([&] { load_csv(path); }),
              HasSubstr("line 1: has 4000000 or more fields"));
}

TEST_F(Csv, ShowsNoControlCharacters) {
  EXPECT_THAT(refusal("a\x1b[31m,b\n1,2\nx\x1b[31m,2\n"),
              HasSubstr("column a\\x1b[31m: 'x\\x1b[31m'"));
}

TEST_F(Csv, ReadsSeveralTargets) {
  const auto path = folder_.write("a.csv", "p,x,q\n1,2,3.5\n,5,\n");
  const Dataset data = load_dataset(path, {.labels = "q,p"});
  EXPECT_EQ(data.points().values, (Matrix(2, 1) << 2, 5).finished());
  const auto& targets = std::get<TargetValues>(data.labels);
  EXPECT_THAT(targets.names, ElementsAre("q", "p"));
  EXPECT_EQ(targets.values(0, 0), 3.5);
  EXPECT_THAT(labeled_indices(targets), ElementsAre(0));
  const auto refused = [&](std::string_view labels, Task task, std::string_view text) {
    const auto bad = folder_.write("b.csv", text);
    return message_of<DataError>(
        [&] { load_dataset(bad, {.labels = std::string(labels), .task = task}); });
  };
  EXPECT_THAT(refused("p,q", Task::automatic, "p,x,q\n1,2,red\n"),
              HasSubstr("the target q of sample 0 is 'red'"));
  EXPECT_THAT(refused("p,q", Task::classification, "p,x,q\n1,2,3\n"), HasSubstr("expected one"));
  EXPECT_THAT(refused("p,z", Task::automatic, "p,x,q\n1,2,3\n"), HasSubstr("'p,z'"));
}

TEST_F(Csv, ReadsLinesThatSpanReadBuffers) {
  std::string text = "label,a,b\n";
  for (int i = 0; i < 300; ++i) {
    text += "\"" + std::string(2'000, 'x') + "\n" + std::to_string(i % 2) + "\"," +
            std::to_string(i) + ",1\r\n";
  }
  const CsvPoints data = load(text);
  ASSERT_EQ(data.points.values.rows(), 300);
  EXPECT_EQ(data.points.values(299, 0), 299.0);
  EXPECT_EQ(data.label_cells[299], std::string(2'000, 'x') + "\n1");
  EXPECT_THAT(refusal(text + "x,1,red\n"), HasSubstr("line 602, column b: 'red'"));
}

TEST_F(Csv, FillsGapsWithTheMedian) {
  const CsvPoints data =
      load_csv(folder_.write("a.csv", "a,b,c,t\n1,NA,x,true\n2,4,,NA\n9,6,x,false\n,5,y,true\n"),
               {.impute = true});
  const Matrix expected =
      (Matrix(4, 5) << 1, 5, 1, 0, 1, 2, 4, 0, 0, 1, 9, 6, 1, 0, 0, 2, 5, 0, 1, 1).finished();
  EXPECT_EQ(data.points.values, expected);
  EXPECT_EQ(data.encoding.columns[0].fill, 2.0);
  EXPECT_EQ(data.encoding.columns[1].fill, 5.0);
  EXPECT_EQ(data.encoding.columns[3].fill, 1.0);
  const CsvPoints even =
      load_csv(folder_.write("b.csv", "a,t\n1,true\n4,false\n,\n"), {.impute = true});
  EXPECT_EQ(even.points.values, (Matrix(3, 2) << 1, 1, 4, 0, 2.5, 0).finished());
}

TEST_F(Csv, ReadsNewTablesLikeTheFirst) {
  const CsvPoints first = load_csv(
      folder_.write("a.csv", "name,a,c,t,label\nu,1,x,true,k\nv,NA,y,false,\nw,3,x,true,l\n"),
      {.id = "name", .impute = true});
  EXPECT_THAT(first.ids, ElementsAre("u", "v", "w"));
  CsvReader reader(folder_.write("b.csv", "t,c,name,a\n0,y,p,7\nTRUE,z,q,\n"), first.encoding);
  EXPECT_EQ(reader.id_column(), "name");
  std::vector<std::string> ids;
  EXPECT_EQ(reader.next_rows(9, nullptr, &ids),
            (Matrix(2, 4) << 7, 0, 1, 0, 2, 0, 0, 1).finished());
  EXPECT_THAT(ids, ElementsAre("p", "q"));
  EXPECT_THAT(reader.warnings(), ElementsAre(HasSubstr("1 cell holds no category of the model "
                                                       "('z' in line 3, column c)")));
  CsvReader bad(folder_.write("c.csv", "t,c,a\nmaybe,y,7\n"), first.encoding);
  EXPECT_THAT(message_of<DataError>([&] { bad.next_rows(1); }),
              HasSubstr("line 2, column t: 'maybe', expected true or false"));
  CsvReader text(folder_.write("d.csv", "t,c,a\ntrue,y,many\n"), first.encoding);
  EXPECT_THAT(message_of<DataError>([&] { text.next_rows(1); }), HasSubstr("column a: 'many'"));
}

TEST_F(Csv, SavesWhatItLoads) {
  const Points points{.values = Matrix::Random(20, 3) * 1e-7, .feature_names = {"a", "b,c", "d"}};
  std::vector<std::string> cells(20, "say \"x\"");
  cells[3] = "";
  cells[4] = "other";
  const ClassLabels labels = class_labels(cells);
  save_csv(folder_ / "out.csv", points, labels);
  const Dataset data = load_dataset(folder_ / "out.csv");
  EXPECT_EQ(data.points().values, points.values);
  EXPECT_EQ(data.points().feature_names, points.feature_names);
  EXPECT_EQ(std::get<ClassLabels>(data.labels), labels);
}

TEST_F(Csv, SaysWhenNamesMayBeReadAsASample) {
  const auto save = [&](const std::vector<std::string>& names) {
    const Matrix values = Matrix::Ones(1, static_cast<Index>(names.size()));
    return save_csv(folder_ / "out.csv", {.values = values, .feature_names = names}, {});
  };
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"2019", "2020"}, {"1e17", "x"}, {"7"}, {"nan", "1"}}) {
    EXPECT_THAT(save(names), ElementsAre(HasSubstr("say --header")));
    const Dataset data = load_dataset(folder_ / "out.csv", {.header = true});
    EXPECT_EQ(data.points().feature_names, names);
    EXPECT_EQ(data.size(), 1);
  }
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"a", "b"}, {"2019", "2020", "x"}, {"1e17", "x", "z"}}) {
    EXPECT_THAT(save(names), ::testing::IsEmpty());
    EXPECT_EQ(load_dataset(folder_ / "out.csv").points().feature_names, names);
  }
}

TEST_F(Csv, SavesTargetsWithGaps) {
  const Points points{.values = Matrix::Random(3, 2), .feature_names = {}};
  const TargetValues targets{.names = {"target"},
                             .values = (Matrix(3, 1) << 0.1, NAN, -1.0 / 3.0).finished()};
  save_csv(folder_ / "out.csv", points, targets);
  const auto labels = load_dataset(folder_ / "out.csv").labels;
  const Matrix& values = std::get<TargetValues>(labels).values;
  EXPECT_EQ(values(0, 0), 0.1);
  EXPECT_TRUE(std::isnan(values(1, 0)));
  EXPECT_EQ(values(2, 0), -1.0 / 3.0);
}

// Beyond 2⁵³, an integer is a class and any other notation a number.
TEST_F(Csv, SavesHugeTargetsAsTargets) {
  const Dataset data = load_dataset(folder_.write("a.csv", "x,y\n1,3\n2,-104893833081293980.\n"));
  save_csv(folder_ / "out.csv", data.points(), data.labels);
  const Labels labels = load_dataset(folder_ / "out.csv").labels;
  EXPECT_EQ(std::get<TargetValues>(labels).values, std::get<TargetValues>(data.labels).values);
}

}  // namespace
}  // namespace stkr::csv_test
