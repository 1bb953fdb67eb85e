#include "stkr/model/fit_model.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "handle_backend.hpp"
#include "model/few_labels.hpp"
#include "named_specification.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::fit_model_test {
namespace {

using testing::blocks;
using testing::choice;
using testing::contains;
using testing::message_of;
using testing::method;
using testing::moons;
using testing::named;

Dataset precomputed() {
  Dataset dataset = moons();
  const Matrix x = dataset.points().values.matrix();
  Matrix k(x.rows(), x.rows());
  for (Index i = 0; i < k.rows(); ++i) {
    for (Index j = 0; j < k.cols(); ++j) {
      k(i, j) = std::exp(-8.0 * (x.row(i) - x.row(j)).squaredNorm());
    }
  }
  dataset.samples = PrecomputedKernel{std::move(k)};
  return dataset;
}

double hidden_accuracy(const Dataset& dataset, const Model& model) {
  const auto& truth = std::get<ClassLabels>(dataset.truth).code;
  const Predictions made = model.predict();
  Index right = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) right += made.class_index[i] == truth[i];
  return static_cast<double>(right) / static_cast<double>(truth.size());
}

void expect_refused(Dataset dataset, const Specification& spec, const std::string& mentions) {
  const std::string message = message_of<ValueError>([&] { fit_model(dataset, spec); });
  EXPECT_TRUE(contains(message, mentions)) << "expected '" << mentions << "' in: " << message;
}

// The same if the options may be refused before the fit.
void expect_refused(Dataset dataset, const MethodOptions& options, const std::string& mentions) {
  const std::string message = message_of<ValueError>([&] { fit_model(dataset, method(options)); });
  EXPECT_TRUE(contains(message, mentions)) << "expected '" << mentions << "' in: " << message;
}

TEST(FitModel, DescribesItsDefaultsForPoints) {
  Dataset dataset = moons();
  const FittedModel result = fit_model(dataset, {});
  EXPECT_TRUE(contains(choice(result, "kernel").value, "rbf(length_scale="));
  EXPECT_TRUE(contains(choice(result, "kernel").value, "degree-normalized"));
  EXPECT_TRUE(contains(choice(result, "kernel").why, "default for points"));
  EXPECT_TRUE(
      contains(choice(result, "kernel").why, "half of the median distance to the 10th neighbor"));
  EXPECT_TRUE(contains(choice(result, "transform").value, "inverse-laplacian eta=0.99"));
  EXPECT_TRUE(contains(choice(result, "transform").why, "default transform"));
  EXPECT_TRUE(contains(choice(result, "transform").why, "lambda_1"));
  EXPECT_TRUE(contains(choice(result, "ridge").value, "0.1 of the mean diagonal, beta = "));
  EXPECT_EQ(choice(result, "ridge").why, "default");
  EXPECT_GT(hidden_accuracy(dataset, result.model), 0.95);
}

// Regression: the length scale spans ten labels, and the ridge is chosen.
TEST(FitModel, DescribesItsDefaultsForNumbers) {
  Dataset dataset = swiss_roll(200, 0.1, 3);
  std::vector<Index> labeled;
  for (Index i = 0; i < 200; i += 5) labeled.push_back(i);
  keep_only(dataset.labels, labeled);
  const Matrix x = dataset.points().values.matrix();
  std::vector<double> tenth;
  for (Index i = 0; i < 200; ++i) {
    std::vector<double> distances;
    for (const Index j : labeled) {
      if (j != i) distances.push_back((x.row(i) - x.row(j)).norm());
    }
    std::sort(distances.begin(), distances.end());
    tenth.push_back(distances[9]);
  }
  std::sort(tenth.begin(), tenth.end());
  const FittedModel result = fit_model(dataset, {});
  EXPECT_TRUE(
      contains(choice(result, "kernel").value, fmt::format("length_scale={:.4g}", tenth[100])))
      << choice(result, "kernel").value << " " << tenth[100];
  EXPECT_TRUE(contains(choice(result, "kernel").why, "10th labeled neighbor"));
  EXPECT_EQ(choice(result, "ridge").why, "chosen by leave-one-out squared error");
}

TEST(FitModel, TakesARidgeOrABeta) {
  Dataset dataset = moons();
  EXPECT_TRUE(contains(choice(fit_model(dataset, method({.ridge = 0.5})), "ridge").value,
                       "0.5 of the mean"));
  Dataset again = moons();
  EXPECT_EQ(choice(fit_model(again, method({.beta = 0.1})), "beta").value, "0.1");
}

TEST(FitModel, DescribesItsDefaultsForGraphs) {
  Dataset dataset = blocks();
  const FittedModel result = fit_model(dataset, {});
  EXPECT_EQ(choice(result, "kernel").value, "graph, lazy-walk normalization");
  EXPECT_EQ(choice(result, "kernel").why, "default for graphs: positive semidefinite");
  EXPECT_TRUE(contains(choice(result, "transform").value, "eta=0.99"));
  EXPECT_GT(hidden_accuracy(dataset, result.model), 0.95);
}

