#include "shared_cases.hpp"

#include "runtime/random.hpp"

namespace stkr::petsc {
namespace {

CsrMatrix symmetric(Index size, std::vector<Triplet> edges) {
  const std::size_t count = edges.size();
  for (std::size_t k = 0; k < count; ++k) {
    edges.push_back({edges[k].column, edges[k].row, edges[k].value});
  }
  return csr_from_triplets(size, size, std::move(edges));
}

// Edges between nodes whose numbers agree modulo `parts`; every ninth node is isolated.
CsrMatrix random_graph(Index size, Index edges, Index parts, std::uint64_t seed) {
  Random random(seed);
  std::vector<Triplet> list;
  for (Index k = 0; k < edges; ++k) {
    const Index i = random.below(size);
    const Index j = (i + parts * (1 + random.below(std::max<Index>(size / parts, 1)))) % size;
    if (i == j || (parts > 1 && (i % 9 == 4 || j % 9 == 4))) continue;
    list.push_back(
        {static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), 0.5 + random.uniform()});
  }
  return symmetric(size, std::move(list));
}

CsrMatrix hub(Index size) {
  std::vector<Triplet> edges;
  for (std::int32_t i = 1; i < size; ++i) edges.push_back({0, i, 1.0 + i % 3});
  for (std::int32_t i = 1; i + 7 < size; i += 2) edges.push_back({i, i + 7, 0.5});
  return symmetric(size, std::move(edges));
}

CsrMatrix path(Index size) {
  std::vector<Triplet> edges;
  // Neighbors are far apart in number, so the path goes through the processes again and again.
  const auto place = [&](Index i) { return static_cast<std::int32_t>(i * 7 % size); };
  for (Index i = 0; i + 1 < size; ++i) edges.push_back({place(i), place(i + 1), 1.0});
  return symmetric(size, std::move(edges));
}

}  // namespace

std::vector<GraphCase> graph_cases() {
  return {{"random", random_graph(240, 900, 1, 1)},
          {"components", random_graph(200, 260, 5, 2)},
          {"hub", hub(120)},
          {"path", path(60)},
          {"pair", symmetric(2, {{0, 1, 2.0}})},
          {"three", symmetric(3, {{0, 2, 1.0}})}};
}

Labeled labels_of(Index size, bool first) {
  Labeled labels;
  const Index count = std::max<Index>(size / 10, 2);
  for (Index k = 0; k < count; ++k) labels.samples.push_back(first ? k : k * size / count);
  labels.y = Matrix::Zero(count, 2);
  for (Index k = 0; k < count; ++k) labels.y(k, k % 2) = 1.0;
  return labels;
}

Layout shared_layout(Index size) { return RowLayout::equal(PETSC_COMM_WORLD, size); }

CsrMatrix own_rows(const CsrMatrix& matrix, const RowLayout& layout) {
  return row_slice(matrix, layout.first(), layout.count());
}

Matrix own_rows(ConstMatrixRef block, const RowLayout& layout) {
  return block.middleRows(layout.first(), layout.count());
}

Matrix all_rows(ConstMatrixRef own, const RowLayout& layout) {
  Matrix all = Matrix::Zero(layout.size(), own.cols());
  all.middleRows(layout.first(), layout.count()) = own;
  layout.sum(all);
  return all;
}

SharedGraphGram shared_gram(const CsrMatrix& weights, GraphNormalization normalization,
                            bool add_self_loops) {
  const Layout layout = shared_layout(weights.rows);
  return SharedGraphGram(layout, own_rows(weights, *layout),
                         {.normalization = normalization, .add_self_loops = add_self_loops});
}

}  // namespace stkr::petsc
