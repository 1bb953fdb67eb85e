#include "stkr/model/model.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "estimator/label_propagation.hpp"
#include "gram_cases.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/stkr.hpp"
#include "temporary_folder.hpp"

namespace stkr::model_test {
namespace {

using namespace cases;
using testing::content_of;
using testing::FullDisk;
using testing::message_of;
using testing::TemporaryFolder;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

ModelInfo some_info() {
  ModelInfo info;
  info.version = "0.1.0";
  info.method = "stkr";
  info.transform = "power p=2";
  info.kernel = "rbf \"quoted\", λ";
  info.solver = "direct";
  info.stop_reason = "converged";
  info.residual = 1.0 / 3.0;
  info.iterations = 7;
  info.beta = 0.1;
  info.labeled = 6;
  info.data_fingerprint = "crc64:0123456789abcdef";
  info.samples = "points";
  return info;
}

Model fitted_model(std::unique_ptr<GramOperator> gram, Decision decision, Matrix y) {
  const std::vector<Index> labeled{0, 3, 7, 11, 16, 21};
  StkrOptions options;
  options.transform = SpectralTransform::power(2);
  options.beta = 0.1;
  Fit fit = fit_stkr(*gram, labeled, y, options);
  return Model(gram->cross_kernel(), std::move(fit), std::move(decision), some_info());
}

Model class_model(std::unique_ptr<GramOperator> gram) {
  Matrix y = Matrix::Zero(6, 3);
  for (Index i = 0; i < 6; ++i) y(i, i % 3) = 1.0;
  const ClassDecision decision{{"a, b", "ä", ""}, (Vector(3) << 0.1, 1.0 / 3, 0.7).finished()};
  return fitted_model(std::move(gram), decision, y);
}

void expect_same_bits(const Matrix& a, const Matrix& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  if (a.size() == 0) return;
  EXPECT_EQ(std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())),
            0);
}

// A device may round differently from the host.
void expect_same(const Predictions& a, const Predictions& b, const Device& device = {}) {
  if (device.backend()) {
    EXPECT_LT((a.scores - b.scores).norm(), 1e-10 * b.scores.norm());
  } else {
    expect_same_bits(a.scores, b.scores);
  }
  EXPECT_EQ(a.evidence, b.evidence);
  EXPECT_EQ(a.class_index, b.class_index);
}

// Saves, loads, and compares everything bit for bit.
void expect_round_trip(const Model& model, const std::function<NewSamples()>& fresh,
                       const Device& device = {}) {
  const TemporaryFolder folder;
  model.save(folder / "model.npz");
  const Model loaded = Model::load(folder / "model.npz");
  expect_same_bits(loaded.coefficients(), model.coefficients());
  expect_same_bits(loaded.fitted(), model.fitted());
  expect_same(loaded.predict(), model.predict());
  if (fresh) expect_same(loaded.predict(fresh()), model.predict(fresh()), device);
  loaded.save(folder / "again.npz");
  EXPECT_EQ(content_of(folder / "again.npz"), content_of(folder / "model.npz"));
}

class ModelOfEveryGram : public ::testing::TestWithParam<GramCase> {};

TEST_P(ModelOfEveryGram, IsTheSameAfterSavingAndLoading) {
  expect_round_trip(class_model(GetParam().make(2)), GetParam().as_new, GetParam().device);
}

INSTANTIATE_TEST_SUITE_P(Model, ModelOfEveryGram, ::testing::ValuesIn(gram_cases()), CaseName());

NewSamples new_edges() { return {csr_from_triplets(3, kSamples, {{0, 2, 1.5}, {2, 22, 1.0}})}; }

TEST(Model, RoundTripsWhatTheCasesLeaveOut) {
  const Matrix x = random_matrix(kSamples, 3, 11);
  const Matrix fresh = random_matrix(50, 3, 12);
  const auto points = [&] { return NewSamples{fresh}; };
  const auto single = [&] {
    return std::make_unique<PointGram<float>>(x.cast<float>(), Kernel::matern52(1.3), 0);
  };
  expect_round_trip(class_model(single()), points);
  expect_round_trip(class_model(std::make_unique<NormalizedGram>(single())), points);
  expect_round_trip(
      class_model(std::make_unique<CenteredGram>(std::make_unique<NormalizedGram>(single()))),
      points);
  using enum GraphNormalization;
  for (const auto normalization : {symmetric, probability, lazy_walk, adjacency}) {
    for (const bool loops : {false, true}) {
      expect_round_trip(
          class_model(std::make_unique<GraphGram>(
              to_csr(two_component_graph(kSamples, 5)),
              GraphGramOptions{.normalization = normalization, .add_self_loops = loops})),
          new_edges);
    }
  }
}

