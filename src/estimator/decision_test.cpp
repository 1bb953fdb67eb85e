#include "stkr/estimator/decision.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "specification/kernel_names.hpp"
#include "specification/method_names.hpp"
#include "stkr/error.hpp"
#include "stkr/model/fit_model.hpp"
#include "temporary_folder.hpp"

namespace stkr::decision_test {
namespace {

using testing::message_of;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Matrix row_of(std::initializer_list<double> values) {
  Matrix row(1, static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), row.data());
  return row;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(EncodeTargets, MakesOneRowPerLabeledSampleWithAOneInItsClass) {
  const ClassLabels labels{{"a", "b", "c"}, {2, kUnlabeled, 0, 2, kUnlabeled}};
  const EncodedTargets encoded = encode_targets(labels);
  EXPECT_EQ(encoded.labeled, (std::vector<Index>{0, 2, 3}));
  Matrix expected = Matrix::Zero(3, 3);
  expected(0, 2) = expected(1, 0) = expected(2, 2) = 1.0;
  EXPECT_EQ(encoded.y, expected);
  const auto& decision = std::get<ClassDecision>(encoded.decision);
  EXPECT_EQ(decision.names, labels.names);
  EXPECT_DOUBLE_EQ(decision.prior[0], 1.0 / 3.0);
  EXPECT_EQ(decision.prior[1], 0.0);  // known by name, but without samples
  EXPECT_DOUBLE_EQ(decision.prior[2], 2.0 / 3.0);
}

TEST(EncodeTargets, TakesOffTheMeanOfTheLabeledTargetsOnly) {
  TargetValues targets{{"height", "mass"}, Matrix(4, 2)};
  targets.values << 1, 10, kNan, kNan, 5, 40, kNan, kNan;
  const EncodedTargets encoded = encode_targets(targets);
  EXPECT_EQ(encoded.labeled, (std::vector<Index>{0, 2}));
  Matrix expected(2, 2);
  expected << -2, -15, 2, 15;
  EXPECT_EQ(encoded.y, expected);
  const auto& decision = std::get<TargetDecision>(encoded.decision);
  EXPECT_EQ(decision.names, targets.names);
  EXPECT_EQ(decision.mean, (Vector(2) << 3, 25).finished());
}

TEST(EncodeTargets, KeepsTargetsAsTheyAreWithoutAnIntercept) {
  TargetValues targets{{"height"}, Matrix(3, 1)};
  targets.values << 1, kNan, 5;
  const EncodedTargets encoded = encode_targets(targets, {.intercept = false});
  EXPECT_EQ(encoded.y, (Matrix(2, 1) << 1, 5).finished());
  EXPECT_EQ(std::get<TargetDecision>(encoded.decision).mean[0], 0.0);
}

TEST(EncodeTargets, NeedsALabeledSample) {
  const ClassLabels nobody{{"a", "b"}, {kUnlabeled, kUnlabeled}};
  const TargetValues nothing{{"y"}, Matrix::Constant(3, 1, kNan)};
  for (const Labels& labels : {Labels(), Labels(nobody), Labels(nothing)}) {
    const std::string message = message_of<ValueError>([&] { encode_targets(labels); });
    EXPECT_TRUE(contains(message, "no labeled sample")) << message;
  }
}

TEST(EncodeTargets, NeedsTwoClassesAmongTheLabeledSamples) {
  const ClassLabels labels{{"cat", "dog"}, {1, kUnlabeled, 1}};
  const std::string message = message_of<ValueError>([&] { encode_targets(labels); });
  EXPECT_TRUE(contains(message, "all 2 labeled samples are of class 'dog'")) << message;
  EXPECT_TRUE(contains(message, "cat, dog")) << message;
}

TEST(Decide, TakesTheLargestScoreEvenIfAllAreNegative) {
  const Decision decision = ClassDecision{{"a", "b", "c"}, Vector::Constant(3, 1.0 / 3)};
  const Predictions made = decide(decision, row_of({-3, -1, -2}), {1});
  EXPECT_EQ(made.class_index[0], 1);
  EXPECT_EQ(made.evidence[0], 1);
  EXPECT_EQ(made.scores, row_of({-3, -1, -2}));
}

TEST(Decide, AnswersTheMostFrequentClassWhereThereIsNoEvidence) {
  const Decision decision = ClassDecision{{"a", "b", "c"}, (Vector(3) << 0.2, 0.5, 0.3).finished()};
  Matrix f(3, 3);
  f << 0, 0, 0, 1e-12, -1e-12, 0, 0, 0, 1e-3;
  const Predictions made = decide(decision, f, {0, 0, 1});
  EXPECT_EQ(made.class_index, (std::vector<Index>{1, 1, 2}));
  EXPECT_EQ(made.evidence, (std::vector<char>{0, 0, 1}));
  EXPECT_EQ(made.tied, (std::vector<char>{0, 0, 0}));
  EXPECT_EQ(made.scores.topRows(2), Matrix::Zero(2, 3)) << "rounding is not a score";
}

TEST(Decide, AddsTheMeanToEveryTarget) {
  const Decision decision = TargetDecision{{"y", "z"}, (Vector(2) << 10, 20).finished()};
  Matrix f(2, 2);
  f << 1, -2, 0, 0;
  const Predictions made = decide(decision, f, {1, 0});
  EXPECT_EQ(made.scores, (Matrix(2, 2) << 11, 18, 10, 20).finished());
  EXPECT_EQ(made.evidence, (std::vector<char>{1, 0}));
  EXPECT_TRUE(made.class_index.empty());
}

TEST(Decide, TakesNoSamplesAtAll) {
  const Decision decision = ClassDecision{{"a", "b"}, Vector::Constant(2, 0.5)};
  const Predictions made = decide(decision, Matrix(0, 2), {});
  EXPECT_EQ(made.scores.rows(), 0);
  EXPECT_TRUE(made.class_index.empty());
}

// Classes a and c are equally frequent, and the most frequent.
ClassDecision tied_classes() {
  return {{"a", "b", "c"}, (Vector(3) << 0.4, 0.2, 0.4).finished(), {}, {7, 9, 4}, {0, 1, 2}};
}

TEST(Decide, AnswersTheClassOfTheNearestLabeledSampleWherePriorsTie) {
  const Matrix f = (Matrix(3, 3) << 0, 0, 0, 0, 5, 0, 0, 0, 0).finished();
  const auto nearest = [](const std::vector<Index>& rows) {
    EXPECT_EQ(rows, (std::vector<Index>{0, 2}));
    return std::optional(std::vector<Index>{4, 9});
  };
  const Predictions made = decide(tied_classes(), f, {0, 1, 0}, nearest);
  EXPECT_EQ(made.class_index, (std::vector<Index>{2, 1, 1}));
  EXPECT_EQ(made.tied, (std::vector<char>{0, 0, 0}));
}

TEST(Decide, SaysThatAnAnswerIsATieWhereThereIsNoDistance) {
  const Predictions made =
      decide(tied_classes(), Matrix::Zero(2, 3), {0, 0}, [](const auto&) { return std::nullopt; });
  EXPECT_EQ(made.class_index, (std::vector<Index>{0, 0}));
  EXPECT_EQ(made.tied, (std::vector<char>{1, 1}));
}

// A path 0-1-2-3 and an isolated node 4; class "b" is the more frequent one, class "a" the first.
Dataset path_and_isolated(Labels labels) {
  Dataset dataset;
  dataset.samples = Graph{
      csr_from_triplets(
          5, 5, {{0, 1, 1.0}, {1, 0, 1.0}, {1, 2, 1.0}, {2, 1, 1.0}, {2, 3, 1.0}, {3, 2, 1.0}}),
      {}};
  dataset.labels = std::move(labels);
  return dataset;
}

// Two new nodes: one joined to node 0, one isolated.
NewSamples joined_and_isolated() { return {csr_from_triplets(2, 5, {{0, 0, 1.0}})}; }

TEST(Decide, GivesNodesWithoutEdgesThePriorAndNoEvidence) {
  Dataset dataset = path_and_isolated(ClassLabels{{"a", "b"}, {0, kUnlabeled, 1, 1, kUnlabeled}});
  const Model model = fit_model(dataset, {}).model;
  const Predictions seen = model.predict();
  EXPECT_EQ(seen.evidence, (std::vector<char>{1, 1, 1, 1, 0}));
  EXPECT_EQ(seen.class_index[4], 1);
  const Predictions fresh = model.predict(joined_and_isolated());
  EXPECT_EQ(fresh.evidence, (std::vector<char>{1, 0}));
  EXPECT_EQ(fresh.class_index[1], 1);
  EXPECT_EQ(fresh.scores.row(1), Matrix::Zero(1, 2));
}

TEST(Decide, GivesNodesWithoutEdgesTheConstantOfTheTargets) {
  TargetValues targets{{"y"}, Matrix(5, 1)};
  targets.values << 1, kNan, 3, 8, kNan;
  Dataset dataset = path_and_isolated(targets);
  const Model model = fit_model(dataset, {}).model;
  const double constant = std::get<TargetDecision>(model.decision()).mean[0];
  EXPECT_GT(constant, 1.0);
  EXPECT_LT(constant, 8.0);
  EXPECT_EQ(model.predict().scores(4, 0), constant);
  const Predictions fresh = model.predict(joined_and_isolated());
  EXPECT_EQ(fresh.evidence, (std::vector<char>{1, 0}));
  EXPECT_EQ(fresh.scores(1, 0), constant);
}

std::vector<MethodSpec> every_method(std::optional<Index> dimension = {}) {
  return {StkrSpec{}, KernelPcaSpec{.dimension = dimension}, KernelRidgeSpec{},
          LabelPropagationSpec{}};
}

// With evidence, the prediction is the largest score, and every number is finite.
void expect_sound(const Predictions& made) {
  EXPECT_TRUE(made.scores.allFinite());
  for (Index i = 0; i < made.scores.rows(); ++i) {
    Index largest = 0;
    made.scores.row(i).maxCoeff(&largest);
    if (made.evidence[i]) {
      EXPECT_EQ(made.class_index[i], largest) << i;
    }
  }
}

// A cycle 0...7 with labels, a triangle 8, 9, 10 without any, and an isolated node 11.
Dataset cycle_triangle_and_isolated() {
  std::vector<Triplet> edges;
  const auto join = [&](std::int32_t i, std::int32_t j) {
    edges.push_back({i, j, 1.0});
    edges.push_back({j, i, 1.0});
  };
  for (std::int32_t i = 0; i < 8; ++i) join(i, (i + 1) % 8);
  join(8, 9), join(9, 10), join(8, 10);
  Dataset dataset;
  dataset.samples = Graph{csr_from_triplets(12, 12, edges), {}};
  ClassLabels labels{{"a", "b"}, std::vector<std::int32_t>(12, kUnlabeled)};
  labels.code[0] = 0;
  labels.code[3] = labels.code[4] = 1;
  dataset.labels = labels;
  return dataset;
}

TEST(Decide, FlagsComponentsWithoutLabelsForEveryMethodAndBothWays) {
  for (const MethodSpec& method : every_method(/*dimension=*/2)) {
    for (const char* kernel : {"lazy-walk", "symmetric", "probability"}) {
      for (const bool class_mass : {false, true}) {
        SCOPED_TRACE(fmt::format("{} {} class mass {}", name_of(method), kernel, class_mass));
        Dataset dataset = cycle_triangle_and_isolated();
        Specification spec;
        spec.method = method;
        spec.kernel = kernel_spec(kernel);
        spec.decision.class_mass = class_mass;
        const FittedModel result = fit_model(dataset, spec);
        const Predictions seen = result.model.predict();
        expect_sound(seen);
        for (Index i = 8; i < 12; ++i) {
          EXPECT_EQ(seen.evidence[i], 0) << i;
          EXPECT_EQ(seen.class_index[i], 1) << i;
        }
        EXPECT_EQ(seen.evidence[3], 1);
        // Joined to the cycle, joined to the triangle, isolated.
        const NewSamples samples{csr_from_triplets(3, 12, {{0, 2, 1.0}, {0, 3, 1.0}, {1, 9, 1.0}})};
        const Predictions fresh = result.model.predict(samples);
        expect_sound(fresh);
        EXPECT_EQ(fresh.evidence, (std::vector<char>{1, 0, 0}));
        EXPECT_EQ(fresh.class_index[1], 1);
        EXPECT_EQ(fresh.class_index[2], 1);
      }
    }
  }
}

TEST(Decide, FlagsPointsFarFromEverythingForEveryMethodAndBothWays) {
  Matrix x(8, 1);
  x << 0, 0.5, 1, 1.5, 2, 2.5, 1e8, -1e9;  // e^(-d²/2) is 0 at that distance
  ClassLabels labels{{"a", "b"}, std::vector<std::int32_t>(8, kUnlabeled)};
  labels.code[0] = 0;
  labels.code[4] = labels.code[5] = 1;
  for (const MethodSpec& method : every_method(/*dimension=*/4)) {
    for (const bool normalize : {true, false}) {
      for (const bool class_mass : {false, true}) {
        SCOPED_TRACE(
            fmt::format("{} normalize {} class mass {}", name_of(method), normalize, class_mass));
        Dataset dataset;
        dataset.samples = Points{x, {}};
        dataset.labels = labels;
        Specification spec;
        spec.method = method;
        spec.kernel =
            PointKernelSpec{.length_scale = LengthScale::absolute(1.0), .normalize = normalize};
        spec.decision.class_mass = class_mass;
        const Model model = fit_model(dataset, spec).model;
        const Predictions seen = model.predict();
        expect_sound(seen);
        EXPECT_EQ(seen.evidence, (std::vector<char>{1, 1, 1, 1, 1, 1, 0, 0}));
        EXPECT_EQ(seen.class_index[6], 1);
        EXPECT_EQ(seen.class_index[7], 1);
        const Predictions fresh = model.predict({(Matrix(3, 1) << 2.2, 5e7, 1e8).finished()});
        expect_sound(fresh);
        EXPECT_EQ(fresh.evidence, (std::vector<char>{1, 0, 0}));
        EXPECT_EQ(fresh.class_index, (std::vector<Index>{1, 1, 1}));
      }
    }
  }
}

// Two overlapping clouds of 60 points; nine labels in one, a single label in the other.
Dataset lopsided_clouds() {
  Dataset dataset;
  Matrix x(120, 1);
  ClassLabels labels{{"a", "b"}, std::vector<std::int32_t>(120, kUnlabeled)};
  for (Index i = 0; i < 120; ++i) {
    x(i, 0) = (i < 60 ? 0.0 : 2.0) + 3.0 * static_cast<double>((i * 37) % 60) / 59.0;
  }
  for (Index k = 0; k < 9; ++k) labels.code[6 * k] = 0;
  labels.code[90] = 1;
  dataset.samples = Points{x, {}};
  dataset.labels = labels;
  return dataset;
}

double share_of_b(const Predictions& made) {
  return static_cast<double>(std::count(made.class_index.begin(), made.class_index.end(), 1)) /
         static_cast<double>(made.class_index.size());
}

TEST(ClassMassDecision, MovesTheAnswersToThePriorAndKeepsTheFactorsForNewSamples) {
  for (const MethodSpec& method : every_method()) {
    SCOPED_TRACE(name_of(method));
    Specification spec;
    spec.method = method;
    spec.kernel = Kernel::rbf(1.0);
    Dataset plain_data = lopsided_clouds();
    const double before = share_of_b(fit_model(plain_data, spec).model.predict());
    EXPECT_LT(before, 0.36);
    spec.decision.class_mass = true;
    double last = before;
    for (const double wanted : {0.45, 0.6}) {
      spec.decision.prior = {1.0 - wanted, wanted};
      Dataset dataset = lopsided_clouds();
      const Matrix x = dataset.points().values.matrix();
      const Model model = fit_model(dataset, spec).model;
      const Predictions seen = model.predict();
      // Towards the prior, possibly not all the way, and never past it.
      EXPECT_GT(share_of_b(seen), last);
      EXPECT_LT(share_of_b(seen), wanted + 0.02);
      last = share_of_b(seen);
      expect_sound(seen);
      // Label propagation adds the labels of the labeled samples themselves.
      if (std::holds_alternative<LabelPropagationSpec>(method)) continue;
      const Predictions again = model.predict({x});
      EXPECT_EQ(again.class_index, seen.class_index);
      EXPECT_LT((again.scores - seen.scores).norm(), 1e-9 * seen.scores.norm());
    }
  }
}

TEST(ClassMassDecision, ScalesPositiveScoresOnly) {
  const Decision decision =
      ClassDecision{{"a", "b"}, Vector::Constant(2, 0.5), (Vector(2) << 0.5, 2.0).finished()};
  Matrix f(3, 2);
  f << 1, 0.4, -1, -2, 1, -1;
  const Predictions made = decide(decision, f, {1, 1, 1});
  EXPECT_EQ(made.scores, (Matrix(3, 2) << 0.5, 0.8, -1, -2, 0.5, -1).finished());
  EXPECT_EQ(made.class_index, (std::vector<Index>{1, 0, 0}));
}

TEST(ClassMassDecision, TakesAPriorInsteadOfTheSharesOfTheLabels) {
  const ClassLabels labels{{"a", "b", "c"}, {0, 0, 0, 1, kUnlabeled}};
  const auto prior = [&](DecisionOptions options) -> Vector {
    return std::get<ClassDecision>(encode_targets(labels, options).decision).prior;
  };
  EXPECT_EQ(prior({}), (Vector(3) << 0.75, 0.25, 0.0).finished());
  EXPECT_EQ(prior({.uniform_prior = true}), (Vector(3) << 0.5, 0.5, 0.0).finished());
  EXPECT_EQ(prior({.prior = {1, 3, 0}}), (Vector(3) << 0.25, 0.75, 0.0).finished());
  const Vector smoothed = prior({.class_mass = true});
  EXPECT_DOUBLE_EQ(smoothed[0], 4.0 / 6.0);
  EXPECT_EQ(smoothed[2], 0.0);
}

TEST(ClassMassDecision, RefusesAPriorThatDoesNotFit) {
  const ClassLabels labels{{"a", "b", "c"}, {0, 0, 1, kUnlabeled}};
  const auto refusal = [&](std::vector<double> prior) {
    return message_of<ValueError>([&] { encode_targets(labels, {.prior = std::move(prior)}); });
  };
  EXPECT_TRUE(contains(refusal({0.5, 0.5}), "2 shares for 3 classes")) << refusal({0.5, 0.5});
  EXPECT_TRUE(contains(refusal({0.5, -0.5, 1}), "class 'b' is -0.5"));
  EXPECT_TRUE(contains(refusal({0.5, kNan, 1}), "class 'b' is nan"));
  EXPECT_TRUE(contains(refusal({0.5, 0.3, 0.2}), "class 'c' has no labeled sample"));
  EXPECT_TRUE(contains(refusal({1, 0, 0}), "class 'b' is 0"));
  EXPECT_TRUE(contains(refusal({0, 0, 0}), "class 'a' is 0"));
  const TargetValues targets{{"y"}, Matrix::Ones(3, 1)};
  for (const DecisionOptions& options :
       {DecisionOptions{.class_mass = true}, DecisionOptions{.uniform_prior = true},
        DecisionOptions{.prior = {1.0}}}) {
    const std::string message = message_of<ValueError>([&] { encode_targets(targets, options); });
    EXPECT_TRUE(contains(message, "need classes, but the labels are regression targets"))
        << message;
  }
}

}  // namespace
}  // namespace stkr::decision_test
