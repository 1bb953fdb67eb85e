#pragma once

#include <vector>

#include "chebyshev_filter.hpp"
#include "stkr/linop/random.hpp"
#include "stkr/solver/eigenpairs.hpp"

namespace stkr {

// Block Lanczos with full orthogonalisation on p(A), p a Chebyshev polynomial of A that is large on
// the wanted end of the spectrum and at most 1 on the rest. The Krylov space needs little more
// dimensions than there are wanted pairs, where on A itself it would need many times as many, and
// a tenth of the products that filtering a whole subspace takes.
class FilteredLanczos {
 public:
  // The space stays orthogonal to the columns of `locked`. Both must outlive this.
  FilteredLanczos(const LinearOperator& op, const ChebyshevFilter& filter, int degree, Index block,
                  const Matrix& locked, Random& random, int threads);

  // Adds blocks until the space has `dimension` columns or is invariant.
  void grow(Index dimension, const std::stop_token& cancel);

  Index dimension() const { return dimension_; }
  bool invariant() const { return newest_.cols() == 0; }
  long products() const { return products_; }  // with single columns

  // The largest `count` Ritz values of p(A), decreasing, and a bound on the residuals in A of their
  // vectors.
  struct Ritz {
    Vector values;     // of p(A), not of A
    Vector residuals;  // estimated ‖A x - λ x‖
    Matrix weights;    // of the basis: dimension × count
  };
  Ritz ritz(Index count) const;
  Matrix vectors(const Ritz& ritz) const;

 private:
  Matrix filtered(const Matrix& x);
  auto basis() const { return basis_.leftCols(dimension_); }
  void append(const Matrix& block);

  const LinearOperator& op_;
  const ChebyshevFilter filter_;
  const int degree_;
  const Matrix& locked_;
  const int threads_;
  double scale_ = 1.0;  // p at the top of the spectrum
  double width_ = 1.0;  // of the spectrum
  Matrix basis_;        // V = [V_1, V_2, ...] in its first `dimension_` columns
  Index dimension_ = 0;
  std::vector<Index> widths_;     // of the blocks
  std::vector<Matrix> diagonal_;  // V_jᵀ p(A) V_j
  std::vector<Matrix> below_;     // V_{j+1}ᵀ p(A) V_j
  Matrix newest_;                 // the block to be added next
  long products_ = 0;
};

}  // namespace stkr
