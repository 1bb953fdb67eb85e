#include "gram/precision_error.hpp"

#include "gram_checks.hpp"
#include "stkr/error.hpp"

namespace stkr::precision_error_test {
namespace {

// The same over all rows and one block, by two grams.
double error_of_products(const Matrix& points, const Kernel& kernel) {
  const Matrix v = random_normals(points.rows(), 4, 9);
  const Matrix exact = product(PointGram<double>(points, kernel, 1), v);
  return (product(PointGram<float>(points.cast<float>(), kernel, 1), v) - exact).norm() /
         exact.norm();
}

PrecisionError measured(const Matrix& points, const Kernel& kernel, Index rows = 64,
                        int threads = 1) {
  return measure_precision_error(PointGram<float>(points.cast<float>(), kernel, threads), points, 1,
                                 rows, threads);
}

TEST(PrecisionError, IsThatOfAWholeProduct) {
  const Matrix points = random_normals(500, 20, 1);
  for (const Kernel& kernel : {Kernel::rbf(3.0), Kernel::laplacian(10.0), Kernel::matern32(4.0),
                               Kernel::cosine(), Kernel::linear()}) {
    SCOPED_TRACE(kernel.describe());
    const double whole = error_of_products(points, kernel);
    const PrecisionError sampled = measured(points, kernel);
    EXPECT_EQ(sampled.rows, 64);
    EXPECT_GT(sampled.relative, 0.2 * whole);
    EXPECT_LT(sampled.relative, 5.0 * whole);
    EXPECT_LT(sampled.relative, 1e-5);
    EXPECT_GT(sampled.relative, 1e-9);
  }
}

TEST(PrecisionError, TellsWhenSinglePrecisionLosesThePoints) {
  // Far from the origin, rounding to float moves points by a large fraction of the length scale.
  Matrix points = random_normals(300, 10, 2);
  points.col(0).array() += 1e6;
  points *= 0.01;
  EXPECT_GT(measured(points, Kernel::rbf(0.03)).relative, 1e-4);
}

TEST(PrecisionError, IsZeroWhereFloatIsExactAndCoversSmallSamples) {
  const Matrix points = Matrix::Identity(5, 5);
  const PrecisionError exact = measured(points, Kernel::linear());
  EXPECT_EQ(exact.rows, 5);
  EXPECT_EQ(exact.relative, 0.0);
  // All kernel values are 0.
  EXPECT_EQ(measured(Matrix::Zero(3, 2), Kernel::linear()).relative, 0.0);
}

TEST(PrecisionError, DoesNotDependOnThreads) {
  const Matrix points = random_normals(5000, 9, 3);
  EXPECT_EQ(measured(points, Kernel::rbf(2.0), 7, 1).relative,
            measured(points, Kernel::rbf(2.0), 7, 3).relative);
}

TEST(PrecisionError, RefusesOtherPoints) {
  const PointGram<float> gram(random_normals(10, 3, 1).cast<float>(), Kernel::rbf(1.0));
  EXPECT_THROW(measure_precision_error(gram, Matrix::Ones(9, 3)), ShapeError);
  EXPECT_THROW(measure_precision_error(gram, Matrix::Ones(10, 2)), ShapeError);
  EXPECT_THROW(measure_precision_error(gram, Matrix::Ones(10, 3), 1, 0), ValueError);
}

}  // namespace
}  // namespace stkr::precision_error_test