TEST(Model, KeepsTargetsAndInformation) {
  const TemporaryFolder folder;
  const TargetDecision decision{{"height", "mass"}, (Vector(2) << 1.0 / 3, -7e-300).finished()};
  const Model model = fitted_model(gram_cases()[0].make(1), decision, random_matrix(6, 2, 3));
  model.save(folder / "m");
  const Model loaded = Model::load(folder / "m");
  const auto& found = std::get<TargetDecision>(loaded.decision());
  EXPECT_EQ(found.names, decision.names);
  EXPECT_EQ(found.mean, decision.mean);
  const ModelInfo expected = some_info();
  const ModelInfo& info = loaded.info();
  EXPECT_EQ(info.version, expected.version);
  EXPECT_EQ(info.method, expected.method);
  EXPECT_EQ(info.transform, expected.transform);
  EXPECT_EQ(info.kernel, expected.kernel);
  EXPECT_EQ(info.solver, expected.solver);
  EXPECT_EQ(info.stop_reason, expected.stop_reason);
  EXPECT_EQ(info.residual, expected.residual);
  EXPECT_EQ(info.iterations, expected.iterations);
  EXPECT_EQ(info.beta, expected.beta);
  EXPECT_EQ(info.labeled, expected.labeled);
  EXPECT_EQ(info.data_fingerprint, expected.data_fingerprint);
  EXPECT_EQ(info.samples, expected.samples);
}

TEST(Model, KeepsClassNamesAndPrior) {
  const TemporaryFolder folder;
  const Model model = class_model(gram_cases()[0].make(1));
  model.save(folder / "m");
  const Model loaded = Model::load(folder / "m");
  const auto& before = std::get<ClassDecision>(model.decision());
  const auto& after = std::get<ClassDecision>(loaded.decision());
  EXPECT_EQ(after.names, before.names);
  EXPECT_EQ(after.prior, before.prior);
}

TEST(Model, RefusesPartsThatDoNotAgree) {
  const Decision two = ClassDecision{{"a", "b"}, Vector::Constant(2, 0.5)};
  const auto build = [&](Index coefficients, Index fitted, Index outputs) {
    Fit fit;
    fit.coefficients = Matrix::Zero(coefficients, outputs);
    fit.fitted = Matrix::Zero(fitted, outputs);
    return Model(gram_cases()[0].make(1)->cross_kernel(), std::move(fit), two, {});
  };
  EXPECT_NO_THROW(build(kSamples, kSamples, 2));
  EXPECT_THROW(build(kSamples - 1, kSamples - 1, 2), ShapeError);
  EXPECT_THROW(build(kSamples, kSamples - 1, 2), ShapeError);
  EXPECT_THROW(build(kSamples, kSamples, 3), ShapeError);
}

TEST(Model, NamesBothNumbersOfFeatures) {
  const Model model = class_model(gram_cases()[0].make(1));
  const std::string message =
      message_of<ShapeError>([&] { model.predict(NewSamples{random_matrix(2, 5, 1)}); });
  EXPECT_TRUE(contains(message, "5 features")) << message;
  EXPECT_TRUE(contains(message, "3")) << message;
}

TEST(Model, NamesBothNumbersOfNodes) {
  const Model model = class_model(gram_cases()[5].make(1));
  const std::string message = message_of<ShapeError>([&] {
    model.predict(NewSamples{csr_from_triplets(1, 30, {{0, 29, 1.0}})});
  });
  EXPECT_TRUE(contains(message, "1 x 30")) << message;
  EXPECT_TRUE(contains(message, "24 known nodes")) << message;
}

TEST(Model, RefusesNewSamplesOfAnotherKindOrWithBadValues) {
  const Model points = class_model(gram_cases()[0].make(1));
  const Model graph = class_model(gram_cases()[5].make(1));
  EXPECT_THROW(points.predict(new_edges()), ShapeError);
  EXPECT_THROW(graph.predict(NewSamples{random_matrix(2, 3, 1)}), ValueError);
  Matrix bad = random_matrix(2, 3, 1);
  bad(1, 2) = std::nan("");
  EXPECT_THROW(points.predict(NewSamples{bad}), ValueError);
  CsrMatrix edges = std::get<CsrMatrix>(new_edges().data);
  edges.column[0] = kSamples;  // an unknown node
  EXPECT_THROW(graph.predict(NewSamples{edges}), ValueError);
  edges.column[0] = 2;
  edges.value[0] = -1.0;
  EXPECT_THROW(graph.predict(NewSamples{edges}), ValueError);
}

TEST(Model, PredictsForNoNewSampleAtAll) {
  const Model model = class_model(gram_cases()[0].make(1));
  EXPECT_EQ(model.predict(NewSamples{Matrix(0, 3)}).scores.rows(), 0);
}

TEST(Model, AFailedSaveLeavesTheOldModelIntact) {
  const TemporaryFolder folder;
  const Model model = class_model(gram_cases()[0].make(1));
  model.save(folder / "m.npz");
  const std::string before = content_of(folder / "m.npz");
  const Model other = class_model(gram_cases()[1].make(1));
  for (const rlim_t limit : {0u, 100u, 1000u, 3000u}) {
    const FullDisk full(limit);
    EXPECT_THROW(other.save(folder / "m.npz"), WriteError) << limit;
    EXPECT_EQ(folder.file_count(), 1u) << limit;
  }
  EXPECT_EQ(content_of(folder / "m.npz"), before);
  EXPECT_THROW(other.save(folder / "absent/m.npz"), WriteError);
  EXPECT_THROW(other.save(folder / ""), WriteError);
  EXPECT_EQ(folder.file_count(), 1u);
}

}  // namespace
}  // namespace stkr::model_test
