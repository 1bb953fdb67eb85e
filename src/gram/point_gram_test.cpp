#include "stkr/gram/point_gram.hpp"

#include <Eigen/Eigenvalues>
#include <limits>

#include "gram_checks.hpp"
#include "memory_store.hpp"
#include "stkr/error.hpp"

namespace stkr::point_gram_test {
namespace {

std::vector<Kernel> all_kernels() {
  return {Kernel::linear(),      Kernel::polynomial(3, 0.2, 0.5), Kernel::cosine(),
          Kernel::rbf(1.7),      Kernel::laplacian(2.3),          Kernel::matern12(1.3),
          Kernel::matern32(1.1), Kernel::matern52(0.9),           Kernel::epsilon_neighbor(2.0)};
}

Matrix kernel_matrix(const Kernel& kernel, const Matrix& x, const Matrix& y) {
  const auto features = static_cast<std::size_t>(x.cols());
  Matrix result(x.rows(), y.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < y.rows(); ++j) {
      result(i, j) = kernel({x.row(i).data(), features}, {y.row(j).data(), features});
    }
  }
  return result;
}

template <class Scalar>
class PointGramOf : public testing::Test {
 public:
  using Points = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  static constexpr double tolerance = std::is_same_v<Scalar, double> ? 1e-10 : 2e-4;

