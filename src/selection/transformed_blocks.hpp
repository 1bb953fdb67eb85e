#pragma once

#include <functional>
#include <string>
#include <vector>

#include "estimator/ridge_path.hpp"
#include "selection/block_shape.hpp"
#include "selection/kernel_rows.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/selection/grid.hpp"
#include "stkr/solver/summary.hpp"

namespace stkr {

// K̂_s(x, x_j) for x labeled or scored and x_j labeled: all that ridge regression with the
// transformed kernel needs, for every β. For kernel PCA, the inner products of ψ̂.
struct TransformedBlock {
  Family family = Family::power;
  double parameter = 0.0;
  Matrix labeled;  // G_{K̂_s,n}: n × n, symmetric
  Matrix scored;   // scored × n
  // ≠ 0: η/N of an inverse Laplacian in the form of LaplacianSeries. RidgePath accepts it.
  double coupling = 0.0;
  // K ≥ 0: an entry is 0 if and only if the label does not reach the sample.
  bool exact_zeros = false;
  Vector label_weights{};  // of the Poisson transform; empty: 1 each
  bool centers = false;    // whether classes are centered: the Poisson transform

  // For all labels; with a free constant or without.
  RidgePathOptions ridge_options(bool constant) const {
    return {.coupling = coupling,
            .constant = constant,
            .centered = centers && !constant,
            .label_weights = label_weights};
  }
};

struct BlockOptions {
  double largest_eigenvalue = 1.0;  // λ₁ of S: the unit of η
  double tolerance = 1e-9;          // residual of the inverse Laplacian's solves
  double eigen_tolerance = 1e-8;    // residual of kernel PCA's eigenpairs
  // Return coupled blocks for inverse Laplacians if kernel PCA is in the grid too and has done most
  // of the work: faster, but unusable for folds, which need parts of K̂_s.
  bool coupled = false;
  std::size_t block_bytes = std::size_t{1} << 30;  // for one N × n block; beyond that, batches
  Index diagonalize_below = 4000;   // largest dense gram for which kernel PCA uses LAPACK
  bool literal_top_d = false;       // kernel PCA: see KernelPcaOptions
  std::vector<char> kept_groups{};  // of the Poisson transform: see PoissonLeading
};

struct BlockSummary {
  std::vector<FamilyCost> costs;
  std::vector<LeftOut> left_out;
  std::vector<std::string> warnings;  // what failed or is uncertain
};

// Called once for each computable parameter of each ridge family, concurrently from several threads
// within a family. `place` is the parameter's index in its family.
using BlockSink = std::function<void(std::size_t place, const TransformedBlock& block)>;

// Computes every transform of the grid at little more than the cost of the most expensive one:
//   powers, polynomials   share the products S^k E
//   inverse Laplacians,
//   Poisson transforms    share one block Krylov space (selection/resolvent_blocks)
//   diffusions            share the Chebyshev polynomials T_k(S) E
//   kernel PCA            all d share the eigenvectors of the largest
BlockSummary transformed_blocks(const GramOperator& gram, const KernelRows& rows, const Grid& grid,
                                const BlockSink& sink, const BlockOptions& options,
                                const Context& context = {});

// What the families of the grid take, one after the other, without what their blocks take.
struct TransformedCost {
  SolveCost cost;
  double blocks = 0.0;  // of K̂_s
};
std::vector<TransformedCost> transformed_costs(const BlockShape& shape, const Grid& grid,
                                               Index diagonalize_below);

}  // namespace stkr
