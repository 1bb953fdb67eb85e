#pragma once

#include <vector>

#include "chebyshev_filter.hpp"
#include "runtime/random.hpp"
#include "stkr/solver/eigenpairs.hpp"

namespace stkr {

// Block Lanczos with full orthogonalization on p(A), where the Chebyshev polynomial p is large on
// the wanted end of the spectrum and at most 1 on the rest. The Krylov space needs few more
// dimensions than there are wanted pairs, whereas on A itself it would need many times as many, and
// a tenth of the products that filtering a whole subspace takes.
template <class Block>
class FilteredLanczos {
 public:
  // The space stays orthogonal to the columns of `locked`. `op` and `locked` must outlive this.
  FilteredLanczos(const BasicLinearOperator<Block>& op, const ChebyshevFilter& filter, int degree,
                  Index block, const Block& locked, Random& random, int threads);

  // Adds blocks until the space has `dimension` columns or is invariant.
  void grow(Index dimension, const std::stop_token& cancel);

  Index dimension() const { return dimension_; }
  bool invariant() const { return newest_.cols() == 0; }
  long products() const { return products_; }  // products with single columns

  // The largest `count` Ritz values of p(A), decreasing, and bounds on the residuals of their
  // vectors in A.
  struct Ritz {
    Vector values;     // of p(A), not of A
    Vector residuals;  // estimated ‖A x - λ x‖
    Matrix weights;    // coordinates in the basis: dimension × count
  };
  Ritz ritz(Index count) const;
  Block vectors(const Ritz& ritz) const;

 private:
  Block filtered(const Block& x);
  ConstBlockView<Block> basis() const { return columns_of(basis_, 0, dimension_); }
  void reserve(Index columns);
  void append(const Block& block);

  const BasicLinearOperator<Block>& op_;
  const ChebyshevFilter filter_;
  const int degree_;
  const Block& locked_;
  const int threads_;
  double scale_ = 1.0;  // p at the top of the spectrum
  double width_ = 1.0;  // width of the spectrum
  Block basis_;         // V = [V_1, V_2, ...] in its first `dimension_` columns
  Index dimension_ = 0;
  std::vector<Index> widths_;     // widths of the blocks
  std::vector<Matrix> diagonal_;  // V_jᵀ p(A) V_j
  std::vector<Matrix> below_;     // V_{j+1}ᵀ p(A) V_j
  Block newest_;                  // the next block to be added
  long products_ = 0;
};

}  // namespace stkr
