#include "shared_nearest.hpp"

#include <gtest/gtest.h>

#include "shared_cases.hpp"
#include "stkr/error.hpp"

namespace stkr::shared_nearest_test {

using petsc::shared_layout;
using petsc::SharedNearest;

// Sample i is at i² on a line.
SharedNearest squares(const petsc::Layout& layout) {
  const auto point = [first = layout->first()](Index row) -> Eigen::RowVectorXd {
    const auto i = static_cast<double>(first + row);
    return Eigen::RowVectorXd::Constant(1, i * i);
  };
  return {layout, 1, point, [](const SharedNearest::Point& x, const SharedNearest::Point& y) {
            return std::abs(x[0] - y[0]);
          }};
}

TEST(SharedNearest, FindsSamplesOfAllProcesses) {
  SharedNearest nearest = squares(shared_layout(10));
  // 5 is at 25, nearer to 16 than to 64 and 0.
  EXPECT_EQ(nearest.of_samples(std::vector<Index>{9, 0, 5}, std::vector<Index>{8, 0, 4}),
            (std::vector<Index>{8, 0, 4}));
}

TEST(SharedNearest, BreaksTiesByTheOrder) {
  const petsc::Layout layout = shared_layout(6);
  SharedNearest same(
      layout, 1, [](Index) -> Eigen::RowVectorXd { return Eigen::RowVectorXd::Zero(1); },
      [](const SharedNearest::Point&, const SharedNearest::Point&) { return 1.0; });
  EXPECT_EQ(same.of_samples(std::vector<Index>{1, 5}, std::vector<Index>{4, 2}),
            (std::vector<Index>{4, 4}));
}

TEST(SharedNearest, AnswersForOwnRowsWithoutTheOthers) {
  const petsc::Layout layout = shared_layout(10);
  SharedNearest nearest = squares(layout);
  const std::vector<Index> among = {9, 1};
  nearest.bring(among);
  for (Index row = 0; row < layout->count(); ++row) {
    // 6 is at 36, 7 at 49; 41 is between 1 and 81.
    const Index expected = layout->first() + row >= 7 ? 9 : 1;
    EXPECT_EQ(nearest.of_rows(std::vector<Index>{row}, among), std::vector<Index>{expected});
    EXPECT_THROW(nearest.of_rows(std::vector<Index>{row}, std::vector<Index>{3}), Error);
  }
}

}  // namespace stkr::shared_nearest_test
