#pragma once

#include <cstdint>
#include <string>

#include "stkr/linop/linear_operator.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

struct NystromOptions {
  Index rank = 16;          // initial rank, doubled as needed
  Index most_rank = 1024;   // memory: three N × rank blocks during construction, one afterwards
  Index columns = 1;        // right-hand sides to be solved
  double tolerance = 1e-8;  // of that solve
  Index at_once = 0;        // sketch columns per product; 0: all
};

// A preconditioner for (A + μI) x = b with A positive semidefinite, from a randomized Nyström
// approximation A ≈ U Λ Uᵀ of rank ℓ (Frangella, Tropp and Udell 2023, Algorithms 2.1 and 5.1):
//   P⁻¹ = (λ_ℓ + μ) U (Λ + μI)⁻¹ Uᵀ + (I - U Uᵀ)
// Eigenvalues above λ_ℓ no longer affect conjugate gradients: the condition number is about 1 +
// λ_ℓ/μ instead of 1 + λ₁/μ.
//
// The rank is doubled until λ_ℓ ≤ μ, or until the columns that this would add to the sketch
// outnumber the columns of all remaining iterations by the bound ½√(1 + λ_ℓ/μ) ln(2/tolerance).
// Construction thus never costs much more than it can save. P is positive definite for every A; if
// A is indefinite it is useless, and conjugate gradients report that.
template <class Block>
class BasicNystromPreconditioner : public BasicLinearOperator<Block> {
 public:
  // `a` is A without μ and need not outlive this object. Throws ValueError unless μ > 0 and the
  // products of A are finite, Cancelled if cancellation is requested.
  BasicNystromPreconditioner(const BasicLinearOperator<Block>& a, double mu,
                             const NystromOptions& options = {}, const Context& context = {});

  Index size() const override { return size_; }
  Index local_size() const override { return vectors_.rows(); }
  Block new_block(Index columns) const override { return block_like(vectors_, columns); }
  void apply(ConstBlockView<Block> x, BlockView<Block> y) const override;  // y = P⁻¹ x

  Index rank() const { return values_.size(); }          // ℓ
  const Vector& eigenvalues() const { return values_; }  // Λ, decreasing
  long products() const { return products_; }            // block products with A
  std::string describe() const;                          // "nystrom, rank 128"

 private:
  Index size_ = 0;
  Block vectors_;   // U
  Vector values_;   // Λ
  Vector weights_;  // (λ_ℓ + μ)/(λ_i + μ) - 1
  long products_ = 0;
  int threads_ = 0;
};

using NystromPreconditioner = BasicNystromPreconditioner<Matrix>;
extern template class BasicNystromPreconditioner<Matrix>;

}  // namespace stkr
