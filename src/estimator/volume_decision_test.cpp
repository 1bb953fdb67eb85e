#include "estimator/volume_decision.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "runtime/random.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/estimator/stkr.hpp"
#include "stkr/gram/graph_gram.hpp"
#include "stkr/gram/point_gram.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr::volume_decision_test {
namespace {

Vector counts_of(const Matrix& scores, const Vector& offsets) {
  Vector counts = Vector::Zero(scores.cols());
  for (Index i = 0; i < scores.rows(); ++i) {
    Index c = 0;
    (scores.row(i) + offsets.transpose()).maxCoeff(&c);
    counts[c] += 1.0;
  }
  return counts;
}

TEST(VolumeOffsets, GiveEachClassItsShare) {
  Random random(4);
  Matrix scores(2000, 4);
  for (Index i = 0; i < scores.size(); ++i) scores.data()[i] = random.normal();
  Vector shares(4);
  shares << 0.5, 0.3, 0.15, 0.05;
  const Vector counts = counts_of(scores, volume_offsets(scores, shares));
  for (Index c = 0; c < 4; ++c) EXPECT_NEAR(counts[c], 2000.0 * shares[c], 2.0) << c;
  // A class of size 0 wins nothing, and only ratios of the shares matter.
  shares << 2.0, 1.0, 1.0, 0.0;
  const Vector without = counts_of(scores, volume_offsets(scores, shares));
  EXPECT_EQ(without[3], 0.0);
  EXPECT_NEAR(without[0], 1000.0, 2.0);
  EXPECT_EQ(volume_offsets(Matrix(0, 4), shares), Vector::Zero(4));
}

// Blocks of different sizes, two labels each.
struct Blocks {
  Dataset dataset;
  EncodedTargets targets;
  GraphGram gram;
};

Blocks blocks() {
  const std::vector<Index> sizes{160, 60, 40};
  Dataset dataset = stochastic_block_model(sizes, 0.11, 0.025, 8);
  keep_only(dataset.labels, labeled_per_class(std::get<ClassLabels>(dataset.labels), 2, 3));
  EncodedTargets targets = encode_targets(dataset.labels, {.prior = {160.0, 60.0, 40.0}});
  GraphGram gram(dataset.graph().adjacency, {});
  return {std::move(dataset), std::move(targets), std::move(gram)};
}

double accuracy(const Matrix& f, const Vector& factors, const Dataset& dataset) {
  const auto& truth = std::get<ClassLabels>(dataset.truth).code;
  double right = 0.0;
  for (Index i = 0; i < f.rows(); ++i) {
    Index c = 0;
    f.row(i).cwiseProduct(factors.transpose()).maxCoeff(&c);
    right += c == truth[i];
  }
  return right / static_cast<double>(f.rows());
}

TEST(DecideByVolume, KeepsTheSizesAndIsMoreAccurate) {
  const Blocks b = blocks();
  StkrOptions options;
  options.transform = SpectralTransform::poisson();
  Fit fit = fit_stkr(b.gram, b.targets.labeled, b.targets.y, options);
  const double before = accuracy(fit.fitted, Vector::Ones(3), b.dataset);
  ClassDecision decision = std::get<ClassDecision>(b.targets.decision);
  ASSERT_TRUE(decide_by_volume(b.gram, b.targets, fit, decision));
  EXPECT_GT(accuracy(fit.fitted, decision.factors, b.dataset), before + 0.02);
  const Vector counts =
      counts_of(fit.fitted.array().max(1e-300).log(), decision.factors.array().log());
  EXPECT_NEAR(counts[0], 160.0, 3.0);
  EXPECT_NEAR(counts[2], 40.0, 3.0);
  // Unlabeled nodes presented again with their own edges keep their scores.
  // s(λ) = λ^10 = δ^10 + (λ - δ) q(λ): the part δ^10 U of a known sample is its own decision.
  const Matrix again = b.gram.cross_kernel()
                           ->place(NewSamples{b.dataset.graph().adjacency})
                           ->apply(fit.coefficients);
  EXPECT_LT((again - fit.fitted).cwiseAbs().maxCoeff(), std::pow(0.5, 10) + 1e-12);
}

TEST(DecideByVolume, LeavesOtherKernelsAlone) {
  const Matrix x = Matrix::Random(30, 2);
  const PointGram<double> gram(x, Kernel::rbf(1.0));
  Labels labels = ClassLabels{{"a", "b"}, std::vector<std::int32_t>(30, kUnlabeled)};
  std::get<ClassLabels>(labels).code[0] = 0;
  std::get<ClassLabels>(labels).code[1] = 1;
  const EncodedTargets targets = encode_targets(labels, {.prior = {0.5, 0.5}});
  Fit fit = fit_stkr(gram, targets.labeled, targets.y, {});
  const Matrix before = fit.fitted;
  ClassDecision decision = std::get<ClassDecision>(targets.decision);
  EXPECT_FALSE(decide_by_volume(gram, targets, fit, decision));
  EXPECT_EQ(fit.fitted, before);
}

}  // namespace
}  // namespace stkr::volume_decision_test
