#include "stkr/dataset/labels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class T>
NpyArray array_of(const std::vector<T>& values, std::vector<Index> shape = {}) {
  if (shape.empty()) shape = {static_cast<Index>(values.size())};
  std::string bytes = npy_header_text(npy_descr<T>(), shape);
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return open_npy(std::move(bytes), "a.npy");
}

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

TEST(Labels, OfIntegerTypeAreClasses) {
  const auto labels = labels_from_array(array_of<std::int64_t>({3, -1, 0}));
  EXPECT_THAT(std::get<ClassLabels>(labels).names, ElementsAre("-1", "0", "3"));
}

// NumPy idiom: y = -np.ones(n), or np.full(n, np.nan), then a few classes.
TEST(Labels, OfFloatingTypeAreClassesWhereAllAreWhole) {
  const auto array = [] { return array_of<double>({1.0, kNan, -1.0, 0.0, 1.0}); };
  auto classes = std::get<ClassLabels>(labels_from_array(array()));
  EXPECT_THAT(classes.names, ElementsAre("-1", "0", "1"));
  EXPECT_THAT(classes.code, ElementsAre(2, kUnlabeled, 0, 1, 2));
  EXPECT_EQ(hide_minus_one(classes), 1);
  EXPECT_EQ(std::get<ClassLabels>(labels_from_array(array(), Task::classification)).names.size(),
            3u);
  EXPECT_TRUE(std::holds_alternative<ClassLabels>(
      labels_from_array(array_of<float>({1.0f, 2.0f}, {2, 1}))));
}

TEST(Labels, OfFloatingTypeAreTargetsWhereThatIsEvidentOrAskedFor) {
  const auto targets =
      std::get<TargetValues>(labels_from_array(array_of<double>({1.5, kNan, 2.0})));
  EXPECT_EQ(targets.values(2, 0), 2.0);
  EXPECT_THAT(labeled_indices(targets), ElementsAre(0, 2));
  EXPECT_TRUE(std::holds_alternative<TargetValues>(
      labels_from_array(array_of<double>({1.0, 2.0}), Task::regression)));
  EXPECT_TRUE(std::holds_alternative<TargetValues>(
      labels_from_array(array_of<double>({1.0, 2.0, 3.0, 4.0}, {2, 2}))));
  EXPECT_TRUE(
      std::holds_alternative<TargetValues>(labels_from_array(array_of<double>({1e300, 2}))));
  EXPECT_THROW(labels_from_array(array_of<double>({1.5}), Task::classification), DataError);
}

TEST(Labels, OfIntegersAreTargetsWhenRegressionIsAskedFor) {
  const auto labels =
      labels_from_array(array_of<std::int32_t>({1, 2, 3, 4}, {2, 2}), Task::regression);
  EXPECT_EQ(std::get<TargetValues>(labels).values(1, 0), 3.0);
  EXPECT_EQ(std::get<TargetValues>(labels).names.size(), 2u);
}

TEST(Labels, OfAMatrixOfIntegersAreRefused) {
  EXPECT_THAT(message_of<DataError>([] {
                labels_from_array(array_of<std::int32_t>({1, 2, 3, 4}, {2, 2}));
              }),
              HasSubstr("regression"));
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

TEST(Labels, RefuseInfinityAndHalfLabeledSamples) {
  EXPECT_THROW(labels_from_array(array_of<double>({INFINITY})), DataError);
  EXPECT_THAT(message_of<DataError>([] {
                labels_from_array(array_of<double>({1, kNan}, {1, 2}));
              }),
              HasSubstr("some targets but not all"));
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
}  // namespace stkr
