#include "dataset/label_array.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::label_array_test {
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

TEST(LabelArray, OfIntegerTypeAreClasses) {
  const auto labels = labels_from_array(array_of<std::int64_t>({3, -1, 0}));
  EXPECT_THAT(std::get<ClassLabels>(labels).names, ElementsAre("-1", "0", "3"));
}

// NumPy idiom: y = -np.ones(n), or np.full(n, np.nan), then a few classes.
TEST(LabelArray, OfFloatingTypeAreClassesWhereAllAreWhole) {
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

TEST(LabelArray, OfFloatingTypeAreTargetsWhereThatIsEvidentOrAskedFor) {
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

TEST(LabelArray, OfIntegersAreTargetsWhenRegressionIsAskedFor) {
  const auto labels =
      labels_from_array(array_of<std::int32_t>({1, 2, 3, 4}, {2, 2}), Task::regression);
  EXPECT_EQ(std::get<TargetValues>(labels).values(1, 0), 3.0);
  EXPECT_EQ(std::get<TargetValues>(labels).names.size(), 2u);
}

TEST(LabelArray, OfAMatrixOfIntegersAreRefused) {
  EXPECT_THAT(message_of<DataError>([] {
                labels_from_array(array_of<std::int32_t>({1, 2, 3, 4}, {2, 2}));
              }),
              HasSubstr("regression"));
}

TEST(LabelArray, RefusesInfinityAndHalfLabeledSamples) {
  EXPECT_THROW(labels_from_array(array_of<double>({INFINITY})), DataError);
  EXPECT_THAT(message_of<DataError>([] {
                labels_from_array(array_of<double>({1, kNan}, {1, 2}));
              }),
              HasSubstr("some targets but not all"));
}

}  // namespace
}  // namespace stkr::label_array_test
