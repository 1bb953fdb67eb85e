#include "gram/dense_gram.hpp"

#include <Eigen/Eigenvalues>
#include <limits>

#include "gram_checks.hpp"
#include "memory_store.hpp"
#include "stkr/error.hpp"

namespace stkr::dense_gram_test {
namespace {

Matrix symmetric_matrix(Index n, unsigned seed = 1) {
  const Matrix a = random_normals(n, n, seed);
  return a + a.transpose();
}

TEST(DenseGram, AgreesWithItsMatrix) {
  for (const Index n : {1, 2, 7, 8, 9, 65, 130, 600}) {
    const Matrix k = symmetric_matrix(n);
    expect_gram(DenseGram(k, 2), k, 1e-12, std::to_string(n));
  }
}

TEST(DenseGram, GivesTheSameBitsForAnyNumberOfThreads) {
  const Matrix k = symmetric_matrix(301);
  const Matrix x = random_normals(301, 5, 2);
  const Matrix one = product(DenseGram(k, 1), x);
  for (const int threads : {2, 3}) EXPECT_EQ(product(DenseGram(k, threads), x), one);
}

TEST(DenseGram, BoundsItsSpectrum) {
  const Matrix k = symmetric_matrix(40);
  const Eigen::MatrixXd s = k / 40.0;
  expect_bounds(DenseGram(k), Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(s).eigenvalues());
  EXPECT_FALSE(DenseGram(k).nonnegative());
  EXPECT_TRUE(DenseGram(k.cwiseAbs()).nonnegative());
}

TEST(DenseGram, PlacesNewSamplesByTheirKernelRows) {
  const auto cross = DenseGram(symmetric_matrix(37)).cross_kernel();
  const Matrix rows = random_normals(100, 37, 3);
  const Matrix c = random_normals(37, 4, 4);
  EXPECT_LT(largest_difference(cross->apply({rows}, c), rows.lazyProduct(c)), 1e-12);
  EXPECT_EQ(save_and_load(*cross)->apply({rows}, c), cross->apply({rows}, c));
  EXPECT_EQ(cross->apply({Matrix(0, 37)}, c).rows(), 0);
}

TEST(DenseGram, NamesTheEntryThatIsNotAllowed) {
  Matrix k = symmetric_matrix(9);
  k(5, 2) += 0.01;
  auto message = message_of<ValueError>([&] { DenseGram gram(k); });
  EXPECT_NE(message.find("(5, 2)"), std::string::npos) << message;
  k(5, 2) = std::numeric_limits<double>::infinity();
  message = message_of<ValueError>([&] { DenseGram gram(k); });
  EXPECT_NE(message.find("row 5, column 2"), std::string::npos) << message;
}

TEST(DenseGram, AcceptsAsymmetryOfRounding) {
  Matrix k = symmetric_matrix(9);
  k(5, 2) *= 1.0 + 1e-15;
  EXPECT_NO_THROW(DenseGram gram(k));
}

TEST(DenseGram, RefusesShapesThatDoNotFit) {
  EXPECT_THROW(DenseGram(Matrix::Ones(3, 4)), ShapeError);
  EXPECT_THROW(DenseGram(Matrix(0, 0)), ShapeError);
  const auto cross = DenseGram(Matrix::Ones(3, 3)).cross_kernel();
  EXPECT_THROW(cross->apply({Matrix::Ones(2, 4)}, Matrix::Ones(3, 1)), ShapeError);
  EXPECT_THROW(cross->apply({Matrix::Constant(2, 3, NAN)}, Matrix::Ones(3, 1)), ValueError);
}

}  // namespace
}  // namespace stkr::dense_gram_test
