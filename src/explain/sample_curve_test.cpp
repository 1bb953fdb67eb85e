#include "explain/sample_curve.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "explain/closed_fit.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/splits.hpp"

namespace stkr::sample_curve_test {
namespace {

Dataset moons(Index per_class) {
  Dataset dataset = two_moons(400, 0.1, 2);
  keep_only(dataset.labels, labeled_per_class(std::get<ClassLabels>(dataset.labels), per_class, 5));
  return dataset;
}

std::vector<Index> everything(Index size) {
  std::vector<Index> all;
  for (Index i = 0; i < size; ++i) all.push_back(i);
  return all;
}

Vector left_out_errors(const ExplainedProblem& problem, const SpectralTransform& s, double ridge) {
  const ClosedFit fit(transformed_blocks_of(problem.gram, problem.targets, s, {}).g,
                      problem.targets, ridge);
  return label_errors(fit.left_out(), problem.targets, 1.0);
}

TEST(SampleCurve, ScoresAllLabelsWithSomeOfTheSamples) {
  const Dataset dataset = moons(10);
  Specification spec;
  spec.kernel = NeighborGraphSpec{.neighbors = 6};
  const SpectralTransform s = SpectralTransform::power(32);
  const Vector all = left_out_errors(problem_of(dataset, everything(400), spec, {}), s, 0.1);
  const LearningCurve found =
      sample_curve(dataset, spec, s, 1.0, 0.1, all, 1.0, everything(20), 2, {});
  ASSERT_EQ(found.points.size(), 4u) << found.unknown;
  const Index amounts[] = {20, 115, 210, 400};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(found.points[k].amount, amounts[k]);
  EXPECT_EQ(found.points[3].error, all.mean());
  // Unlabeled samples help on moons.
  EXPECT_GT(found.points[0].error, found.points[3].error + 0.1);
  // One point by hand.
  double expected = 0.0;
  for (const std::uint64_t seed : {1001u, 1002u}) {
    const std::vector<Index> samples = labeled_and_some(dataset, 190, seed);
    EXPECT_EQ(samples.size(), 210u);
    expected += 0.5 * left_out_errors(problem_of(dataset, samples, spec, {}), s, 0.1).mean();
  }
  EXPECT_NEAR(found.points[2].error, expected, 1e-12);
}

TEST(SampleCurve, KeepsEtaInUnitsOfTheLargestEigenvalue) {
  const Dataset dataset = moons(10);
  Specification spec;
  spec.kernel = PointKernelSpec{.normalize = false};
  const ExplainedProblem whole = problem_of(dataset, everything(400), spec, {});
  const ExplainedProblem part = problem_of(dataset, labeled_and_some(dataset, 60, 3), spec, {});
  const auto s = SpectralTransform::inverse_laplacian(1.0);
  const SpectralTransform moved = transform_for(*part.gram, s, 0.9, {});
  // η λ₁ = 0.9 in both.
  Matrix dense(part.gram->size(), part.gram->size());
  part.gram->apply(Matrix::Identity(part.gram->size(), part.gram->size()), dense);
  const double largest = Eigen::SelfAdjointEigenSolver<Matrix>(dense).eigenvalues().maxCoeff();
  EXPECT_NEAR(std::get<InverseLaplacianTransform>(moved.form()).eta * largest, 0.9, 1e-8);
  EXPECT_EQ(transform_for(*part.gram, SpectralTransform::power(3), 0.9, {}).describe(),
            SpectralTransform::power(3).describe());
  EXPECT_EQ(whole.targets.labeled.size(), part.targets.labeled.size());
}

TEST(SampleCurve, SaysIfThereIsTooLittle) {
  Dataset dataset = moons(2);
  Specification spec;
  const LearningCurve found = sample_curve(dataset, spec, SpectralTransform::power(2), 1.0, 0.1,
                                           Vector::Zero(4), 1.0, everything(4), 2, {});
  EXPECT_EQ(found.unknown, "4 labels and 396 unlabeled samples; a curve needs at least 8 and 40");
}

}  // namespace
}  // namespace stkr::sample_curve_test
