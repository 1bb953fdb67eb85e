#include "selection/learned_transform.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "estimator/ridge_unit.hpp"
#include "estimator/variance_components.hpp"
#include "gram_cases.hpp"
#include "runtime/random.hpp"
#include "selection/dictionary_blocks.hpp"
#include "small_problem.hpp"
#include "specification/method_names.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/error.hpp"
#include "stkr/gram/graph_gram.hpp"
#include "stkr/model/fit_model.hpp"
#include "temporary_folder.hpp"
#include "transform/transform_text.hpp"

namespace stkr::learned_transform_test {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

GraphGram block_graph(Index half,
                      GraphNormalization normalization = GraphNormalization::lazy_walk) {
  const Dataset blocks = stochastic_block_model(std::vector<Index>{half, half, half}, 0.2, 0.02, 1);
  return GraphGram(blocks.graph().adjacency, {.normalization = normalization});
}

ClassLabels block_labels(Index half, Index per_class) {
  ClassLabels labels{{"a", "b", "c"}, std::vector<std::int32_t>(3 * half, kUnlabeled)};
  for (Index c = 0; c < 3; ++c) {
    for (Index k = 0; k < per_class; ++k) labels.code[c * half + k] = static_cast<std::int32_t>(c);
  }
  return labels;
}

// Many functions drawn with the kernel of a given s, observed with noise.
EncodedTargets drawn_targets(const GramOperator& gram, const SpectralTransform& s, double noise,
                             Index labels, Index outputs) {
  EncodedTargets targets;
  for (Index i = 0; i < labels; ++i) targets.labeled.push_back(i);
  const auto found = dictionary_blocks(gram, targets.labeled, std::vector{s});
  Eigen::MatrixXd covariance = found.blocks[0];
  covariance.diagonal().array() += noise * ridge_unit(found.blocks[0]);
  Random random(3);
  Eigen::MatrixXd z(labels, outputs);
  for (Index i = 0; i < z.size(); ++i) z.data()[i] = random.normal();
  targets.y = Eigen::LLT<Eigen::MatrixXd>(covariance).matrixL() * z;
  targets.decision = TargetDecision{{}, Vector::Zero(outputs)};
  return targets;
}

TEST(LearnedTransform, RecoversTheShapeOfAPlantedSum) {
  const GraphGram gram = block_graph(60);
  const auto planted = transform_from_text("0.7*power(4) + 0.3*inverse-laplacian(0.99)");
  const EncodedTargets targets = drawn_targets(gram, planted, 0.2, 120, 500);
  const LearnedTransform learned = learn_transform(gram, targets);
  EXPECT_TRUE(learned.converged);
  // Members of the dictionary resemble each other, so the sum is compared as a function.
  // Its value at λ = 1 belongs to constants, which are free and say nothing.
  const double scale = planted(0.7) / learned.transform(0.7);
  for (const double x : {0.3, 0.5, 0.7, 0.9}) {
    EXPECT_NEAR(scale * learned.transform(x), planted(x), 0.1 * planted(x) + 0.01) << x;
  }
  EXPECT_NEAR(learned.ridge, 0.2, 0.05);
  EXPECT_TRUE(learned.transform.validate({0.0, 1.0}).valid());
}

TEST(LearnedTransform, IsASumOfTheDictionaryWithItsM) {
  const GraphGram gram = block_graph(40);
  const LearnedTransform learned = learn_transform(gram, block_labels(40, 8));
  double total = 0.0, slopes = 0.0;
  const auto terms = terms_of(learned.transform);
  ASSERT_EQ(terms.size(), learned.shares.size());
  for (const TransformTerm& term : terms) {
    total += term.weight;
    slopes += term.weight * term.transform.validate({0.0, 1.0}).slope;
  }
  EXPECT_NEAR(total, 1.0, 1e-5);
  EXPECT_GT(learned.slope, 0.0);
  EXPECT_LE(learned.slope, slopes * (1 + 1e-12));
  for (const double share : learned.shares) EXPECT_GE(share, 1e-4);
  EXPECT_GT(learned.products, 0);
  EXPECT_TRUE(learned.warnings.empty());
  // The text repeats it.
  const auto again = transform_from_text(to_text(learned.transform));
  for (const double x : {0.1, 0.5, 1.0}) EXPECT_EQ(again(x), learned.transform(x));
}

TEST(LearnedTransform, FitsAndPredicts) {
  Dataset dataset = stochastic_block_model(std::vector<Index>{60, 60, 60}, 0.2, 0.02, 1);
  const ClassLabels truth = block_labels(60, 60);
  dataset.labels = block_labels(60, 4);
  const GraphGram gram(dataset.graph().adjacency, {.normalization = GraphNormalization::lazy_walk});
  const LearnedTransform learned = learn_transform(gram, dataset.labels);
  Specification spec;
  const Specification with = with_learned_transform(spec, learned);
  EXPECT_EQ(std::get<RelativeRidge>(std::get<StkrSpec>(with.method).ridge).value, learned.ridge);
  const Predictions predictions = fit_model(dataset, with).model.predict();
  Index right = 0;
  for (Index i = 0; i < 180; ++i) right += predictions.class_index[i] == truth.code[i];
  EXPECT_GT(right, 165);
  spec.method = StkrSpec{.learned = true};
  dataset = stochastic_block_model(std::vector<Index>{60, 60, 60}, 0.2, 0.02, 1);
  dataset.labels = block_labels(60, 4);
  EXPECT_THAT(message_of<ValueError>([&] { fit_model(dataset, spec); }),
              HasSubstr("fit_automatic"));
  // A ridge of the user's own stays, and other methods have no transform to learn.
  spec.method = StkrSpec{.learned = true, .ridge = RelativeRidge{0.5}};
  const auto kept = std::get<StkrSpec>(with_learned_transform(spec, learned).method);
  EXPECT_EQ(std::get<RelativeRidge>(kept.ridge).value, 0.5);
  EXPECT_FALSE(kept.learned);
  spec.method = KernelRidgeSpec{};
  EXPECT_THROW(with_learned_transform(spec, learned), ValueError);
}

TEST(LearnedTransform, LeavesOutWhatIsNegativeOnTheSpectrum) {
  const GraphGram gram = block_graph(30, GraphNormalization::symmetric);
  const LearnedTransform learned = learn_transform(gram, block_labels(30, 5));
  ASSERT_EQ(learned.warnings.size(), 1u);
  EXPECT_THAT(learned.warnings[0], HasSubstr("power p=1"));
  for (const TransformTerm& term : terms_of(learned.transform)) {
    EXPECT_GE(term.transform(-0.5), 0.0) << term.transform.describe();
  }
  EXPECT_THAT(message_of<ValueError>([&] {
                learn_transform(gram, block_labels(30, 5),
                                {.dictionary = {SpectralTransform::power(1)}});
              }),
              HasSubstr("add an even power"));
}

TEST(LearnedTransform, IsTheSameForAnyThreadsAndTakesASampleOfManyLabels) {
  const GraphGram gram = block_graph(40);
  const ClassLabels labels = block_labels(40, 20);
  const LearnedTransform one = learn_transform(gram, labels, {}, {.threads = 1});
  const LearnedTransform three = learn_transform(gram, labels, {}, {.threads = 3});
  EXPECT_EQ(to_text(one.transform), to_text(three.transform));
  EXPECT_EQ(one.ridge, three.ridge);
  const LearnedTransform few = learn_transform(gram, labels, {.most_labels = 15}, {.seed = 2});
  EXPECT_EQ(to_text(few.transform),
            to_text(learn_transform(gram, labels, {.most_labels = 15}, {.seed = 2}).transform));
}

TEST(LearnedTransform, IsNearTheDefaultWithOneLabelOfEachClass) {
  const GraphGram gram = block_graph(40);
  const auto shape = [](const SpectralTransform& s, double x) { return s(x) / s(1.0); };
  const auto usual = SpectralTransform::inverse_laplacian(0.99);
  const LearnedTransform few = learn_transform(gram, block_labels(40, 1));
  for (const double x : {0.5, 0.8, 0.95}) {
    EXPECT_NEAR(shape(few.transform, x), shape(usual, x), 0.1) << x;
  }
}

TEST(LearnedTransform, TakesTheFewestLabels) {
  const GraphGram gram = block_graph(20);
  ClassLabels two = block_labels(20, 1);
  two.code[40] = kUnlabeled;
  for (const Labels& labels : {Labels(block_labels(20, 1)), Labels(two)}) {
    const LearnedTransform learned = learn_transform(gram, labels);
    EXPECT_GT(learned.ridge, 0.0);
    EXPECT_TRUE(std::isfinite(learned.log_evidence));
  }
  TargetValues constant{{"y"}, Matrix::Constant(60, 1, 2.0)};
  EXPECT_GT(learn_transform(gram, constant).ridge, 0.0);
}

}  // namespace
}  // namespace stkr::learned_transform_test
