#pragma once

#include <functional>
#include <string>
#include <vector>

#include "stkr/selection/grid.hpp"
#include "stkr/selection/kernel_rows.hpp"
#include "stkr/solver/summary.hpp"

namespace stkr {

// K̂_s(x, x_j) for x labeled or scored and x_j labeled: all that a ridge regression with the
// transformed kernel needs, whatever β. For kernel PCA, the inner products of ψ̂.
struct TransformedBlock {
  Family family = Family::power;
  double parameter = 0.0;
  Matrix labeled;  // G_{K̂_s,n}: n × n, symmetric
  Matrix scored;   // scored × n
  // ≠ 0: of an inverse Laplacian in the form of LaplacianSeries, η/N. RidgePath takes it.
  double coupling = 0.0;
  // K ≥ 0: an entry is 0 exactly where the label does not reach the sample.
  bool exact_zeros = false;
};

struct BlockOptions {
  double largest_eigenvalue = 1.0;  // λ₁ of S: the unit of η
  double tolerance = 1e-9;          // residual of the inverse Laplacian's solves
  double eigen_tolerance = 1e-8;    // residual of the eigenpairs behind kernel PCA
  // Let blocks of inverse Laplacians come coupled, where kernel PCA is in the grid too and has done
  // most of their work: faster, but of no use for folds, whose blocks are parts of K̂_s.
  bool coupled = false;
  std::size_t block_bytes = std::size_t{1} << 30;  // for one N × n block; more labels go in batches
  std::uint64_t memory = 0;  // that the process may take, where rounding asks for more; 0: no limit
  Index diagonalize_below = 4000;  // samples of a dense gram up to which kernel PCA uses LAPACK
  bool literal_top_d = false;      // kernel PCA: see KernelPcaOptions
  std::uint64_t seed = 1;
  int threads = 0;
  SolveControl control{};
};

// What a family cost, shared among all its grid points.
struct FamilyCost {
  Family family;
  double seconds = 0.0;
  long products = 0;  // block products with S
};

// A parameter of the grid that cannot be computed, with the reason. It never ends the others.
struct LeftOut {
  Family family;
  double parameter = 0.0;
  std::string reason{};
  std::size_t kernel = 0;  // GridPoint::kernel
};

struct BlockSummary {
  std::vector<FamilyCost> costs;
  std::vector<LeftOut> left_out;
  std::vector<std::string> warnings;  // what could not be had, or not for certain
};

// Called once for each parameter of each ridge family that can be computed; blocks of one family at
// the same time from several threads. `place` is the parameter's place in its family.
using BlockSink = std::function<void(std::size_t place, const TransformedBlock& block)>;

// Every transform of the grid at little more than the price of its most expensive one:
//   powers, polynomials   share the products S^k E
//   inverse Laplacians    share one block Krylov space (solver/resolvent_space)
//   diffusions            share the Chebyshev polynomials T_k(S) E
//   kernel PCA            all d share the eigenvectors of the largest
BlockSummary transformed_blocks(const GramOperator& gram, const KernelRows& rows, const Grid& grid,
                                const BlockSink& sink, const BlockOptions& options);

// Ŷ of label propagation at the labeled and scored samples for every η and T, from one series of
// products: Ŷ_T = Σ_{k ≤ T} η^k S^k B. B is Ỹ, or E for the answer to every single label.
using PropagationSink =
    std::function<void(std::size_t eta, std::size_t steps, const Matrix& labeled_then_scored)>;
FamilyCost propagated_blocks(const GramOperator& gram, const KernelRows& rows, Matrix b,
                             const Grid& grid, const PropagationSink& sink,
                             const BlockOptions& options);

}  // namespace stkr
