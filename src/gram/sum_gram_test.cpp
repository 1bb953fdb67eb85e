#include "gram/sum_gram.hpp"

#include <Eigen/Eigenvalues>
#include <limits>

#include "gram/centered_gram.hpp"
#include "gram_checks.hpp"
#include "memory_store.hpp"
#include "stkr/error.hpp"
#include "stkr/gram/graph_gram.hpp"
#include "stkr/gram/point_gram.hpp"

namespace stkr::sum_gram_test {
namespace {

constexpr Index n = 24;

// A ring of n nodes.
CsrMatrix ring() {
  std::vector<Triplet> triplets;
  for (std::int32_t i = 0; i < n; ++i) {
    const auto next = static_cast<std::int32_t>((i + 1) % n);
    triplets.push_back({i, next, 1.0});
    triplets.push_back({next, i, 1.0});
  }
  return csr_from_triplets(n, n, std::move(triplets));
}

std::vector<std::unique_ptr<GramOperator>> grams() {
  std::vector<std::unique_ptr<GramOperator>> result;
  result.push_back(std::make_unique<PointGram<double>>(random_normals(n, 3, 1), Kernel::rbf(1.0)));
  result.push_back(std::make_unique<CenteredGram>(
      std::make_unique<PointGram<float>>(random_normals(n, 2, 2).cast<float>(), Kernel::linear())));
  result.push_back(std::make_unique<GraphGram>(ring()));
  return result;
}

const std::vector<double> weights{0.5, 2.0, 0.25};

TEST(SumGram, AddsItsParts) {
  const auto all = all_samples(n);
  Matrix k = Matrix::Zero(n, n);
  const auto parts = grams();
  for (std::size_t i = 0; i < parts.size(); ++i) k += weights[i] * parts[i]->block(all, all);
  const SumGram gram(grams(), weights);
  expect_gram(gram, k, 1e-6, "sum");
  const Eigen::MatrixXd s = k / static_cast<double>(n);
  const Vector eigenvalues = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(s).eigenvalues();
  EXPECT_GE(eigenvalues.minCoeff(), gram.bounds().lower - 1e-6);
  EXPECT_LE(eigenvalues.maxCoeff(), gram.bounds().upper + 1e-6);
  EXPECT_FALSE(gram.nonnegative());
}

TEST(SumGram, TakesStepsInOnePass) {
  const Matrix x = random_normals(n, 3, 6), y = random_normals(n, 3, 7);
  const SumGram gram(grams(), weights);
  Matrix stepped = y;
  gram.apply_step(0.3, x, -0.4, 2.0, stepped);
  EXPECT_LT(largest_difference(stepped, 0.3 * product(gram, x) - 0.4 * x + 2.0 * y), 1e-12);
  Matrix unread = Matrix::Constant(n, 3, std::numeric_limits<double>::quiet_NaN());
  gram.apply_step(0.3, x, -0.4, 0.0, unread);
  EXPECT_LT(largest_difference(unread, 0.3 * product(gram, x) - 0.4 * x), 1e-12);
  EXPECT_EQ(gram.panel_columns(), 0);  // points serve all columns at once
}

TEST(SumGram, RestrictsItselfToSomeSamples) {
  const std::vector<Index> some{1, 4, 5, 11, 20};
  const SumGram gram(grams(), weights);
  const auto part = gram.restricted(some, 1.7);
  ASSERT_EQ(part->size(), 5);
  const Matrix x = random_normals(5, 2, 8);
  const Matrix expected = 1.7 / static_cast<double>(n) * gram.block(some, some) * x;
  EXPECT_LT(largest_difference(product(*part, x), expected), 1e-6);
}

std::vector<std::unique_ptr<GramOperator>> two_kernels_of(const CsrMatrix& a, const CsrMatrix& b) {
  std::vector<std::unique_ptr<GramOperator>> result;
  result.push_back(std::make_unique<GraphGram>(a));
  result.push_back(std::make_unique<GraphGram>(
      b, GraphGramOptions{.normalization = GraphNormalization::lazy_walk}));
  return result;
}

TEST(SumGram, KnowsTheEigenvectorsThatItsPartsShare) {
  CsrMatrix weighted = ring();
  weighted.value.front() = 3.0;
  weighted = symmetrized(weighted);
  const SumGram gram(two_kernels_of(weighted, weighted), {0.75, 0.5});
  EXPECT_TRUE(gram.sparse());
  EXPECT_GT(gram.panel_columns(), 0);
  ASSERT_NE(gram.known_eigenspace(), nullptr);
  EXPECT_EQ(gram.known_eigenspace()->eigenvalue(), 1.25);
  EXPECT_EQ(gram.known_eigenspace()->eigenvalue(), gram.bounds().upper);
  Matrix u = Matrix::Zero(n, 1);
  gram.known_eigenspace()->add(Matrix::Ones(1, 1), u);
  EXPECT_LT(largest_difference(product(gram, u), 1.25 * u), 1e-14);
  EXPECT_EQ(SumGram(two_kernels_of(weighted, ring()), {0.75, 0.5}).known_eigenspace(), nullptr);
  EXPECT_EQ(SumGram(grams(), weights).known_eigenspace(), nullptr);
}

TEST(SumGram, PlacesNewSamplesGivenInParts) {
  const Matrix c = random_normals(n, 2, 3);
  const NewSamples fresh{
      std::vector<NewSamples>{{random_normals(5, 3, 4)},
                              {random_normals(5, 2, 5)},
                              {csr_from_triplets(5, n, {{0, 3, 1.0}, {4, 7, 2.0}, {4, 8, 1.0}})}}};
  EXPECT_EQ(fresh.count(), 5);
  Matrix expected = Matrix::Zero(5, 2);
  auto parts = grams();
  const auto& samples = std::get<std::vector<NewSamples>>(fresh.data);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    expected += weights[i] * parts[i]->cross_kernel()->apply(samples[i], c);
  }
  const auto cross = SumGram(grams(), weights).cross_kernel();
  EXPECT_EQ(cross->apply(fresh, c), expected);
  EXPECT_EQ(save_and_load(*cross)->apply(fresh, c), expected);
  EXPECT_EQ(cross->features(), 3);

  EXPECT_THROW(cross->apply({random_normals(5, 3, 4)}, c), ValueError);
  EXPECT_THROW(cross->apply({std::vector<NewSamples>{samples[0]}}, c), ValueError);
  EXPECT_THROW(
      cross->apply({std::vector<NewSamples>{samples[0], {random_normals(4, 2, 5)}, samples[2]}}, c),
      ShapeError);
}

TEST(SumGram, RefusesWhatCannotBeAdded) {
  EXPECT_THROW(SumGram({}, {}), ShapeError);
  EXPECT_THROW(SumGram(grams(), {1.0, 1.0}), ShapeError);
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(SumGram(grams(), {1.0, bad, 1.0}), ValueError);
  }
  auto parts = grams();
  parts[1] = std::make_unique<PointGram<double>>(random_normals(n + 1, 2, 1), Kernel::linear());
  EXPECT_THROW(SumGram(std::move(parts), weights), ShapeError);
  parts = grams();
  parts[2] = nullptr;
  EXPECT_THROW(SumGram(std::move(parts), weights), ValueError);
}

}  // namespace
}  // namespace stkr::sum_gram_test