TEST(FitModel, WarnsOfWhatTheDeviceLeavesToTheHost) {
  const auto warned = [](Dataset dataset) {
    const FittedModel result = fit_model(dataset, {}, {.device = handle::test_device()});
    return std::any_of(
        result.summary.warnings.begin(), result.summary.warnings.end(),
        [](const std::string& text) { return contains(text, "leaves to the host"); });
  };
  EXPECT_TRUE(warned(precomputed()));
  EXPECT_FALSE(warned(moons()));
}

TEST(FitModel, GivesNoReasonForWhatItWasTold) {
  Dataset dataset = moons();
  Specification spec;
  spec.kernel = Kernel::matern32(0.5);
  spec.method =
      StkrSpec{.transform = SpectralTransform::inverse_laplacian(0.9), .ridge = PaperBeta{0.25}};
  const FittedModel result = fit_model(dataset, spec);
  for (const Choice& each : result.choices) EXPECT_EQ(each.why, "") << each.what;
  EXPECT_EQ(choice(result, "beta").value, "0.25");
  EXPECT_EQ(result.model.info().beta, 0.25);
}

TEST(FitModel, SaysHowFarSinglePrecisionIsOff) {
  Dataset dataset = moons();
  Specification spec;
  spec.precision = Precision::single;
  const FittedModel result = fit_model(dataset, spec);
  const std::string precision = choice(result, "precision").value;
  EXPECT_TRUE(contains(precision, "single: products off by ")) << precision;
  EXPECT_TRUE(contains(precision, "e-0")) << precision;
  EXPECT_TRUE(contains(precision, " relative on 64 sampled rows")) << precision;
  EXPECT_TRUE(contains(result.model.info().kernel, "rbf(")) << result.model.info().kernel;
}

TEST(FitModel, ShortensTheNumbersItShows) {
  Dataset dataset = moons();
  const std::string kernel = choice(fit_model(dataset, {}), "kernel").value;
  const std::size_t from = kernel.find('=') + 1;
  EXPECT_LE(kernel.find(')') - from, 7u) << kernel;
}

TEST(FitModel, FitsEveryTransform) {
  for (const SpectralTransform& s :
       {SpectralTransform::inverse_laplacian(0.9), SpectralTransform::power(4),
        SpectralTransform::polynomial({1.0, 0.5}), SpectralTransform::reciprocal({1.0, -0.5}, 1),
        SpectralTransform::diffusion(2.0), SpectralTransform::truncation(5)}) {
    SCOPED_TRACE(s.describe());
    Specification spec;
    spec.method = StkrSpec{.transform = s};
    for (Dataset dataset : {moons(), blocks(), precomputed()}) {
      if (dataset.kind() == DatasetKind::kernel && s.name() == "inverse-laplacian") {
        spec.method = StkrSpec{};  // λ₁ of an explicit kernel is not 1
      }
      const FittedModel result = fit_model(dataset, spec);
      EXPECT_TRUE(result.summary.solve.converged());
      EXPECT_TRUE(choice(result, "transform").value.starts_with(s.name()));
      EXPECT_GT(hidden_accuracy(dataset, result.model), 0.8);
    }
  }
}

TEST(FitModel, FitsEveryMethod) {
  for (const MethodSpec& one :
       {MethodSpec(StkrSpec{}), MethodSpec(KernelPcaSpec{}), MethodSpec(KernelRidgeSpec{}),
        MethodSpec(LabelPropagationSpec{})}) {
    SCOPED_TRACE(name_of(one));
    for (Dataset dataset : {moons(), blocks(), precomputed()}) {
      Specification spec;
      spec.method = one;
      const FittedModel result = fit_model(dataset, spec);
      EXPECT_EQ(result.model.info().method, name_of(one));
      EXPECT_GT(hidden_accuracy(dataset, result.model), 0.6);
    }
  }
}

TEST(FitModel, BuildsEveryKernel) {
  for (const std::string& name : point_kernel_names()) {
    SCOPED_TRACE(name);
    Dataset dataset = moons();
    const FittedModel result = fit_model(dataset, named({.name = name}, {.power = 2}));
    EXPECT_TRUE(choice(result, "kernel").value.starts_with(name));
  }
  for (const std::string& name : graph_kernel_names()) {
    SCOPED_TRACE(name);
    Dataset dataset = blocks();
    Specification spec = named({.name = name});
    spec.center = true;
    const std::string kernel = choice(fit_model(dataset, spec), "kernel").value;
    EXPECT_TRUE(contains(kernel, name)) << kernel;
    EXPECT_TRUE(contains(kernel, "centered")) << kernel;
  }
}

