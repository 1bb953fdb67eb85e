#include "linop/restriction.hpp"

#include <gtest/gtest.h>

#include "dense_operator.hpp"
#include "stkr/error.hpp"

namespace stkr::restriction_test {
namespace {

TEST(Restriction, IsAScaledBlockOfTheMatrix) {
  const DenseOperator op(with_spectrum(Vector::LinSpaced(6, -1, 1), 1));
  const Restriction restricted(op, {5, 0, 3}, 2.5);
  const std::vector<Index> samples{5, 0, 3};
  const Matrix expected = 2.5 * op.matrix()(samples, samples);
  EXPECT_LT((product(restricted, Matrix::Identity(3, 3)) - expected).norm(), 1e-15);
}

TEST(Restriction, RejectsSamplesOutOfRangeAndWrongShapes) {
  const DenseOperator op(Matrix::Identity(4, 4));
  EXPECT_THROW(Restriction(op, {4}, 1.0), ValueError);
  const Restriction restricted(op, {1, 2}, 1.0);
  EXPECT_THROW(product(restricted, Matrix::Ones(4, 1)), ShapeError);
}

}  // namespace
}  // namespace stkr::restriction_test
