#include "stkr/model/fit_model.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "kernel/bandwidth.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr {
namespace {

using testing::message_of;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Dataset with_few_labels(Dataset dataset) {
  dataset.truth = dataset.labels;
  keep_only(dataset.labels, labeled_per_class(std::get<ClassLabels>(dataset.labels), 5, 1));
  return dataset;
}

Dataset moons() { return with_few_labels(two_moons(200, 0.08, 1)); }

Dataset blocks() {
  return with_few_labels(stochastic_block_model(std::vector<Index>{60, 60}, 0.3, 0.02, 1));
}

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

Choice choice(const RecipeResult& result, const std::string& what) {
  for (const Choice& each : result.choices) {
    if (each.what == what) return each;
  }
  ADD_FAILURE() << "no choice of " << what;
  return {};
}

void expect_refused(Dataset dataset, const Recipe& recipe, const std::string& mentions) {
  const std::string message = message_of<ValueError>([&] { fit_model(dataset, recipe); });
  EXPECT_TRUE(contains(message, mentions)) << "expected '" << mentions << "' in: " << message;
}

TEST(Recipe, DescribesItsDefaultsForPoints) {
  Dataset dataset = moons();
  const RecipeResult result = fit_model(dataset, {});
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
TEST(Recipe, DescribesItsDefaultsForNumbers) {
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
  const RecipeResult result = fit_model(dataset, {});
  EXPECT_TRUE(
      contains(choice(result, "kernel").value, fmt::format("length_scale={:.4g}", tenth[100])))
      << choice(result, "kernel").value << " " << tenth[100];
  EXPECT_TRUE(contains(choice(result, "kernel").why, "10th labeled neighbor"));
  EXPECT_EQ(choice(result, "ridge").why, "chosen by leave-one-out squared error");
}

TEST(Recipe, TakesARidgeOrABetaButNotBoth) {
  Recipe recipe;
  recipe.ridge = 0.5;
  Dataset dataset = moons();
  EXPECT_TRUE(contains(choice(fit_model(dataset, recipe), "ridge").value, "0.5 of the mean"));
  recipe.beta = 0.1;
  expect_refused(moons(), recipe, "give one of them");
}

TEST(Recipe, DescribesItsDefaultsForGraphs) {
  Dataset dataset = blocks();
  const RecipeResult result = fit_model(dataset, {});
  EXPECT_EQ(choice(result, "kernel").value, "graph, lazy-walk normalization");
  EXPECT_EQ(choice(result, "kernel").why, "default for graphs: positive semidefinite");
  EXPECT_TRUE(contains(choice(result, "transform").value, "eta=0.99"));
  EXPECT_GT(hidden_accuracy(dataset, result.model), 0.95);
}

TEST(Recipe, GivesNoReasonForWhatItWasTold) {
  Dataset dataset = moons();
  Recipe recipe;
  recipe.kernel = "matern32";
  recipe.length_scale = 0.5;
  recipe.transform = "inverse-laplacian";
  recipe.eta = 0.9;
  recipe.beta = 0.25;
  const RecipeResult result = fit_model(dataset, recipe);
  for (const Choice& each : result.choices) EXPECT_EQ(each.why, "") << each.what;
  EXPECT_EQ(choice(result, "beta").value, "0.25");
  EXPECT_EQ(result.model.info().beta, 0.25);
}

TEST(Recipe, ScalesTheDefaultLength) {
  for (const char* name : {"rbf", "laplacian", "epsilon_neighbor"}) {
    SCOPED_TRACE(name);
    const auto kernel_of = [&](double factor, std::optional<double> distance) {
      Dataset dataset = moons();
      Recipe recipe;
      recipe.kernel = name;
      recipe.scale_factor = factor;
      recipe.known_distance = distance;
      return prepare_gram(dataset, recipe);
    };
    const double distance = neighbor_distance(moons().points(), moons().labels);
    EXPECT_EQ(kernel_of(1.0, {}).description, kernel_of(1.0, distance).description);
    EXPECT_EQ(kernel_of(2.0, {}).description, kernel_of(1.0, 2.0 * distance).description);
    EXPECT_NE(kernel_of(2.0, {}).description, kernel_of(1.0, {}).description);
    EXPECT_TRUE(contains(kernel_of(2.0, {}).choices[0].why, "times 2"));
  }
}

TEST(Recipe, TakesTheMedianDistanceAsLengthScale) {
  Dataset dataset = moons();
  const double median = median_distance(dataset.points().values, 1);
  Recipe recipe;
  recipe.median_scale = true;
  const PreparedGram by_name = prepare_gram(dataset, recipe);
  EXPECT_TRUE(contains(by_name.choices[0].why, "the median distance between points"));
  Dataset again = moons();
  Recipe given;
  given.length_scale = median;
  EXPECT_EQ(by_name.description, prepare_gram(again, given).description);
  recipe.kernel = "linear";
  Dataset linear = moons();
  EXPECT_THROW(prepare_gram(linear, recipe), ValueError);
}

TEST(Recipe, SaysHowFarSinglePrecisionIsOff) {
  Dataset dataset = moons();
  Recipe recipe;
  recipe.single_precision = true;
  const RecipeResult result = fit_model(dataset, recipe);
  const std::string precision = choice(result, "precision").value;
  EXPECT_TRUE(contains(precision, "single: products off by ")) << precision;
  EXPECT_TRUE(contains(precision, "e-0")) << precision;
  EXPECT_TRUE(contains(precision, " relative on 64 sampled rows")) << precision;
  EXPECT_TRUE(contains(result.model.info().kernel, "rbf(")) << result.model.info().kernel;
}

TEST(Recipe, ShortensTheNumbersItShows) {
  Dataset dataset = moons();
  const std::string kernel = choice(fit_model(dataset, {}), "kernel").value;
  const std::size_t from = kernel.find('=') + 1;
  EXPECT_LE(kernel.find(')') - from, 7u) << kernel;
}

TEST(Recipe, FitsEveryTransformByName) {
  Recipe base;
  base.power = 4;
  base.time = 2.0;
  base.dimension = 5;
  base.coefficients = {1.0, 0.5};
  for (const char* name :
       {"inverse-laplacian", "power", "polynomial", "reciprocal", "diffusion", "truncation"}) {
    SCOPED_TRACE(name);
    Recipe recipe = base;
    recipe.transform = name;
    for (Dataset dataset : {moons(), blocks(), precomputed()}) {
      if (std::string(name) == "reciprocal") recipe.coefficients = {1.0, -0.5};
      const RecipeResult result = fit_model(dataset, recipe);
      EXPECT_TRUE(result.summary.solve.converged());
      EXPECT_TRUE(choice(result, "transform").value.starts_with(name));
      EXPECT_GT(hidden_accuracy(dataset, result.model), 0.8);
    }
  }
}

TEST(Recipe, FitsEveryMethod) {
  for (const Method method :
       {Method::stkr, Method::kernel_pca, Method::kernel_ridge, Method::label_propagation}) {
    SCOPED_TRACE(to_string(method));
    for (Dataset dataset : {moons(), blocks(), precomputed()}) {
      Recipe recipe;
      recipe.method = method;
      const RecipeResult result = fit_model(dataset, recipe);
      EXPECT_EQ(result.model.info().method, to_string(method));
      EXPECT_GT(hidden_accuracy(dataset, result.model), 0.6);
    }
  }
}

TEST(Recipe, BuildsEveryKernelByName) {
  for (const char* name : {"rbf", "laplacian", "matern12", "matern32", "matern52", "cosine",
                           "linear", "polynomial", "epsilon_neighbor"}) {
    SCOPED_TRACE(name);
    Dataset dataset = moons();
    Recipe recipe;
    recipe.kernel = name;
    recipe.power = 2;
    recipe.transform = "power";
    EXPECT_TRUE(choice(fit_model(dataset, recipe), "kernel").value.starts_with(name));
  }
  for (const char* name : {"symmetric", "probability", "lazy-walk", "adjacency"}) {
    SCOPED_TRACE(name);
    Dataset dataset = blocks();
    Recipe recipe;
    recipe.kernel = name;
    recipe.center = true;
    const std::string kernel = choice(fit_model(dataset, recipe), "kernel").value;
    EXPECT_TRUE(contains(kernel, name)) << kernel;
    EXPECT_TRUE(contains(kernel, "centered")) << kernel;
  }
}

TEST(Recipe, NamesTheParameterThatATransformLacks) {
  for (const auto& [name, option] : {std::pair{"power", "a power"},
                                     {"diffusion", "a time"},
                                     {"truncation", "a dimension"},
                                     {"polynomial", "coefficients"},
                                     {"reciprocal", "coefficients"}}) {
    Recipe recipe;
    recipe.transform = name;
    expect_refused(moons(), recipe, std::string("transform ") + name + " needs " + option);
  }
}

TEST(Recipe, RefusesUnknownNames) {
  Recipe recipe;
  recipe.transform = "sigmoid";
  expect_refused(moons(), recipe, "'sigmoid'");
  recipe = {};
  recipe.kernel = "rbff";
  expect_refused(moons(), recipe, "rbff");
}

TEST(Recipe, RefusesAKernelOfAnotherKindOfData) {
  Recipe recipe;
  recipe.kernel = "rbf";
  expect_refused(blocks(), recipe, "'rbf' does not apply to a graph");
  expect_refused(precomputed(), recipe, "'rbf' does not apply to a precomputed kernel");
  recipe.kernel = "symmetric";
  expect_refused(moons(), recipe, "'symmetric' does not apply to points");
}

TEST(Recipe, RefusesAScaleForAKernelWithoutAny) {
  Recipe recipe;
  recipe.scale_factor = 0.5;
  expect_refused(blocks(), recipe, "a length scale does not apply to a graph");
  recipe.kernel = "cosine";
  expect_refused(moons(), recipe, "cosine has no length scale");
}

TEST(Recipe, RefusesParametersOutOfRange) {
  Recipe recipe;
  recipe.beta = 0.0;
  expect_refused(moons(), recipe, "beta = 0");
  recipe = {};
  recipe.eta = 1.0;
  expect_refused(blocks(), recipe, "eta");
  recipe.method = Method::label_propagation;
  expect_refused(blocks(), recipe, "eta");
  recipe = {};
  recipe.method = Method::kernel_pca;
  recipe.dimension = 5000;
  expect_refused(blocks(), recipe, "5000");
  recipe = {};
  recipe.transform = "truncation";
  recipe.dimension = 5000;
  expect_refused(blocks(), recipe, "5000");
}

TEST(Recipe, RefusesAGraphWithoutEdges) {
  Dataset dataset;
  dataset.samples = Graph{csr_from_triplets(4, 4, {}), {}};
  dataset.labels = ClassLabels{{"a", "b"}, {0, 1, kUnlabeled, kUnlabeled}};
  expect_refused(dataset, {}, "nothing to learn from");
}

TEST(Recipe, KeepsTheSameFingerprintForTheSameData) {
  Dataset a = moons(), b = moons(), c = moons();
  c.samples = Points{c.points().values.matrix().array() + 1.0, {}};
  const std::string first = fit_model(a, {}).model.info().data_fingerprint;
  EXPECT_EQ(fit_model(b, {}).model.info().data_fingerprint, first);
  EXPECT_NE(fit_model(c, {}).model.info().data_fingerprint, first);
}

TEST(Recipe, TakesAFunctionForATransform) {
  Dataset one = moons(), two = moons();
  Recipe recipe;
  recipe.transform = "function";
  EXPECT_TRUE(contains(message_of<ValueError>([&] {
                         Dataset copy = moons();
                         fit_model(copy, recipe);
                       }),
                       "needs a function"));
  recipe.function = [](double lambda) { return lambda * lambda; };
  recipe.function_name = "square";
  const RecipeResult own = fit_model(one, recipe);
  Recipe square;
  square.transform = "power";
  square.power = 2.0;
  const RecipeResult named = fit_model(two, square);
  EXPECT_TRUE(contains(choice(own, "transform").value, "square"));
  EXPECT_LT((own.model.fitted() - named.model.fitted()).norm(), 1e-6 * named.model.fitted().norm());
}

TEST(Recipe, UsesPointsInSinglePrecisionAsTheyAre) {
  Dataset wide = moons(), narrow = moons();
  const auto& points = std::get<Points>(narrow.samples);
  auto kept = std::make_shared<const MatrixF>(points.values.matrix().cast<float>());
  narrow.samples = Points{SharedMatrix(kept->data(), kept->rows(), kept->cols(), kept), {}};
  for (const char* kernel : {"rbf", "knn"}) {
    Dataset a = wide, b = narrow;
    Recipe recipe;
    recipe.kernel = kernel;
    const RecipeResult exact = fit_model(a, recipe), single = fit_model(b, recipe);
    EXPECT_GT(kept.use_count(), 1);  // the data set still shares it
    EXPECT_LT((exact.model.fitted() - single.model.fitted()).norm(),
              1e-3 * exact.model.fitted().norm())
        << kernel;
  }
}

TEST(Recipe, FitsAGramOfYourOwnAndKeepsAnEmbedding) {
  Dataset dataset = moons(), again = moons();
  Recipe recipe;
  recipe.embedding = 3;
  const RecipeResult whole = fit_model(dataset, recipe);
  ModelInfo info;
  info.samples = "points";
  const RecipeResult parts =
      fit_prepared(prepare_gram(again, recipe), again.labels, recipe, {}, std::move(info));
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
}  // namespace stkr
