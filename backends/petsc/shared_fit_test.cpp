// Estimators on graphs whose rows several processes share, against the same estimators on one
// machine.
#include <gtest/gtest.h>

#include "estimator/kernel_pca.hpp"
#include "estimator/label_propagation.hpp"
#include "estimator/volume_decision.hpp"
#include "gram/centered_gram.hpp"
#include "gram/weighted_gram.hpp"
#include "shared_cases.hpp"
#include "stkr/estimator/decision.hpp"
#include "stkr/estimator/stkr.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr::shared_fit_test {

using petsc::all_rows;
using petsc::graph_cases;
using petsc::GraphCase;
using petsc::Labeled;
using petsc::labels_of;
using petsc::own_rows;
using petsc::shared_gram;
using petsc::SharedGraphGram;

constexpr double kSame = 1e-8;

void expect_same(const Fit& fit, const Fit& expected, const petsc::RowLayout& layout) {
  const auto close = [&](ConstMatrixRef own, ConstMatrixRef all) {
    // With a constant, a fit may be 0 up to rounding.
    const double scale = std::max(all.cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_LE((all_rows(own, layout) - all).cwiseAbs().maxCoeff(), kSame * scale);
  };
  close(fit.fitted, expected.fitted);
  close(fit.coefficients, expected.coefficients);
  EXPECT_NEAR(fit.summary.beta, expected.summary.beta, kSame * expected.summary.beta);
  EXPECT_EQ(fit.summary.solve.converged(), expected.summary.solve.converged());
  EXPECT_EQ(fit.summary.warnings, expected.summary.warnings);
  const std::vector<char> known = expected.evidence.of_known(0, expected.fitted);
  EXPECT_EQ(fit.evidence.of_known(0, fit.fitted),
            std::vector<char>(known.begin() + layout.first(),
                              known.begin() + layout.first() + layout.count()));
}

const auto kAsItIs = [](auto gram) { return gram; };
const auto kCentered = [](auto gram) { return std::make_unique<CenteredGram>(std::move(gram)); };
const auto kByDegree = [](auto gram) {
  Vector degrees = gram->degrees();
  return std::make_unique<WeightedGram>(std::move(gram), std::move(degrees));
};

// Calls fit(gram, labeled, y) on one machine and on the engine. `change` makes the gram of the fit
// from that of the graph.
template <class MakeFit, class Change = decltype(kAsItIs)>
void compare(MakeFit&& fit, const std::vector<GraphNormalization>& normalizations,
             Index smallest = 2, const Change& change = kAsItIs) {
  for (const GraphCase& one : graph_cases()) {
    if (one.weights.rows < smallest) continue;
    for (const GraphNormalization normalization : normalizations) {
      for (const bool first : {false, true}) {
        SCOPED_TRACE(one.name + " " + std::to_string(static_cast<int>(normalization)) +
                     (first ? " labels first" : ""));
        const Labeled labels = labels_of(one.weights.rows, first);
        const auto whole = change(std::make_unique<GraphGram>(
            one.weights, GraphGramOptions{.normalization = normalization, .threads = 1}));
        const auto gram = change(std::unique_ptr<SharedGraphGram>(
            new SharedGraphGram(shared_gram(one.weights, normalization))));
        expect_same(fit(*gram, labels.samples, labels.y), fit(*whole, labels.samples, labels.y),
                    dynamic_cast<const petsc::RowLayout&>(*gram->shared_rows()));
      }
    }
  }
}

const std::vector<GraphNormalization> kWalks = {GraphNormalization::symmetric,
                                                GraphNormalization::lazy_walk};

StkrOptions options_of(SpectralTransform transform, StkrSolver solver = StkrSolver::automatic) {
  StkrOptions options;
  options.transform = std::move(transform);
  options.solver = solver;
  options.tolerance = 1e-11;
  return options;
}

template <class Change = decltype(kAsItIs)>
void compare_stkr(const StkrOptions& options,
                  const std::vector<GraphNormalization>& normalizations = kWalks,
                  Index smallest = 2, const Change& change = kAsItIs) {
  compare([&](const GramOperator& gram, const auto& labeled,
              const Matrix& y) { return fit_stkr(gram, labeled, y, options); },
          normalizations, smallest, change);
}

TEST(SharedFit, OfPowersAndPolynomials) {
  for (const int power : {1, 2, 4}) compare_stkr(options_of(SpectralTransform::power(power)));
  compare_stkr(options_of(SpectralTransform::polynomial({0.5, 0.25, 0.25})));
}

TEST(SharedFit, OfTheInverseLaplacian) {
  compare_stkr(options_of(SpectralTransform::inverse_laplacian(0.99)));
  compare_stkr(options_of(SpectralTransform::inverse_laplacian(0.9), StkrSolver::minres));
}

TEST(SharedFit, OfTheInverseLaplacianWhoseEigenvectorIsNotKnown) {
  StkrOptions options = options_of(SpectralTransform::inverse_laplacian(0.02));
  compare_stkr(options, {GraphNormalization::adjacency});
}

TEST(SharedFit, BySolversThatFormNothing) {
  compare_stkr(options_of(SpectralTransform::power(2), StkrSolver::cg));
  compare_stkr(options_of(SpectralTransform::power(2), StkrSolver::minres));
}

TEST(SharedFit, OfTransformsByChebyshevSeries) {
  compare_stkr(options_of(SpectralTransform::diffusion(2.0)));
}

TEST(SharedFit, OfATruncation) {
  compare_stkr(options_of(SpectralTransform::truncation(6)), kWalks, /*smallest=*/50);
  // Eigenvalues on both sides of the half that a lazy walk keeps.
  compare_stkr(options_of(SpectralTransform::truncation(20)), {GraphNormalization::lazy_walk},
               /*smallest=*/50);
}

TEST(SharedFit, ByTheIterationsOfThePaper) {
  for (const auto& transform :
       {SpectralTransform::power(2), SpectralTransform::inverse_laplacian(0.9),
        SpectralTransform::polynomial({0.5, 0.25, 0.25})}) {
    StkrOptions options = options_of(transform, StkrSolver::richardson);
    options.max_iterations = 300;  // stopped early or converged
    compare_stkr(options);
  }
}

TEST(SharedFit, WithAConstantAndAChosenRidge) {
  StkrOptions options = options_of(SpectralTransform::inverse_laplacian(0.95));
  options.constant = true;
  options.choose_ridge = true;
  compare_stkr(options);
}

TEST(SharedFit, OfLabelPropagation) {
  for (const int iterations : {0, 3}) {
    compare(
        [&](const GramOperator& gram, const auto& labeled, const Matrix& y) {
          LabelPropagationOptions options;
          options.iterations = iterations;
          options.tolerance = 1e-12;
          return fit_label_propagation(gram, labeled, y, options);
        },
        kWalks);
  }
}

Fit kernel_pca_of(const GramOperator& gram, std::span<const Index> labeled, const Matrix& y) {
  KernelPcaOptions options;
  options.dimension = 6;
  options.tolerance = 1e-12;
  options.fewer_if_not_positive = true;
  return fit_kernel_pca(gram, labeled, y, options);
}

TEST(SharedFit, OfKernelPca) { compare(kernel_pca_of, kWalks, /*smallest=*/50); }

const std::vector<GraphNormalization> kProbability = {GraphNormalization::probability};

TEST(SharedFit, OfSamplesWithWeights) {
  for (const auto& transform :
       {SpectralTransform::power(1), SpectralTransform::power(3), SpectralTransform::diffusion(1.0),
        SpectralTransform::inverse_laplacian(0.9)}) {
    compare_stkr(options_of(transform), kProbability, 2, kByDegree);
  }
  compare_stkr(options_of(SpectralTransform::truncation(6)), kProbability, 50, kByDegree);
  compare(kernel_pca_of, kProbability, 50, kByDegree);
  compare(
      [&](const GramOperator& gram, const auto& labeled, const Matrix& y) {
        return fit_label_propagation(gram, labeled, y, {.eta = 0.8, .tolerance = 1e-12});
      },
      kProbability, 2, kByDegree);
}

TEST(SharedFit, OfCenteredKernels) {
  // In the smaller graphs, some of these kernels vanish at all labels.
  constexpr Index kSmallest = 150;
  for (const auto& transform :
       {SpectralTransform::power(1), SpectralTransform::power(2), SpectralTransform::diffusion(1.0),
        SpectralTransform::inverse_laplacian(0.9)}) {
    compare_stkr(options_of(transform), kWalks, kSmallest, kCentered);
  }
  compare_stkr(options_of(SpectralTransform::truncation(6)), kWalks, kSmallest, kCentered);
  compare(kernel_pca_of, kWalks, kSmallest, kCentered);
}

TEST(SharedFit, WithGivenClassSizes) {
  // Where nodes have equal neighborhoods, rounding decides which of them a class gets.
  constexpr Index kWithoutTwins = 150;
  compare(
      [&](const GramOperator& gram, const auto& labeled, const Matrix& y) {
        Fit fit = fit_stkr(gram, labeled, y, options_of(SpectralTransform::inverse_laplacian(0.9)));
        EncodedTargets targets;
        targets.y = y;
        targets.labeled = labeled;
        ClassDecision decision{{"a", "b"}, Vector(2)};
        decision.prior << 0.7, 0.3;
        EXPECT_TRUE(decide_by_volume(gram, targets, fit, decision));
        fit.summary.beta = decision.factors[0] / decision.factors[1];  // compared, too
        return fit;
      },
      kWalks, kWithoutTwins);
}

TEST(SharedFit, GathersLabelsOfAllProcesses) {
  const Index n = 23;
  const auto layout = petsc::shared_layout(n);
  ClassLabels all{{"a", "b"}, std::vector<std::int32_t>(n, kUnlabeled)};
  for (Index i = 0; i < n; i += 3) all.code[static_cast<std::size_t>(i)] = i % 2;
  ClassLabels own = all;
  own.code.assign(all.code.begin() + layout->first(),
                  all.code.begin() + layout->first() + layout->count());
  const EncodedTargets expected = encode_targets(all);
  const EncodedTargets found = encode_targets(own, {}, layout.get());
  EXPECT_EQ(found.labeled, expected.labeled);
  EXPECT_EQ(found.y, expected.y);
}

}  // namespace stkr::shared_fit_test
