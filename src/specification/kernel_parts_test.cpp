#include "specification/kernel_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "dense_reference.hpp"
#include "gram_cases.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"
#include "transform_cases.hpp"

namespace stkr {
namespace {

using namespace cases;
using ::testing::HasSubstr;
using testing::message_of;
using testing::TemporaryFolder;

constexpr double kLength = 0.8;

Recipe sum_of(const char* first, const char* added, std::optional<double> share = {}) {
  Recipe recipe;
  recipe.kernel = first;
  AddedKernel& other = recipe.added.emplace_back();
  other.kernel = added;
  other.share = share;
  return recipe;
}

Recipe graph_and_rbf(double share) {
  Recipe recipe = sum_of("lazy-walk", "rbf", share);
  recipe.added.front().length_scale = kLength;
  recipe.tolerance = 1e-12;
  recipe.transform = "inverse-laplacian";
  recipe.eta = 0.9;
  recipe.beta = 0.05;
  return recipe;
}

Dataset attributed() {
  Dataset dataset =
      attributed_block_model(std::vector<Index>{14, 12, 10, 12}, 0.5, 0.05, 3, 0.3, 4);
  keep_only(dataset.labels, std::vector<Index>{0, 5, 15, 20, 27, 30, 37, 44});
  return dataset;
}

Matrix dense_adjacency(const Dataset& dataset) {
  const CsrMatrix& graph = dataset.graph().adjacency;
  Matrix w = Matrix::Zero(graph.rows, graph.cols);
  for (Index i = 0; i < graph.rows; ++i) {
    for (auto p = graph.row_start[i]; p < graph.row_start[i + 1]; ++p) {
      w(i, graph.column[p]) = graph.value[p];
    }
  }
  return w;
}

Matrix sum_kernel(const Dataset& dataset, double share) {
  const Matrix graph = graph_kernel(dense_adjacency(dataset), GraphNormalization::lazy_walk);
  return (1.0 - share) * graph +
         share * normalized(kernel_matrix(dataset.features->values.matrix(), rbf(kLength)));
}

TEST(KernelParts, SharesThatAreNotGivenAreEqual) {
  Recipe recipe = sum_of("lazy-walk", "rbf");
  std::vector<KernelPart> parts = kernel_parts(DatasetKind::graph, recipe);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].share, 0.5);
  EXPECT_EQ(parts[1].share, 0.5);
  recipe.added.emplace_back().kernel = "symmetric";
  recipe.added.back().share = 0.4;
  parts = kernel_parts(DatasetKind::graph, recipe);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_NEAR(parts[0].share, 0.3, 1e-15);
  EXPECT_NEAR(parts[1].share, 0.3, 1e-15);
  EXPECT_EQ(parts[2].share, 0.4);
}

TEST(KernelParts, NamesSayWhatAKernelSees) {
  Recipe recipe = sum_of("lazy-walk", "rbf");
  recipe.added.emplace_back().kernel = "symmetric";
  EXPECT_EQ(sample_kinds(DatasetKind::graph, recipe), "graph+points+graph");
  EXPECT_EQ(sample_kinds(DatasetKind::graph, Recipe{}), "graph");
  EXPECT_EQ(sample_kinds(DatasetKind::points, sum_of("rbf", "laplacian")), "points+points");
  const auto parts = kernel_parts(DatasetKind::graph, recipe);
  EXPECT_FALSE(parts[0].features);
  EXPECT_TRUE(parts[1].features);
  EXPECT_FALSE(parts[2].features);
  for (const KernelPart& part : parts) EXPECT_TRUE(part.recipe.added.empty());
}

