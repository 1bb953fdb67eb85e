#include "transform/operator_polynomial.hpp"

#include <gtest/gtest.h>

#include "dense_operator.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

TEST(OperatorPolynomial, IsThePolynomialOfTheMatrix) {
  const DenseOperator a(with_spectrum(Vector::LinSpaced(20, -1, 1), 3));
  const Matrix x = random_matrix(20, 2, 4), m = a.matrix();
  const OperatorPolynomial p(a, {3, 0, -1, 2});
  EXPECT_LT((product(p, x) - (3 * x - m * m * x + 2 * m * m * m * x)).norm(), 1e-12);
}

TEST(OperatorPolynomial, OfDegreeZeroScalesAndWithoutCoefficientsIsZero) {
  const DenseOperator a(with_spectrum(Vector::LinSpaced(5, -1, 1), 3));
  const Matrix x = random_matrix(5, 2, 4);
  EXPECT_EQ(product(OperatorPolynomial(a, {2.0}), x), 2.0 * x);
  EXPECT_EQ(product(OperatorPolynomial(a, {}), x), Matrix::Zero(5, 2));
}

TEST(OperatorPolynomial, RejectsBlocksOfTheWrongHeight) {
  const DenseOperator a(Matrix::Identity(5, 5));
  EXPECT_THROW(product(OperatorPolynomial(a, {1.0, 1.0}), Matrix::Ones(4, 1)), ShapeError);
}

}  // namespace
}  // namespace stkr
