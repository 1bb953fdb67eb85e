#include "linop/shared_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace stkr::shared_order_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One process whose sums go through the interface of several.
class Alone : public SharedRows {
 public:
  Index size() const override { return 0; }
  Index first() const override { return 0; }
  Index count() const override { return 0; }
  Index most() const override { return 0; }
  void sum(MatrixRef) const override {}
  void largest(MatrixRef) const override {}
  std::vector<Index> joined(std::span<const Index> own) const override {
    return {own.begin(), own.end()};
  }
};

TEST(NumberAt, IsThatOfTheSortedNumbers) {
  const std::vector<double> numbers = {3.0,  -1.5, 0.0,   1e-300, -kInfinity, 2.0,
                                       -1e9, 2.0,  1e300, 2.0,    -1.5,       7.25};
  std::vector<double> sorted = numbers;
  std::sort(sorted.begin(), sorted.end());
  const Alone alone;
  for (const SharedRows* rows :
       {static_cast<const SharedRows*>(nullptr), static_cast<const SharedRows*>(&alone)}) {
    for (std::size_t place = 0; place < sorted.size(); ++place) {
      std::vector<double> own = numbers;
      for (const double apart : {0.0, 3.0}) {
        const OrderedNumber found = number_at(rows, own, static_cast<Index>(place), apart);
        const auto next = std::upper_bound(sorted.begin(), sorted.end(), sorted[place] + apart);
        EXPECT_EQ(found.at, sorted[place]) << place;
        EXPECT_EQ(found.next, next != sorted.end() ? *next : kInfinity) << place;
      }
    }
  }
}

}  // namespace
}  // namespace stkr::shared_order_test
