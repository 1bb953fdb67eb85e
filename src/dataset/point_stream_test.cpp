#include "dataset/point_stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "dataset/csv.hpp"
#include "dataset/svmlight.hpp"
#include "format/npz.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::point_stream_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::message_of;
using testing::TemporaryFolder;

Matrix some_points() {
  Matrix points = Matrix::Random(11, 3);
  points(4, 1) = 0.0;
  return points;
}

std::vector<std::filesystem::path> every_format(const TemporaryFolder& folder,
                                                const Matrix& points) {
  const std::vector<std::int32_t> column = {0, 1, 2};
  const ClassLabels labels = class_labels(std::vector<std::int64_t>(11, 1));
  save_csv(folder / "a.csv", {.values = points, .feature_names = {}}, labels);
  save_npy(folder / "a.npy", points);
  save_svmlight(folder / "a.svmlight", points, labels);
  NpzWriter dense;
  dense.add("X", points);
  dense.write(folder / "dense.npz");
  std::vector<std::int64_t> start;
  std::vector<std::int32_t> columns;
  for (Index i = 0; i <= points.rows(); ++i) start.push_back(3 * i);
  for (Index i = 0; i < points.size(); ++i) columns.push_back(static_cast<std::int32_t>(i % 3));
  const std::vector<std::int64_t> shape = {points.rows(), 3};
  NpzWriter sparse;
  sparse.add("X_data", std::span<const double>(points.data(), columns.size()));
  sparse.add("X_indices", columns);
  sparse.add("X_indptr", start);
  sparse.add("X_shape", shape);
  sparse.write(folder / "sparse.npz");
  return {folder / "a.csv", folder / "a.npy", folder / "a.svmlight", folder / "dense.npz",
          folder / "sparse.npz"};
}

Matrix dense(const PointBlock& block) {
  if (const auto* sparse = std::get_if<CsrMatrix>(&block)) return dense_of(*sparse);
  return std::get<Matrix>(block);
}

