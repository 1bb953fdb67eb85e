#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "selection/block_shape.hpp"
#include "selection/kernel_rows.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/selection/grid.hpp"

namespace stkr {

// An inverse Laplacian or a Poisson transform of a grid.
struct ResolventBlock {
  Family family = Family::inverse_laplacian;
  std::size_t place = 0;   // index of the parameter in its family
  double parameter = 0.0;  // η in units of 1/λ₁
  std::string reason{};    // why it could not be computed; empty if it could
  Matrix rows{};           // K̂_s between labeled and scored samples (rows) and labeled ones
};

struct ResolventBlockOptions {
  double largest_eigenvalue = 1.0;  // λ₁ of S: the unit of η
  double tolerance = 1e-9;          // residual of the solves
  Index labels_at_once = 1;
  std::vector<char> kept_groups{};  // of the Poisson transform: see PoissonLeading
};

// Labels per Krylov space if `most` fit. Orthogonalizing a block costs the square of its width:
// more than it saves, unless products are expensive.
inline Index resolvent_labels(bool sparse_gram, Index most) {
  return sparse_gram ? std::min<Index>(most, 16) : most;
}

struct ResolventSummary {
  long products = 0;
  std::vector<std::string> warnings;
};

// Fills `rows` or `reason` of all blocks. They share one block Krylov space per batch of labels
// (solver/resolvent_space): the Poisson transform is the inverse Laplacian on the complement of the
// leading eigenvectors, which the space keeps apart.
ResolventSummary resolvent_blocks(const GramOperator& gram, const KernelRows& rows,
                                  const ResolventBlockOptions& options, const Context& context,
                                  std::vector<ResolventBlock>& blocks);
SolveCost resolvent_cost(const BlockShape& shape);

}  // namespace stkr
