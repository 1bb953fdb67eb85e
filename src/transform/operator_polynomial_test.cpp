#include <gtest/gtest.h>

#include "dense_operator.hpp"
#include "on_blocks.hpp"
#include "stkr/error.hpp"
#include "transform/operator_polynomial_template.hpp"

namespace stkr::operator_polynomial_test {
namespace {

template <class Block>
class PolynomialOf : public OnBlocks<Block> {};
TYPED_TEST_SUITE(PolynomialOf, BlockTypes, BlockNames);

TYPED_TEST(PolynomialOf, IsThePolynomialOfTheMatrix) {
  const DenseOperator a(with_spectrum(Vector::LinSpaced(20, -1, 1), 3));
  const Matrix x = random_matrix(20, 2, 4), m = a.matrix();
  EXPECT_LT(
      (polynomial_on<TypeParam>(a, {3, 0, -1, 2}, x) - (3 * x - m * m * x + 2 * m * m * m * x))
          .norm(),
      1e-12);
}

TYPED_TEST(PolynomialOf, OfDegreeZeroScalesAndWithoutCoefficientsIsZero) {
  const DenseOperator a(with_spectrum(Vector::LinSpaced(5, -1, 1), 3));
  const Matrix x = random_matrix(5, 2, 4);
  EXPECT_EQ(polynomial_on<TypeParam>(a, {2.0}, x), 2.0 * x);
  EXPECT_EQ(polynomial_on<TypeParam>(a, {}, x), Matrix::Zero(5, 2));
}

TYPED_TEST(PolynomialOf, RejectsBlocksOfTheWrongHeight) {
  const DenseOperator a(Matrix::Identity(5, 5));
  EXPECT_THROW(polynomial_on<TypeParam>(a, {1.0, 1.0}, Matrix::Ones(4, 1)), ShapeError);
}

}  // namespace
}  // namespace stkr::operator_polynomial_test
