#include "gram/smoothed_gram.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "gram/gram_cost.hpp"
#include "gram_cases.hpp"
#include "gram_checks.hpp"
#include "memory_store.hpp"
#include "stkr/error.hpp"

namespace stkr::smoothed_gram_test {
namespace {

using cases::GramCase;
using cases::smoothed_case;
using cases::to_csr;
using cases::two_component_graph;

constexpr Index kNodes = 24;

// Sparse non-negative counts; node 3 has none.
Matrix words(Index nodes) {
  const Matrix random = random_normals(nodes, 50, 3u);
  Matrix x = (random.array() > 1.0).select(random, 0.0);
  x.row(3).setZero();
  return x;
}

std::shared_ptr<SmoothedFeatures> features_of(const Matrix& w, const Matrix& x, Index steps,
                                              bool cosine) {
  return std::make_shared<SmoothedFeatures>(to_csr(w), std::make_shared<CsrMatrix>(to_csr(x)),
                                            steps, cosine, 2);
}

TEST(SmoothedGram, EqualsTheDenseDefinition) {
  const Matrix w = two_component_graph(kNodes, 5);
  for (const Index steps : {0, 1, 2, 5}) {
    for (const bool cosine : {false, true}) {
      const GramCase one = smoothed_case("", w, words(kNodes), steps, cosine);
      const auto gram = one.make(2);
      expect_gram(*gram, one.kernel, 1e-13, fmt::format("{} steps, cosine {}", steps, cosine));
      const Matrix s = one.kernel / static_cast<double>(kNodes);
      expect_bounds(*gram, Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(s).eigenvalues());
      EXPECT_TRUE(gram->nonnegative());
      EXPECT_TRUE(gram->sparse());
    }
  }
  Matrix signs = words(kNodes);
  signs(0, 0) = -1.0;
  EXPECT_FALSE(SmoothedGram(features_of(w, signs, 1, true)).nonnegative());
}

TEST(SmoothedGram, ManyRowsAndColumnsInPanels) {
  const Index nodes = 150;
  const GramCase one =
      smoothed_case("", two_component_graph(nodes, 6), words(nodes), 2, /*cosine=*/true);
  expect_gram(*one.make(2), one.kernel, 1e-13, "150 nodes");
}

TEST(SmoothedGram, TheSameBitsForAnyNumberOfThreads) {
  const GramCase one = smoothed_case("", two_component_graph(150, 6), words(150), 3, true);
  const Matrix x = random_normals(150, 5, 1u);
  EXPECT_EQ(product(*one.make(1), x), product(*one.make(2), x));
  const std::vector<Index> some{3, 17, 149};
  EXPECT_EQ(one.make(1)->columns(some), one.make(2)->columns(some));
}

TEST(SmoothedGram, ARowWithoutFeaturesIsSimilarToNothing) {
  // Node 23 is isolated: smoothing does not give it features of others.
  Matrix x = words(kNodes);
  x.row(23).setZero();
  const auto features = features_of(two_component_graph(kNodes, 5), x, 2, true);
  EXPECT_EQ(features->empty_rows(), 1);
  const SmoothedGram gram(features);
  const std::vector<Index> last{23};
  EXPECT_EQ(gram.columns(last).cwiseAbs().maxCoeff(), 0.0);
  // Node 3 has neighbors, and their features.
  const std::vector<Index> third{3};
  EXPECT_NEAR(gram.block(third, third)(0, 0), 1.0, 1e-14);
}

// A known node presented as new, with its own edges and features, gets its own row.
TEST(SmoothedGram, AKnownNodePresentedAgainGetsItsRow) {
  Matrix w = two_component_graph(kNodes, 5);
  w(4, 4) = 0.7;  // an edge to itself
  const Matrix x = words(kNodes);
  const Matrix c = random_normals(kNodes, 3, 2u);
  for (const Index steps : {0, 1, 2, 4}) {
    for (const bool cosine : {false, true}) {
      const GramCase one = smoothed_case("", w, x, steps, cosine);
      const auto gram = one.make(2);
      const auto cross = gram->cross_kernel();
      EXPECT_EQ(cross->known(), kNodes);
      EXPECT_EQ(cross->features(), 50);
      const Matrix expected = one.kernel.lazyProduct(c);
      EXPECT_LT(largest_difference(cross->apply(one.as_new(), c), expected), 1e-10);
      EXPECT_LT(largest_difference(save_and_load(*cross)->apply(one.as_new(), c), expected), 1e-10);
      if (steps == 0) continue;
      // Sparse features mean the same.
      const NewSamples sparse{std::vector<NewSamples>{{to_csr(w)}, {to_csr(x)}}};
      EXPECT_LT(largest_difference(cross->apply(sparse, c), expected), 1e-10);
    }
  }
}

TEST(SmoothedGram, ANewNodeIsSmoothedAsIfKnown) {
  // Known nodes do not change: their Φ has no part of the new node. So its φ is defined by theirs.
  const Matrix w = two_component_graph(kNodes, 5), x = words(kNodes);
  const Matrix edges = (Matrix(1, kNodes) << Matrix::Zero(1, kNodes)).finished();
  Matrix joined = edges;
  joined(0, 2) = 2.0;
  joined(0, 17) = 0.5;
  Matrix own = Matrix::Zero(1, 50);
  own(0, 7) = 3.0;
  const double degree = 1.0 + 2.5;
  const Matrix looped = w + Matrix::Identity(kNodes, kNodes);
  const Vector degrees = looped.rowwise().sum();
  Matrix phi = own;
  for (Index step = 0; step < 3; ++step) {
    const Matrix known = cases::smoothed(w, x, step);
    Matrix next = phi / degree;
    for (const Index j : {2, 17}) {
      next += joined(0, j) / std::sqrt(degree * degrees[j]) * known.row(j);
    }
    phi = next;
  }
  const Matrix k = phi / phi.norm();
  const GramCase one = smoothed_case("", w, x, 3, true);
  Matrix rows = cases::smoothed(w, x, 3);
  for (Index i = 0; i < kNodes; ++i) {
    if (rows.row(i).norm() > 0.0) rows.row(i) /= rows.row(i).norm();
  }
  const Matrix c = random_normals(kNodes, 2, 2u);
  const auto cross = one.make(1)->cross_kernel();
  const NewSamples samples{std::vector<NewSamples>{{to_csr(joined)}, {own}}};
  EXPECT_LT(
      largest_difference(cross->apply(samples, c), k.lazyProduct(rows.transpose()).lazyProduct(c)),
      1e-13);
  // Without edges and features, it is similar to nothing.
  const NewSamples empty{std::vector<NewSamples>{{to_csr(edges)}, {Matrix::Zero(1, 50).eval()}}};
  EXPECT_EQ(cross->apply(empty, c).cwiseAbs().maxCoeff(), 0.0);
}

TEST(SmoothedPointGram, IsThePointKernelOfSmoothedFeatures) {
  const Matrix w = two_component_graph(kNodes, 5), x = words(kNodes);
  const GramCase one = cases::smoothed_point_case("", w, x, 2, Kernel::rbf(1.5), cases::rbf(1.5));
  const auto gram = one.make(2);
  expect_gram(*gram, one.kernel, 1e-12, "rbf");
  const Matrix c = random_normals(kNodes, 3, 2u);
  const auto cross = gram->cross_kernel();
  const Matrix expected = one.kernel.lazyProduct(c);
  EXPECT_LT(largest_difference(cross->apply(one.as_new(), c), expected), 1e-10);
  EXPECT_LT(largest_difference(save_and_load(*cross)->apply(one.as_new(), c), expected), 1e-10);
}

TEST(SmoothedGram, RefusesWhatDoesNotMatch) {
  const Matrix w = two_component_graph(kNodes, 5), x = words(kNodes);
  EXPECT_NE(message_of<ShapeError>([&] {
              features_of(w, words(kNodes - 1), 1, true);
            }).find("24 x 24 and the features 23 x 50"),
            std::string::npos);
  EXPECT_NE(message_of<ValueError>([&] { features_of(w, x, -1, true); }).find("smooth = -1"),
            std::string::npos);
  EXPECT_NE(message_of<ValueError>([&] {
              features_of(w, Matrix::Zero(kNodes, 4), 1, false);
            }).find("all features of the 24 nodes are 0"),
            std::string::npos);
  EXPECT_NE(message_of<ValueError>([&] {
              features_of(w, Matrix::Constant(kNodes, 4, 1e200), 1, false);
            }).find("overflow"),
            std::string::npos);
  const auto cross = SmoothedGram(features_of(w, x, 1, true)).cross_kernel();
  const Matrix c = Matrix::Ones(kNodes, 1);
  const auto refused = [&](NewSamples samples) {
    try {
      cross->apply(samples, c);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_NE(refused({x}).find("edges to the known nodes and their features"), std::string::npos);
  EXPECT_NE(refused({std::vector<NewSamples>{{to_csr(w)}, {words(5)}}}).find("5 x 50"),
            std::string::npos);
  EXPECT_NE(refused({std::vector<NewSamples>{{to_csr(w)}, {Matrix::Ones(kNodes, 3).eval()}}})
                .find("3 features but the known ones have 50"),
            std::string::npos);
  Matrix bad = x;
  bad(1, 1) = std::nan("");
  EXPECT_NE(refused({std::vector<NewSamples>{{to_csr(w)}, {bad}}}).find("finite"),
            std::string::npos);
}

TEST(SmoothedGram, StatesItsMemory) {
  const GramCost memory = smoothed_gram_cost({1000, 500, 20000}, 4000, 1);
  EXPECT_GE(memory.samples, 20000u * 24 + 5000u * 12);
  EXPECT_LT(memory.samples + memory.gram, 1000u * 500 * 8);  // less than Φ
}

}  // namespace
}  // namespace stkr::smoothed_gram_test
