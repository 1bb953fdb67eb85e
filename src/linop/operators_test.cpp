#include "linop/operators.hpp"

#include <gtest/gtest.h>

#include "dense_operator.hpp"
#include "linop/csr_operator.hpp"

namespace stkr::operators_test {
namespace {

// y ← a A x + b x + c y, compared with the explicit matrix.
void expect_operator(const LinearOperator& op, const Matrix& a) {
  const Index n = a.rows();
  ASSERT_EQ(op.size(), n);
  EXPECT_EQ(op.local_size(), n);
  EXPECT_EQ(op.new_block(3).rows(), n);
  EXPECT_LT((product(op, Matrix::Identity(n, n)) - a).norm(), 1e-13);
  const Matrix x = random_matrix(n, 2, 8), y = random_matrix(n, 2, 9);
  Matrix stepped = y;
  op.apply_step(1.5, x, -0.5, 2.0, stepped);
  EXPECT_LT((stepped - (1.5 * a * x - 0.5 * x + 2.0 * y)).norm(), 1e-13);
}

Matrix symmetric(std::uint64_t seed) { return with_spectrum(Vector::LinSpaced(7, -1, 2), seed); }

TEST(Operators, ScaleAnother) {
  const DenseOperator a(symmetric(1));
  expect_operator(ScaledOperator(borrowed<Matrix>(a), -3.0), -3.0 * a.matrix());
}

TEST(Operators, AddOthers) {
  const DenseOperator a(symmetric(1));
  const SumOperator sum({borrowed<Matrix>(a), std::make_unique<DenseOperator>(symmetric(2))},
                        {2.0, -0.5});
  expect_operator(sum, 2.0 * symmetric(1) - 0.5 * symmetric(2));
  EXPECT_EQ(sum.panel_columns(), 0);  // dense operators serve all columns at once
  const CsrOperator identity(csr_from_triplets(2, 2, {{0, 0, 1.0}, {1, 1, 1.0}}));
  const SumOperator twice({borrowed<Matrix>(identity), borrowed<Matrix>(identity)}, {1.0, 1.0});
  EXPECT_EQ(twice.panel_columns(), identity.panel_columns());
}

TEST(Operators, ScaleBothSidesByADiagonal) {
  const DenseOperator a(symmetric(1));
  const Vector w = random_matrix(7, 1, 3), t = random_matrix(7, 1, 4);
  expect_operator(DiagonalScaling(borrowed<Matrix>(a), w),
                  w.asDiagonal() * a.matrix() * w.asDiagonal());
  Matrix shifted = a.matrix();
  shifted.diagonal() += t;
  expect_operator(DiagonalScaling(borrowed<Matrix>(a), w, t, 2),
                  w.asDiagonal() * shifted * w.asDiagonal());
}

TEST(Operators, ScaleRows) {
  const DenseOperator a(symmetric(1));
  const Vector w = random_matrix(7, 1, 3);
  expect_operator(RowScaling(borrowed<Matrix>(a), w), w.asDiagonal() * a.matrix());
}

TEST(Operators, AddALowRank) {
  const DenseOperator a(symmetric(1));
  const auto v = std::make_shared<const Matrix>(random_matrix(7, 2, 3));
  const Vector factors = Vector::LinSpaced(2, -1.0, 2.0);
  expect_operator(LowRankSum(borrowed<Matrix>(a), v, factors),
                  a.matrix() + *v * factors.asDiagonal() * v->transpose());
}

}  // namespace
}  // namespace stkr::operators_test
