#include "stkr/selection/select_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "handle_backend.hpp"
#include "selection/select_kernels.hpp"
#include "selection/split_problem.hpp"
#include "small_problem.hpp"
#include "specification/kernel_parts.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "stkr/model/fit_model.hpp"

// The scores of selection equal those of the point's model.
namespace stkr::select_model_test {
namespace {

using namespace cases;

constexpr Family kFamilies[] = {Family::power,     Family::polynomial, Family::inverse_laplacian,
                                Family::diffusion, Family::top_d,      Family::label_propagation};

struct Problem {
  std::string name;
  Dataset dataset;
  Specification spec;
  FourWaySplit split;
};

void PrintTo(const Problem& problem, std::ostream* out) { *out << problem.name; }

// Targets that the classes explain in part.
Labels numbers_for(const ClassLabels& classes) {
  Matrix values(static_cast<Index>(classes.code.size()), 2);
  for (Index i = 0; i < values.rows(); ++i) {
    values(i, 0) = 3.0 + classes.code[i] + 0.3 * std::sin(static_cast<double>(i));
    values(i, 1) = -classes.code[i] * 10.0 + std::cos(3.0 * static_cast<double>(i));
  }
  return TargetValues{{"s", "t"}, values};
}

// Three clusters of points with duplicates: a val sample equals a train sample, another one an
// unlabeled sample, and a test sample equals two known ones.
Dataset clusters() {
  Random random(91);
  Matrix x(kNodes, 2);
  Dataset dataset;
  ClassLabels labels{{"a", "b", "c"}, std::vector<std::int32_t>(kNodes)};
  for (Index i = 0; i < kNodes; ++i) {
    labels.code[i] = static_cast<std::int32_t>(i % 3);
    x(i, 0) = (i % 3) * 1.2 + 0.5 * random.normal();
    x(i, 1) = (i % 3 == 1 ? 1.0 : 0.0) + 0.5 * random.normal();
  }
  const FourWaySplit split = small_split();
  x.row(split.val[0]) = x.row(split.train[3]);
  x.row(split.val[1]) = x.row(split.other[2]);
  x.row(split.other[5]) = x.row(split.other[4]);
  x.row(split.test[0]) = x.row(split.other[4]);
  x.row(split.test[1]) = x.row(split.train[5]);
  dataset.samples = Points{x, {}};
  dataset.labels = dataset.truth = labels;
  return dataset;
}

std::vector<Problem> problems() {
  std::vector<Problem> all;
  for (const char* kernel : {"symmetric", "lazy-walk", "probability"}) {
    all.push_back({kernel == std::string("lazy-walk") ? "lazy_walk" : kernel, small_dataset(),
                   with_kernel(kernel), small_split()});
  }
  for (const char* kernel : {"knn", "rbf", "laplacian"}) {
    all.push_back({kernel, clusters(), with_kernel(kernel), small_split()});
  }
  Problem mutual{"knn_mutual", clusters(), with_kernel("knn"), small_split()};
  mutual.spec.kernel = NeighborGraphSpec{.neighbors = 6, .rule = EdgeRule::mutual};
  all.push_back(std::move(mutual));
  // A graph and its node features: half of the lazy walk's self term.
  Problem both{"graph_and_features",
               attributed_block_model(std::vector<Index>{40, 40, 40}, 0.2, 0.03, 3, 0.5, 92),
               with_kernel("lazy-walk"), small_split()};
  both.spec.added.push_back({PointKernelSpec{}});
  all.push_back(std::move(both));
  // Blocks without kernel entries between them, which only the kernel itself shows.
  Matrix kernel = graph_kernel(small_graph(), GraphNormalization::lazy_walk);
  Problem given{"precomputed", small_dataset(), with_kernel(""), small_split()};
  given.dataset.samples = PrecomputedKernel{kernel};
  all.push_back(std::move(given));
  return all;
}

// Of methods that have one.
void set_tolerance(MethodSpec& method, double tolerance) {
  std::visit(
      [&](auto& one) {
        if constexpr (requires { one.tolerance; }) one.tolerance = tolerance;
      },
      method);
}

struct ProblemName {
  std::string operator()(
      const testing::TestParamInfo<std::tuple<Problem, Setting, bool>>& info) const {
    const auto& [problem, setting, numbers] = info.param;
    return problem.name + "_" + to_string(setting) + (numbers ? "_numbers" : "_classes");
  }
};

class SelectedModel : public testing::TestWithParam<std::tuple<Problem, Setting, bool>> {
 protected:
  SelectedModel()
      : problem_(std::get<0>(GetParam())),
        setting_(std::get<1>(GetParam())),
        scored_(problem_.split.val) {
    if (std::get<2>(GetParam())) {
      problem_.dataset.labels = problem_.dataset.truth =
          numbers_for(std::get<ClassLabels>(problem_.dataset.labels));
    }
    const FourWaySplit& split = problem_.split;
    scored_.insert(scored_.end(), split.test.begin(), split.test.end());
  }

