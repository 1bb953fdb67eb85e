#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "dense_reference.hpp"
#include "gram_cases.hpp"
#include "stkr/selection/grid.hpp"
#include "transform_cases.hpp"

// Grams with labeled and scored samples, and the expected results of selection, by explicit
// matrices.
namespace stkr::cases {

// A problem to select on. K(new, known) is also written out by hand.
struct ScoredCase {
  std::string name;
  std::function<std::unique_ptr<GramOperator>(int threads)> make;
  Matrix kernel;
  std::vector<Index> labeled;
  std::vector<Index> scored;  // transductive: samples of the gram
  NewSamples fresh;           // inductive
  Matrix cross;               // K(fresh, known)
  double self_term = 0.0;     // the part of S's diagonal that K(fresh, known) lacks

  reference::Dense dense() const { return reference::Dense(kernel, self_term); }
};

void PrintTo(const ScoredCase& scored, std::ostream* out);

// 44 nodes with all difficult features of graphs: a component {0..19} of two loosely joined halves,
// a star {20; 21..27}, a pair {28, 29}, isolated nodes {30, 31}, a triangle {32..34} and a weighted
// path {35..43}.
Matrix awkward_graph();

// Both halves, three leaves of one hub, both nodes of a pair, one isolated node.
inline const std::vector<Index> kAwkwardLabels{3, 15, 21, 22, 26, 28, 29, 30, 7, 12, 36};

// Edges of new nodes: to two nodes, the hub, an isolated node, two components, none.
Matrix awkward_edges();

// K(new, known): the degree of a new node counts all its edges; entries of isolated nodes are 0.
Matrix graph_cross(const Matrix& w, const Matrix& edges, GraphNormalization normalization);

ScoredCase scored_graph(std::string name, const Matrix& w, GraphNormalization normalization,
                        std::vector<Index> labeled, std::vector<Index> scored, const Matrix& edges,
                        const Device& device = {});

// Two blocks of `half` nodes.
Matrix block_model(Index half, std::uint64_t seed);

// Those on the CPU come first, then some on every other device of this machine,
// tests/handle_backend among them.
std::vector<ScoredCase> scored_cases();

// The d in [lowest, highest] at the widest gap of kernel PCA's spectrum.
Index widest_pca_gap(const Matrix& kernel, const std::vector<Index>& labeled, Index lowest,
                     Index highest);

// s and g of a grid point; η in units of 1/λ₁. Not for kernel PCA.
reference::Transform exact_transform(Family family, double parameter, const Grid& grid,
                                     double largest);

// K̂_s between all known samples and, in the rows below, between fresh and known ones: N + M rows.
Matrix exact_kernel(const reference::Dense& dense, const Matrix& cross, Family family,
                    double parameter, const Grid& grid, const std::vector<Index>& labeled);

// b = 1ᵀA⁻¹Y/1ᵀA⁻¹1 with A = K_labeled + nβI
Vector free_constant(const Matrix& labeled, const Matrix& y, double beta);

// f = K_scored (K_labeled + nβI)⁻¹ Y
Matrix ridge(const Matrix& labeled, const Matrix& scored, const Matrix& y, double beta);

}  // namespace stkr::cases
