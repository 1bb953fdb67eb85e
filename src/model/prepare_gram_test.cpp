#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dense_reference.hpp"
#include "gram_cases.hpp"
#include "named_specification.hpp"
#include "specification/kernel_parts.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "stkr/model/fit_model.hpp"
#include "temporary_folder.hpp"
#include "transform_cases.hpp"

namespace stkr::prepare_gram_test {
namespace {

using namespace cases;
using ::testing::HasSubstr;
using testing::message_of;
using testing::named;
using testing::TemporaryFolder;

constexpr double kLength = 0.8;

Specification sum_of(const KernelSpec& first, const KernelSpec& added,
                     std::optional<double> share = {}) {
  Specification spec;
  spec.kernel = first;
  spec.added.push_back({added, share});
  return spec;
}
Specification sum_of(const char* first, const char* added, std::optional<double> share = {}) {
  return sum_of(kernel_spec(first), kernel_spec(added), share);
}

Specification graph_and_rbf(double share, const MethodOptions& method = {
                                              .eta = 0.9, .beta = 0.05, .tolerance = 1e-12}) {
  Specification spec = sum_of(GraphKernelSpec{}, Kernel::rbf(kLength), share);
  spec.method = method_spec(method);
  return spec;
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

TEST(PrepareGram, SinglePrecisionIsForTheKernelOfFeatures) {
  Specification spec = graph_and_rbf(0.5);
  spec.precision = Precision::single;
  Dataset dataset = attributed();
  const PreparedGram single = prepare_gram(dataset, spec);
  dataset = attributed();
  const PreparedGram full = prepare_gram(dataset, graph_and_rbf(0.5));
  const Matrix x = random_matrix(single.gram->size(), 2, 3);
  const double difference = (product(*single.gram, x) - product(*full.gram, x)).norm();
  EXPECT_GT(difference, 0.0);
  EXPECT_LT(difference, 1e-4);
}

// The prediction made without a gram agrees with what the gram knows.
TEST(PrepareGram, MayBeIndefiniteWhereTheGramMay) {
  std::vector<Specification> of_points{
      {},
      named({.name = "knn"}),
      named({.name = "epsilon_neighbor"}),
      named({.name = "polynomial"}),
      named({.name = "polynomial", .gamma = -1.0}),
      sum_of("rbf", "epsilon_neighbor"),
      sum_of("rbf", "laplacian"),
  };
  std::vector<Specification> of_graphs{
      {},
      named({.name = "symmetric"}),
      graph_and_rbf(0.5),
      sum_of("lazy-walk", "epsilon_neighbor"),
  };
  const auto check = [](const Dataset& whole, const std::vector<Specification>& specs) {
    std::size_t indefinite = 0;
    for (const Specification& spec : specs) {
      Dataset dataset = whole;
      const PreparedGram prepared = prepare_gram(dataset, spec);
      EXPECT_EQ(may_be_indefinite(whole.kind(), spec), prepared.gram->bounds().lower < 0.0)
          << prepared.description;
      indefinite += may_be_indefinite(whole.kind(), spec);
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
  const auto fitted = [&](const MethodOptions& method) {
    Dataset dataset = whole;
    return fit_model(dataset, graph_and_rbf(GetParam(), method)).model.fitted();
  };
  const auto& [labeled, y] = std::tie(targets.labeled, targets.y);
  const auto near = [](const Matrix& a, const Matrix& b) {
    EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-7 * std::max(1.0, b.cwiseAbs().maxCoeff()));
  };
  const double beta = 0.05, tolerance = 1e-12;
  near(fitted({.eta = 0.9, .beta = beta, .tolerance = tolerance}),
       dense.fit(inverse_laplacian_case(0.9).exact, labeled, y, beta).fitted);
  near(fitted({.eta = 0.9, .beta = beta, .solver = "cg", .tolerance = tolerance}),
       dense.fit(inverse_laplacian_case(0.9).exact, labeled, y, beta).fitted);
  near(fitted({.power = 3, .beta = beta, .tolerance = tolerance}),
       dense.fit(power_case(3).exact, labeled, y, beta).fitted);
  near(fitted({.method = "kernel-ridge", .beta = beta, .tolerance = tolerance}),
       dense.fit(power_case(1).exact, labeled, y, beta).fitted);
  near(fitted({.method = "kernel-pca", .dimension = 3, .beta = beta, .literal_top_d = true}),
       dense.kernel_pca(3, labeled, y, beta).fitted);
  near(fitted({.method = "label-propagation", .eta = 0.9, .tolerance = tolerance}),
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
  const Specification spec = graph_and_rbf(share);
  const NewSamples samples = as_new_samples(whole, spec, fresh, known);
  // New nodes lack the lazy walk's share of the diagonal.
  const reference::Dense dense(sum_kernel(training, share), 0.5 * (1.0 - share));
  const EncodedTargets targets = encode_targets(training.labels);
  const Matrix expected =
      cross *
      dense.fit(inverse_laplacian_case(0.9).exact, targets.labeled, targets.y, 0.05).coefficients;
  const Model model = fit_model(training, spec).model;
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

TEST(PrepareGram, ScalesSummandsToOne) {
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

TEST(PrepareGram, AddsKernelsOfTheSamePoints) {
  Dataset dataset = two_moons(40, 0.1, 2);
  const Matrix x = dataset.points().values.matrix();
  const Specification spec = sum_of(Kernel::rbf(0.5), Kernel::rbf(2.0), 0.25);
  const PreparedGram prepared = prepare_gram(dataset, spec);
  const Matrix expected =
      0.75 * normalized(kernel_matrix(x, rbf(0.5))) + 0.25 * normalized(kernel_matrix(x, rbf(2.0)));
  std::vector<Index> all = reference::complement({}, 40);
  EXPECT_LT((prepared.gram->block(all, all) - expected).cwiseAbs().maxCoeff(), 1e-12);
}

// Features as sparse as words.
Dataset attributed_by_words(bool sparse) {
  Dataset dataset = attributed();
  const Matrix x = random_matrix(dataset.size(), 30, 9);
  Matrix words = (x.array() > 1.0).select(x, 0.0);
  words.row(7).setZero();
  if (sparse) {
    dataset.features = Points{.values = to_csr(words), .feature_names = {}};
  } else {
    dataset.features = Points{.values = words, .feature_names = {}};
  }
  return dataset;
}

Matrix words_of(const Dataset& dataset) { return dataset.features->values.matrix(); }

Specification smoothed_by(const char* name, Index steps, double share) {
  Specification spec;
  KernelOptions kernel{.name = name, .smoothing = steps};
  if (std::string(name) == "rbf") kernel.length_scale = LengthScale::absolute(kLength);
  spec.added.push_back({kernel_spec(kernel), share});
  spec.method = method_spec({.eta = 0.1, .beta = 0.05, .tolerance = 1e-12});
  return spec;
}

TEST(PrepareGram, SmoothsNodeFeaturesOverTheGraph) {
  const auto cosine = [](const Vector& a, const Vector& b) {
    return a.norm() * b.norm() > 0.0 ? a.dot(b) / (a.norm() * b.norm()) : 0.0;
  };
  const auto linear = [](const Vector& a, const Vector& b) { return a.dot(b); };
  for (const bool sparse : {true, false}) {
    for (const Index steps : {0, 1, 3}) {
      const Dataset whole = attributed_by_words(sparse);
      const Matrix phi = smoothed(dense_adjacency(whole), words_of(whole), steps);
      const auto difference = [&](const char* name, const Matrix& expected) {
        Dataset dataset = whole;
        const PreparedGram prepared = prepare_gram(dataset, smoothed_by(name, steps, 1.0));
        const std::vector<Index> all = reference::complement({}, whole.size());
        EXPECT_EQ(prepared.description.find("smoothed") != std::string::npos, steps > 0)
            << prepared.description;
        return (prepared.gram->block(all, all) - expected).cwiseAbs().maxCoeff();
      };
      EXPECT_LT(difference("cosine", kernel_matrix(phi, cosine)), 1e-12);
      EXPECT_LT(difference("linear", kernel_matrix(phi, linear)), 1e-11);
      EXPECT_LT(difference("rbf", normalized(kernel_matrix(phi, rbf(kLength)))), 1e-9);
    }
  }
}

// Known nodes that are presented as new, with their own edges and features, get their own values.
TEST(PrepareGram, PlacesNewNodesBySmoothedFeatures) {
  const TemporaryFolder folder;
  for (const bool sparse : {true, false}) {
    for (const char* name : {"cosine", "linear", "rbf"}) {
      for (const double share : {0.4, 1.0}) {
        for (const Index steps : {0, 2}) {
          SCOPED_TRACE(std::string(name) + " " + std::to_string(share) + " " +
                       std::to_string(steps));
          const Dataset whole = attributed_by_words(sparse);
          const Specification spec = smoothed_by(name, steps, share);
          const std::vector<Index> all = reference::complement({}, whole.size());
          const std::vector<Index> unlabeled{1, 7, 22, 41};
          Dataset dataset = whole;
          const Model model = fit_model(dataset, spec).model;
          const NewSamples samples = as_new_samples(whole, spec, unlabeled, all);
          const Matrix expected = reference::rows_of(model.fitted(), unlabeled);
          EXPECT_LT((model.predict(samples).scores - expected).cwiseAbs().maxCoeff(),
                    1e-8 * std::max(1.0, expected.cwiseAbs().maxCoeff()));
          model.save(folder / "model.npz");
          const Model loaded = Model::load(folder / "model.npz");
          EXPECT_EQ(loaded.predict(samples).scores, model.predict(samples).scores);
          EXPECT_EQ(loaded.features(), 30);
          EXPECT_EQ(loaded.info().samples, (share < 1.0 ? std::string("graph+") : std::string()) +
                                               (steps > 0 ? "nodes" : "points"));
        }
      }
    }
  }
}

TEST(PrepareGram, SaysWhichNodesHaveNoFeatures) {
  Dataset dataset = attributed_by_words(true);
  const PreparedGram prepared = prepare_gram(dataset, smoothed_by("cosine", 0, 1.0));
  EXPECT_THAT(prepared.choices.front().why, HasSubstr("nodes have no features"));
  Dataset empty = attributed();
  empty.features->values = Matrix::Zero(empty.size(), 2);
  EXPECT_THAT(message_of<ValueError>([&] { prepare_gram(empty, smoothed_by("cosine", 1, 1.0)); }),
              HasSubstr("are 0"));
}

TEST(PrepareGram, ChangesTheFingerprintWithTheFeatures) {
  const auto fingerprint = [](Dataset dataset, const Specification& spec) {
    return fit_model(dataset, spec).model.info().data_fingerprint;
  };
  Dataset moved = attributed(), alone = attributed();
  moved.features->values = moved.features->values.matrix().array() + 0.5;
  alone.features.reset();
  const Specification sum = graph_and_rbf(0.5);
  EXPECT_EQ(fingerprint(attributed(), sum), fingerprint(attributed(), sum));
  EXPECT_NE(fingerprint(attributed(), sum), fingerprint(moved, sum));
  // If no kernel uses them, they make no difference.
  const Specification graph = named({.name = "lazy-walk"});
  EXPECT_EQ(fingerprint(attributed(), graph), fingerprint(alone, graph));
}

TEST(PrepareGram, RefusesWhatIsNotThere) {
  const auto refusal = [](Dataset dataset, const Specification& spec) {
    return message_of<ValueError>([&] { prepare_gram(dataset, spec); });
  };
  Dataset alone = attributed();
  alone.features.reset();
  EXPECT_THAT(refusal(alone, graph_and_rbf(0.5)), HasSubstr("the graph has no node features"));
  EXPECT_THAT(refusal(two_moons(20, 0.1, 1), sum_of("rbf", "lazy-walk")),
              HasSubstr("does not apply to points"));
  Dataset precomputed;
  precomputed.samples = PrecomputedKernel{Matrix::Identity(4, 4)};
  EXPECT_THAT(refusal(precomputed, sum_of("", "rbf")), HasSubstr("precomputed"));
  Dataset constant = attributed();
  constant.features->values = Matrix::Ones(constant.size(), 2);
  EXPECT_THROW(prepare_gram(constant, sum_of("lazy-walk", "rbf")), ValueError);
}

}  // namespace
}  // namespace stkr::prepare_gram_test
