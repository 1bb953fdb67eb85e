#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "stkr/linop/known_eigenspace.hpp"
#include "stkr/linop/linear_operator.hpp"
#include "stkr/solver/summary.hpp"

namespace stkr {

// What is wanted of an N × c block X: R X for some r × N matrix R, given S X too because R is often
// a few rows of S. Called once for each block of the space.
using RowSampler = std::function<Matrix(ConstMatrixRef x, ConstMatrixRef s_x)>;

struct ResolventOptions {
  double hardest_eta = 0.99;  // the largest η that will be asked for
  double tolerance = 1e-9;    // on ‖B - (I - ηS)X‖ per column at that η, relative to ‖B‖
  int max_steps = 400;        // blocks of the space
  const KnownEigenspace* deflate = nullptr;  // of S; its part of the answer is written down
  std::uint64_t most_bytes = 0;  // for blocks kept where rounding asks for it; 0: no limit
  int threads = 0;
  SolveControl control{};
};

// R (I - ηS)⁻¹ B for every η at the price of one: all η share the block Krylov space of S and B,
// where S is block-tridiagonal, so that each η is a small block elimination. Block Lanczos; blocks
// shrink where their columns become dependent (two leaves of one hub). Only the sampled rows of the
// basis are kept: memory is r × dimension and four N × c blocks, unless rounding asks for full
// orthogonality. Throws MemoryError where that would keep more than it may.
class ResolventSpace {
 public:
  ResolventSpace(const LinearOperator& s, Matrix b, const RowSampler& sampler,
                 const ResolventOptions& options);

  // R (I - ηS)⁻¹ B for 0 ≤ η ≤ hardest_eta. Safe to call from several threads.
  Matrix rows(double eta) const;

  Index dimension() const;  // of the space
  const SolveSummary& summary() const { return summary_; }

 private:
  struct Step {
    Matrix diagonal;  // V_kᵀ S V_k
    Matrix below;     // V_{k+1}ᵀ S V_k; no rows at the end of the space
    Matrix rows;      // R V_k
  };
  struct Elimination;
  enum class Orthogonal { to_neighbors, to_all };

  // False where the elimination at the hardest η breaks down.
  bool grow(const LinearOperator& s, Matrix v, const Vector& norms, const RowSampler& sampler,
            const ResolventOptions& options, Orthogonal orthogonal);

  Matrix start_;  // B less its deflated part = V_1 start_
  std::vector<Step> steps_;
  Matrix deflated_rows_;  // R U Uᵀ B
  double deflated_eigenvalue_ = 0.0;
  SolveSummary summary_;
};

}  // namespace stkr
