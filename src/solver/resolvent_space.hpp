#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "stkr/linop/known_eigenspace.hpp"
#include "stkr/linop/linear_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/solver/summary.hpp"

namespace stkr {

// Computes R X of an N × c block X for some r × N matrix R, given also S X because R is often a few
// rows of S. Called once per block of the space.
using RowSampler = std::function<Matrix(ConstMatrixRef x, ConstMatrixRef s_x)>;

struct ResolventOptions {
  double hardest_eta = 0.99;  // the largest η passed to rows()
  double tolerance = 1e-9;    // on ‖B - (I - ηS)X‖ per column at that η, relative to ‖B‖
  int max_steps = 400;        // maximum number of blocks
  const KnownEigenspace* deflate = nullptr;  // of S; its part of the solution is computed directly
  std::uint64_t most_bytes = 0;              // for blocks kept because of rounding; 0: no limit
};

// R (I - ηS)⁻¹ B for every η at the cost of one: all η share the block Krylov space of S and B, in
// which S is block-tridiagonal, so that each η is a small block elimination. Uses block Lanczos;
// blocks shrink when their columns become dependent (two leaves of one hub). Only the sampled rows
// of the basis are stored: memory is r × dimension and four N × c blocks, unless rounding requires
// full orthogonality. Throws MemoryError if that exceeds `most_bytes`.
class ResolventSpace {
 public:
  ResolventSpace(const LinearOperator& s, Matrix b, const RowSampler& sampler,
                 const ResolventOptions& options, const Context& context = {});

  // R (I - ηS)⁻¹ B for 0 ≤ η ≤ hardest_eta. Thread-safe.
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

  // Returns false if the elimination at the hardest η breaks down.
  bool grow(const LinearOperator& s, Matrix v, const Vector& norms, const RowSampler& sampler,
            const ResolventOptions& options, const Context& context, Orthogonal orthogonal);

  Matrix start_;  // B minus its deflated part = V_1 start_
  std::vector<Step> steps_;
  Matrix deflated_rows_;  // R U Uᵀ B
  double deflated_eigenvalue_ = 0.0;
  SolveSummary summary_;
};

}  // namespace stkr
