#include "stkr/linop/feature_matrix.hpp"

namespace stkr {

Matrix SharedMatrix::matrix() const {
  return visit([](const auto& values) { return Matrix(values.template cast<double>()); });
}

Matrix SharedMatrix::gather(std::span<const Index> rows) const {
  return visit([&](const auto& values) {
    Matrix result(static_cast<Index>(rows.size()), cols_);
    for (Index i = 0; i < result.rows(); ++i) {
      result.row(i) = values.row(rows[i]).template cast<double>();
    }
    return result;
  });
}

SharedMatrix SharedMatrix::chosen_rows(std::span<const Index> rows) const {
  return visit([&]<class Values>(const Values& values) -> SharedMatrix {
    Plain<typename Values::Scalar> result(static_cast<Index>(rows.size()), cols_);
    for (Index i = 0; i < result.rows(); ++i) result.row(i) = values.row(rows[i]);
    return result;
  });
}

SharedMatrix SharedMatrix::chosen_block(std::span<const Index> rows,
                                        std::span<const Index> columns) const {
  return visit([&]<class Values>(const Values& values) -> SharedMatrix {
    Plain<typename Values::Scalar> result(static_cast<Index>(rows.size()),
                                          static_cast<Index>(columns.size()));
    for (Index i = 0; i < result.rows(); ++i) {
      for (Index j = 0; j < result.cols(); ++j) result(i, j) = values(rows[i], columns[j]);
    }
    return result;
  });
}

bool SharedMatrix::all_finite() const {
  return visit([](const auto& values) { return values.allFinite(); });
}

std::span<const std::byte> SharedMatrix::bytes() const {
  const std::size_t width = single_ ? sizeof(float) : sizeof(double);
  return {static_cast<const std::byte*>(data_), static_cast<std::size_t>(size()) * width};
}

bool operator==(const SharedMatrix& a, const SharedMatrix& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) {
      if (a(i, j) != b(i, j)) return false;
    }
  }
  return true;
}

}  // namespace stkr
