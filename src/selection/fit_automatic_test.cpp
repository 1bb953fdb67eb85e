#include "stkr/selection/fit_automatic.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "handle_backend.hpp"
#include "saved_in_memory.hpp"
#include "small_problem.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"

namespace stkr::fit_automatic_test {
namespace {

Dataset labeled_moons(Index samples, Index per_class) {
  Dataset dataset = two_moons(samples, 0.12, 3);
  keep_only(dataset.labels, labeled_per_class(std::get<ClassLabels>(dataset.labels), per_class, 5));
  return dataset;
}

double error_of(const AutomaticFit& fit, const Dataset& dataset) {
  const std::vector<Index> found = fit.fitted.model.predict().class_index;
  const auto& truth = std::get<ClassLabels>(dataset.truth).code;
  double wrong = 0.0;
  for (std::size_t i = 0; i < found.size(); ++i) wrong += found[i] != truth[i];
  return wrong / static_cast<double>(found.size());
}

TEST(FitAutomatic, ChoosesAndSaysWhatItChose) {
  Dataset dataset = labeled_moons(300, 5);
  const AutomaticFit fit = fit_automatic(dataset, {});
  EXPECT_LT(error_of(fit, dataset), 0.02);
  ASSERT_EQ(fit.tried.size(), 3U);
  EXPECT_GE(*fit.tried[0].score, *fit.tried[1].score);
  EXPECT_EQ(fit.scored_by, "log likelihood of the labels left out");
  const auto kernel = std::find_if(fit.fitted.choices.begin(), fit.fitted.choices.end(),
                                   [](const Choice& choice) { return choice.what == "kernel"; });
  ASSERT_NE(kernel, fit.fitted.choices.end());
  EXPECT_NE(kernel->why.find("best of 3"), std::string::npos) << kernel->why;
  EXPECT_NE(kernel->why.find("next " + fit.tried[1].kernel), std::string::npos);
}

TEST(FitAutomatic, IsRepeatedByItsSpecification) {
  for (const Index per_class : {1, 5}) {
    SCOPED_TRACE(per_class);
    Dataset dataset = labeled_moons(300, per_class), again = dataset;
    const AutomaticFit fit = fit_automatic(dataset, {});
    const FittedModel repeated = fit_model(again, fit.spec);
    EXPECT_LT((repeated.model.fitted() - fit.fitted.model.fitted()).norm(),
              1e-6 * repeated.model.fitted().norm());
    EXPECT_LT((repeated.model.coefficients() - fit.fitted.model.coefficients()).norm(),
              1e-6 * repeated.model.coefficients().norm());
  }
}

TEST(FitAutomatic, FindsTheScoresThatAnotherRunHasSaved) {
  const auto fitted = [](SavedState* saved, int& reports) {
    Dataset dataset = labeled_moons(300, 4);
    Context context{.saved = saved};
    context.progress = [&](const Progress&) { ++reports; };
    return fit_automatic(dataset, {}, context);
  };
  int without = 0, again = 0;  // reports of progress
  const AutomaticFit whole = fitted(nullptr, without);
  SavedInMemory state;
  without = 0;
  fitted(&state, without);
  EXPECT_TRUE(state.find("scores 1", {}) && state.find("scores 3", {}));
  SavedInMemory next = state.again();
  const AutomaticFit resumed = fitted(&next, again);
  EXPECT_GE(next.found, 3);
  EXPECT_LT(again, without);
  ASSERT_EQ(resumed.tried.size(), whole.tried.size());
  for (std::size_t k = 0; k < whole.tried.size(); ++k) {
    EXPECT_EQ(resumed.tried[k].kernel, whole.tried[k].kernel);
    EXPECT_EQ(resumed.tried[k].score, whole.tried[k].score);
    EXPECT_EQ(resumed.tried[k].best, whole.tried[k].best);
  }
  EXPECT_EQ(resumed.fitted.model.fitted(), whole.fitted.model.fitted());
  EXPECT_EQ(resumed.fitted.model.coefficients(), whole.fitted.model.coefficients());
}

TEST(FitAutomatic, EveryClassDecidesIfOnlySomeLabelsDo) {
  Dataset dataset = two_moons(1300, 0.12, 3);
  auto& codes = std::get<ClassLabels>(dataset.labels).code;
  bool seen = false;  // one label of class 1, more than 300 of class 0
  for (auto& code : codes) {
    if (code == 1 && std::exchange(seen, true)) code = kUnlabeled;
  }
  const AutomaticFit fit = fit_automatic(dataset, {});
  ASSERT_FALSE(fit.tried.empty());
  const std::vector<Index> found = fit.fitted.model.predict().class_index;
  const auto& truth = std::get<ClassLabels>(dataset.truth).code;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (codes[i] == 1) {
      EXPECT_EQ(found[i], truth[i]);
    }
  }
}

TEST(FitAutomatic, DoesNotDependOnTheNumberOfThreads) {
  Dataset one = labeled_moons(300, 4), two = one;
  const AutomaticFit a = fit_automatic(one, {}, {.threads = 1});
  const AutomaticFit b = fit_automatic(two, {}, {.threads = 3});
  EXPECT_EQ(a.tried.front().kernel, b.tried.front().kernel);
  EXPECT_EQ(a.fitted.model.predict().class_index, b.fitted.model.predict().class_index);
  EXPECT_LT((a.fitted.model.fitted() - b.fitted.model.fitted()).norm(),
            1e-8 * a.fitted.model.fitted().norm());
}

TEST(FitAutomatic, WarnsOfWhatTheDeviceLeavesToTheHost) {
  const std::string warning =
      "device handle leaves to the host: the neighbor search (65 neighbors, more than the device "
      "searches for)";
  for (const Index neighbors : {64, 65}) {
    Dataset dataset = labeled_moons(300, 4);
    Specification spec;
    spec.kernel = NeighborGraphSpec{.neighbors = neighbors};
    const AutomaticFit fit = fit_automatic(dataset, spec, {.device = handle::test_device()});
    const std::vector<std::string>& all = fit.fitted.summary.warnings;
    EXPECT_EQ(std::count(all.begin(), all.end(), warning), neighbors == 65 ? 1 : 0);
  }
}

TEST(FitAutomatic, WithOneLabelPerClassIsPoissonLearning) {
  Dataset dataset = labeled_moons(300, 1);
  const AutomaticFit fit = fit_automatic(dataset, {});
  EXPECT_EQ(fit.scored_by, "");
  const auto& method = std::get<StkrSpec>(fit.spec.method);
  ASSERT_TRUE(method.transform);
  EXPECT_EQ(method.transform->describe(), "poisson eta=1");
  EXPECT_EQ(std::get<RelativeRidge>(method.ridge).value, 1.0);
  EXPECT_EQ(*fit.spec.kernel.get_if<NeighborGraphSpec>()->neighbors, 10);
}

TEST(FitAutomatic, ChoosesTheTransformOfAGraph) {
  Dataset dataset = small_dataset(), again = dataset;
  keep_only(dataset.labels, std::vector<Index>{1, 20, 30, 40, 60, 70, 80, 100, 105});
  again.labels = dataset.labels;
  const AutomaticFit fit = fit_automatic(dataset, {});
  EXPECT_LT(error_of(fit, again), 0.2);
  EXPECT_FALSE(std::get<StkrSpec>(fit.spec.method).average.empty());
}

TEST(FitAutomatic, KeepsWhatIsGiven) {
  Dataset dataset = labeled_moons(200, 5), same = dataset;
  Specification spec;
  spec.kernel = NeighborGraphSpec{.neighbors = 7};
  spec.method = StkrSpec{.transform = SpectralTransform::power(4), .ridge = RelativeRidge{0.2}};
  const AutomaticFit fit = fit_automatic(dataset, spec);
  const FittedModel plain = fit_model(same, spec);
  EXPECT_EQ(fit.fitted.model.fitted(), plain.model.fitted());
  EXPECT_TRUE(fit.tried.empty());
}

TEST(FitAutomatic, AddsNeighborsWhileALargeComponentHasNoLabel) {
  // Two far clusters, all labels in the first.
  Random random(3);
  Matrix x(200, 2);
  ClassLabels labels{{"a", "b"}, std::vector<std::int32_t>(200, kUnlabeled)};
  for (Index i = 0; i < 200; ++i) {
    x(i, 0) = random.normal() + (i < 60 ? 0.0 : 12.0);
    x(i, 1) = random.normal();
  }
  for (const Index i : {0, 1, 2, 3, 4, 5}) labels.code[i] = x(i, 1) > 0.0;
  if (std::count(labels.code.begin(), labels.code.end(), 1) < 2)
    labels.code[0] = labels.code[1] = 1;
  Dataset dataset;
  dataset.samples = Points{x, {}};
  dataset.labels = dataset.truth = labels;
  const AutomaticFit fit = fit_automatic(dataset, {});
  bool doubled = false;
  for (const TriedAutomatically& tried : fit.tried) {
    doubled = doubled || tried.kernel.find("doubled") != std::string::npos;
  }
  EXPECT_TRUE(doubled);
}

TEST(FitAutomatic, WarnsOfEqualPointsOfDifferentClasses) {
  Dataset dataset = labeled_moons(100, 4);
  const std::vector<Index> labeled = labeled_indices(dataset.labels);
  auto& code = std::get<ClassLabels>(dataset.labels).code;
  Matrix x = dataset.points().values.matrix();
  const Index other = *std::find_if(labeled.begin(), labeled.end(),
                                    [&](Index i) { return code[i] != code[labeled[0]]; });
  x.row(other) = x.row(labeled[0]);
  dataset.samples = Points{x, {}};
  const std::vector<std::string> warnings = fit_automatic(dataset, {}).fitted.summary.warnings;
  ASSERT_FALSE(warnings.empty());
  EXPECT_NE(warnings.back().find("of a different class"), std::string::npos) << warnings.back();
}

TEST(FitAutomatic, NamesClassesThatCannotBeLeftOut) {
  Dataset dataset = labeled_moons(100, 4);
  auto& labels = std::get<ClassLabels>(dataset.labels);
  labels.names.push_back("alone");
  labels.code[labeled_indices(dataset.labels)[0]] =
      static_cast<std::int32_t>(labels.names.size()) - 1;
  const std::vector<Choice> choices = fit_automatic(dataset, {}).fitted.choices;
  EXPECT_EQ(choices.back().what, "not left out");
  EXPECT_EQ(choices.back().value, "alone");
}

TEST(FitAutomatic, FitsNumbers) {
  Dataset dataset = swiss_roll(300, 0.05, 2);
  auto& values = std::get<TargetValues>(dataset.labels).values;
  const Matrix truth = values;
  for (Index i = 0; i < values.rows(); ++i) {
    if (i % 6 != 0) values(i, 0) = std::nan("");
  }
  const AutomaticFit fit = fit_automatic(dataset, {});
  const Predictions found = fit.fitted.model.predict();
  const double variance = (truth.array() - truth.mean()).square().mean();
  EXPECT_LT((found.scores - truth).squaredNorm() / 300.0, 0.05 * variance);
  EXPECT_EQ(fit.scored_by, "log likelihood of the numbers left out");
}

TEST(FitAutomatic, TakesAGramOfYourOwn) {
  Dataset dataset = small_dataset();
  keep_only(dataset.labels, std::vector<Index>{1, 20, 40, 60, 80, 105});
  const Labels labels = dataset.labels;
  const AutomaticFit fit = fit_automatic(prepare_gram(dataset, {}), labels, {});
  EXPECT_TRUE(fit.fitted.summary.solve.converged());
  EXPECT_EQ(fit.tried.size(), 1U);
}

TEST(FitAutomatic, ReportsItsPhasesAndFitsTheSame) {
  Dataset dataset = labeled_moons(300, 5), copy = dataset;
  std::mutex mutex;
  std::set<std::string> phases;
  Context context;
  context.progress = [&](const Progress& progress) {
    const std::lock_guard lock(mutex);
    phases.insert(progress.phase);
    EXPECT_GE(progress.fraction(), 0.0);
    EXPECT_LE(progress.fraction(), 1.0);
  };
  const AutomaticFit watched = fit_automatic(dataset, {}, context), plain = fit_automatic(copy, {});
  for (const char* phase : {"kernels", "neighbors", "parameters", "powers"}) {
    EXPECT_TRUE(phases.contains(phase)) << phase;
  }
  EXPECT_EQ(watched.fitted.model.coefficients(), plain.fitted.model.coefficients());
}

TEST(FitAutomatic, RefusesOneClassAsFitModelDoes) {
  Dataset dataset = labeled_moons(100, 2);
  for (auto& code : std::get<ClassLabels>(dataset.labels).code) {
    if (code == 1) code = kUnlabeled;
  }
  EXPECT_THROW(fit_automatic(dataset, {}), ValueError);
}

}  // namespace
}  // namespace stkr::fit_automatic_test
