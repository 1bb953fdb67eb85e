#include "stkr/linop/feature_matrix.hpp"

#include <algorithm>

#include "stkr/error.hpp"

namespace stkr {

const SharedMatrix& FeatureMatrix::dense() const {
  if (sparse_) throw ValueError("the features are sparse; expected dense ones");
  return dense_;
}

double FeatureMatrix::operator()(Index i, Index j) const {
  if (!sparse_) return dense_(i, j);
  const auto begin = sparse_->column.begin() + sparse_->row_start[i];
  const auto end = sparse_->column.begin() + sparse_->row_start[i + 1];
  const auto found = std::lower_bound(begin, end, static_cast<std::int32_t>(j));
  return found != end && *found == j ? sparse_->value[found - sparse_->column.begin()] : 0.0;
}

Matrix FeatureMatrix::matrix() const { return sparse_ ? dense_of(*sparse_) : dense_.matrix(); }

FeatureMatrix FeatureMatrix::chosen_rows(std::span<const Index> rows) const {
  if (sparse_) return stkr::chosen_rows(*sparse_, rows);
  return dense_.chosen_rows(rows);
}

bool operator==(const FeatureMatrix& a, const FeatureMatrix& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  if (!a.sparse() && !b.sparse()) return a.dense() == b.dense();
  const CsrMatrix left = a.sparse() ? *a.sparse() : sparse_of(a.matrix());
  const CsrMatrix right = b.sparse() ? *b.sparse() : sparse_of(b.matrix());
  return left.row_start == right.row_start && left.column == right.column &&
         left.value == right.value;
}

CsrMatrix sparse_of(ConstMatrixRef dense) {
  CsrMatrix sparse{dense.rows(), dense.cols(), {0}, {}, {}};
  for (Index i = 0; i < dense.rows(); ++i) {
    for (Index j = 0; j < dense.cols(); ++j) {
      if (dense(i, j) == 0.0) continue;
      sparse.column.push_back(static_cast<std::int32_t>(j));
      sparse.value.push_back(dense(i, j));
    }
    sparse.row_start.push_back(sparse.entries());
  }
  return sparse;
}

Matrix dense_of(const CsrMatrix& sparse) {
  Matrix dense = Matrix::Zero(sparse.rows, sparse.cols);
  for (Index i = 0; i < sparse.rows; ++i) {
    for (std::int64_t p = sparse.row_start[i]; p < sparse.row_start[i + 1]; ++p) {
      dense(i, sparse.column[p]) = sparse.value[p];
    }
  }
  return dense;
}

}  // namespace stkr
