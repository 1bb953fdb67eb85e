#include "estimator/evidence.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "gram_cases.hpp"
#include "specification/kernel_names.hpp"
#include "stkr/estimator/stkr.hpp"
#include "stkr/model/fit_model.hpp"
#include "stkr/model/model.hpp"

namespace stkr::evidence_test {
namespace {

using namespace cases;

// A path 0-1-...-5 and a pair 6-7.
Matrix path_and_pair() {
  Matrix w = Matrix::Zero(8, 8);
  for (Index i = 1; i < 6; ++i) w(i - 1, i) = w(i, i - 1) = 1.0;
  w(6, 7) = w(7, 6) = 1.0;
  return w;
}

using Flags = std::vector<char>;

TEST(Evidence, FollowsPathsOfTheLengthsThatATransformHas) {
  const GraphGram gram(to_csr(path_and_pair()));
  const std::vector<Index> labeled{0};
  const Matrix f = Matrix::Ones(8, 1);
  const auto of = [&](const SpectralTransform& s) {
    return evidence_of(gram, labeled, reach_steps(s), f);
  };
  const Evidence one = of(SpectralTransform::power(1));
  EXPECT_EQ(one.of_known(0, f), (Flags{0, 1, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(one.sources, (Flags{1, 0, 0, 0, 0, 0, 0, 0}));
  const Evidence three = of(SpectralTransform::power(3));
  EXPECT_EQ(three.of_known(0, f), (Flags{0, 1, 0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(three.sources, (Flags{1, 0, 1, 0, 0, 0, 0, 0}));
  const Evidence both = of(SpectralTransform::polynomial({1.0, 0.0, 1.0, 1.0}));  // 1, 3, 4
  EXPECT_EQ(both.of_known(0, f), (Flags{1, 1, 1, 1, 1, 0, 0, 0}));
  const Evidence any = of(SpectralTransform::inverse_laplacian(0.9));
  EXPECT_EQ(any.of_known(0, f), (Flags{1, 1, 1, 1, 1, 1, 0, 0}));
  EXPECT_EQ(any.of_known(5, f.topRows(2)), (Flags{1, 0}));
}

TEST(Evidence, IsByReachForEveryNonNegativeKernelAndByAFloorForOthers) {
  for (const GramCase& c : gram_cases()) {
    SCOPED_TRACE(c.name);
    const auto gram = c.make(1);
    const std::vector<Index> labeled{2, 17};
    StkrOptions options;
    options.beta = 0.1;
    options.transform = SpectralTransform::power(2);
    const Fit fit = fit_stkr(*gram, labeled, Matrix::Identity(2, 2), options);
    EXPECT_EQ(fit.evidence.by_reach, gram->nonnegative());
    // By hand: some K² > 0, or f itself.
    const Matrix k2 = c.kernel * c.kernel;
    const std::vector<char> found = fit.evidence.of_known(0, fit.fitted);
    for (Index i = 0; i < kSamples; ++i) {
      const bool expected = gram->nonnegative()
                                ? k2(i, 2) > 0.0 || k2(i, 17) > 0.0
                                : fit.fitted.row(i).norm() > 1e-9 * fit.fitted.norm();
      EXPECT_EQ(found[i], expected) << i;
    }
  }
}

TEST(Evidence, HasAFloorThatScalesWithTheFittedValues) {
  EXPECT_EQ(evidence_floor(Matrix(0, 2)), 0.0);
  EXPECT_EQ(evidence_floor(Matrix::Zero(4, 2)), 0.0);
  const Matrix fitted = (Matrix(1, 2) << -3e-20, 1e-21).finished();
  EXPECT_LT(evidence_floor(fitted), 1e-28);
  EXPECT_GT(evidence_floor(fitted), 1e-36);
}

// f falls by orders of magnitude along a path, and the largest class score must stay correct.
TEST(Evidence, IsThereWhereNumbersAreTheirConstant) {
  const GraphGram gram(to_csr(path_and_pair()));
  StkrOptions options;
  options.transform = SpectralTransform::inverse_laplacian(0.9);
  options.constant = true;
  const std::vector<Index> labeled{0, 4};
  Fit fit = fit_stkr(gram, labeled, (Matrix(2, 1) << 3.0, 4.0).finished(), options);
  fit.fitted(2, 0) = 0.0;  // halfway between both labels: rounding errors of 0 are not evidence
  EXPECT_EQ(fit.evidence.of_known(0, fit.fitted), (Flags{1, 1, 1, 1, 1, 1, 0, 0}));
}

TEST(Evidence, KeepsAnswersRightHoweverFarTheLabelsAre) {
  constexpr Index kNodes = 120;
  Matrix w = Matrix::Zero(kNodes, kNodes);
  for (Index i = 1; i < kNodes; ++i) w(i - 1, i) = w(i, i - 1) = 1.0;
  const std::vector<Index> labeled{0, 1, kNodes - 1};
  Matrix y = Matrix::Zero(3, 2);
  y(0, 0) = y(1, 0) = y(2, 1) = 1.0;
  for (const double eta : {0.99, 0.9, 0.7}) {
    SCOPED_TRACE(eta);
    const GraphGram gram(to_csr(w), {.normalization = GraphNormalization::lazy_walk});
    StkrOptions options;
    options.transform = SpectralTransform::inverse_laplacian(eta);
    options.beta = 1e-2;
    const Fit fit = fit_stkr(gram, labeled, y, options);
    // K̂_s = N S (I - ηS)⁻¹ from an LU factorization, which is accurate in every entry for an
    // M-matrix.
    const Matrix s = graph_kernel(w, GraphNormalization::lazy_walk) / double(kNodes);
    const Matrix inverse = (Matrix::Identity(kNodes, kNodes) - eta * s).partialPivLu().inverse();
    const Matrix k_s = double(kNodes) * s * inverse;
    Matrix a = reference::rows_of(reference::columns_of(k_s, labeled), labeled);
    a.diagonal().array() += 3.0 * 1e-2;
    const Matrix exact = reference::columns_of(k_s, labeled) * a.partialPivLu().solve(y);
    const std::vector<char> evidence = fit.evidence.of_known(0, fit.fitted);
    for (Index i = 0; i < kNodes; ++i) {
      EXPECT_EQ(evidence[i], 1) << i;
      const double scale = exact.row(i).cwiseAbs().maxCoeff();
      EXPECT_LT((fit.fitted.row(i) - exact.row(i)).norm(), 1e-3 * scale) << i;
    }
  }
}

Dataset points_of(const Matrix& x, Labels labels) {
  Dataset dataset;
  dataset.samples = Points{x, {}};
  dataset.labels = std::move(labels);
  return dataset;
}

TEST(Evidence, LeavesTiesToTheNearestLabeledPoint) {
  // Two groups without kernel values between them, and points that no label reaches, nearer to b
  // and to a.
  Matrix x(6, 1);
  x << 0.0, 0.1, 1000.0, 1000.1, 700.0, 300.0;
  const ClassLabels labels{{"a", "b"}, {0, kUnlabeled, 1, kUnlabeled, kUnlabeled, kUnlabeled}};
  for (const char* kernel : {"rbf", "laplacian", "matern32"}) {
    SCOPED_TRACE(kernel);
    Dataset dataset = points_of(x, labels);
    Specification spec;
    spec.kernel = kernel_spec({.name = kernel, .length_scale = LengthScale::absolute(0.1)});
    const Model model = fit_model(dataset, spec).model;
    const Predictions seen = model.predict();
    EXPECT_EQ(seen.evidence, (Flags{1, 1, 1, 1, 0, 0}));
    EXPECT_EQ(seen.class_index, (std::vector<Index>{0, 0, 1, 1, 1, 0}));
    EXPECT_EQ(seen.tied, Flags(6, 0));
    const Predictions fresh = model.predict({(Matrix(2, 1) << 501.0, 499.0).finished()});
    EXPECT_EQ(fresh.class_index, (std::vector<Index>{1, 0}));
    EXPECT_EQ(fresh.tied, Flags(2, 0));
  }
}

TEST(Evidence, SaysThatAnAnswerOnAGraphIsATie) {
  Dataset dataset;
  dataset.samples = Graph{to_csr(path_and_pair()), {}};
  dataset.labels = ClassLabels{
      {"a", "b"}, {0, kUnlabeled, kUnlabeled, kUnlabeled, kUnlabeled, 1, kUnlabeled, kUnlabeled}};
  const Predictions seen = fit_model(dataset, {}).model.predict();
  EXPECT_EQ(seen.tied, (Flags{0, 0, 0, 0, 0, 0, 1, 1}));
}

}  // namespace
}  // namespace stkr::evidence_test
