#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <utility>

#include "stkr/linop/csr_matrix.hpp"
#include "stkr/linop/shared_matrix.hpp"

namespace stkr {

// Samples × features, dense or sparse: words of texts are thousands of features, nearly all of them
// 0. Read-only; copies share the values.
class FeatureMatrix {
 public:
  FeatureMatrix() = default;
  template <class Dense>
  requires std::constructible_from<SharedMatrix, Dense> FeatureMatrix(Dense&& values)
      : dense_(std::forward<Dense>(values)) {}
  // Columns ascend in each row, and no value is 0.
  FeatureMatrix(CsrMatrix values)
      : FeatureMatrix(std::make_shared<const CsrMatrix>(std::move(values))) {}
  FeatureMatrix(std::shared_ptr<const CsrMatrix> values) : sparse_(std::move(values)) {}

  Index rows() const { return sparse_ ? sparse_->rows : dense_.rows(); }
  Index cols() const { return sparse_ ? sparse_->cols : dense_.cols(); }

  // The sparse values; null if they are dense.
  const std::shared_ptr<const CsrMatrix>& sparse() const { return sparse_; }
  // The dense values. Throws ValueError if they are sparse.
  const SharedMatrix& dense() const;

  double operator()(Index i, Index j) const;

  // A copy as double, zeros included.
  Matrix matrix() const;
  FeatureMatrix chosen_rows(std::span<const Index> rows) const;

 private:
  SharedMatrix dense_;
  std::shared_ptr<const CsrMatrix> sparse_;
};

// Compares values, regardless of their precision and of how they are stored.
bool operator==(const FeatureMatrix& a, const FeatureMatrix& b);

// The entries of a dense matrix that are not 0.
CsrMatrix sparse_of(ConstMatrixRef dense);

// A sparse matrix with its zeros.
Matrix dense_of(const CsrMatrix& sparse);

}  // namespace stkr
