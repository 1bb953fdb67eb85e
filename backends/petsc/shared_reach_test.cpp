#include "shared_reach.hpp"

#include <gtest/gtest.h>

#include "shared_cases.hpp"

namespace stkr::petsc {
namespace {

TEST(WholeReach, IsThatOfOneMachineInTheFirstProcess) {
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  for (const GraphCase& one : graph_cases()) {
    SCOPED_TRACE(one.name);
    const Index n = one.weights.rows;
    ClassLabels all{{"a", "b"}, std::vector<std::int32_t>(static_cast<std::size_t>(n), kUnlabeled)};
    for (Index i = n / 3; i < n; i += 25) all.code[static_cast<std::size_t>(i)] = 0;
    const GraphGram whole(one.weights, {.threads = 1});
    const std::optional<LabelReach> expected = label_reach(whole, labeled_indices(Labels(all)));

    SharedSamples samples;
    samples.layout = shared_layout(n);
    ClassLabels own = all;
    own.code.assign(all.code.begin() + samples.layout->first(),
                    all.code.begin() + samples.layout->first() + samples.layout->count());
    samples.labels = std::move(own);
    const SharedGraphGram gram(samples.layout, own_rows(one.weights, *samples.layout), {});
    const std::optional<LabelReach> found = whole_reach(gram, samples);
    ASSERT_EQ(found.has_value(), rank == 0);
    if (!found) continue;
    EXPECT_EQ(found->component, expected->component);
    EXPECT_EQ(found->size, expected->size);
    EXPECT_EQ(found->labeled, expected->labeled);
  }
}

TEST(WholeReach, IsNotKnownOfAKernelWithoutComponents) {
  const GraphCase one = graph_cases()[0];
  SharedSamples samples;
  samples.layout = shared_layout(one.weights.rows);
  const SharedGraphGram gram(samples.layout, own_rows(one.weights, *samples.layout),
                             {.normalization = GraphNormalization::adjacency});
  EXPECT_FALSE(whole_reach(gram, samples).has_value());
}

}  // namespace
}  // namespace stkr::petsc