TEST(FitModel, RefusesAKernelOfAnotherKindOfData) {
  expect_refused(blocks(), named({.name = "rbf"}), "'rbf' does not apply to a graph");
  expect_refused(precomputed(), named({.name = "rbf"}),
                 "'rbf' does not apply to a precomputed kernel");
  expect_refused(moons(), named({.name = "symmetric"}), "'symmetric' does not apply to points");
  expect_refused(moons(), named({.name = "precomputed"}), "'precomputed' does not apply to points");
  expect_refused(blocks(), named({.length_scale = LengthScale{0.5}}),
                 "a length scale does not apply to a graph");
  expect_refused(moons(), named({.self_loops = true}), "self-loops does not apply to points");
  Specification single;
  single.precision = Precision::single;
  expect_refused(blocks(), single, "single precision does not apply to kernel lazy-walk");
  single.kernel = NeighborGraphSpec{};
  expect_refused(moons(), single, "neighbors are always searched in it");
}

TEST(FitModel, RefusesParametersOutOfRange) {
  expect_refused(moons(), MethodOptions{.beta = 0.0}, "beta = 0");
  expect_refused(blocks(), MethodOptions{.eta = 1.0}, "eta");
  expect_refused(blocks(), MethodOptions{.method = "label-propagation", .eta = 1.0}, "eta");
  expect_refused(blocks(), MethodOptions{.method = "kernel-pca", .dimension = 5000}, "5000");
  expect_refused(blocks(), MethodOptions{.transform = "truncation", .dimension = 5000}, "5000");
  Specification spec;
  spec.method = StkrSpec{.tolerance = 0.0};
  expect_refused(moons(), spec, "tolerance = 0");
}

TEST(FitModel, RefusesAGraphWithoutEdges) {
  Dataset dataset;
  dataset.samples = Graph{csr_from_triplets(4, 4, {}), {}};
  dataset.labels = ClassLabels{{"a", "b"}, {0, 1, kUnlabeled, kUnlabeled}};
  expect_refused(dataset, Specification{}, "nothing to learn from");
}

TEST(FitModel, KeepsTheSameFingerprintForTheSameData) {
  Dataset a = moons(), b = moons(), c = moons();
  c.samples = Points{c.points().values.matrix().array() + 1.0, {}};
  const std::string first = fit_model(a, {}).model.info().data_fingerprint;
  EXPECT_EQ(fit_model(b, {}).model.info().data_fingerprint, first);
  EXPECT_NE(fit_model(c, {}).model.info().data_fingerprint, first);
}

TEST(FitModel, TakesAFunctionForATransform) {
  Dataset one = moons(), two = moons();
  Specification spec;
  spec.method = StkrSpec{.transform = SpectralTransform::callable(
                             "square", [](double lambda) { return lambda * lambda; })};
  const FittedModel own = fit_model(one, spec);
  const FittedModel power = fit_model(two, method({.power = 2.0}));
  EXPECT_TRUE(contains(choice(own, "transform").value, "square"));
  EXPECT_LT((own.model.fitted() - power.model.fitted()).norm(), 1e-6 * power.model.fitted().norm());
}

TEST(FitModel, UsesPointsInSinglePrecisionAsTheyAre) {
  Dataset wide = moons(), narrow = moons();
  const auto& points = std::get<Points>(narrow.samples);
  auto kept = std::make_shared<const MatrixF>(points.values.matrix().cast<float>());
  narrow.samples = Points{SharedMatrix(kept->data(), kept->rows(), kept->cols(), kept), {}};
  for (const char* kernel : {"rbf", "knn"}) {
    Dataset a = wide, b = narrow;
    const Specification spec = named({.name = kernel});
    const FittedModel exact = fit_model(a, spec), single = fit_model(b, spec);
    EXPECT_GT(kept.use_count(), 1);  // the data set still shares it
    EXPECT_LT((exact.model.fitted() - single.model.fitted()).norm(),
              1e-3 * exact.model.fitted().norm())
        << kernel;
  }
}

TEST(FitModel, FitsAGramOfYourOwnAndKeepsAnEmbedding) {
  Dataset dataset = moons(), again = moons();
  Specification spec;
  spec.embedding = 3;
  const FittedModel whole = fit_model(dataset, spec);
  ModelInfo info;
  info.samples = "points";
  const FittedModel parts =
      fit_prepared(prepare_gram(again, spec), again.labels, spec, {}, {}, std::move(info));
  EXPECT_EQ(whole.model.fitted(), parts.model.fitted());
  EXPECT_EQ(parts.model.info().samples, "points");
  ASSERT_TRUE(whole.embedding && parts.embedding);
  EXPECT_EQ(whole.embedding->coefficients, parts.embedding->coefficients);
  // At the samples, passed as new ones, the functions equal the fitted ones.
  const Dataset points = moons();
  const NewSamples as_new{points.points().values.matrix()};
  const Matrix psi =
      whole.model.kernel_product(as_new, whole.embedding->coefficients, whole.embedding->values);
  EXPECT_LT((psi.transpose() * psi / 200.0 - Matrix::Identity(3, 3)).norm(), 1e-7);
}

}  // namespace
}  // namespace stkr::fit_model_test
