#include <gtest/gtest.h>

#include "small_problem.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "stkr/model/fit_model.hpp"

namespace stkr::select_class_mass_test {
namespace {

using namespace cases;

TEST(SelectClassMass, IsTriedOnTopOfThePlainPoints) {
  const Dataset dataset = small_dataset();
  const Specification spec = with_kernel("lazy-walk");
  const FourWaySplit split = small_split();
  SelectOptions options = exact_options(small_grid({}));
  Labels few = dataset.labels;
  keep_only(few, split.train);
  Dataset copy = dataset;
  const auto gram = prepare_gram(copy, spec).gram;
  const auto run = [&](int way, ClassMassChoice choice, const Context& context = {}) {
    options.class_mass = choice;
    if (way == 0) return select_by_folds(*gram, few, 3, options, context);
    if (way == 1) return select_by_leave_one_out(*gram, few, options, context);
    return select_by_split(dataset, spec, split,
                           way == 2 ? Setting::transductive : Setting::inductive, options, context);
  };
  for (int way = 0; way < 4; ++way) {
    SCOPED_TRACE(way);
    const Selection off = run(way, ClassMassChoice::off);
    const Selection on = run(way, ClassMassChoice::on);
    const Selection both = run(way, ClassMassChoice::both);
    ASSERT_EQ(both.scores.size(), 2 * off.scores.size());
    ASSERT_EQ(on.scores.size(), off.scores.size());
    bool differs = false;
    for (std::size_t k = 0; k < off.scores.size(); ++k) {
      EXPECT_EQ(both.scores[2 * k].point, off.scores[k].point);
      EXPECT_EQ(both.scores[2 * k].validation, off.scores[k].validation);
      EXPECT_TRUE(on.scores[k].point.class_mass);
      EXPECT_EQ(both.scores[2 * k + 1].point, on.scores[k].point);
      EXPECT_EQ(both.scores[2 * k + 1].validation, on.scores[k].validation);
      EXPECT_EQ(on.scores[k].validation_no_evidence, off.scores[k].validation_no_evidence);
      differs = differs || on.scores[k].validation != off.scores[k].validation;
    }
    EXPECT_TRUE(differs);
    // No further products with the kernel.
    for (std::size_t k = 0; k < off.costs.size(); ++k) {
      EXPECT_EQ(both.costs[k].products, off.costs[k].products);
    }
    expect_identical(run(way, ClassMassChoice::both, {.threads = 2}),
                     run(way, ClassMassChoice::both, {.threads = 1}));
  }
}

TEST(SelectClassMass, DoesNotLookAtLabelsOfValidationAndTest) {
  const FourWaySplit split = small_split();
  Dataset dataset = small_dataset();
  SelectOptions options = exact_options(small_grid({}));
  options.class_mass = ClassMassChoice::on;
  const Specification spec = with_kernel("lazy-walk");
  for (const Setting setting : {Setting::transductive, Setting::inductive}) {
    const Selection before = select_by_split(dataset, spec, split, setting, options);
    const auto with_changed = [&](const std::vector<Index>& samples) {
      Dataset other = dataset;
      auto& classes = std::get<ClassLabels>(other.labels);
      for (const Index i : samples) classes.code[i] = (classes.code[i] + 1) % 3;
      return select_by_split(other, spec, split, setting, options);
    };
    const Selection other_test = with_changed(split.test);
    const Selection other_val = with_changed(split.val);
    for (std::size_t k = 0; k < before.scores.size(); ++k) {
      EXPECT_EQ(before.scores[k].validation, other_test.scores[k].validation);
      EXPECT_EQ(before.scores[k].test, other_val.scores[k].test);
    }
  }
}

TEST(SelectClassMass, IsRefusedWhereItMeansNothing) {
  const Dataset dataset = small_dataset();
  const Specification spec = with_kernel("lazy-walk");
  Dataset copy = dataset;
  const auto gram = prepare_gram(copy, spec).gram;
  SelectOptions options = exact_options(small_grid({}));
  options.class_mass = ClassMassChoice::both;
  EXPECT_THROW(select_by_folds(*gram, dataset.labels, 3, options), ValueError)
      << "every sample is labeled";
  const TargetValues numbers{{"y"}, Matrix(random_matrix(kNodes, 1, 5))};
  EXPECT_THROW(select_by_leave_one_out(*gram, numbers, options), ValueError);
  Labels few = dataset.labels;
  keep_only(few, small_split().train);
  options.decision.prior = {0.5, 0.5};
  EXPECT_THROW(select_by_folds(*gram, few, 3, options), ValueError) << "three classes";
}

}  // namespace
}  // namespace stkr::select_class_mass_test
