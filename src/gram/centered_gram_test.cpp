#include "gram/centered_gram.hpp"

#include <Eigen/Eigenvalues>

#include "gram/dense_gram.hpp"
#include "gram_checks.hpp"
#include "memory_store.hpp"
#include "stkr/error.hpp"
#include "stkr/gram/point_gram.hpp"

namespace stkr::centered_gram_test {
namespace {

std::unique_ptr<GramOperator> rbf_gram(const Matrix& x) {
  return std::make_unique<PointGram<double>>(x, Kernel::rbf(1.5));
}

// The paper's formula entry by entry, for rows of K between arbitrary samples and the known ones.
Matrix centered(const Matrix& rows, const Matrix& kernel) {
  Matrix result(rows.rows(), rows.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) {
      result(i, j) = rows(i, j) - rows.row(i).mean() - kernel.col(j).mean() + kernel.mean();
    }
  }
  return result;
}

TEST(CenteredGram, FollowsTheFormula) {
  const Matrix x = random_normals(77, 4, 1);
  const auto all = all_samples(77);
  const Matrix k = rbf_gram(x)->block(all, all);
  const CenteredGram gram(rbf_gram(x));
  expect_gram(gram, centered(k, k), 1e-13, "centered rbf");
  const Eigen::MatrixXd s = centered(k, k) / 77.0;
  expect_bounds(gram, Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(s).eigenvalues());
}

TEST(CenteredGram, RemovesConstants) {
  const CenteredGram gram(rbf_gram(random_normals(50, 3, 1)));
  EXPECT_LT(product(gram, Matrix::Constant(50, 1, 1000.0)).cwiseAbs().maxCoeff(), 1e-12);
  expect_known_eigenspace(gram, 1e-14);
  EXPECT_EQ(gram.known_eigenspace()->eigenvalue(), 0.0);
}

TEST(CenteredGram, DoesNothingToACenteredGram) {
  const auto make = [] {
    return std::make_unique<CenteredGram>(rbf_gram(random_normals(30, 3, 1)));
  };
  const auto all = all_samples(30);
  expect_gram(CenteredGram(make()), make()->block(all, all), 1e-14, "twice");
}

TEST(CenteredGram, PlacesNewSamples) {
  const Matrix x = random_normals(60, 4, 1);
  const Matrix fresh = random_normals(25, 4, 2);
  const Matrix c = random_normals(60, 3, 3);
  const auto all = all_samples(60);
  const Matrix k = rbf_gram(x)->block(all, all);
  const Matrix rows = rbf_gram(x)->cross_kernel()->apply({fresh}, Matrix::Identity(60, 60));
  const auto cross = CenteredGram(rbf_gram(x)).cross_kernel();
  EXPECT_LT(largest_difference(cross->apply({fresh}, c), centered(rows, k).lazyProduct(c)), 1e-12);
  EXPECT_LT(largest_difference(cross->apply({x}, c), centered(k, k).lazyProduct(c)), 1e-12);
  EXPECT_EQ(save_and_load(*cross)->apply({fresh}, c), cross->apply({fresh}, c));
}

TEST(CenteredGram, NeedsAGram) { EXPECT_THROW(CenteredGram(nullptr), ValueError); }

}  // namespace
}  // namespace stkr::centered_gram_test
