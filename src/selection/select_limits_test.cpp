// What selection measures first, warns of and rejects.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "selection/folds.hpp"
#include "selection_cases.hpp"
#include "small_problem.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "stkr/model/fit_model.hpp"
#include "stkr/selection/select.hpp"

namespace stkr::select_limits_test {
namespace {

using namespace cases;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(SelectLimits, FindsTheUnitOfEtaForAnyKernel) {
  // λ₁ of an explicit kernel is unknown: η = 0.999999/λ₁ needs more than six digits of it.
  const Matrix x = random_matrix(60, 2, 74);
  const Matrix kernel = 5.0 * kernel_matrix(x, rbf(0.7));
  const reference::Dense dense(kernel);
  Dataset dataset;
  dataset.samples = PrecomputedKernel{kernel};
  ClassLabels labels{{"a", "b"}, std::vector<std::int32_t>(60)};
  for (Index i = 0; i < 60; ++i) labels.code[i] = x(i, 0) > 0.0;
  dataset.labels = dataset.truth = labels;
  SelectOptions options = exact_options(small_grid({3}));
  const Specification spec;
  const Selection selection =
      select_by_split(dataset, spec, fifths(60), Setting::transductive, options);
  EXPECT_NEAR(selection.kernels[0].largest_eigenvalue / dense.largest(), 1.0, 1e-8);
  EXPECT_GT(selection.scores[*selection.best()].validation, 0.8);
}

TEST(SelectLimits, FindsTheTopOfACrowdedSpectrum) {
  // λ₁ is ten parts in a million above hundreds of others: a few steps of Lanczos do not find it,
  // and an η above 1/λ₁ has no solution.
  Vector spectrum = Vector::LinSpaced(400, 0.5, 1.0).array().pow(0.05) * 400.0;
  spectrum[399] *= 1.00001;
  Dataset dataset;
  dataset.samples = PrecomputedKernel{with_spectrum(spectrum, 75)};
  ClassLabels labels{{"a", "b"}, std::vector<std::int32_t>(400)};
  for (Index i = 0; i < 400; ++i) labels.code[i] = i / 5 % 2;
  dataset.labels = dataset.truth = labels;
  const Specification spec;
  Grid grid = small_grid({});
  grid.times = {};
  const Selection selection =
      select_by_split(dataset, spec, fifths(400), Setting::transductive, exact_options(grid));
  EXPECT_NEAR(selection.kernels[0].largest_eigenvalue, 1.00001, 1e-9);
}

TEST(SelectLimits, WarnsOfClassesThatTrainingLacks) {
  const Dataset dataset = small_dataset();
  FourWaySplit split = small_split();
  const auto& code = std::get<ClassLabels>(dataset.labels).code;
  for (const Index i : split.train) {
    if (code[i] == 1) split.other.push_back(i);
  }
  std::erase_if(split.train, [&](Index i) { return code[i] == 1; });
  Grid grid = small_grid({});
  for (const Setting setting : {Setting::transductive, Setting::inductive}) {
    const Selection selection =
        select_by_split(dataset, with_kernel("symmetric"), split, setting, exact_options(grid));
    EXPECT_THAT(selection.warnings, Contains(AllOf(HasSubstr("class b"), HasSubstr("never"))));
  }
}

TEST(SelectLimits, LeavesOutDimensionsThatAreNotThereWithAWarning) {
  const Selection selection =
      select_by_split(small_dataset(), with_kernel("symmetric"), small_split(),
                      Setting::transductive, exact_options(small_grid({2, 119})));
  EXPECT_THAT(selection.warnings, Contains(HasSubstr("d = 119 left out")));
  for (const GridScore& score : selection.scores) {
    EXPECT_FALSE(score.point.family == Family::top_d && score.point.parameter == 119);
  }
  EXPECT_EQ(selection.scores.size(), grid_points(small_grid({2})).size());
}

TEST(SelectLimits, RejectsWhatCannotBeSelectedOn) {
  const Dataset dataset = small_dataset();
  const Specification spec = with_kernel("symmetric");
  const auto split_with = [&](const SelectOptions& options, const FourWaySplit& split) {
    return select_by_split(dataset, spec, split, Setting::transductive, options);
  };
  SelectOptions options = exact_options(small_grid({}));
  options.score = Score::r2;
  EXPECT_THROW(split_with(options, small_split()), ValueError);
  options = exact_options(small_grid({}));
  options.grid.betas.push_back(0.0);
  EXPECT_THROW(split_with(options, small_split()), ValueError);

  options = exact_options(small_grid({}));
  FourWaySplit leaking = small_split();
  leaking.val.push_back(leaking.train.front());
  EXPECT_THROW(split_with(options, leaking), Error);
  FourWaySplit outside = small_split();
  outside.test.push_back(kNodes);
  for (const Setting setting : {Setting::transductive, Setting::inductive}) {
    EXPECT_THROW(select_by_split(dataset, spec, outside, setting, options), Error);
  }

  Dataset hidden = dataset;
  keep_only(hidden.labels, small_split().train);
  EXPECT_THROW(select_by_split(hidden, spec, small_split(), Setting::transductive, options),
               ValueError)
      << "no validation sample has a label";

  Dataset copy = dataset;
  const auto gram = prepare_gram(copy, spec).gram;
  EXPECT_THROW(select_by_folds(*gram, dataset.labels, 1, options), ValueError);
  EXPECT_THROW(select_by_folds(*gram, dataset.labels, kNodes + 1, options), ValueError);
  EXPECT_THROW(select_by_folds(*gram, Labels{}, 2, options), ShapeError);
  const Labels other = labels_of(dataset.labels, std::vector<Index>{0, 50, 100});
  EXPECT_THROW(select_by_folds(*gram, other, 2, options), Error) << "labels of other samples";
  options.score = Score::mse;
  EXPECT_THROW(select_by_leave_one_out(*gram, dataset.labels, options), ValueError);
}

TEST(SelectLimits, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(
      select_by_split(small_dataset(), with_kernel("symmetric"), small_split(), Setting::inductive,
                      exact_options(small_grid({})), {.cancel = stop.get_token()}),
      Cancelled);
}

}  // namespace
}  // namespace stkr::select_limits_test
