#include <gtest/gtest.h>

#include "model/few_labels.hpp"
#include "named_specification.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"

namespace stkr::fitted_problem_test {
namespace {

using testing::blocks;
using testing::method;
using testing::moons;

// Every method and solver: asked again, a problem gives what a new fit gives, and starts where it
// was.
TEST(FittedProblem, AskedWithOtherLabelsEqualsANewFit) {
  for (const MethodOptions& options :
       {MethodOptions{}, MethodOptions{.solver = "minres"}, MethodOptions{.solver = "cg"},
        MethodOptions{.power = 3, .solver = "cg"}, MethodOptions{.power = 3, .solver = "minres"},
        MethodOptions{.time = 2.0}, MethodOptions{.dimension = 4},
        MethodOptions{.method = "kernel-pca", .dimension = 4},
        MethodOptions{.method = "kernel-ridge"}, MethodOptions{.method = "label-propagation"}}) {
    for (const Dataset& whole : {moons(), blocks()}) {
      SCOPED_TRACE(options.method + options.transform + options.solver);
      Specification spec = method(options);
      Labels more = whole.truth;
      keep_only(more, labeled_per_class(std::get<ClassLabels>(more), 12, 3));
      Dataset first = whole, second = whole;
      FittedProblem problem(first, spec);
      Dataset alone = whole;
      EXPECT_EQ(problem.model().model.fitted(), fit_model(alone, spec).model.fitted());
      problem.relabel(more);
      second.labels = more;
      const FittedModel expected = fit_model(second, spec);
      const FittedModel found = problem.model();
      EXPECT_LT((found.model.fitted() - expected.model.fitted()).norm(),
                1e-6 * expected.model.fitted().norm());
      EXPECT_EQ(found.model.info().labeled, 24);
      EXPECT_EQ(found.choices.size(), expected.choices.size());
      EXPECT_TRUE(found.summary.solve.converged());
    }
  }
}

TEST(FittedProblem, StartsFromWhatItKnows) {
  for (const char* solver : {"cg", "minres"}) {
    SCOPED_TRACE(solver);
    Dataset dataset = blocks();
    const Labels labels = dataset.labels;
    FittedProblem problem(dataset, method({.power = 4, .beta = 1e-4, .solver = solver}));
    const FitSummary first = problem.fit().summary;
    ASSERT_GT(first.solve.iterations, 0);
    problem.relabel(labels);
    const FitSummary again = problem.fit().summary;
    EXPECT_EQ(again.solve.iterations, 0);
    EXPECT_LT(again.products, first.products);
  }
}

TEST(FittedProblem, IsUnchangedByLabelsThatItRefuses) {
  Dataset dataset = moons();
  Labels more = dataset.truth, one_class = dataset.truth;
  keep_only(more, labeled_per_class(std::get<ClassLabels>(more), 9, 3));
  auto& codes = std::get<ClassLabels>(one_class).code;
  for (auto& code : codes) code = code == 0 ? 0 : kUnlabeled;
  FittedProblem problem(dataset, method({.power = 3, .solver = "cg"}));
  const Matrix before = problem.model().model.fitted();
  EXPECT_THROW(problem.relabel(one_class), ValueError);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(problem.relabel(more, {.cancel = stop.get_token()}), Cancelled);
  EXPECT_EQ(problem.model().model.fitted(), before);
  EXPECT_EQ(problem.model().model.info().labeled, 10);
  problem.relabel(more);
  EXPECT_EQ(problem.model().model.info().labeled, 18);
}

TEST(FittedProblem, TakesALabelForEverySample) {
  Dataset dataset = moons();
  FittedProblem problem(dataset, {});
  EXPECT_THROW(problem.relabel(ClassLabels{{"a", "b"}, {0, 1}}), ShapeError);
  EXPECT_EQ(problem.gram().size(), 200);
}

}  // namespace
}  // namespace stkr::fitted_problem_test
