#include "stkr/gram/centred_gram.hpp"

#include <Eigen/Eigenvalues>

#include "gram_checks.hpp"
#include "memory_store.hpp"
#include "stkr/error.hpp"
#include "stkr/gram/dense_gram.hpp"
#include "stkr/gram/point_gram.hpp"

namespace stkr {
namespace {

std::unique_ptr<GramOperator> rbf_gram(const Matrix& x) {
  return std::make_unique<PointGram<double>>(x, Kernel::rbf(1.5));
}

// The paper's formula entry by entry, for rows of K between any samples and the known ones.
Matrix centred(const Matrix& rows, const Matrix& kernel) {
  Matrix result(rows.rows(), rows.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) {
      result(i, j) = rows(i, j) - rows.row(i).mean() - kernel.col(j).mean() + kernel.mean();
    }
  }
  return result;
}

TEST(CentredGram, FollowsTheFormula) {
  const Matrix x = random_matrix(77, 4, 1);
  const auto all = all_samples(77);
  const Matrix k = rbf_gram(x)->block(all, all);
  const CentredGram gram(rbf_gram(x));
  expect_gram(gram, centred(k, k), 1e-13, "centred rbf");
  const Eigen::MatrixXd s = centred(k, k) / 77.0;
  expect_bounds(gram, Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(s).eigenvalues());
}

TEST(CentredGram, RemovesConstants) {
  const CentredGram gram(rbf_gram(random_matrix(50, 3, 1)));
  EXPECT_LT(product(gram, Matrix::Constant(50, 1, 1000.0)).cwiseAbs().maxCoeff(), 1e-12);
  expect_known_eigenspace(gram, 1e-14);
  EXPECT_EQ(gram.known_eigenspace()->eigenvalue(), 0.0);
}

TEST(CentredGram, DoesNothingToACentredGram) {
  const auto make = [] { return std::make_unique<CentredGram>(rbf_gram(random_matrix(30, 3, 1))); };
  const auto all = all_samples(30);
  expect_gram(CentredGram(make()), make()->block(all, all), 1e-14, "twice");
}

TEST(CentredGram, PlacesNewSamples) {
  const Matrix x = random_matrix(60, 4, 1);
  const Matrix fresh = random_matrix(25, 4, 2);
  const Matrix c = random_matrix(60, 3, 3);
  const auto all = all_samples(60);
  const Matrix k = rbf_gram(x)->block(all, all);
  const Matrix rows =
      std::move(*rbf_gram(x)).into_cross_kernel()->apply({fresh}, Matrix::Identity(60, 60));
  const auto cross = CentredGram(rbf_gram(x)).into_cross_kernel();
  EXPECT_LT(largest_difference(cross->apply({fresh}, c), centred(rows, k).lazyProduct(c)), 1e-12);
  EXPECT_LT(largest_difference(cross->apply({x}, c), centred(k, k).lazyProduct(c)), 1e-12);
  EXPECT_EQ(save_and_load(*cross)->apply({fresh}, c), cross->apply({fresh}, c));
}

TEST(CentredGram, NeedsAGram) { EXPECT_THROW(CentredGram(nullptr), ValueError); }

}  // namespace
}  // namespace stkr
