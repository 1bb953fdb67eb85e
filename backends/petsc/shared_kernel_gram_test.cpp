#include "shared_kernel_gram.hpp"

#include <gtest/gtest.h>

#include "gram/normalized_gram.hpp"
#include "kernel/searched_points.hpp"
#include "runtime/random.hpp"
#include "shared_cases.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "temporary_folder.hpp"

namespace stkr::shared_kernel_gram_test {

using petsc::all_rows;
using petsc::own_rows;
using petsc::shared_layout;
using petsc::SharedKernelGram;

constexpr double kNear = 1e-12;

std::vector<Kernel> kernels() {
  return {Kernel::rbf(2.0),      Kernel::laplacian(3.0), Kernel::matern12(2.0),
          Kernel::matern32(2.0), Kernel::matern52(2.0),  Kernel::epsilon_neighbor(1.5),
          Kernel::linear(),      Kernel::cosine(),       Kernel::polynomial(3, 0.1, 1.0)};
}

// More points than a tile has columns, points far from the origin, copies of points in other
// processes, and fewer points than processes.
std::vector<Matrix> point_cases() {
  Matrix copies = testing::random_points(90, 3, 4);
  copies.bottomRows(40) = copies.topRows(40);
  return {testing::random_points(1300, 4, 1), testing::random_points(200, 3, 2, 500.0), copies,
          testing::random_points(3, 2, 5), testing::random_points(2, 1, 6)};
}

Matrix random_block(Index rows, Index columns) {
  Random random(7);
  Matrix block(rows, columns);
  fill_normal(random, block);
  return block;
}

std::unique_ptr<SharedKernelGram> shared_gram(const Matrix& points, const Kernel& kernel,
                                              int threads = 2) {
  const petsc::Layout layout = shared_layout(points.rows());
  return std::make_unique<SharedKernelGram>(layout, Matrix(own_rows(points, *layout)), kernel,
                                            petsc::SharedKernelOptions{.threads = threads});
}

void expect_near(const Matrix& found, const Matrix& expected) {
  ASSERT_EQ(found.rows(), expected.rows());
  ASSERT_EQ(found.cols(), expected.cols());
  const double size = expected.size() > 0 ? expected.cwiseAbs().maxCoeff() : 0.0;
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), kNear * (1.0 + size));
}

template <class Compare>
void for_each_case(Compare&& compare) {
  for (const Matrix& points : point_cases()) {
    for (const Kernel& kernel : kernels()) {
      SCOPED_TRACE(kernel.describe() + ", " + std::to_string(points.rows()) + " points");
      const PointGram<double> one(points, kernel, 1);
      const auto shared = shared_gram(points, kernel);
      compare(one, *shared, *shared_layout(points.rows()));
    }
  }
}

// The products of a gram of one machine and of one that processes share.
void expect_same_products(const GramOperator& one, const GramOperator& shared,
                          const petsc::RowLayout& layout) {
  for (const Index columns : {Index{1}, Index{7}}) {
    const Matrix x = random_block(one.size(), columns);
    expect_near(all_rows(product(shared, own_rows(x, layout)), layout), product(one, x));
  }
}

std::vector<Index> some_samples(Index size) { return {0, size - 1, size / 2, 0}; }

void expect_same_values(const GramOperator& one, const GramOperator& shared,
                        const petsc::RowLayout& layout) {
  const std::vector<Index> rows = some_samples(one.size()), columns = {one.size() - 1, 1};
  expect_near(shared.block(rows, columns), one.block(rows, columns));
  expect_near(all_rows(shared.columns(rows), layout), one.columns(rows));
}

TEST(SharedKernelGram, HasTheProductsOfOneMachine) { for_each_case(expect_same_products); }

TEST(SharedKernelGram, HasTheSameProductsForAnyNumberOfThreads) {
  const Matrix points = testing::random_points(1300, 4, 1);
  const petsc::Layout layout = shared_layout(points.rows());
  const Matrix x = own_rows(random_block(points.rows(), 3), *layout);
  EXPECT_EQ(product(*shared_gram(points, Kernel::rbf(2.0), 1), x),
            product(*shared_gram(points, Kernel::rbf(2.0), 3), x));
}

