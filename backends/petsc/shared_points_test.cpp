#include "shared_points.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "dataset/save_dataset.hpp"
#include "format/npz.hpp"
#include "runtime/random.hpp"
#include "shared_cases.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/model/fit_model.hpp"
#include "temporary_folder.hpp"

namespace stkr::shared_points_test {

using petsc::all_rows;
using petsc::SharedPoints;

// A file that the first process writes and all read.
class SharedFile {
 public:
  explicit SharedFile(const std::function<void(const std::filesystem::path&)>& write) {
    int rank = 0;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    std::string path = (folder_ / "points.npz").string();
    path.resize(4096);
    MPI_Bcast(path.data(), 4096, MPI_CHAR, 0, PETSC_COMM_WORLD);
    path_ = path.c_str();
    if (rank == 0) write(path_);
    MPI_Barrier(PETSC_COMM_WORLD);
  }
  ~SharedFile() { MPI_Barrier(PETSC_COMM_WORLD); }
  const std::filesystem::path& path() const { return path_; }

 private:
  testing::TemporaryFolder folder_;
  std::filesystem::path path_;
};

Dataset labeled_points(Index count, Index features) {
  Random random(static_cast<std::uint64_t>(count));
  Matrix values(count, features);
  fill_normal(random, values);
  Dataset data;
  ClassLabels classes{{"a", "b"}, {}};
  for (Index i = 0; i < count; ++i) {
    classes.code.push_back(i % 4 == 0 ? static_cast<std::int32_t>(i % 8 == 0) : kUnlabeled);
  }
  data.samples = Points{.values = std::move(values), .feature_names = {}};
  data.labels = data.truth = std::move(classes);
  return data;
}

void expect_same(const SharedPoints& found, const Dataset& expected) {
  const petsc::RowLayout& layout = *found.layout;
  EXPECT_EQ(all_rows(found.rows.matrix(), layout), expected.points().values.matrix());
  const auto& all = std::get<ClassLabels>(expected.labels);
  const auto& own = std::get<ClassLabels>(found.labels);
  const auto first = all.code.begin() + layout.first();
  EXPECT_EQ(own.code, std::vector<std::int32_t>(first, first + layout.count()));
  EXPECT_EQ(own.names, all.names);
  EXPECT_EQ(found.labeled, static_cast<Index>(labeled_indices(expected.labels).size()));
  EXPECT_EQ(fingerprint(found), fingerprint(expected, /*features=*/false));
}

TEST(SharedPoints, HaveTheRowsAndLabelsOfTheFile) {
  for (const Index count : {Index{2}, Index{9}, Index{200}}) {
    const Dataset data = labeled_points(count, 3);
    const SharedFile file([&](const auto& path) { save_dataset(path, data); });
    expect_same(petsc::read_points(PETSC_COMM_WORLD, file.path(), {}), load_dataset(file.path()));
  }
}

TEST(SharedPoints, ReadSinglePrecisionAndFortranOrder) {
  const SharedFile single([](const auto& path) {
    const MatrixF values = MatrixF::Random(7, 2);
    const std::vector<std::int32_t> labels = {0, 1, -1, -1, -1, -1, 1};
    NpzWriter writer;
    writer.add("X", std::span<const float>(values.data(), 14), {7, 2});
    writer.add("y", labels);
    writer.write(path);
  });
  expect_same(petsc::read_points(PETSC_COMM_WORLD, single.path(), {}), load_dataset(single.path()));
  const SharedFile transposed([](const auto& path) {
    std::string image = npy_header_text("<f8", std::vector<Index>{5, 3});
    const auto at = image.find("False");
    ASSERT_NE(at, std::string::npos);
    image.replace(at, 5, "True ");
    for (int k = 0; k < 15; ++k) {
      const double value = 0.5 * k;
      image.append(reinterpret_cast<const char*>(&value), sizeof(value));
    }
    const std::vector<std::int32_t> labels = {0, 1, -1, -1, 1};
    NpzWriter writer;
    writer.add_text("X.npy", image);
    writer.add("y", labels);
    writer.write(path);
  });
  expect_same(petsc::read_points(PETSC_COMM_WORLD, transposed.path(), {}),
              load_dataset(transposed.path()));
}

TEST(SharedPoints, ThrowInAllProcessesWhatOneFinds) {
  const auto read = [](const SharedFile& file) {
    petsc::read_points(PETSC_COMM_WORLD, file.path(), {});
  };
  const SharedFile nan([](const auto& path) {
    Dataset data = labeled_points(20, 2);
    Matrix values = data.points().values.matrix();
    values(19, 1) = std::numeric_limits<double>::quiet_NaN();  // in the last process
    data.samples = Points{.values = std::move(values), .feature_names = {}};
    save_dataset(path, data);
  });
  EXPECT_NE(testing::message_of<DataError>([&] { read(nan); }).find("row 19, column 1"),
            std::string::npos);
  const SharedFile sparse([](const auto& path) {
    Dataset data = labeled_points(20, 2);
    data.samples = Points{.values = sparse_of(Matrix::Identity(20, 20)), .feature_names = {}};
    save_dataset(path, data);
  });
  EXPECT_THROW(read(sparse), ParameterError);
}

}  // namespace stkr::shared_points_test
