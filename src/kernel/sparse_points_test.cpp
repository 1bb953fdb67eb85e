#include "kernel/sparse_points.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "runtime/random.hpp"
#include "stkr/linop/feature_matrix.hpp"

namespace stkr::sparse_points_test {
namespace {

// Points of which about one coordinate in five is not 0; the first point has none.
Matrix words(Index count, Index features, std::uint64_t seed) {
  Random random(seed);
  Matrix points = Matrix::Zero(count, features);
  for (Index i = 1; i < count; ++i) {
    for (Index k = 0; k < features; ++k) {
      if (random.below(5) == 0) points(i, k) = random.normal();
    }
  }
  return points;
}

TEST(SparsePoints, SumsAreThoseOfDensePoints) {
  const Matrix x = words(12, 30, 1);
  const CsrMatrix sparse = sparse_of(x);
  for (Index i = 0; i < x.rows(); ++i) {
    const SparsePoint a = sparse_point(sparse, i);
    EXPECT_NEAR(squared_norm(a), x.row(i).squaredNorm(), 1e-14);
    EXPECT_NEAR(absolute_sum(a), x.row(i).lpNorm<1>(), 1e-14);
    for (Index j = 0; j < x.rows(); ++j) {
      const SparsePoint b = sparse_point(sparse, j);
      EXPECT_NEAR(squared_distance(a, b), (x.row(i) - x.row(j)).squaredNorm(), 1e-13);
      EXPECT_EQ(squared_distance(a, b), squared_distance(b, a));
    }
  }
}

TEST(SparsePoints, KernelDistancesAreThoseOfDensePoints) {
  const PointFunction manhattan = [](std::span<const double> a, std::span<const double> b) {
    double sum = static_cast<double>(a.size());  // sees every feature
    for (std::size_t k = 0; k < a.size(); ++k) sum += std::abs(a[k] - b[k]);
    return sum;
  };
  const Kernel own =
      Kernel::custom({.name = "own", .formula = OfPoints{Kernel::rbf(1.0)}, .distance = manhattan});
  const Matrix x = words(8, 25, 2);
  const CsrMatrix sparse = sparse_of(x);
  for (const Kernel& kernel : {Kernel::linear(), Kernel::cosine(), Kernel::polynomial(2),
                               Kernel::rbf(0.7), Kernel::laplacian(2.0), own}) {
    for (Index i = 0; i < x.rows(); ++i) {
      for (Index j = 0; j < x.rows(); ++j) {
        EXPECT_NEAR(kernel_distance(kernel, sparse_point(sparse, i), sparse_point(sparse, j), 25),
                    kernel.distance({x.row(i).data(), 25}, {x.row(j).data(), 25}), 1e-12)
            << kernel.describe();
      }
    }
  }
}

TEST(SparsePoints, ListsGiveAllInnerProductsAtOnce) {
  const Matrix known = words(40, 200, 3), asking = words(9, 200, 4);
  const CsrMatrix rows = sparse_of(known), queries = sparse_of(asking);
  FeatureLists lists;
  for (const auto& [first, count] : {std::pair<Index, Index>{0, 40}, {7, 20}, {39, 1}}) {
    lists.build(rows, first, count);  // reused
    for (Index q = 0; q < asking.rows(); ++q) {
      std::vector<double> products(count, 0.0), overlaps(count, 0.0);
      lists.add_products(sparse_point(queries, q), products.data());
      lists.add_overlaps(sparse_point(queries, q), overlaps.data());
      for (Index j = 0; j < count; ++j) {
        const auto y = known.row(first + j);
        EXPECT_NEAR(products[j], asking.row(q).dot(y), 1e-13);
        EXPECT_NEAR(overlaps[j],
                    asking.row(q).lpNorm<1>() + y.lpNorm<1>() - (asking.row(q) - y).lpNorm<1>(),
                    1e-12);
      }
    }
  }
}

// A feature number costs nothing: files may contain any.
TEST(SparsePoints, ListsTakeFeaturesOfAnyNumber) {
  const std::int32_t large = 2'000'000'000;
  const CsrMatrix points{2, large + 1, {0, 1, 3}, {large, 5, large}, {2.0, 1.0, 3.0}};
  FeatureLists lists;
  lists.build(points, 0, 2);
  std::vector<double> products(2, 0.0);
  lists.add_products(sparse_point(points, 1), products.data());
  EXPECT_EQ(products, (std::vector<double>{6.0, 10.0}));
}

}  // namespace
}  // namespace stkr::sparse_points_test