TEST(KernelParts, AShareOfZeroLeavesAKernelOut) {
  EXPECT_EQ(sample_kinds(DatasetKind::graph, sum_of("lazy-walk", "rbf", 0.0)), "graph");
  EXPECT_EQ(sample_kinds(DatasetKind::graph, sum_of("lazy-walk", "rbf", 1.0)), "points");
  // 0.1 · 10 is not exactly 1, but the remainder is rounding.
  Recipe recipe;
  for (int k = 0; k < 10; ++k) {
    recipe.added.emplace_back().kernel = "rbf";
    recipe.added.back().share = 0.1;
  }
  EXPECT_EQ(kernel_parts(DatasetKind::points, recipe).size(), 10u);
}

TEST(KernelParts, RefuseSharesThatAreNone) {
  for (const double bad : {-0.1, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT(
        message_of<ValueError>([&] { kernel_parts(DatasetKind::graph, sum_of("", "rbf", bad)); }),
        HasSubstr("from 0 to 1"));
  }
  Recipe recipe = sum_of("", "rbf", 0.7);
  recipe.added.emplace_back().share = 0.7;
  EXPECT_THAT(message_of<ValueError>([&] { kernel_parts(DatasetKind::graph, recipe); }),
              HasSubstr("sum to 1.4"));
}

TEST(KernelParts, SinglePrecisionIsForTheKernelOfFeatures) {
  Recipe recipe = graph_and_rbf(0.5);
  recipe.single_precision = true;
  Dataset dataset = attributed();
  const PreparedGram single = prepare_gram(dataset, recipe);
  dataset = attributed();
  const PreparedGram full = prepare_gram(dataset, graph_and_rbf(0.5));
  const Matrix x = random_matrix(single.gram->size(), 2, 3);
  const double difference = (product(*single.gram, x) - product(*full.gram, x)).norm();
  EXPECT_GT(difference, 0.0);
  EXPECT_LT(difference, 1e-4);
}

// The prediction made without a gram agrees with what the gram knows.
TEST(KernelParts, MayBeIndefiniteWhereTheGramMay) {
  std::vector<Recipe> of_points(5);
  of_points[1].kernel = "knn";
  of_points[2].kernel = "epsilon_neighbor";
  of_points[3].kernel = of_points[4].kernel = "polynomial";
  of_points[4].gamma = -1.0;
  of_points.push_back(sum_of("rbf", "epsilon_neighbor"));
  of_points.push_back(sum_of("rbf", "laplacian"));
  std::vector<Recipe> of_graphs(2);
  of_graphs[1].kernel = "symmetric";
  of_graphs.push_back(graph_and_rbf(0.5));
  of_graphs.push_back(sum_of("lazy-walk", "epsilon_neighbor"));
  const auto check = [](const Dataset& whole, const std::vector<Recipe>& recipes) {
    std::size_t indefinite = 0;
    for (const Recipe& recipe : recipes) {
      Dataset dataset = whole;
      const PreparedGram prepared = prepare_gram(dataset, recipe);
      EXPECT_EQ(may_be_indefinite(whole.kind(), recipe), prepared.gram->bounds().lower < 0.0)
          << prepared.description;
      indefinite += may_be_indefinite(whole.kind(), recipe);
    }
    return indefinite;
  };
  EXPECT_EQ(check(two_moons(40, 0.1, 1), of_points), 3u);
  EXPECT_EQ(check(attributed(), of_graphs), 2u);
}

class SumOfKernels : public ::testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Shares, SumOfKernels, ::testing::Values(0.0, 0.3, 1.0));