TEST(SharedKernelGram, HasTheValuesAndBoundsOfOneMachine) {
  for_each_case([](const auto& one, const auto& shared, const auto& layout) {
    expect_same_values(one, shared, layout);
    EXPECT_NEAR(shared.bounds().lower, one.bounds().lower, kNear);
    EXPECT_NEAR(shared.bounds().upper, one.bounds().upper, kNear * (1.0 + one.bounds().upper));
    EXPECT_EQ(shared.nonnegative(), one.nonnegative());
  });
}

TEST(SharedKernelGram, RestrictsProductsToSomeSamples) {
  for_each_case([](const auto& one, const auto& shared, const auto& layout) {
    std::vector<Index> kept, own;
    for (Index i = 0; i < one.size(); i += 2) kept.push_back(i);
    for (const Index i : kept) {
      if (layout.local(i) >= 0) own.push_back(layout.local(i));
    }
    const Matrix x = random_block(static_cast<Index>(kept.size()), 3);
    const auto whole = one.restricted(kept, 2.0);
    const auto part = shared.restricted(own, 2.0);
    const auto& rows = dynamic_cast<const petsc::RowLayout&>(*part->shared_rows());
    expect_near(all_rows(product(*part, own_rows(x, rows)), rows), product(*whole, x));
  });
}

TEST(SharedKernelGram, KnowsTheNearestSamples) {
  for_each_case([](const auto& one, const auto& shared, const auto&) {
    const std::vector<Index> samples = some_samples(one.size()), among = {one.size() - 1, 1};
    EXPECT_EQ(shared.nearest(samples, among), one.nearest(samples, among));
  });
}

TEST(SharedKernelGram, IsNormalizedAsOnOneMachine) {
  for (const Matrix& points : point_cases()) {
    const Kernel kernel = Kernel::rbf(2.0);
    const NormalizedGram one(std::make_unique<PointGram<double>>(points, kernel, 1));
    const NormalizedGram shared(shared_gram(points, kernel));
    const petsc::Layout layout = shared_layout(points.rows());
    expect_same_products(one, shared, *layout);
    expect_same_values(one, shared, *layout);
    const KnownEigenspace& whole = *one.known_eigenspace();
    const KnownEigenspace& part = *shared.known_eigenspace();
    EXPECT_EQ(part.dimension(), whole.dimension());
    expect_near(all_rows(Matrix(part.weights()), *layout), Matrix(whole.weights()));
  }
}

TEST(SharedKernelGram, NamesTheSampleThatHasNoDegree) {
  // The last one is the only one whose mean value is negative.
  Matrix points = Matrix::Ones(12, 1);
  points(11, 0) = -1.0;
  const auto normalize = [&] { NormalizedGram(shared_gram(points, Kernel::linear())); };
  EXPECT_NE(testing::message_of<ValueError>(normalize).find("sample 11 is -0.8"),
            std::string::npos);
}

TEST(SharedKernelGram, ThrowsInAllProcessesWhatOneFinds) {
  Matrix points = testing::random_points(20, 2, 7);
  points(19, 0) = 1e200;  // in the last process
  const auto make = [&] { shared_gram(points, Kernel::linear()); };
  EXPECT_NE(testing::message_of<ValueError>(make).find("row 19 overflows"), std::string::npos);
}

TEST(SharedKernelGram, StopsAllProcessesIfOneIsInterrupted) {
  const Matrix points = testing::random_points(300, 2, 7);
  const petsc::Layout layout = shared_layout(points.rows());
  std::stop_source stop;
  const SharedKernelGram gram(layout, Matrix(own_rows(points, *layout)), Kernel::rbf(1.0),
                              {.cancel = stop.get_token()});
  if (layout->first() == 0) stop.request_stop();
  EXPECT_THROW(product(gram, Matrix::Ones(layout->count(), 2)), Cancelled);
}

}  // namespace stkr::shared_kernel_gram_test