  SelectOptions options() const {
    Grid grid = small_grid({1, 3, 7});
    grid.betas = {};
    grid.ridges = {1.0, 1e-2, 1e-4};
    SelectOptions result = exact_options(std::move(grid));
    result.tolerance = 1e-12;
    result.no_evidence = NoEvidence::guess;
    return result;
  }

  Selection select(const SelectOptions& options) const {
    return select_by_split(problem_.dataset, problem_.spec, problem_.split, setting_, options);
  }

  // The model's predictions for val and test.
  Predictions predict(const GridScore& score, const Grid& grid, double largest) const {
    const Dataset& dataset = problem_.dataset;
    Dataset training = dataset;
    keep_only(training.labels, problem_.split.train);
    const std::vector<Index> visible = visible_samples(problem_.split);
    if (setting_ == Setting::inductive) training = subset(training, visible);
    Specification spec = specification_of(score.point, grid, largest, problem_.spec, score.beta);
    set_tolerance(spec.method, 1e-12);
    EXPECT_EQ(spec.decision.class_mass, score.point.class_mass);
    const FittedModel result = fit_model(training, spec);
    if (setting_ == Setting::inductive) {
      return result.model.predict(as_new_samples(dataset, problem_.spec, scored_, visible));
    }
    const Predictions all = result.model.predict();
    Predictions chosen;
    chosen.scores.resize(static_cast<Index>(scored_.size()), all.scores.cols());
    for (std::size_t k = 0; k < scored_.size(); ++k) {
      chosen.scores.row(k) = all.scores.row(scored_[k]);
      chosen.evidence.push_back(all.evidence[scored_[k]]);
      if (!all.class_index.empty()) chosen.class_index.push_back(all.class_index[scored_[k]]);
    }
    return chosen;
  }

  // The predictions for val or for test.
  Predictions part(const Predictions& all, Index first, Index count) const {
    Predictions chosen;
    chosen.scores = all.scores.middleRows(first, count);
    chosen.evidence.assign(all.evidence.begin() + first, all.evidence.begin() + first + count);
    if (!all.class_index.empty()) {
      chosen.class_index.assign(all.class_index.begin() + first,
                                all.class_index.begin() + first + count);
    }
    return chosen;
  }

  void expect_same(const GridScore& score, Score measure, const Predictions& all,
                   double tolerance) const {
    const auto count = static_cast<Index>(problem_.split.val.size());
    const Predictions val = part(all, 0, count);
    const Predictions test = part(all, count, static_cast<Index>(problem_.split.test.size()));
    const Labels& truth = problem_.dataset.labels;
    // R² is far below 0 if an indefinite kernel makes f very large.
    const auto near = [&](double found, double expected) {
      EXPECT_NEAR(found, expected, tolerance * std::max(1.0, std::abs(expected)));
    };
    near(score.validation, evaluate(measure, val, truth, problem_.split.val, NoEvidence::guess));
    near(score.test.value(), evaluate(measure, test, truth, problem_.split.test));
    EXPECT_EQ(score.validation_no_evidence,
              std::count(val.evidence.begin(), val.evidence.end(), 0));
    EXPECT_EQ(score.test_no_evidence, std::count(test.evidence.begin(), test.evidence.end(), 0));
    const double loss = smooth_loss(val, truth, problem_.split.val, NoEvidence::guess);
    EXPECT_NEAR(score.loss, loss, 10.0 * tolerance * std::max(1.0, loss));
  }

