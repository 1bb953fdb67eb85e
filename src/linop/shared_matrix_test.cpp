#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "stkr/linop/feature_matrix.hpp"

namespace stkr::shared_matrix_test {
namespace {

Matrix numbers() { return (Matrix(3, 2) << 1, 2, 3, 4, 5, 6).finished(); }

TEST(SharedMatrix, CopiesShareTheNumbers) {
  Matrix given = numbers();
  const double* data = given.data();
  const SharedMatrix one(std::move(given));
  const SharedMatrix two = one;
  EXPECT_EQ(one.as<double>().data(), data);
  EXPECT_EQ(two.as<double>().data(), data);
  EXPECT_EQ(two.matrix(), numbers());
  EXPECT_FALSE(two.single());
}

TEST(SharedMatrix, KeepsTheOwnerOfBorrowedNumbersAlive) {
  auto owner = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3, 4});
  const std::weak_ptr<std::vector<float>> watch = owner;
  {
    const SharedMatrix borrowed(owner->data(), 2, 2, owner);
    owner.reset();
    EXPECT_FALSE(watch.expired());
    EXPECT_TRUE(borrowed.single());
    EXPECT_EQ(borrowed(1, 0), 3.0);
  }
  EXPECT_TRUE(watch.expired());
}

TEST(SharedMatrix, ChangesPrecisionOnlyWhereItHasTo) {
  const SharedMatrix wide(numbers());
  EXPECT_EQ(wide.in_precision_of<double>().as<double>().data(), wide.as<double>().data());
  const SharedMatrix narrow = wide.in_precision_of<float>();
  EXPECT_TRUE(narrow.single());
  EXPECT_EQ(narrow, wide);
  EXPECT_EQ(narrow.bytes().size(), wide.bytes().size() / 2);
}

TEST(SharedMatrix, ChoosesRowsAndBlocksInItsOwnPrecision) {
  const std::vector<Index> rows{2, 0}, columns{1};
  const SharedMatrix narrow(MatrixF(numbers().cast<float>()));
  EXPECT_EQ(narrow.gather(rows), (Matrix(2, 2) << 5, 6, 1, 2).finished());
  EXPECT_TRUE(narrow.chosen_rows(rows).single());
  EXPECT_EQ(narrow.chosen_rows(rows), SharedMatrix(narrow.gather(rows)));
  EXPECT_EQ(narrow.chosen_block(rows, columns), SharedMatrix((Matrix(2, 1) << 6, 2).finished()));
}

TEST(SharedMatrix, ComparesNumbersAndFindsWhatIsNotFinite) {
  Matrix other = numbers();
  other(2, 1) = std::numeric_limits<double>::infinity();
  EXPECT_NE(SharedMatrix(numbers()), SharedMatrix(other));
  EXPECT_NE(SharedMatrix(numbers()), SharedMatrix(Matrix(numbers().transpose())));
  EXPECT_TRUE(SharedMatrix(numbers()).all_finite());
  EXPECT_FALSE(SharedMatrix(other).all_finite());
  EXPECT_EQ(SharedMatrix().size(), 0);
}

}  // namespace
}  // namespace stkr::shared_matrix_test
