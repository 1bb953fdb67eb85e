#include "model/length_scale.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernel/bandwidth.hpp"
#include "model/few_labels.hpp"
#include "named_specification.hpp"
#include "stkr/model/fit_model.hpp"

namespace stkr::length_scale_test {
namespace {

using testing::contains;
using testing::length;
using testing::moons;
using testing::named;

// The median over the points of the distance to the k-th of the others in `among`.
double median_to_neighbor(const Matrix& points, const std::vector<Index>& among, Index k) {
  std::vector<double> distances;
  for (Index i = 0; i < points.rows(); ++i) {
    std::vector<double> to;
    for (const Index j : among) {
      if (j != i) to.push_back((points.row(i) - points.row(j)).norm());
    }
    std::sort(to.begin(), to.end());
    distances.push_back(to[static_cast<std::size_t>(k - 1)]);
  }
  std::sort(distances.begin(), distances.end());
  return distances[distances.size() / 2];
}

TEST(LengthScale, IsByDefaultHalfTheDistanceToTheTenthNeighborForClasses) {
  const Matrix values = Matrix::Random(101, 3);
  const Points points{.values = values, .feature_names = {}};
  std::vector<Index> all;
  for (Index i = 0; i < 101; ++i) all.push_back(i);
  const Labels classes = class_labels(std::vector<std::int64_t>(101, 1));
  const double distance = median_to_neighbor(values, all, 10);
  EXPECT_NEAR(neighbor_distance(points, classes), distance, 1e-12);
  const ChosenScale chosen = length_scale_for(Kernel::rbf(1.0), {}, points, classes, {}, {});
  EXPECT_NEAR(chosen.value, 0.5 * distance, 1e-12);
  EXPECT_EQ(chosen.why, "length scale: half of the median distance to the 10th neighbor");
}

TEST(LengthScale, IsTheDistanceToLabeledNeighborsForNumbers) {
  const Matrix values = Matrix::Random(101, 3);
  const Points points{.values = values, .feature_names = {}};
  TargetValues targets{{"y"}, Matrix::Constant(101, 1, std::nan(""))};
  const std::vector<Index> labeled{3, 50, 51, 99};
  for (const Index i : labeled) targets.values(i, 0) = 1.0;
  const ChosenScale chosen = length_scale_for(Kernel::rbf(1.0), {}, points, targets, {}, {});
  EXPECT_NEAR(chosen.value, median_to_neighbor(values, labeled, 3), 1e-12);
  EXPECT_EQ(chosen.why, "length scale: the median distance to the 3rd labeled neighbor");
}

TEST(LengthScale, IsTakenAsItIsGiven) {
  const Points points{.values = Matrix::Random(5, 2), .feature_names = {}};
  const ChosenScale chosen = length_scale_for(Kernel::rbf(1.0), length(0.7), points, {}, {}, {});
  EXPECT_EQ(chosen.value, 0.7);
  EXPECT_EQ(chosen.why, "");
}

TEST(LengthScale, ScalesTheDefaultLength) {
  for (const char* name : {"rbf", "laplacian", "epsilon_neighbor"}) {
    SCOPED_TRACE(name);
    const auto kernel_of = [&](double factor, std::optional<double> distance) {
      Dataset dataset = moons();
      return prepare_gram(dataset, named({.name = name, .length_scale = LengthScale{factor}}),
                          {.neighbor_distance = distance});
    };
    const double distance = neighbor_distance(moons().points(), moons().labels);
    EXPECT_EQ(kernel_of(1.0, {}).description, kernel_of(1.0, distance).description);
    EXPECT_EQ(kernel_of(2.0, {}).description, kernel_of(1.0, 2.0 * distance).description);
    EXPECT_NE(kernel_of(2.0, {}).description, kernel_of(1.0, {}).description);
    EXPECT_TRUE(contains(kernel_of(2.0, {}).choices[0].why, "times 2"));
  }
}

TEST(LengthScale, TakesTheMedianDistanceAsLengthScale) {
  Dataset dataset = moons();
  const double median = median_distance(dataset.points().values, 1);
  const Specification spec = named({.length_scale = LengthScale{.median = true}});
  const PreparedGram by_name = prepare_gram(dataset, spec);
  EXPECT_TRUE(contains(by_name.choices[0].why, "the median distance between points"));
  Dataset again = moons();
  const Specification given = named({.length_scale = length(median)});
  EXPECT_EQ(by_name.description, prepare_gram(again, given).description);
}

}  // namespace
}  // namespace stkr::length_scale_test