  // Points that Scalar represents exactly, so that both precisions have the same reference.
  static Matrix points(Index count, Index features, unsigned seed = 1) {
    return random_normals(count, features, seed).cast<float>().cast<double>();
  }
  static PointGram<Scalar> gram(const Matrix& x, const Kernel& kernel, int threads = 1) {
    return PointGram<Scalar>(x.cast<Scalar>(), kernel, threads);
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(PointGramOf, Scalars);

TYPED_TEST(PointGramOf, AgreesWithTheKernelMatrixForEveryKernelAndSize) {
  for (const Kernel& kernel : all_kernels()) {
    for (const auto& [count, features] :
         {std::pair<Index, Index>{1, 1}, {1, 12}, {5, 3}, {47, 1}, {131, 12}, {200, 9}}) {
      const Matrix x = this->points(count, features);
      expect_gram(
          this->gram(x, kernel), kernel_matrix(kernel, x, x), this->tolerance,
          kernel.describe() + " " + std::to_string(count) + " x " + std::to_string(features));
    }
  }
}

TYPED_TEST(PointGramOf, KeptTilesGiveTheSameBits) {
  for (const auto& [count, features] : {std::pair<Index, Index>{1, 1}, {47, 3}, {1037, 10}}) {
    const Matrix x = this->points(count, features);
    const Kernel kernel = Kernel::rbf(1.7);
    const PointGram<TypeParam> evaluated = this->gram(x, kernel);
    for (const int threads : {1, 2}) {
      const PointGram<TypeParam> kept(x.cast<TypeParam>(), kernel, threads, Tiles::kept);
      for (const Index columns : {1, 14}) {
        const Matrix v = random_normals(count, columns, 5);
        EXPECT_EQ(product(kept, v), product(evaluated, v)) << count << " points";
      }
      EXPECT_EQ(kept.columns(all_samples(count)), evaluated.columns(all_samples(count)));
    }
  }
}

TYPED_TEST(PointGramOf, KeptTilesTakeHalfTheMatrix) {
  const auto value = static_cast<double>(sizeof(TypeParam));
  for (const double n : {1e3, 1e4, 3e4}) {
    const auto bytes =
        static_cast<double>(PointGram<TypeParam>::tile_bytes(static_cast<Index>(n), 20));
    EXPECT_GE(bytes, 0.5 * value * n * n);
    EXPECT_LE(bytes, 0.5 * value * n * n * 1.1 + 600 * value * n);
  }
}

TYPED_TEST(PointGramOf, AgreesWithTheKernelMatrixOverManyTiles) {
  const Matrix x = this->points(1037, 10);
  const Kernel kernel = Kernel::matern32(2.0);
  expect_gram(this->gram(x, kernel, 2), kernel_matrix(kernel, x, x), this->tolerance, "1037");
}

TYPED_TEST(PointGramOf, GivesTheSameBitsForAnyNumberOfThreads) {
  const Matrix x = this->points(1501, 20);
  const Matrix v = random_normals(1501, 4, 2);
  const Kernel kernel = Kernel::rbf(4.0);
  const Matrix one = product(this->gram(x, kernel, 1), v);
  for (const int threads : {2, 3, 7}) {
    EXPECT_EQ(product(this->gram(x, kernel, threads), v), one) << threads << " threads";
  }
}

TYPED_TEST(PointGramOf, TreatsColumnsIndependently) {
  const Matrix x = this->points(150, 20);
  const Matrix v = random_normals(150, 30, 2);
  const auto gram = this->gram(x, Kernel::rbf(4.0));
  const Matrix together = product(gram, v);
  for (const Index c : {0, 13, 29}) EXPECT_EQ(product(gram, v.col(c)), together.col(c));
}

TYPED_TEST(PointGramOf, IsExactOnTheDiagonalAndForDuplicates) {
  Matrix x = this->points(120, 40);
  x.row(7) = x.row(100);
  for (const Kernel& kernel : {Kernel::matern12(0.001), Kernel::rbf(0.001)}) {
    const auto gram = this->gram(x, kernel);
    const auto all = all_samples(120);
    const Matrix k = gram.block(all, all);
    EXPECT_EQ(k.diagonal(), Vector::Ones(120));
    EXPECT_EQ(k(7, 100), 1.0);
    EXPECT_EQ(k(100, 7), 1.0);
  }
}

TYPED_TEST(PointGramOf, IsRightFarFromTheOrigin) {
  // Without a shift, float loses d² of points at 1e5 in ‖x‖²; integers keep x exact.
  Matrix x = (this->points(90, 16) * 8.0).array().round();
  const Kernel kernel = Kernel::rbf(20.0);
  const Matrix expected = kernel_matrix(kernel, x, x);
  x.array() += 100000.0;
  expect_gram(this->gram(x, kernel), expected, this->tolerance, "far");
}

TYPED_TEST(PointGramOf, KeepsNeighborsOnTheRadiusFarFromTheOrigin) {
  Matrix x = Matrix::Zero(64, 12);
  for (Index i = 0; i < 64; ++i) {
    x(i, 1) = 1000.0 + static_cast<double>(i % 8);
    x(i, 10) = 2000.0 + static_cast<double>(i / 8);
  }
  const Kernel kernel = Kernel::epsilon_neighbor(1.0);
  const auto all = all_samples(64);
  EXPECT_EQ(this->gram(x, kernel).block(all, all), kernel_matrix(kernel, x, x));
}

TYPED_TEST(PointGramOf, BoundsItsSpectrum) {
  const Matrix x = this->points(60, 5);
  std::vector<Kernel> kernels = all_kernels();
  kernels.push_back(Kernel::polynomial(3, 0.5, -1.0));
  for (const Kernel& kernel : kernels) {
    SCOPED_TRACE(kernel.describe());
    const Matrix s = kernel_matrix(kernel, x, x) / 60.0;
    const auto gram = this->gram(x, kernel);
    const Vector eigenvalues = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(s).eigenvalues();
    const double scale = eigenvalues.cwiseAbs().maxCoeff();
    EXPECT_GE(eigenvalues.minCoeff(), gram.bounds().lower - 1e-7 * scale);
    EXPECT_LE(eigenvalues.maxCoeff(), gram.bounds().upper + 1e-7 * scale);
    EXPECT_TRUE(std::isfinite(gram.bounds().lower));
    EXPECT_TRUE(std::isfinite(gram.bounds().upper));
  }
}

TYPED_TEST(PointGramOf, PlacesNewPoints) {
  for (const Kernel& kernel : all_kernels()) {
    const Matrix known = this->points(133, 11);
    const Matrix fresh = this->points(300, 11, 2);
    const Matrix c = random_normals(133, 3, 3);
    const Matrix expected = kernel_matrix(kernel, fresh, known).lazyProduct(c);
    const auto cross = this->gram(known, kernel, 2).cross_kernel();
    EXPECT_EQ(cross->known(), 133);
    EXPECT_LT(largest_difference(cross->apply({fresh}, c), expected),
              this->tolerance * std::max(1.0, expected.cwiseAbs().maxCoeff()))
        << kernel.describe();
  }
}

TYPED_TEST(PointGramOf, PlacesKnownPointsWhereTheyAre) {
  Matrix x = this->points(70, 13);
  x.array() += 5.0;
  const auto all = all_samples(70);
  auto gram = this->gram(x, Kernel::matern52(3.0));
  const Matrix k = gram.block(all, all);
  const auto cross = gram.cross_kernel();
  const Matrix x_held = x.cast<TypeParam>().template cast<double>();
  EXPECT_LT(largest_difference(cross->apply({x_held}, Matrix::Identity(70, 70)), k), 1e-15);
}

TYPED_TEST(PointGramOf, SavesAndLoadsItsCrossKernel) {
  for (const Kernel& kernel : all_kernels()) {
    Matrix x = this->points(50, 9);
    x.array() += 3.0;
    const Matrix fresh = this->points(20, 9, 2);
    const Matrix c = random_normals(50, 2, 3);
    const auto cross = this->gram(x, kernel).cross_kernel();
    EXPECT_EQ(save_and_load(*cross)->apply({fresh}, c), cross->apply({fresh}, c))
        << kernel.describe();
  }
}

TYPED_TEST(PointGramOf, KeepsItsPrecisionInFiles) {
  MemoryStore store;
  MemorySink sink(store);
  this->gram(this->points(5, 2), Kernel::rbf(1.0)).cross_kernel()->save(sink);
  EXPECT_TRUE(std::holds_alternative<typename TestFixture::Points>(store.arrays.at("points")));
}

TEST(PointGram, WorksOnColumnsOfAWiderBlock) {
  const Matrix x = random_normals(100, 4, 1);
  const Matrix v = random_normals(100, 8, 2);
  const PointGram<double> gram(x, Kernel::rbf(1.0), 2);
  Matrix y = Matrix::Zero(100, 8);
  gram.apply(v.middleCols(1, 3), y.middleCols(4, 3));
  EXPECT_EQ(y.middleCols(4, 3), product(gram, v.middleCols(1, 3)));
  EXPECT_EQ(y.leftCols(4), Matrix::Zero(100, 4));
  EXPECT_EQ(y.rightCols(1), Matrix::Zero(100, 1));
}

TEST(PointGram, NamesThePointThatIsNotFinite) {
  Matrix x = random_normals(6, 4, 1);
  x(4, 2) = std::numeric_limits<double>::quiet_NaN();
  const auto message = message_of<ValueError>([&] { PointGram<double>(x, Kernel::rbf(1.0)); });
  EXPECT_NE(message.find("row 4"), std::string::npos) << message;
  EXPECT_NE(message.find("column 2"), std::string::npos) << message;
  x(4, 2) = 1e200;
  EXPECT_THROW(PointGram<double>(x, Kernel::rbf(1.0)), ValueError);
}

TEST(PointGram, RefusesShapesThatDoNotFit) {
  EXPECT_THROW(PointGram<double>(Matrix(0, 3), Kernel::rbf(1.0)), ShapeError);
  EXPECT_THROW(PointGram<double>(Matrix(3, 0), Kernel::rbf(1.0)), ShapeError);
  PointGram<double> gram(random_normals(6, 4, 1), Kernel::rbf(1.0));
  Matrix y(6, 2);
  EXPECT_THROW(gram.apply(Matrix::Ones(5, 2), y), ShapeError);
  const std::vector<Index> outside{6};
  const std::vector<Index> inside{5};
  EXPECT_THROW(gram.block(outside, inside), ValueError);
  const auto cross = gram.cross_kernel();
  EXPECT_THROW(cross->apply({Matrix::Ones(2, 3)}, Matrix::Ones(6, 1)), ShapeError);
  EXPECT_THROW(cross->apply({Matrix::Ones(2, 4)}, Matrix::Ones(5, 1)), ShapeError);
  EXPECT_THROW(cross->apply({CsrMatrix{}}, Matrix::Ones(6, 1)), ShapeError);
  EXPECT_THROW(cross->apply({Matrix::Constant(2, 4, NAN)}, Matrix::Ones(6, 1)), ValueError);
}

TEST(PointGram, DoesNotTouchBorrowedPoints) {
  // Far from the origin, so that tiles subtract a shift.
  auto kept = std::make_shared<Matrix>(random_normals(90, 5, 3).array() + 100.0);
  const Matrix before = *kept;
  const SharedMatrix borrowed(kept->data(), 90, 5, kept);
  PointGram<double> gram(borrowed, Kernel::rbf(2.0), 2);
  const Matrix x = random_normals(90, 3, 4);
  const Matrix exact = kernel_matrix(Kernel::rbf(2.0), before, before) * x / 90.0;
  EXPECT_LT((product(gram, x) - exact).norm(), 1e-10 * exact.norm());
  const auto cross = gram.cross_kernel();
  EXPECT_EQ(*kept, before);
  EXPECT_EQ(borrowed.as<double>().data(), kept->data());
  const Matrix fresh = random_normals(4, 5, 6).array() + 100.0;
  const Matrix rows = kernel_matrix(Kernel::rbf(2.0), fresh, before) * x;
  EXPECT_LT((cross->apply({fresh}, x) - rows).norm(), 1e-10 * rows.norm());
}

TEST(PointGram, StopsInTheMiddleOfAProduct) {
  std::stop_source source;
  const Matrix points = random_normals(600, 4, 1);
  for (const Tiles tiles : {Tiles::evaluated, Tiles::kept}) {
    source = std::stop_source();
    const PointGram<double> gram(points, Kernel::rbf(1.0), 2, tiles, source.get_token());
    const Matrix x = random_normals(600, 2, 2);
    EXPECT_NO_THROW(product(gram, x));
    source.request_stop();
    EXPECT_THROW(product(gram, x), Cancelled);
    const std::vector<Index> some{1, 2, 3};
    EXPECT_THROW(gram.block(some, some), Cancelled);
  }
  EXPECT_THROW(PointGram<double>(points, Kernel::rbf(1.0), 2, Tiles::kept, source.get_token()),
               Cancelled);
}

Matrix sparse_values(Index count, Index features, unsigned seed) {
  const Matrix x = random_normals(count, features, seed);
  return (x.array() > 0.9).select(x, 0.0);
}

TEST(PointGram, SparsePointsGiveTheKernelMatrixOfDenseOnes) {
  for (const Kernel& kernel : all_kernels()) {
    for (const auto& [count, features] :
         {std::pair<Index, Index>{1, 3}, {47, 12}, {200, 300}, {1100, 40}}) {
      const Matrix x = sparse_values(count, features, 3);
      const std::string what = kernel.describe() + " " + std::to_string(count);
      const PointGram<double> gram(sparse_of(x), kernel, 2);
      expect_gram(gram, kernel_matrix(kernel, x, x), 1e-9, what);
      // Kept or not, for any number of threads.
      const PointGram<double> kept(sparse_of(x), kernel, 1, Tiles::kept);
      const Matrix v = random_normals(count, 3, 5);
      EXPECT_EQ(product(kept, v), product(gram, v)) << what;
      EXPECT_EQ(kept.block(all_samples(count), all_samples(count)),
                gram.block(all_samples(count), all_samples(count)))
          << what;
    }
  }
}

TEST(PointGram, PlacesSparseAndDenseNewSamplesAlike) {
  const Matrix x = sparse_values(60, 30, 3), fresh = sparse_values(9, 30, 4);
  const Matrix c = random_normals(60, 2, 5);
  for (const Kernel& kernel : all_kernels()) {
    SCOPED_TRACE(kernel.describe());
    const Matrix expected = kernel_matrix(kernel, fresh, x) * c;
    const auto sparse = PointGram<double>(sparse_of(x), kernel).cross_kernel();
    const auto dense = PointGram<double>(x, kernel).cross_kernel();
    EXPECT_EQ(sparse->features(), 30);
    for (const CrossKernel* cross : {sparse.get(), dense.get()}) {
      EXPECT_LT((cross->apply({sparse_of(fresh)}, c) - expected).cwiseAbs().maxCoeff(), 1e-8);
      EXPECT_LT((cross->apply({fresh}, c) - expected).cwiseAbs().maxCoeff(), 1e-8);
      EXPECT_THROW(cross->place({sparse_of(sparse_values(2, 31, 1))}), ShapeError);
    }
    const auto loaded = save_and_load(*sparse);
    EXPECT_EQ(loaded->apply({sparse_of(fresh)}, c), sparse->apply({sparse_of(fresh)}, c));
    const std::vector<Index> some{0, 5, 9}, among{1, 30, 44};
    EXPECT_EQ(loaded->nearest(some, among), dense->nearest(some, among));
    EXPECT_EQ(sparse->place({fresh})->nearest(among), dense->place({fresh})->nearest(among));
  }
}

TEST(PointGram, RefusesSparsePointsThatItCannotUse) {
  CsrMatrix points = sparse_of(sparse_values(10, 5, 3));
  EXPECT_THROW(PointGram<float>(points, Kernel::rbf(1.0)), ValueError);
  points.value[0] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(PointGram<double>(points, Kernel::rbf(1.0)), ValueError);
  points.value[0] = 1e200;
  EXPECT_THROW(PointGram<double>(points, Kernel::rbf(1.0)), ValueError);  // its norm overflows
  EXPECT_THROW(PointGram<double>(CsrMatrix{0, 5, {0}, {}, {}}, Kernel::rbf(1.0)), ShapeError);
}

}  // namespace
}  // namespace stkr::point_gram_test
