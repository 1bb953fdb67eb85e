#include "stkr/estimator/decision.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "stkr/error.hpp"
#include "stkr/estimator/recipe.hpp"
#include "temporary_folder.hpp"

namespace stkr {
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

TEST(EncodeTargets, MakesOneRowPerLabelledSampleWithAOneInItsClass) {
  const ClassLabels labels{{"a", "b", "c"}, {2, kUnlabeled, 0, 2, kUnlabeled}};
  const EncodedTargets encoded = encode_targets(labels);
  EXPECT_EQ(encoded.labeled, (std::vector<Index>{0, 2, 3}));
  Matrix expected = Matrix::Zero(3, 3);
  expected(0, 2) = expected(1, 0) = expected(2, 2) = 1.0;
  EXPECT_EQ(encoded.y, expected);
  const auto& decision = std::get<ClassDecision>(encoded.decision);
  EXPECT_EQ(decision.names, labels.names);
  EXPECT_DOUBLE_EQ(decision.prior[0], 1.0 / 3.0);
  EXPECT_EQ(decision.prior[1], 0.0);  // known by name, met nowhere
  EXPECT_DOUBLE_EQ(decision.prior[2], 2.0 / 3.0);
}

TEST(EncodeTargets, TakesOffTheMeanOfTheLabelledTargetsOnly) {
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
  const EncodedTargets encoded = encode_targets(targets, false);
  EXPECT_EQ(encoded.y, (Matrix(2, 1) << 1, 5).finished());
  EXPECT_EQ(std::get<TargetDecision>(encoded.decision).mean[0], 0.0);
}

TEST(EncodeTargets, NeedsALabelledSample) {
  const ClassLabels nobody{{"a", "b"}, {kUnlabeled, kUnlabeled}};
  const TargetValues nothing{{"y"}, Matrix::Constant(3, 1, kNan)};
  for (const Labels& labels : {Labels(), Labels(nobody), Labels(nothing)}) {
    const std::string message = message_of<ValueError>([&] { encode_targets(labels); });
    EXPECT_TRUE(contains(message, "no labelled sample")) << message;
  }
}

TEST(EncodeTargets, NeedsTwoClassesAmongTheLabelledSamples) {
  const ClassLabels labels{{"cat", "dog"}, {1, kUnlabeled, 1}};
  const std::string message = message_of<ValueError>([&] { encode_targets(labels); });
  EXPECT_TRUE(contains(message, "all 2 labelled samples are of class 'dog'")) << message;
  EXPECT_TRUE(contains(message, "cat, dog")) << message;
}

TEST(Decide, TakesTheLargestScoreEvenIfAllAreNegative) {
  const Decision decision = ClassDecision{{"a", "b", "c"}, Vector::Constant(3, 1.0 / 3)};
  const Predictions made = decide(decision, row_of({-3, -1, -2}), 1e-9);
  EXPECT_EQ(made.class_index[0], 1);
  EXPECT_EQ(made.evidence[0], 1);
  EXPECT_EQ(made.scores, row_of({-3, -1, -2}));
}

TEST(Decide, AnswersTheMostFrequentClassWhereThereIsNoEvidence) {
  const Decision decision = ClassDecision{{"a", "b", "c"}, (Vector(3) << 0.2, 0.5, 0.3).finished()};
  Matrix f(3, 3);
  f << 0, 0, 0, 1e-12, -1e-12, 0, 0, 0, 1e-3;
  const Predictions made = decide(decision, f, 1e-10);
  EXPECT_EQ(made.class_index, (std::vector<Index>{1, 1, 2}));
  EXPECT_EQ(made.evidence, (std::vector<char>{0, 0, 1}));
  EXPECT_EQ(made.scores.topRows(2), Matrix::Zero(2, 3)) << "rounding is not a score";
}

TEST(Decide, AddsTheMeanToEveryTarget) {
  const Decision decision = TargetDecision{{"y", "z"}, (Vector(2) << 10, 20).finished()};
  Matrix f(2, 2);
  f << 1, -2, 0, 0;
  const Predictions made = decide(decision, f, 1e-10);
  EXPECT_EQ(made.scores, (Matrix(2, 2) << 11, 18, 10, 20).finished());
  EXPECT_EQ(made.evidence, (std::vector<char>{1, 0}));
  EXPECT_TRUE(made.class_index.empty());
}

TEST(Decide, TakesNoSamplesAtAll) {
  const Decision decision = ClassDecision{{"a", "b"}, Vector::Constant(2, 0.5)};
  const Predictions made = decide(decision, Matrix(0, 2), 0.0);
  EXPECT_EQ(made.scores.rows(), 0);
  EXPECT_TRUE(made.class_index.empty());
}

TEST(Decide, ScalesTheEvidenceFloorWithTheFittedValues) {
  EXPECT_EQ(evidence_floor(Matrix(0, 2)), 0.0);
  EXPECT_EQ(evidence_floor(Matrix::Zero(4, 2)), 0.0);
  const Matrix fitted = row_of({-3e-20, 1e-21});
  EXPECT_LT(evidence_floor(fitted), 1e-28);
  EXPECT_GT(evidence_floor(fitted), 1e-36);
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

// Two new nodes: one joined to node 0, one to nobody.
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

TEST(Decide, GivesNodesWithoutEdgesTheMeanOfTheTargets) {
  TargetValues targets{{"y"}, Matrix(5, 1)};
  targets.values << 1, kNan, 3, 8, kNan;
  Dataset dataset = path_and_isolated(targets);
  const Model model = fit_model(dataset, {}).model;
  EXPECT_EQ(model.predict().scores(4, 0), 4.0);
  const Predictions fresh = model.predict(joined_and_isolated());
  EXPECT_EQ(fresh.evidence, (std::vector<char>{1, 0}));
  EXPECT_EQ(fresh.scores(1, 0), 4.0);
}

}  // namespace
}  // namespace stkr
