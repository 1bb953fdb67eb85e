#include "stkr/linop/known_eigenspace.hpp"

#include <gtest/gtest.h>

#include "dense_operator.hpp"
#include "stkr/error.hpp"

namespace stkr::known_eigenspace_test {
namespace {

// Samples 0, 1 in one group, 3, 4 in another, 2 in none.
KnownEigenspace example() {
  return KnownEigenspace(1.0, 2, {0, 0, -1, 1, 1}, (Vector(5) << 3, 4, 9, 1, 1).finished());
}

TEST(KnownEigenspace, NormalizesEachVector) {
  const Matrix u = [] {
    Matrix result = Matrix::Zero(5, 2);
    example().add(Matrix::Identity(2, 2), result);
    return result;
  }();
  EXPECT_NEAR((u.transpose() * u - Matrix::Identity(2, 2)).norm(), 0.0, 1e-15);
  EXPECT_DOUBLE_EQ(u(0, 0), 0.6);
  EXPECT_EQ(u.row(2).norm(), 0.0);
}

TEST(KnownEigenspace, ProjectsOutWhatItSpansAndNothingElse) {
  const KnownEigenspace space = example();
  Matrix x = random_matrix(5, 3, 1);
  const Matrix before = x;
  space.project_out(x);
  EXPECT_LT(space.coefficients(x).norm(), 1e-14);
  EXPECT_EQ(x.row(2), before.row(2));
  space.add(space.coefficients(before), x);
  EXPECT_LT((x - before).norm(), 1e-14);
}

TEST(KnownEigenspace, ProjectsManyRowsOnAnyNumberOfThreads) {
  const Index n = 9001;
  const Matrix x = random_matrix(n, 3, 2);
  for (const Index groups : {2, 100}) {  // in chunks, and in one piece
    std::vector<std::int32_t> group(n);
    for (Index i = 0; i < n; ++i) group[i] = static_cast<std::int32_t>(i % (groups + 1)) - 1;
    const KnownEigenspace space(1.0, groups, group, random_matrix(n, 1, 3));
    Matrix u = Matrix::Zero(n, groups);
    space.add(Matrix::Identity(groups, groups), u);
    EXPECT_LT((space.coefficients(x, 2) - u.transpose() * x).norm(), 1e-11);
    Matrix one = x, three = x, inside = Matrix::Zero(n, 3);
    project_out(space, one, 1);
    project_out(space, three, 3);
    EXPECT_EQ(one, three);
    add_projection(space, 2.0, x, inside, 3);
    EXPECT_LT((x - 0.5 * inside - one).norm(), 1e-12);
  }
}

TEST(KnownEigenspace, TellsTheSameVectorsFromOthers) {
  const KnownEigenspace space(1.0, 2, {0, 0, 1}, (Vector(3) << 1.0, 2.0, 3.0).finished());
  const KnownEigenspace scaled(0.5, 2, {0, 0, 1}, (Vector(3) << 2.0, 4.0, 1.0).finished());
  EXPECT_TRUE(space.same_vectors(scaled));
  EXPECT_TRUE(space.same_vectors(space.with_eigenvalue(3.0)));
  EXPECT_EQ(space.with_eigenvalue(3.0).eigenvalue(), 3.0);
  EXPECT_FALSE(space.same_vectors({1.0, 2, {0, 0, 1}, (Vector(3) << 1.0, 2.1, 3.0).finished()}));
  EXPECT_FALSE(space.same_vectors({1.0, 1, {0, 0, -1}, (Vector(3) << 1.0, 2.0, 3.0).finished()}));
}

TEST(KnownEigenspace, RejectsArraysThatDisagree) {
  EXPECT_THROW(KnownEigenspace(1.0, 1, {0, 0}, Vector::Ones(3)), ShapeError);
  EXPECT_THROW(KnownEigenspace(1.0, 1, {0, 1}, Vector::Ones(2)), ValueError);
}

}  // namespace
}  // namespace stkr::known_eigenspace_test