TEST(PointStream, LeavesSparsePointsSparse) {
  const TemporaryFolder folder;
  const auto path = folder.write("a.svmlight", "1 2:5\n1 400:0 1000:6\n");
  const auto stream = open_points(path, {.features = 100'000});
  const PointBlock part = stream->next(10);
  ASSERT_TRUE(std::holds_alternative<CsrMatrix>(part));
  const auto& rows = std::get<CsrMatrix>(part);
  EXPECT_EQ(rows.cols, 100'000);
  EXPECT_THAT(rows.column, ElementsAre(1, 999));  // without the zero
  EXPECT_TRUE(load_points(path).values.sparse());
}

TEST(PointStream, GivesTheSamePointsInPartsFromEveryFormat) {
  const TemporaryFolder folder;
  const Matrix points = some_points();
  for (const auto& path : every_format(folder, points)) {
    SCOPED_TRACE(path.string());
    const auto stream = open_points(path, {.features = 3});
    EXPECT_EQ(stream->features(), 3);
    Matrix all(0, 3);
    for (PointBlock part = stream->next(4); rows_of(part) > 0; part = stream->next(4)) {
      EXPECT_LE(rows_of(part), 4);
      const Matrix rows = dense(part);
      all.conservativeResize(all.rows() + rows.rows(), Eigen::NoChange);
      all.bottomRows(rows.rows()) = rows;
    }
    EXPECT_EQ(all, points);
    EXPECT_NEAR(stream->progress(), 1.0, 0.01);
    EXPECT_EQ(load_points(path, {.features = 3}).values, points);
    EXPECT_EQ(load_points(path).values, points);  // the number of features is not known
  }
}

TEST(PointStream, CountsRowsFromTheStartOfTheFile) {
  const TemporaryFolder folder;
  Matrix points = some_points();
  points(7, 2) = NAN;
  save_npy(folder / "a.npy", points);
  const auto stream = open_points(folder / "a.npy");
  stream->next(5);
  EXPECT_THAT(message_of<DataError>([&] { stream->next(5); }), HasSubstr("row 7, column 2"));
}

TEST(PointStream, RefusesAFileWithoutPoints) {
  const TemporaryFolder folder;
  save_npy(folder / "a.npy", Matrix(0, 3));
  EXPECT_THAT(message_of<DataError>([&] { load_points(folder / "a.npy"); }),
              HasSubstr("0 samples and 3 features"));
}

TEST(PointStream, GrowsTablesLongerThanAChunk) {
  const TemporaryFolder folder;
  std::string text = "a\n";
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i) + "\n";
  const Matrix values = load_points(folder.write("a.csv", text)).values.matrix();
  ASSERT_EQ(values.rows(), 20'000);
  EXPECT_EQ(values(19'999, 0), 19'999.0);
  EXPECT_EQ(values.sum(), 19'999.0 * 10'000.0);
}

TEST(PointStream, TakesSvmlightForOneBasedUnlessItStartsWithAZero) {
  const TemporaryFolder folder;
  const auto zero = folder.write("z.svmlight", "1 0:5\n1 1:6\n");
  EXPECT_EQ(load_points(zero, {.features = 2}).values, (Matrix(2, 2) << 5, 0, 0, 6).finished());
  const auto late = folder.write("l.svmlight", "1 1:5\n1 0:6\n");
  const auto stream = open_points(late, {.features = 2});
  stream->next(1);
  EXPECT_THAT(message_of<DataError>([&] { stream->next(1); }), HasSubstr("line 2: has index 0"));
  EXPECT_THAT(message_of<DataError>(
                  [&] { load_points(folder.write("w.svmlight", "1 3:1\n"), {.features = 2}); }),
              HasSubstr("has a feature 3, expected at most 2"));
}

TEST(PointStream, CountsFeaturesOfSvmlightLikeTheModel) {
  const TemporaryFolder folder;
  const auto path = folder.write("n.svmlight", "1 1:5\n");
  TableEncoding zero, one;
  zero.first_index = 0;
  one.first_index = 1;
  EXPECT_EQ(load_points(path, {.features = 2, .encoding = &zero}).values,
            (Matrix(1, 2) << 0, 5).finished());
  EXPECT_EQ(load_points(path, {.features = 2, .encoding = &one}).values,
            (Matrix(1, 2) << 5, 0).finished());
  const auto guessed = open_points(path, {.features = 2});
  guessed->next(1);
  EXPECT_THAT(guessed->warnings(), ElementsAre(HasSubstr("no index is 0")));
  const auto with_zero = folder.write("z.svmlight", "1 0:5\n");
  EXPECT_THAT(
      message_of<DataError>([&] { load_points(with_zero, {.features = 2, .encoding = &one}); }),
      HasSubstr("line 1: has index 0, but the file that the model was fitted on"));
}

TEST(PointStream, FindsFeaturesByName) {
  const TemporaryFolder folder;
  const std::vector<std::string> names = {"a", "b", "c"};
  const auto order = [&](std::string_view header, std::string_view row) {
    const auto path = folder.write("a.csv", std::string(header) + std::string(row));
    return feature_order(3, names, *open_points(path));
  };
  EXPECT_THAT(order("a,b,c\n", "1,2,3\n"), IsEmpty());
  EXPECT_THAT(order("c,a,b\n", "1,2,3\n"), ElementsAre(1, 2, 0));
  EXPECT_THAT(order("", "1,2,3\n"), IsEmpty());  // no names: same order
  const auto refusal = [&](std::string_view header, std::string_view row) {
    return message_of<DataError>([&] { order(header, row); });
  };
  EXPECT_THAT(refusal("a,c\n", "1,2\n"), HasSubstr("lacks the feature 'b'"));
  EXPECT_THAT(refusal("a,b,c,d\n", "1,2,3,4\n"), HasSubstr("has 'd', unknown to the model"));
  EXPECT_THAT(refusal("a,b,d\n", "1,2,3\n"), HasSubstr("lacks the feature 'c' and has 'd'"));
  EXPECT_THAT(refusal("", "1,2\n"), HasSubstr("has 2 features, expected the 3"));
}

}  // namespace
}  // namespace stkr::point_stream_test
