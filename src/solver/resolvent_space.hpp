#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "solver/block_elimination.hpp"
#include "stkr/linop/known_eigenspace.hpp"
#include "stkr/linop/linear_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/solver/summary.hpp"

namespace stkr {

// Computes R X of an N × c block X for some r × N matrix R, most of whose rows are rows of S. Used
// once per block of the space, which may be on a device: only these rows of S X come to the host,
// and X if finish() asks for it.
struct RowSampler {
  std::vector<Index> samples;
  // R X from the rows of S X at `samples`; whole() is X, valid until finish() returns.
  using Whole = std::function<ConstMatrixRef()>;
  std::function<Matrix(const Matrix& rows, const Whole& whole)> finish;
};

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
template <class Block>
class BasicResolventSpace {
 public:
  // The space of an operator on a device is computed there, and kept here.
  BasicResolventSpace(const BasicLinearOperator<Block>& s, Block b, const RowSampler& sampler,
                      const ResolventOptions& options, const Context& context = {});

  // A space that was computed with other blocks: it keeps none of them.
  template <class Other>
  explicit BasicResolventSpace(BasicResolventSpace<Other>&& other)
      : start_(std::move(other.start_)),
        steps_(std::move(other.steps_)),
        deflated_rows_(std::move(other.deflated_rows_)),
        deflated_eigenvalue_(other.deflated_eigenvalue_),
        summary_(std::move(other.summary_)) {}

  // R (I - ηS)⁻¹ B for 0 ≤ η ≤ hardest_eta. Thread-safe.
  Matrix rows(double eta) const;
  // The same without the part of the deflated eigenvectors, also for η = 1/λ₁.
  Matrix complement_rows(double eta) const;

  Index dimension() const;  // of the space
  const SolveSummary& summary() const { return summary_; }

 private:
  template <class Other>
  friend class BasicResolventSpace;

  enum class Orthogonal { to_neighbors, to_all };

  // Returns false if the elimination at the hardest η breaks down.
  bool grow(const BasicLinearOperator<Block>& s, Block v, const Vector& norms,
            const RowSampler& sampler, const ResolventOptions& options, const Context& context,
            Orthogonal orthogonal);

  Matrix start_;  // B minus its deflated part = V_1 start_
  std::vector<detail::BlockStep> steps_;
  Matrix deflated_rows_;  // R U Uᵀ B
  double deflated_eigenvalue_ = 0.0;
  SolveSummary summary_;
};

using ResolventSpace = BasicResolventSpace<Matrix>;
extern template class BasicResolventSpace<Matrix>;

}  // namespace stkr
