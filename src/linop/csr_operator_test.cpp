#include "linop/csr_operator.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "dense_operator.hpp"
#include "stkr/error.hpp"

namespace stkr::csr_operator_test {
namespace {

CsrMatrix path_of(std::int32_t nodes) {
  std::vector<Triplet> edges;
  for (std::int32_t i = 0; i + 1 < nodes; ++i) {
    edges.push_back({i, i + 1, 1.0 + i});
    edges.push_back({i + 1, i, 1.0 + i});
  }
  return csr_from_triplets(nodes, nodes, edges);
}

TEST(CsrOperator, AddsItsDiagonalAndFusesTheSameStepAsAnyOperator) {
  const Index n = 37;
  const CsrOperator sparse(path_of(n), 0.5, 2);
  const Matrix full = product(sparse, Matrix::Identity(n, n));
  EXPECT_EQ(full(3, 3), 0.5);
  EXPECT_EQ(full(3, 4), 4.0);
  EXPECT_EQ(full(3, 5), 0.0);
  const DenseOperator dense(full);
  for (const Index columns : {1, 7, 16, 33}) {
    const Matrix x = random_matrix(n, columns, 1);
    Matrix y = random_matrix(n, columns, 2);
    Matrix z = y;
    sparse.apply_step(1.5, x, -0.25, 2.0, y);
    dense.apply_step(1.5, x, -0.25, 2.0, z);
    EXPECT_LT((y - z).norm(), 1e-12 * z.norm());
  }
}

TEST(CsrOperator, DoesNotReadTheTargetOfAStepThatForgetsIt) {
  const CsrOperator sparse(path_of(5));
  const DenseOperator dense(product(sparse, Matrix::Identity(5, 5)));
  for (const LinearOperator* op :
       {static_cast<const LinearOperator*>(&sparse), static_cast<const LinearOperator*>(&dense)}) {
    Matrix y = Matrix::Constant(5, 3, std::numeric_limits<double>::quiet_NaN());
    op->apply_step(2.0, Matrix::Ones(5, 3), 1.0, 0.0, y);
    EXPECT_EQ(y(0, 0), 3.0);
  }
}

TEST(CsrOperator, RejectsWhatIsNotSquareOrDoesNotFit) {
  EXPECT_THROW(CsrOperator(csr_from_triplets(2, 3, {})), ShapeError);
  const CsrOperator op(path_of(4));
  Matrix y(4, 2);
  EXPECT_THROW(op.apply(Matrix::Ones(3, 2), y), ShapeError);
  EXPECT_THROW(op.apply_step(1.0, Matrix::Ones(4, 1), 0.0, 0.0, y), ShapeError);
}

}  // namespace
}  // namespace stkr::csr_operator_test
