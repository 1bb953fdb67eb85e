#include "shared_length_scale.hpp"

#include <gtest/gtest.h>

#include "kernel/bandwidth.hpp"
#include "kernel/searched_points.hpp"
#include "shared_cases.hpp"
#include "stkr/error.hpp"

namespace stkr::shared_length_scale_test {

using petsc::own_rows;
using petsc::shared_layout;
using petsc::SharedSamples;

// Values of every fourth sample, or classes.
Labels some_labels(Index size, bool numbers) {
  if (numbers) {
    Matrix values(size, 1);
    for (Index i = 0; i < size; ++i) {
      values(i, 0) = i % 4 == 0 ? 1.0 : std::numeric_limits<double>::quiet_NaN();
    }
    return TargetValues{{"y"}, std::move(values)};
  }
  ClassLabels classes{{"a", "b"}, {}};
  for (Index i = 0; i < size; ++i) {
    classes.code.push_back(i % 4 == 0 ? static_cast<std::int32_t>(i % 8 == 0) : kUnlabeled);
  }
  return classes;
}

Labels own_labels(const Labels& all, const petsc::RowLayout& layout) {
  if (const auto* numbers = std::get_if<TargetValues>(&all)) {
    return TargetValues{numbers->names, own_rows(numbers->values, layout)};
  }
  const auto& classes = std::get<ClassLabels>(all);
  const auto first = classes.code.begin() + layout.first();
  return ClassLabels{classes.names, {first, first + layout.count()}};
}

TEST(SharedLengthScale, IsThatOfOneMachine) {
  const std::vector<LengthScale> scales = {
      LengthScale{}, {.value = 2.0}, {.median = true}, LengthScale::absolute(3.0)};
  for (const Index size : {Index{3}, Index{40}, Index{1500}}) {
    const Matrix points = testing::random_points(size, 3, 1);
    const petsc::Layout layout = shared_layout(size);
    for (const bool numbers : {false, true}) {
      const Labels labels = some_labels(size, numbers);
      SharedSamples samples;
      samples.layout = layout;
      samples.labels = own_labels(labels, *layout);
      for (const LengthScale& scale : scales) {
        for (const Kernel& kernel : {Kernel::rbf(1.0), Kernel::laplacian(1.0)}) {
          const Context context{.threads = 2, .seed = 3};
          const ChosenScale one =
              length_scale_for(kernel, scale, {points, {}}, labels, {}, context);
          const ChosenScale many = shared_length_scale(kernel, scale, samples,
                                                       Matrix(own_rows(points, *layout)), context);
          EXPECT_NEAR(many.value, one.value, 1e-12 * one.value);
          EXPECT_EQ(many.why, one.why);
        }
      }
    }
  }
}

TEST(SharedLengthScale, ThrowsInAllProcessesForEqualPoints) {
  const Matrix points = Matrix::Ones(30, 2);
  const petsc::Layout layout = shared_layout(30);
  const Matrix own = own_rows(points, *layout);
  EXPECT_THROW(petsc::shared_median_distance(*layout, own, 1), ValueError);
  EXPECT_THROW(petsc::shared_neighbor_distance(*layout, own, 5, {}, {}), ValueError);
}

}  // namespace stkr::shared_length_scale_test
