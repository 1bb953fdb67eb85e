#include <gtest/gtest.h>

#include <Eigen/LU>

#include "model/few_labels.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::fit_model_poisson_test {
namespace {

using testing::blocks;
using testing::choice;
using testing::contains;
using testing::message_of;
using testing::moons;

// Poisson learning: η = 1 on the complement of √D.
TEST(FitModelPoisson, AllowsEtaOneWithoutLeadingEigenvectors) {
  const Dataset dataset = blocks();
  Dataset used = dataset;
  const double beta = 0.01;
  Specification spec;
  spec.method = StkrSpec{
      .transform = SpectralTransform::poisson(), .ridge = PaperBeta{beta}, .tolerance = 1e-10};
  const FittedModel result = fit_model(used, spec);
  EXPECT_TRUE(contains(choice(result, "transform").value, "poisson eta=1"));
  EXPECT_TRUE(result.summary.solve.converged());

  const CsrMatrix& adjacency = dataset.graph().adjacency;
  const Index n = adjacency.rows;
  Matrix s = Matrix::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    for (auto k = adjacency.row_start[i]; k < adjacency.row_start[i + 1]; ++k) {
      s(i, adjacency.column[k]) = adjacency.value[k];
    }
  }
  const Vector root = s.rowwise().sum().cwiseSqrt();
  s = 0.5 * (Matrix::Identity(n, n) +
             Matrix(root.cwiseInverse().asDiagonal() * s * root.cwiseInverse().asDiagonal()));
  s -= root * root.transpose() / root.squaredNorm();
  const Matrix kernel =
      static_cast<double>(n) * (s * (Matrix::Identity(n, n) - s).inverse());  // λ/(1 - λ)
  const std::vector<Index> labeled = labeled_indices(dataset.labels);
  const auto count = static_cast<Index>(labeled.size());
  Matrix y = Matrix::Zero(count, 2), g(count, count), columns(n, count);
  for (Index a = 0; a < count; ++a) {
    y(a, std::get<ClassLabels>(dataset.labels).code[labeled[a]]) = 1.0;
    columns.col(a) = kernel.col(labeled[a]);
    for (Index b = 0; b < count; ++b) g(a, b) = kernel(labeled[a], labeled[b]);
  }
  // Labels are centered and weighted by 1/√d, so that a large ridge is Poisson learning.
  const double mean_root = root.norm() / std::sqrt(static_cast<double>(n));
  for (Index a = 0; a < count; ++a) {
    g(a, a) += static_cast<double>(count) * beta * root[labeled[a]] / mean_root;
  }
  const Matrix expected = columns * (g.inverse() * (y.rowwise() - y.colwise().mean()));
  const Predictions made = result.model.predict();
  EXPECT_LT((made.scores - expected).cwiseAbs().maxCoeff(), 1e-8 * expected.cwiseAbs().maxCoeff());

  // Nodes presented again with their own edges: unlabeled ones keep their scores.
  const Predictions again = result.model.predict(NewSamples{adjacency});
  for (Index i = 0; i < n; ++i) {
    if (std::find(labeled.begin(), labeled.end(), i) != labeled.end()) continue;
    EXPECT_LT((again.scores.row(i) - made.scores.row(i)).cwiseAbs().maxCoeff(), 1e-8) << i;
  }
}

TEST(FitModelPoisson, RefusesToRemoveEigenvectorsThatItDoesNotKnow) {
  const auto refusal = [](Dataset dataset, const Specification& spec) {
    return message_of<ValueError>([&] { fit_model(dataset, spec); });
  };
  Specification spec;
  spec.method = StkrSpec{.transform = SpectralTransform::poisson()};
  Specification linear = spec, weighted = spec, centered = spec, probability = spec;
  linear.kernel = Kernel::linear();
  EXPECT_TRUE(contains(refusal(moons(), linear), "not known"));
  probability.kernel = GraphKernelSpec{GraphNormalization::probability};
  EXPECT_TRUE(contains(refusal(blocks(), probability), "the lazy walk"));
  weighted.sample_weights = Vector::LinSpaced(120, 1.0, 2.0);
  EXPECT_TRUE(contains(refusal(blocks(), weighted), "without centering and sample weights"));
  centered.center = true;
  EXPECT_TRUE(contains(refusal(blocks(), centered), "not known"));
}

}  // namespace
}  // namespace stkr::fit_model_poisson_test
