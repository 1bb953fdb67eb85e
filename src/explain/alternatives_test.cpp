#include "explain/alternatives.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "explain/closed_fit.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/splits.hpp"

namespace stkr::alternatives_test {
namespace {

std::vector<Index> everything(Index size) {
  std::vector<Index> all;
  for (Index i = 0; i < size; ++i) all.push_back(i);
  return all;
}

Dataset moons() {
  Dataset dataset = two_moons(200, 0.1, 2);
  keep_only(dataset.labels, labeled_per_class(std::get<ClassLabels>(dataset.labels), 10, 5));
  return dataset;
}

// A walk has hardly an edge between labels, but points have a kernel.
TEST(Alternatives, LabelsAloneUseTheBestKernelOfPoints) {
  const Dataset dataset = moons();
  Specification spec;
  spec.kernel = NeighborGraphSpec{.neighbors = 5};
  const ExplainedProblem problem = problem_of(dataset, everything(200), spec, {});
  const EncodedTargets& targets = problem.targets;
  const Vector alone = errors_of_labels_alone(dataset, problem, 1.0, everything(20), {});
  const ClosedFit own(problem.gram->block(targets.labeled, targets.labeled), targets, std::nullopt);
  EXPECT_LT(alone.mean(), label_errors(own.left_out(), targets, 1.0).mean());
  EXPECT_LT(alone.mean(), 0.3);
  // Of a graph, there is nothing but the kernel itself.
  const Index sizes[] = {40, 40};
  Dataset graph = stochastic_block_model(sizes, 0.3, 0.05, 3);
  const std::vector<Index> kept{0, 3, 9, 41, 47, 60};
  keep_only(graph.labels, kept);
  const ExplainedProblem nodes = problem_of(graph, everything(80), {}, {});
  const ClosedFit fit(nodes.gram->block(nodes.targets.labeled, nodes.targets.labeled),
                      nodes.targets, std::nullopt);
  EXPECT_EQ(errors_of_labels_alone(graph, nodes, 1.0, everything(6), {}),
            label_errors(fit.left_out(), nodes.targets, 1.0));
}

TEST(Alternatives, WithoutAFitTheMostFrequentClassOrTheMeanIsAnswered) {
  EncodedTargets classes;
  classes.y = Matrix::Zero(5, 2);
  for (Index i = 0; i < 5; ++i) classes.y(i, i < 3 ? 0 : 1) = 1.0;
  classes.decision = ClassDecision{{"a", "b"}, Vector::Constant(2, 0.5)};
  EXPECT_DOUBLE_EQ(label_errors(answers_without_fit(classes), classes, 1.0).mean(), 0.4);
  EncodedTargets numbers;
  numbers.y.resize(3, 1);
  numbers.y << 1.0, 2.0, 6.0;
  numbers.decision = TargetDecision{{"a"}, Vector::Zero(1)};
  const Matrix means = answers_without_fit(numbers);
  EXPECT_DOUBLE_EQ(means(0, 0), 4.0);
  EXPECT_DOUBLE_EQ(means(2, 0), 1.5);
}

TEST(Alternatives, CountsErrorsOnHiddenLabelsOnly) {
  ClassLabels truth{{"a", "b"}, {0, 1, 1, kUnlabeled, 0}};
  Matrix f(5, 2);
  f << 0.0, 1.0, 0.2, 0.8, 0.9, 0.1, 0.0, 1.0, 0.0, 0.0;
  const std::vector<Index> seen{0};
  // Right, wrong, unknown, and a guess.
  EXPECT_DOUBLE_EQ(*hidden_error(truth, seen, f, {}), 1.5 / 3.0);
  // A constant in favor of the second class makes the last two answers b.
  Vector constant(2);
  constant << 0.0, 1.0;
  EXPECT_DOUBLE_EQ(*hidden_error(truth, seen, f, constant), 1.0 / 3.0);
  EXPECT_FALSE(hidden_error(truth, everything(5), f, {}));
  EXPECT_FALSE(hidden_error(truth, seen, f.topRows(3), {}));
  EXPECT_FALSE(hidden_error(Labels(), seen, f, {}));
}

}  // namespace
}  // namespace stkr::alternatives_test
