#include "shared_neighbor_gram.hpp"

#include <gtest/gtest.h>

#include "kernel/searched_points.hpp"
#include "runtime/random.hpp"
#include "shared_cases.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr::shared_neighbor_gram_test {

using petsc::all_rows;
using petsc::own_rows;
using petsc::shared_layout;
using petsc::SharedNeighborGram;

// Equal points at both ends, so in different processes.
Matrix points_with_copies(Index count) {
  Matrix points = testing::random_points(count, 3, 8, 100.0);
  points.bottomRows(count / 3) = points.topRows(count / 3);
  return points;
}

struct Grams {
  Grams(const Matrix& points, const NeighborGraphOptions& options, std::vector<Index> labeled)
      : layout(shared_layout(points.rows())),
        one(points, options, {.threads = 1}),
        shared(layout,
               shared_neighbor_graph(layout, Matrix(own_rows(points, *layout)), options,
                                     {.threads = 1}),
               options, labeled, {.normalization = options.normalization}) {}

  petsc::Layout layout;
  NeighborGraphGram one;
  SharedNeighborGram shared;
};

TEST(SharedNeighborGram, HasTheProductsOfOneMachine) {
  for (const Index count : {Index{4}, Index{60}, Index{301}}) {
    const Grams grams(points_with_copies(count), {.k = 3}, {});
    Random random(2);
    Matrix x(count, 4);
    fill_normal(random, x);
    const Matrix found = all_rows(product(grams.shared, own_rows(x, *grams.layout)), *grams.layout);
    EXPECT_LE((found - product(grams.one, x)).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_EQ(grams.shared.length_scale(), grams.one.length_scale());
  }
}

TEST(SharedNeighborGram, KnowsTheNearestLabeledSamples) {
  for (const EdgeWeight weight : {EdgeWeight::self_tuning, EdgeWeight::cosine}) {
    const Index count = 61;
    const std::vector<Index> labeled = {0, 17, 41, 60};
    const Grams grams(points_with_copies(count), {.k = 4, .weight = weight}, labeled);
    std::vector<Index> all;
    for (Index i = 0; i < count; ++i) all.push_back(i);
    const auto expected = grams.one.nearest(all, labeled);
    EXPECT_EQ(grams.shared.nearest(all, labeled), expected);
    // A process asks its cross kernel about its own rows, without the others.
    std::vector<Index> own;
    for (Index i = 0; i < grams.layout->count(); ++i) own.push_back(i);
    const auto found = grams.shared.cross_kernel()->nearest(own, labeled);
    const auto first = expected->begin() + grams.layout->first();
    EXPECT_EQ(*found, std::vector<Index>(first, first + grams.layout->count()));
    if (!own.empty()) {
      EXPECT_THROW(Grams(points_with_copies(count), {.k = 4}, {})
                       .shared.cross_kernel()
                       ->nearest(own, labeled),
                   Error);
    }
  }
}

}  // namespace stkr::shared_neighbor_gram_test
