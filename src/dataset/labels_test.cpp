#include "stkr/dataset/labels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::labels_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

Labels from_cells(const std::vector<std::string>& cells, Task task = Task::automatic) {
  return labels_from_cells(cells, "y", task, "a.csv");
}

TEST(Labels, SortIntegersByValueAndTextAsText) {
  const auto integers = class_labels(std::vector<std::string>{"10", "9", "+1", "", "1.0", "-1"});
  EXPECT_THAT(integers.names, ElementsAre("-1", "1", "9", "10"));
  EXPECT_THAT(integers.code, ElementsAre(3, 2, 1, kUnlabeled, 1, 0));
  const auto texts = class_labels(std::vector<std::string>{"10", "9", "b"});
  EXPECT_THAT(texts.names, ElementsAre("10", "9", "b"));
}

TEST(Labels, OfAColumnFollowItsContent) {
  EXPECT_TRUE(std::holds_alternative<ClassLabels>(from_cells({"1", "2.0", ""})));
  EXPECT_TRUE(std::holds_alternative<TargetValues>(from_cells({"1", "2.5", ""})));
  EXPECT_TRUE(std::holds_alternative<ClassLabels>(from_cells({"1", "two"})));
  EXPECT_TRUE(std::holds_alternative<TargetValues>(from_cells({"1", "2"}, Task::regression)));
  EXPECT_THAT(message_of<DataError>([] {
                from_cells({"1", "two"}, Task::regression);
              }),
              HasSubstr("sample 1 is 'two'"));
}

TEST(Labels, OfCellsThatHoldNoValueAreMissing) {
  for (const char* none : {"", " ", "nan", "NaN", "NAN", "NA", "N/A", "<NA>", "NULL", "null"}) {
    const auto whole = std::get<ClassLabels>(from_cells({"1", none, "0.0"}));
    EXPECT_THAT(whole.names, ElementsAre("0", "1")) << none;
    EXPECT_THAT(whole.code, ElementsAre(1, kUnlabeled, 0));
    const auto texts = std::get<ClassLabels>(from_cells({"b", none, "a"}));
    EXPECT_THAT(texts.names, ElementsAre("a", "b")) << none;
    EXPECT_THAT(labeled_indices(from_cells({"1.5", none, "2"})), ElementsAre(0, 2)) << none;
    EXPECT_THAT(labeled_indices(from_cells({"1", none}, Task::regression)), ElementsAre(0)) << none;
  }
  EXPECT_THAT(std::get<ClassLabels>(from_cells({"na", "none", "nano"})).names.size(), 3u);
}

TEST(Labels, MinusOneCanMeanUnlabeled) {
  auto labels = class_labels(std::vector<std::int64_t>{-2, -1, 0, -1, 5});
  EXPECT_EQ(hide_minus_one(labels), 2);
  EXPECT_THAT(labels.names, ElementsAre("-2", "0", "5"));
  EXPECT_THAT(labels.code, ElementsAre(0, kUnlabeled, 1, kUnlabeled, 2));
  EXPECT_EQ(hide_minus_one(labels), 0);
}

TEST(Labels, AnExplicitIndexKeepsMinusOneAsAClass) {
  Labels labels = class_labels(std::vector<std::int64_t>{-1, 1, -1, 1});
  keep_only(labels, std::vector<Index>{3, 0});
  EXPECT_THAT(labeled_indices(labels), ElementsAre(0, 3));
  EXPECT_THAT(std::get<ClassLabels>(labels).names, ElementsAre("-1", "1"));
}

TEST(Labels, CheckAnExplicitIndex) {
  const Labels labels = class_labels(std::vector<std::string>{"a", "", "b"});
  for (const auto& [index, what] :
       std::vector<std::pair<std::vector<Index>, std::string>>{{{3}, "out of range"},
                                                               {{-1}, "out of range"},
                                                               {{0, 0}, "twice"},
                                                               {{1}, "has no label"}}) {
    Labels copy = labels;
    EXPECT_THAT(message_of<ValueError>([&] { keep_only(copy, index); }), HasSubstr(what));
    EXPECT_EQ(std::get<ClassLabels>(copy), std::get<ClassLabels>(labels));
  }
  Labels none;
  EXPECT_THROW(keep_only(none, std::vector<Index>{0}), ValueError);
}

TEST(Labels, OfChosenSamplesKeepTheirNames) {
  const Labels labels = class_labels(std::vector<std::string>{"a", "b", ""});
  const auto chosen = std::get<ClassLabels>(labels_of(labels, std::vector<Index>{2, 1}));
  EXPECT_THAT(chosen.names, ElementsAre("a", "b"));
  EXPECT_THAT(chosen.code, ElementsAre(kUnlabeled, 1));
}

}  // namespace
}  // namespace stkr::labels_test
