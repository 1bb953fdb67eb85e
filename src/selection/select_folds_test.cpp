// Folds and scores of the caller's own.

#include <gtest/gtest.h>

#include <atomic>

#include "selection/folds.hpp"
#include "small_problem.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "stkr/model/fit_model.hpp"
#include "stkr/selection/select_model.hpp"

namespace stkr::select_folds_test {
namespace {

using namespace cases;

// 18 labeled nodes.
Dataset labeled_nodes() {
  Dataset dataset = small_dataset();
  keep_only(dataset.labels, small_split().train);
  return dataset;
}

Grid some_points() {
  Grid grid = small_grid({});
  grid.dimensions = {};
  return grid;
}

SelectOptions options_for(const Grid& grid) {
  SelectOptions options = exact_options(grid);
  options.no_evidence = NoEvidence::prior;
  return options;
}

std::vector<Fold> by_sample(const std::vector<std::vector<Index>>& held_out, const Labels& labels) {
  const std::vector<Index> labeled = labeled_indices(labels);
  std::vector<Fold> folds;
  for (const std::vector<Index>& fold : held_out) {
    Fold one;
    for (const Index k : fold) one.held_out.push_back(labeled[k]);
    for (const Index i : labeled) {
      if (std::find(one.held_out.begin(), one.held_out.end(), i) == one.held_out.end()) {
        one.train.push_back(i);
      }
    }
    folds.push_back(std::move(one));
  }
  return folds;
}

TEST(SelectFolds, GivenOrDrawnAreTheSame) {
  Dataset dataset = labeled_nodes();
  const Labels labels = dataset.labels;
  const auto gram = prepare_gram(dataset, {}).gram;
  const SelectOptions options = options_for(some_points());
  const Selection drawn = select_by_folds(*gram, labels, 4, options);
  const Selection given = select_by_folds(
      *gram, labels, by_sample(labeled_folds(labels, 4, Context{}.seed), labels), options);
  ASSERT_EQ(given.scores.size(), drawn.scores.size());
  for (std::size_t k = 0; k < given.scores.size(); ++k) {
    EXPECT_EQ(given.scores[k].validation, drawn.scores[k].validation);
    EXPECT_EQ(given.scores[k].loss, drawn.scores[k].loss);
    EXPECT_EQ(given.scores[k].outcomes, drawn.scores[k].outcomes);
  }
}

// Overlapping folds that leave samples out: every prediction is that of a fit to `train`.
TEST(SelectFolds, MayOverlapAndLeaveSamplesOut) {
  const Dataset dataset = labeled_nodes();
  const std::vector<Index> labeled = labeled_indices(dataset.labels);
  const auto part = [&](std::size_t first, std::size_t last) {
    return std::vector<Index>(labeled.begin() + static_cast<std::ptrdiff_t>(first),
                              labeled.begin() + static_cast<std::ptrdiff_t>(last));
  };
  const std::vector<Fold> folds{{part(0, 9), part(9, 14)}, {part(4, 12), part(12, 16)}};
  SelectOptions options = options_for(some_points());
  options.deviations = true;
  const ModelSelection all = select_model(dataset, {}, {}, {.own_folds = folds}, options);
  const Selection& selection = all.selections.front().second;
  EXPECT_EQ(all.validated.size(), 9u);
  EXPECT_TRUE(std::is_sorted(all.validated.begin(), all.validated.end()));
  const std::vector<std::int32_t> truth = std::get<ClassLabels>(small_dataset().labels).code;
  for (std::size_t k = 0; k < selection.scores.size(); ++k) {
    double right = 0.0;
    std::vector<double> of_folds;
    for (const Fold& fold : folds) {
      Dataset train = small_dataset();
      keep_only(train.labels, fold.train);
      Specification spec = all.specification(selection, k);
      if (RidgeSpec* ridge = ridge_of(spec.method)) {
        *ridge = PaperBeta{selection.scores[k].point.beta};
      }
      const Predictions found = fit_model(train, spec).model.predict();
      double own = 0.0;
      for (const Index i : fold.held_out) own += found.class_index[i] == truth[i];
      right += own;
      of_folds.push_back(own / static_cast<double>(fold.held_out.size()));
    }
    EXPECT_NEAR(selection.scores[k].validation, right / 9.0, 1e-12)
        << describe(selection.scores[k].point, all.grid);
    EXPECT_NEAR(selection.scores[k].deviation, std::abs(of_folds[0] - of_folds[1]) / 2.0, 1e-12);
  }
}

TEST(SelectFolds, OfSamplesWithoutLabelsAreRefused) {
  Dataset dataset = labeled_nodes();
  EXPECT_THROW(select_model(dataset, {}, {}, {.own_folds = {{{114}, {0, 1, 2, 3, 4, 5, 6, 7, 8}}}},
                            options_for(some_points())),
               ValueError);
}

TEST(SelectFolds, ScoreOfOnesOwnChoosesInsteadOfTheLibrarys) {
  const Dataset dataset = labeled_nodes();
  const SelectOptions plain = options_for(some_points());
  SelectOptions own = plain;
  std::atomic<int> calls = 0;
  const auto& code = std::get<ClassLabels>(dataset.labels).code;
  // The share of errors: its largest value is the worst accuracy.
  own.own_score = OwnScore{"errors", [&](const Predictions& p, std::span<const Index> samples) {
                             ++calls;
                             double wrong = 0.0;
                             for (std::size_t k = 0; k < samples.size(); ++k) {
                               wrong += p.class_index[k] != code[samples[k]];
                             }
                             return wrong / static_cast<double>(samples.size());
                           }};
  for (const ValidationSpec& validation : {ValidationSpec{.folds = 4}, ValidationSpec{.folds = 0},
                                           ValidationSpec{.split = small_split()}}) {
    Dataset known = validation.split ? small_dataset() : dataset;
    const std::vector<std::int32_t> all_codes = std::get<ClassLabels>(small_dataset().labels).code;
    if (validation.split) {
      own.own_score->value = [&](const Predictions& p, std::span<const Index> samples) {
        double wrong = 0.0;
        for (std::size_t k = 0; k < samples.size(); ++k) {
          wrong += p.class_index[k] != all_codes[samples[k]];
        }
        return wrong / static_cast<double>(samples.size());
      };
    }
    const ModelSelection right = select_model(known, {}, {}, validation, plain);
    const ModelSelection wrong = select_model(known, {}, {}, validation, own);
    const Selection& errors = wrong.selections.front().second;
    const Selection& accuracy = right.selections.front().second;
    ASSERT_EQ(errors.scores.size(), accuracy.scores.size());
    double least = 1.0;
    for (std::size_t k = 0; k < errors.scores.size(); ++k) {
      EXPECT_NEAR(errors.scores[k].validation, 1.0 - accuracy.scores[k].validation, 1e-12);
      least = std::min(least, accuracy.scores[k].validation);
    }
    EXPECT_NEAR(errors.scores[*errors.best()].validation, 1.0 - least, 1e-12);
    EXPECT_EQ(errors.own_score, "errors");
    EXPECT_FALSE(errors.expected_best(wrong.truth, wrong.validated, 1).has_value());
  }
  EXPECT_GT(calls, 0);
}

}  // namespace
}  // namespace stkr::select_folds_test
