#include "stkr/linop/known_eigenspace.hpp"

#include <cmath>

#include "stkr/error.hpp"

namespace stkr {

KnownEigenspace::KnownEigenspace(double eigenvalue, Index groups, std::vector<std::int32_t> group,
                                 Vector weight)
    : eigenvalue_(eigenvalue),
      groups_(groups),
      group_(std::move(group)),
      weight_(std::move(weight)) {
  if (static_cast<Index>(group_.size()) != weight_.size()) {
    throw ShapeError("KnownEigenspace: group and weight need one entry per sample each");
  }
  Vector squares = Vector::Zero(groups_);
  for (Index i = 0; i < weight_.size(); ++i) {
    if (group_[i] >= groups_) throw ValueError("KnownEigenspace: group out of range");
    if (group_[i] >= 0) squares[group_[i]] += weight_[i] * weight_[i];
  }
  for (Index i = 0; i < weight_.size(); ++i) {
    if (group_[i] >= 0) weight_[i] /= std::sqrt(squares[group_[i]]);
  }
}

bool KnownEigenspace::same_vectors(const KnownEigenspace& other) const {
  return groups_ == other.groups_ && group_ == other.group_ && weight_ == other.weight_;
}

KnownEigenspace KnownEigenspace::with_eigenvalue(double eigenvalue) const {
  KnownEigenspace result = *this;
  result.eigenvalue_ = eigenvalue;
  return result;
}

Matrix KnownEigenspace::coefficients(ConstMatrixRef x) const {
  Matrix result = Matrix::Zero(groups_, x.cols());
  for (Index i = 0; i < size(); ++i) {
    if (group_[i] >= 0) result.row(group_[i]) += weight_[i] * x.row(i);
  }
  return result;
}

void KnownEigenspace::add(ConstMatrixRef coefficients, MatrixRef x) const {
  for (Index i = 0; i < size(); ++i) {
    if (group_[i] >= 0) x.row(i) += weight_[i] * coefficients.row(group_[i]);
  }
}

void KnownEigenspace::project_out(MatrixRef x) const {
  Matrix negative = -coefficients(x);
  add(negative, x);
}

}  // namespace stkr
