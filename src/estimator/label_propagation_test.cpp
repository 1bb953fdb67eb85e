#include "estimator/label_propagation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gram_cases.hpp"
#include "runtime/random.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "stkr/model/fit_model.hpp"
#include "transform_cases.hpp"

namespace stkr::label_propagation_test {
namespace {

using namespace cases;
using reference::relative_error;

const std::vector<Index> kLabeled{7, 2, 5, 11, 0, 13};  // all in the first component

class LabelPropagationOfEveryGram : public testing::TestWithParam<GramCase> {
 protected:
  std::unique_ptr<GramOperator> gram = GetParam().make(1);
  reference::Dense dense = GetParam().dense();
  Matrix y = random_matrix(static_cast<Index>(kLabeled.size()), 3, 91);
};

INSTANTIATE_TEST_SUITE_P(Grams, LabelPropagationOfEveryGram, testing::ValuesIn(gram_cases()),
                         CaseName());

TEST_P(LabelPropagationOfEveryGram, TakesTheStepsOfThePlainRecurrence) {
  const double eta = 0.9 / dense.largest();
  const Matrix y_tilde = reference::spread(y, kLabeled, kSamples);
  for (const int steps : {1, 2, 4, 8, 16, 32}) {
    const Fit fit = fit_label_propagation(*gram, kLabeled, y, {.eta = eta, .iterations = steps});
    Matrix labels = y_tilde;
    for (int t = 0; t < steps; ++t) {
      labels = eta / double(kSamples) * dense.kernel() * labels + y_tilde;
    }
    EXPECT_LT(relative_error(fit.fitted, labels), 1e-12) << steps;
    EXPECT_EQ(fit.summary.solve.iterations, steps);
  }
}

TEST_P(LabelPropagationOfEveryGram, ConvergesToTheSolutionOfTheSystem) {
  for (const double fraction : {0.3, 0.9, 0.99}) {
    const double eta = fraction / dense.largest();
    const Fit fit = fit_label_propagation(*gram, kLabeled, y, {.eta = eta, .tolerance = 1e-12});
    EXPECT_TRUE(fit.summary.solve.converged()) << fit.summary.solve.message;
    EXPECT_LT(relative_error(fit.fitted, dense.label_propagation(eta, kLabeled, y)), 1e-8);
  }
}

// After any number of steps, an unlabeled sample presented again gets its own value.
TEST_P(LabelPropagationOfEveryGram, PredictsAtTheUnlabeledSamplesWhatItFitted) {
  const reference::Samples unlabeled = reference::complement(kLabeled, kSamples);
  std::vector<Fit> fits;
  for (const int steps : {0, 1, 2, 7}) {
    fits.push_back(fit_label_propagation(
        *gram, kLabeled, y,
        {.eta = 0.9 / dense.largest(), .iterations = steps, .tolerance = 1e-12}));
  }
  const auto cross = gram->cross_kernel();
  for (const Fit& fit : fits) {
    const Matrix predicted = cross->apply(GetParam().as_new(), fit.coefficients);
    EXPECT_LT(relative_error(reference::rows_of(predicted, unlabeled),
                             reference::rows_of(fit.fitted, unlabeled)),
              1e-9);
  }
}

TEST(LabelPropagation, LeavesComponentsWithoutLabelsExactlyZero) {
  const Matrix y = random_matrix(static_cast<Index>(kLabeled.size()), 2, 92);
  using enum GraphNormalization;
  for (const auto normalization : {symmetric, lazy_walk}) {
    const GraphGram gram(to_csr(two_component_graph(kSamples, 12)),
                         {.normalization = normalization});
    for (const int steps : {0, 5}) {
      for (const double eta : {0.9, 0.999999}) {
        const Fit fit = fit_label_propagation(gram, kLabeled, y, {.eta = eta, .iterations = steps});
        EXPECT_TRUE(fit.fitted.allFinite());
        EXPECT_EQ(fit.fitted.bottomRows(kSamples - 16), Matrix::Zero(kSamples - 16, 2));
        EXPECT_GT(fit.fitted.row(1).norm(), 0.0);
      }
    }
  }
}

TEST(LabelPropagation, ConvergesWithDefaultsWhenEtaIsAlmostOne) {
  const Matrix w = two_component_graph(kSamples, 12);
  const GraphGram gram(to_csr(w));
  const reference::Dense dense(graph_kernel(w, GraphNormalization::symmetric));
  const Matrix y = random_matrix(static_cast<Index>(kLabeled.size()), 2, 93);
  const Fit fit = fit_label_propagation(gram, kLabeled, y, {.eta = 0.999999});
  EXPECT_TRUE(fit.summary.solve.converged()) << fit.summary.solve.message;
  EXPECT_LT(relative_error(fit.fitted, dense.label_propagation(0.999999, kLabeled, y)), 1e-8);
}

TEST(LabelPropagation, RefusesWhatCannotPropagate) {
  const auto gram = gram_cases()[5].make(1);
  const Matrix y = Matrix::Ones(static_cast<Index>(kLabeled.size()), 1);
  for (const double eta : {1.0, 1.5, 0.0, -0.5, std::nan("")}) {
    EXPECT_THROW(fit_label_propagation(*gram, kLabeled, y, {.eta = eta}), ValueError) << eta;
  }
  EXPECT_THROW(fit_label_propagation(*gram, kLabeled, y, {.iterations = -1}), ValueError);
}

TEST(LabelPropagation, ThrowsCancelledWhenAskedToStop) {
  const auto gram = gram_cases()[5].make(1);
  const Matrix y = Matrix::Ones(static_cast<Index>(kLabeled.size()), 1);
  std::stop_source stop;
  stop.request_stop();
  for (const int steps : {0, 5}) {
    EXPECT_THROW(fit_label_propagation(*gram, kLabeled, y, {.iterations = steps},
                                       {.cancel = stop.get_token()}),
                 Cancelled);
  }
}

TEST(LabelPropagation, RunningOutOfIterationsIsAResult) {
  const std::vector<GramCase> cases = gram_cases();
  const GramCase& graph = *std::find_if(
      cases.begin(), cases.end(), [](const GramCase& c) { return c.name == "graph_symmetric"; });
  const auto gram = graph.make(1);
  const Matrix y = random_matrix(static_cast<Index>(kLabeled.size()), 1, 94);
  const double eta = 0.99 / reference::Dense(graph.kernel).largest();
  const Fit fit = fit_label_propagation(*gram, kLabeled, y, {.eta = eta, .max_iterations = 2});
  EXPECT_EQ(fit.summary.solve.reason, StopReason::max_iterations);
  EXPECT_TRUE(fit.fitted.allFinite());
}

// Two blocks whose nodes have degrees over two decades, with a tenth of the edges between them: at
// η = 0.99 the class whose labels have the larger degrees took nearly everything in half the draws.
TEST(LabelPropagation, TellsTwoPartiesApartByDefault) {
  constexpr Index kParty = 150;
  Random random(17);
  std::vector<double> weight;
  for (Index i = 0; i < 2 * kParty; ++i) {
    weight.push_back(std::pow(10.0, 2.0 * std::pow(random.uniform(), 2)));
  }
  double inside = 0.0;
  for (const double w : weight) inside += w;
  std::vector<Triplet> edges;
  for (std::int32_t i = 0; i < 2 * kParty; ++i) {
    for (std::int32_t j = 0; j < i; ++j) {
      const double share = (i < kParty) == (j < kParty) ? 1.8 : 0.2;
      if (random.uniform() <
          20.0 * share * weight[i] * weight[j] * 2.0 * kParty / inside / inside) {
        edges.push_back({i, j, 1.0});
        edges.push_back({j, i, 1.0});
      }
    }
  }
  const CsrMatrix graph = csr_from_triplets(2 * kParty, 2 * kParty, std::move(edges));
  const auto accuracy = [&](std::optional<double> eta) {
    double right = 0.0;
    for (std::uint64_t draw = 0; draw < 10; ++draw) {
      ClassLabels truth{{"a", "b"}, std::vector<std::int32_t>(2 * kParty)};
      for (Index i = 0; i < 2 * kParty; ++i) truth.code[i] = i < kParty ? 0 : 1;
      Dataset dataset;
      dataset.samples = Graph{graph, {}};
      dataset.labels = truth;
      keep_only(dataset.labels, labeled_per_class(truth, 5, draw));
      Specification spec;
      spec.method = LabelPropagationSpec{.eta = eta};
      const Predictions answers = fit_model(dataset, spec).model.predict();
      for (Index i = 0; i < 2 * kParty; ++i) right += answers.class_index[i] == truth.code[i];
    }
    return right / (20.0 * kParty);
  };
  EXPECT_GT(accuracy(std::nullopt), 0.75);
  EXPECT_GT(accuracy(std::nullopt), accuracy(0.99) + 0.1);
  EXPECT_EQ(accuracy(std::nullopt), accuracy(0.8));
}

}  // namespace
}  // namespace stkr::label_propagation_test
