#include "dataset/svmlight.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "stkr/dataset/load_dataset.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::svmlight_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;
using testing::TemporaryFolder;

class Svmlight : public ::testing::Test {
 protected:
  Dataset load(std::string_view text, const LoadOptions& options = {}) const {
    return load_dataset(folder_.write("a.svmlight", text), options);
  }
  std::string refusal(std::string_view text) const {
    return message_of<DataError>([&] { load(text); });
  }
  TemporaryFolder folder_;
};

TEST_F(Svmlight, CountsFeaturesFromOneUnlessAZeroOccurs) {
  const Dataset one = load("# comment\n+1 1:2 3:4 # end\n2 qid:5 2:1\n");
  EXPECT_EQ(one.points().values, (Matrix(2, 3) << 2, 0, 4, 0, 1, 0).finished());
  EXPECT_THAT(std::get<ClassLabels>(one.labels).names, ElementsAre("1", "2"));
  EXPECT_EQ(load("1 1:2\n2 0:1\n").points().values, (Matrix(2, 2) << 0, 2, 1, 0).finished());
}

TEST_F(Svmlight, WidensToTheFeaturesExpected) {
  EXPECT_EQ(load("1 2:5\n", {.features = 4}).points().values.cols(), 4);
  EXPECT_THROW(load("1 5:5\n", {.features = 4}), DataError);
}

TEST_F(Svmlight, NamesTheLineOfAnError) {
  EXPECT_THAT(refusal("1 1:1\nx 1:1\n"), HasSubstr("line 2: starts with 'x'"));
  EXPECT_THAT(refusal("1 1\n"), HasSubstr("'1' is not index:value"));
  EXPECT_THAT(refusal("1 1:nan\n"), HasSubstr("finite"));
  EXPECT_THAT(refusal("1 2:1 1:1\n"), HasSubstr("ascending"));
  EXPECT_THAT(refusal("1 -1:1\n"), HasSubstr("ascending"));
  EXPECT_THAT(refusal("1\n"), HasSubstr("0 features"));
  EXPECT_THAT(refusal("# nothing\n"), HasSubstr("no data"));
}

TEST_F(Svmlight, RefusesAHostileIndex) {
  const Dataset data = load("1 2000000000:1\n");  // stays sparse
  EXPECT_EQ(data.points().values.cols(), 2'000'000'000);
  EXPECT_THAT(refusal("1 99999999999:1\n"), HasSubstr("ascending"));
}

TEST_F(Svmlight, SavesWhatItLoads) {
  Matrix points = Matrix::Random(6, 4) / 3.0;
  points.col(3).setZero();
  const Labels labels = class_labels(std::vector<std::string>{"1", "2", "", "2", "10", "1"});
  save_svmlight(folder_ / "out.svmlight", points, labels);
  const Dataset data = load_dataset(folder_ / "out.svmlight");
  EXPECT_EQ(data.points().values, points);
  EXPECT_EQ(std::get<ClassLabels>(data.labels), std::get<ClassLabels>(labels));
  const Labels targets = TargetValues{.names = {"target"},
                                      .values = (Matrix(6, 1) << 0.1, NAN, 3, 4, 5, 6).finished()};
  save_svmlight(folder_ / "out.svmlight", points, targets);
  EXPECT_THAT(labeled_indices(load_dataset(folder_ / "out.svmlight").labels),
              ElementsAre(0, 2, 3, 4, 5));
}

// Beyond 2⁵³, an integer is a class and any other notation a number.
TEST_F(Svmlight, SavesHugeTargetsAsTargets) {
  const Dataset data = load("3 1:1\n-104893833081293980. 1:2\n9007199254740994.0 1:3\n");
  save_svmlight(folder_ / "out.svmlight", data.points().values, data.labels);
  const Labels labels = load_dataset(folder_ / "out.svmlight").labels;
  EXPECT_EQ(std::get<TargetValues>(labels).values, std::get<TargetValues>(data.labels).values);
  EXPECT_EQ(std::get<TargetValues>(labels).values,
            (Matrix(3, 1) << 3, -104893833081293980.0, 9007199254740994.0).finished());
}

TEST_F(Svmlight, RefusesLabelsItCannotCarry) {
  const Matrix points = Matrix::Ones(2, 1);
  const auto save = [&](const std::vector<std::string>& cells) {
    return message_of<ValueError>(
        [&] { save_svmlight(folder_ / "out.svmlight", points, class_labels(cells)); });
  };
  EXPECT_THAT(save({"a", "b"}), HasSubstr("class 'a' is not an integer"));
  EXPECT_THAT(save({"-1", ""}), HasSubstr("unlabeled"));
  EXPECT_EQ(save({"-1", "1"}), "");
}

}  // namespace
}  // namespace stkr::svmlight_test
