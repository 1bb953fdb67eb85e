#include <gtest/gtest.h>

#include <string>

#include "gram/weighted_gram.hpp"
#include "gram_cases.hpp"
#include "stkr/gram/neighbor_graph.hpp"

namespace stkr::placed_samples_test {
namespace {

using cases::GramCase;
using cases::kSamples;

Matrix without_self_term(const GramCase& gram) {
  const auto n = static_cast<double>(kSamples);
  return gram.kernel - n * gram.self_term * Matrix::Identity(kSamples, kSamples);
}

bool of_a_graph(const GramCase& gram) {
  return gram.name.find("graph") != std::string::npos ||
         gram.name.find("lazy") != std::string::npos;
}

GramCase case_named(const std::string& name) {
  for (const GramCase& gram : cases::gram_cases()) {
    if (gram.name == name) return gram;
  }
  ADD_FAILURE() << "no case " << name;
  return {};
}

void expect_among(const GramOperator& gram, const NewSamples& samples, const Matrix& expected) {
  const auto cross = gram.cross_kernel();
  const auto placed = cross->place(samples);
  const auto among = placed->among();
  const auto diagonal = placed->diagonal();
  ASSERT_TRUE(among && diagonal);
  EXPECT_LT((*among - expected).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((*diagonal - expected.diagonal()).cwiseAbs().maxCoeff(), 1e-10);
}

class PlacedSamplesOfEveryGram : public testing::TestWithParam<GramCase> {};

TEST_P(PlacedSamplesOfEveryGram, HaveTheKernelRowsOfTheirTwins) {
  const auto gram = GetParam().make(2);
  const auto cross = gram->cross_kernel();
  const NewSamples samples = GetParam().as_new();
  const auto placed = cross->place(samples);
  const auto rows = placed->rows();
  ASSERT_TRUE(rows);
  EXPECT_LT((*rows - without_self_term(GetParam())).cwiseAbs().maxCoeff(), 1e-10);
  const Matrix applied = placed->apply(Matrix::Identity(kSamples, kSamples));
  EXPECT_LT((*rows - applied).cwiseAbs().maxCoeff(), 1e-10);
}

TEST_P(PlacedSamplesOfEveryGram, HaveTheirKernelAmongEachOther) {
  if (of_a_graph(GetParam())) return;  // new nodes have no edges to each other: tested below
  const auto gram = GetParam().make(2);
  const auto cross = gram->cross_kernel();
  const NewSamples samples = GetParam().as_new();
  if (GetParam().name.starts_with("dense")) {
    EXPECT_FALSE(cross->place(samples)->among());
    EXPECT_FALSE(cross->place(samples)->diagonal());
    return;
  }
  expect_among(*gram, samples, GetParam().kernel);
}

INSTANTIATE_TEST_SUITE_P(Grams, PlacedSamplesOfEveryGram, testing::ValuesIn(cases::gram_cases()),
                         cases::CaseName());

TEST(PlacedSamples, AreNotJoinedInAGraph) {
  for (const std::string name : {"graph_symmetric", "graph_probability", "graph_lazy_walk"}) {
    SCOPED_TRACE(name);
    const GramCase graph = case_named(name);
    expect_among(*graph.make(1), graph.as_new(), Matrix::Zero(kSamples, kSamples));
  }
}

TEST(PlacedSamples, KeepTheirAddedSelfLoop) {
  const Matrix w = cases::two_component_graph(kSamples, 12);
  const GraphGram gram(cases::to_csr(w), {.add_self_loops = true});
  Vector expected(kSamples);
  for (Index i = 0; i < kSamples; ++i) {
    expected[i] = static_cast<double>(kSamples) / (w.row(i).sum() + 1.0);
  }
  expect_among(gram, NewSamples{cases::to_csr(w)}, expected.asDiagonal());
}

TEST(PlacedSamples, AddTheKernelsOfASum) {
  for (const std::string graph : {"graph", "lazy_walk"}) {
    const GramCase sum = case_named("sum_of_points_and_" + graph);
    expect_among(*sum.make(1), sum.as_new(), 0.7 * case_named("points_rbf").kernel);
  }
}

TEST(PlacedSamples, AreCenteredWithTheirSelfTerm) {
  const auto n = static_cast<double>(kSamples);
  for (const std::string name : {"graph_symmetric", "graph_lazy_walk"}) {
    SCOPED_TRACE(name);
    const GramCase base = case_named(name);
    const GramCase centered = cases::centered_case("centered", base);
    // P K P without K° among the samples and without δ on the diagonal.
    const Matrix expected = centered.kernel - without_self_term(base) -
                            n * base.self_term * Matrix::Identity(kSamples, kSamples);
    expect_among(*centered.make(1), centered.as_new(), expected);
  }
}

TEST(PlacedSamples, HaveWeightOne) {
  const GramCase points = case_named("points_rbf");
  const Vector weights = Vector::LinSpaced(kSamples, 0.5, 1.5);
  const WeightedGram gram(points.make(1), weights);
  expect_among(gram, points.as_new(), points.kernel);
  const auto cross = gram.cross_kernel();
  const NewSamples samples = points.as_new();
  const auto rows = cross->place(samples)->rows();
  ASSERT_TRUE(rows);
  const Matrix expected = points.kernel * weights.cwiseSqrt().asDiagonal();
  EXPECT_LT((*rows - expected).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(PlacedSamples, OfANeighborGraphHaveTheirEdges) {
  const Matrix x = random_matrix(40, 3, 3);
  const NeighborGraphGram gram(x, {.k = 4});
  const auto cross = gram.cross_kernel();
  const NewSamples samples{random_matrix(5, 3, 4)};
  const auto placed = cross->place(samples);
  const Matrix expected = placed->apply(Matrix::Identity(40, 40));
  ASSERT_TRUE(placed->rows());
  EXPECT_LT((*placed->rows() - expected).cwiseAbs().maxCoeff(), 1e-14);
  expect_among(gram, samples, Matrix::Zero(5, 5));
}

}  // namespace
}  // namespace stkr::placed_samples_test