  Problem problem_;
  Setting setting_;
  std::vector<Index> scored_;  // val, test
};

INSTANTIATE_TEST_SUITE_P(
    Problems, SelectedModel,
    testing::Combine(testing::ValuesIn(problems()),
                     testing::Values(Setting::transductive, Setting::inductive), testing::Bool()),
    ProblemName());

TEST_P(SelectedModel, AnswersWhatWasScored) {
  SelectOptions options = this->options();
  const bool numbers = std::get<2>(GetParam());
  // With p = D/Tr D the top of the spectrum is unknown, so nothing is deflated near η = 1/λ₁: fit
  // and selection stop at their own tolerances there.
  const double tolerance = problem_.name == "probability" ? 1e-6 : 1e-8;
  if (!numbers) options.class_mass = ClassMassChoice::both;
  const Selection selection = select(options);
  for (const Family family : kFamilies) {
    for (const bool class_mass : {false, true}) {
      if (numbers && class_mass) continue;
      int points = 0;
      // Classes may tie at some grid point, and rounding then decides: only the best point of each
      // way is compared with its model. For regression every point is.
      const auto best = selection.best(
          [&](const GridPoint& p) { return p.family == family && p.class_mass == class_mass; });
      for (std::size_t k = 0; k < selection.scores.size(); ++k) {
        const GridScore& score = selection.scores[k];
        if (score.point.family != family || score.point.class_mass != class_mass) continue;
        ++points;
        if (!numbers && k != *best) continue;
        SCOPED_TRACE(describe(score.point, options.grid) + " ridge " +
                     std::to_string(score.point.ridge) + " T " +
                     std::to_string(score.point.iterations));
        expect_same(score, selection.score,
                    predict(score, options.grid, selection.largest_eigenvalue(score.point)),
                    tolerance);
      }
      EXPECT_EQ(points == 0, family == Family::label_propagation && setting_ == Setting::inductive);
    }
  }
}

TEST(SelectModel, WarnsOnceOfWhatTheDeviceLeavesToTheHost) {
  Dataset dataset = two_moons(200, 0.1, 1);
  keep_only(dataset.labels, labeled_per_class(std::get<ClassLabels>(dataset.labels), 5, 1));
  KernelGrid kernels;
  kernels.kernels = {NeighborGraphSpec{.neighbors = 70}, Kernel::rbf(1.0)};
  SelectOptions options;
  options.grid.powers = {1, 2};
  const ModelSelection selection =
      select_model(dataset, {}, kernels, {.folds = 3}, options, {.device = handle::test_device()});
  const std::vector<std::string>& all = selection.selections.front().second.warnings;
  EXPECT_EQ(std::count(all.begin(), all.end(),
                       "device handle leaves to the host: the neighbor search (70 neighbors, more "
                       "than the device searches for)"),
            1);
}

// Labels 7 length scales away, so that f is 1e-11 at every other sample.
TEST(Select, FindsEvidenceWhereTheModelDoes) {
  Random random(93);
  Matrix x(60, 1);
  ClassLabels labels{{"a", "b"}, std::vector<std::int32_t>(60)};
  for (Index i = 0; i < 60; ++i) {
    const bool second = i >= 30;
    labels.code[i] = second;
    x(i, 0) = second ? 40.0 : 0.0;
    if (i % 30 > 0) x(i, 0) += (second ? -1.0 : 1.0) * (7.0 + 0.3 * random.uniform());
  }
  Dataset dataset;
  dataset.samples = Points{x, {}};
  dataset.labels = dataset.truth = labels;
  FourWaySplit split;
  split.train = {0, 30};
  for (Index i = 0; i < 60; ++i) {
    if (i % 30 > 0) (i % 2 == 0 ? split.val : split.test).push_back(i);
  }
  Specification spec;
  spec.kernel = PointKernelSpec{.length_scale = LengthScale::absolute(1.0), .normalize = false};
  Grid grid = small_grid({});
  grid.powers = {1};
  grid.polynomials = {};
  grid.etas = {};
  grid.times = {};
  grid.propagation_etas = {};
  grid.betas = {1e-3};
  for (const Setting setting : {Setting::transductive, Setting::inductive}) {
    if (setting == Setting::inductive) {  // unlabeled training samples are needed
      split.other = {split.test.back()};
      split.test.pop_back();
    }
    const Selection selection = select_by_split(dataset, spec, split, setting, exact_options(grid));
    const GridScore& score = selection.scores.at(0);
    EXPECT_EQ(score.validation, 1.0);
    EXPECT_EQ(score.test, 1.0);
    EXPECT_EQ(score.validation_no_evidence, 0);
    EXPECT_EQ(score.test_no_evidence, 0);
    Dataset training = dataset;
    keep_only(training.labels, split.train);
    const FittedModel result = fit_model(
        training, specification_of(score.point, grid, selection.largest_eigenvalue(score.point),
                                   spec, score.beta));
    const Predictions answers = result.model.predict();
    for (Index i = 0; i < 60; ++i) {
      EXPECT_TRUE(answers.evidence[i]) << i;
      EXPECT_EQ(answers.class_index[i], labels.code[i]) << i;
    }
  }
}

TEST(SelectModel, WithACallersGramScoresAsWithTheSamples) {
  Dataset dataset = clusters();
  keep_only(dataset.labels, small_split().train);
  const Specification spec = with_kernel("rbf");
  SelectOptions options = exact_options(small_grid({1, 3, 7}));
  options.tolerance = 1e-12;
  const PreparedGram prepared = prepare_gram(dataset, spec);
  for (const int folds : {0, 3}) {
    const ValidationSpec validation{.folds = folds};
    const ModelSelection by_samples = select_model(dataset, spec, {}, validation, options);
    const ModelSelection by_gram =
        select_model(*prepared.gram, dataset.labels, spec, validation, options);
    const auto& expected = by_samples.selections.front().second.scores;
    const auto& scores = by_gram.selections.front().second.scores;
    ASSERT_EQ(scores.size(), expected.size());
    for (std::size_t k = 0; k < scores.size(); ++k) {
      EXPECT_EQ(scores[k].point, expected[k].point);
      EXPECT_NEAR(scores[k].validation, expected[k].validation, 1e-12);
      EXPECT_NEAR(scores[k].loss, expected[k].loss, 1e-9);
    }
  }
  const ValidationSpec split{.split = small_split()};
  EXPECT_THROW(select_model(*prepared.gram, dataset.labels, spec, split, options), ValueError);
}

}  // namespace
}  // namespace stkr::select_model_test
