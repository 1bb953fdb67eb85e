#include "stkr/gram/sum_gram.hpp"

#include <Eigen/Eigenvalues>
#include <limits>

#include "gram_checks.hpp"
#include "memory_store.hpp"
#include "stkr/error.hpp"
#include "stkr/gram/centred_gram.hpp"
#include "stkr/gram/graph_gram.hpp"
#include "stkr/gram/point_gram.hpp"

namespace stkr {
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
  result.push_back(std::make_unique<PointGram<double>>(random_matrix(n, 3, 1), Kernel::rbf(1.0)));
  result.push_back(std::make_unique<CentredGram>(
      std::make_unique<PointGram<float>>(random_matrix(n, 2, 2).cast<float>(), Kernel::linear())));
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

TEST(SumGram, PlacesNewSamplesGivenInParts) {
  const Matrix c = random_matrix(n, 2, 3);
  const NewSamples fresh{
      std::vector<NewSamples>{{random_matrix(5, 3, 4)},
                              {random_matrix(5, 2, 5)},
                              {csr_from_triplets(5, n, {{0, 3, 1.0}, {4, 7, 2.0}, {4, 8, 1.0}})}}};
  EXPECT_EQ(fresh.count(), 5);
  Matrix expected = Matrix::Zero(5, 2);
  auto parts = grams();
  const auto& samples = std::get<std::vector<NewSamples>>(fresh.data);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    expected += weights[i] * std::move(*parts[i]).into_cross_kernel()->apply(samples[i], c);
  }
  const auto cross = SumGram(grams(), weights).into_cross_kernel();
  EXPECT_EQ(cross->apply(fresh, c), expected);
  EXPECT_EQ(save_and_load(*cross)->apply(fresh, c), expected);

  EXPECT_THROW(cross->apply({random_matrix(5, 3, 4)}, c), ValueError);
  EXPECT_THROW(cross->apply({std::vector<NewSamples>{samples[0]}}, c), ValueError);
  EXPECT_THROW(
      cross->apply({std::vector<NewSamples>{samples[0], {random_matrix(4, 2, 5)}, samples[2]}}, c),
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
  parts[1] = std::make_unique<PointGram<double>>(random_matrix(n + 1, 2, 1), Kernel::linear());
  EXPECT_THROW(SumGram(std::move(parts), weights), ShapeError);
  parts = grams();
  parts[2] = nullptr;
  EXPECT_THROW(SumGram(std::move(parts), weights), ValueError);
}

}  // namespace
}  // namespace stkr