TEST_P(SumOfKernels, IsWhatEveryMethodFits) {
  const Dataset whole = attributed();
  const EncodedTargets targets = encode_targets(whole.labels);
  const reference::Dense dense(sum_kernel(whole, GetParam()), 0.5 * (1.0 - GetParam()));
  const auto fitted = [&](auto&& change) {
    Recipe recipe = graph_and_rbf(GetParam());
    change(recipe);
    Dataset dataset = whole;
    return fit_model(dataset, recipe).model.fitted();
  };
  const auto& [labeled, y] = std::tie(targets.labeled, targets.y);
  const auto near = [](const Matrix& a, const Matrix& b) {
    EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-7 * std::max(1.0, b.cwiseAbs().maxCoeff()));
  };
  near(fitted([](Recipe&) {}),
       dense.fit(inverse_laplacian_case(0.9).exact, labeled, y, 0.05).fitted);
  near(fitted([](Recipe& r) { r.solver = StkrSolver::cg; }),
       dense.fit(inverse_laplacian_case(0.9).exact, labeled, y, 0.05).fitted);
  near(fitted([](Recipe& r) {
         r.transform = "power";
         r.power = 3;
         r.eta.reset();
       }),
       dense.fit(power_case(3).exact, labeled, y, 0.05).fitted);
  near(fitted([](Recipe& r) { r.method = Method::kernel_ridge; }),
       dense.fit(power_case(1).exact, labeled, y, 0.05).fitted);
  near(fitted([](Recipe& r) {
         r.method = Method::kernel_pca;
         r.dimension = 3;
         r.literal_top_d = true;
       }),
       dense.kernel_pca(3, labeled, y, 0.05).fitted);
  near(fitted([](Recipe& r) { r.method = Method::label_propagation; }),
       dense.label_propagation(0.9, labeled, y));
}

TEST_P(SumOfKernels, PlacesNewNodesByEdgesAndFeatures) {
  const double share = GetParam();
  const Dataset whole = attributed();
  const std::vector<Index> fresh{3, 22, 41};
  const std::vector<Index> known = reference::complement(fresh, whole.size());
  Dataset training = subset(whole, known);
  const Matrix w = dense_adjacency(training);
  const Matrix edges =
      reference::columns_of(reference::rows_of(dense_adjacency(whole), fresh), known);
  const Matrix x = training.features->values.matrix();
  const Matrix z = whole.features->values.matrix();
  Matrix cross(3, w.rows());
  const auto n = static_cast<double>(w.rows());
  Matrix k(3, w.rows());
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < w.rows(); ++j) {
      k(i, j) = rbf(kLength)(z.row(fresh[i]), x.row(j));
    }
  }
  const Vector mean = kernel_matrix(x, rbf(kLength)).rowwise().mean();
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < w.rows(); ++j) {
      const double seen = edges.row(i).sum() * w.row(j).sum();
      const double walk = edges(i, j) > 0.0 ? 0.5 * n * edges(i, j) / std::sqrt(seen) : 0.0;
      cross(i, j) = (1.0 - share) * walk + share * k(i, j) / std::sqrt(k.row(i).mean() * mean[j]);
    }
  }
  const Recipe recipe = graph_and_rbf(share);
  const NewSamples samples = as_new_samples(whole, recipe, fresh, known);
  // New nodes lack the lazy walk's share of the diagonal.
  const reference::Dense dense(sum_kernel(training, share), 0.5 * (1.0 - share));
  const EncodedTargets targets = encode_targets(training.labels);
  const Matrix expected =
      cross *
      dense.fit(inverse_laplacian_case(0.9).exact, targets.labeled, targets.y, 0.05).coefficients;
  const Model model = fit_model(training, recipe).model;
  EXPECT_LT((model.predict(samples).scores - expected).cwiseAbs().maxCoeff(),
            1e-8 * expected.cwiseAbs().maxCoeff());
  const TemporaryFolder folder;
  model.save(folder / "model.npz");
  const Model loaded = Model::load(folder / "model.npz");
  EXPECT_EQ(loaded.predict(samples).scores, model.predict(samples).scores);
  EXPECT_EQ(loaded.info().samples, share == 0.0   ? "graph"
                                   : share == 1.0 ? "points"
                                                  : "graph+points");
  if (share > 0.0) {
    EXPECT_EQ(loaded.features(), 3);
  }
}

