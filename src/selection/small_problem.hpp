#pragma once

#include <gtest/gtest.h>

#include "selection_cases.hpp"
#include "specification/kernel_names.hpp"
#include "stkr/selection/select.hpp"

// A graph, its labels and a split, small enough for selection in a test.
namespace stkr {

using cases::to_csr;

inline constexpr Index kNodes = 120;

// Three blocks of 38 nodes, two pairs and two nodes without edges.
inline Matrix small_graph() {
  Random random(71);
  Matrix w = Matrix::Zero(kNodes, kNodes);
  for (Index i = 0; i < 114; ++i) {
    for (Index j = 0; j < i; ++j) {
      if (random.uniform() < (i / 38 == j / 38 ? 0.12 : 0.015)) w(i, j) = w(j, i) = 1.0;
    }
  }
  w(114, 115) = w(115, 114) = w(116, 117) = w(117, 116) = 1.0;
  return w;
}

inline Dataset small_dataset() {
  Dataset dataset;
  dataset.name = "small";
  dataset.samples = Graph{to_csr(small_graph()), {}};
  ClassLabels labels{{"a", "b", "c"}, std::vector<std::int32_t>(kNodes)};
  for (Index i = 0; i < kNodes; ++i) {
    labels.code[i] = static_cast<std::int32_t>(i < 114 ? i / 38 : i % 3);
  }
  dataset.labels = dataset.truth = labels;
  return dataset;
}

// 18 training samples, including one node of a pair and one without edges, 24 for validation, 40
// for testing.
inline FourWaySplit small_split() {
  std::vector<Index> order(kNodes);
  for (Index i = 0; i < kNodes; ++i) order[i] = i;
  Random(72).shuffle(order);
  std::erase_if(order, [](Index i) { return i == 114 || i == 118; });
  FourWaySplit split;
  split.train = {114, 118};
  split.train.insert(split.train.end(), order.begin(), order.begin() + 16);
  split.val.assign(order.begin() + 16, order.begin() + 40);
  split.test.assign(order.begin() + 40, order.begin() + 80);
  split.other.assign(order.begin() + 80, order.end());
  return split;
}

inline FourWaySplit fifths(Index size) {
  FourWaySplit split;
  for (Index i = 0; i < size; ++i) {
    (i % 5 == 0   ? split.train
     : i % 5 == 1 ? split.val
     : i % 5 == 2 ? split.test
                  : split.other)
        .push_back(i);
  }
  return split;
}

inline Specification with_kernel(const char* name) {
  Specification spec;
  spec.kernel = kernel_spec(name);
  return spec;
}

inline SelectOptions exact_options(Grid grid) {
  SelectOptions options;
  options.grid = std::move(grid);
  options.eigen_tolerance = 1e-11;
  options.no_evidence = NoEvidence::prior;  // predictions as they are, like the references
  return options;
}

inline Grid small_grid(std::vector<Index> dimensions) {
  Grid grid;
  grid.powers = {1, 2, 4};
  grid.polynomials = {{0.5, 0.3, 1.2}};
  grid.etas = {0.7, 0.99, 0.999999};
  grid.times = {2.0};
  grid.dimensions = std::move(dimensions);
  grid.betas = {1e3, 1.0, 1e-2, 1e-5, 1e-8};
  grid.propagation_etas = {0.7, 0.9999};
  grid.propagation_steps = {1, 4, 32};
  return grid;
}

inline void expect_identical(const Selection& a, const Selection& b) {
  EXPECT_EQ(a.score, b.score);
  EXPECT_EQ(a.kernels[0].largest_eigenvalue, b.kernels[0].largest_eigenvalue);
  EXPECT_EQ(a.warnings, b.warnings);
  ASSERT_EQ(a.scores.size(), b.scores.size());
  for (std::size_t k = 0; k < a.scores.size(); ++k) {
    EXPECT_EQ(a.scores[k].point, b.scores[k].point);
    EXPECT_EQ(a.scores[k].validation, b.scores[k].validation);
    EXPECT_EQ(a.scores[k].test, b.scores[k].test);
    EXPECT_EQ(a.scores[k].validation_no_evidence, b.scores[k].validation_no_evidence);
    EXPECT_EQ(a.scores[k].test_no_evidence, b.scores[k].test_no_evidence);
  }
  ASSERT_EQ(a.costs.size(), b.costs.size());
  for (std::size_t k = 0; k < a.costs.size(); ++k) {
    EXPECT_EQ(a.costs[k].family, b.costs[k].family);
    EXPECT_EQ(a.costs[k].products, b.costs[k].products);
  }
}

}  // namespace stkr