TEST(KernelParts, AreScaledToOne) {
  Dataset dataset = attributed();
  const Matrix w = dense_adjacency(dataset);
  const Matrix x = dataset.features->values.matrix();
  const auto linear = [](const Vector& a, const Vector& b) { return a.dot(b); };
  const Matrix a = graph_kernel(w, GraphNormalization::adjacency), b = kernel_matrix(x, linear);
  const auto scaled = [](const Matrix& k) { return Matrix(k / reference::Dense(k).largest()); };
  const PreparedGram prepared = prepare_gram(dataset, sum_of("adjacency", "linear", 0.25));
  std::vector<Index> all = reference::complement({}, w.rows());
  const Matrix expected = 0.75 * scaled(a) + 0.25 * scaled(b);
  EXPECT_LT((prepared.gram->block(all, all) - expected).cwiseAbs().maxCoeff(),
            1e-6 * expected.cwiseAbs().maxCoeff());
  EXPECT_THAT(prepared.description, HasSubstr("0.75 x graph, adjacency"));
  EXPECT_THAT(prepared.description, HasSubstr(" + 0.25 x linear"));
  EXPECT_THAT(prepared.description, HasSubstr("divided by lambda_1"));
  ASSERT_EQ(prepared.choices.size(), 2u);
  EXPECT_EQ(prepared.choices[1].what, "added kernel");
}

TEST(KernelParts, MayBeOfTheSamePoints) {
  Dataset dataset = two_moons(40, 0.1, 2);
  const Matrix x = dataset.points().values.matrix();
  Recipe recipe = sum_of("rbf", "rbf", 0.25);
  recipe.length_scale = 0.5;
  recipe.added[0].length_scale = 2.0;
  const PreparedGram prepared = prepare_gram(dataset, recipe);
  const Matrix expected =
      0.75 * normalized(kernel_matrix(x, rbf(0.5))) + 0.25 * normalized(kernel_matrix(x, rbf(2.0)));
  std::vector<Index> all = reference::complement({}, 40);
  EXPECT_LT((prepared.gram->block(all, all) - expected).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(KernelParts, ChangeTheFingerprintWithTheFeatures) {
  const auto fingerprint = [](Dataset dataset, const Recipe& recipe) {
    return fit_model(dataset, recipe).model.info().data_fingerprint;
  };
  Dataset moved = attributed(), alone = attributed();
  moved.features->values = moved.features->values.matrix().array() + 0.5;
  alone.features.reset();
  const Recipe sum = graph_and_rbf(0.5);
  EXPECT_EQ(fingerprint(attributed(), sum), fingerprint(attributed(), sum));
  EXPECT_NE(fingerprint(attributed(), sum), fingerprint(moved, sum));
  // If no kernel uses them, they make no difference.
  Recipe graph;
  graph.kernel = "lazy-walk";
  EXPECT_EQ(fingerprint(attributed(), graph), fingerprint(alone, graph));
}

TEST(KernelParts, RefuseWhatIsNotThere) {
  const auto refusal = [](Dataset dataset, const Recipe& recipe) {
    return message_of<ValueError>([&] { prepare_gram(dataset, recipe); });
  };
  Dataset alone = attributed();
  alone.features.reset();
  EXPECT_THAT(refusal(alone, graph_and_rbf(0.5)), HasSubstr("the graph has no node features"));
  EXPECT_THAT(refusal(two_moons(20, 0.1, 1), sum_of("rbf", "lazy-walk")),
              HasSubstr("does not apply to points"));
  EXPECT_THAT(refusal(attributed(), sum_of("lazy-walk", "rbff")), HasSubstr("rbff"));
  Dataset precomputed;
  precomputed.samples = PrecomputedKernel{Matrix::Identity(4, 4)};
  EXPECT_THAT(refusal(precomputed, sum_of("", "rbf")), HasSubstr("precomputed"));
  Dataset constant = attributed();
  constant.features->values = Matrix::Ones(constant.size(), 2);
  EXPECT_THROW(prepare_gram(constant, sum_of("lazy-walk", "rbf")), ValueError);
}

}  // namespace
}  // namespace stkr
