#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "stkr/linop/csr_matrix.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

// A read-only matrix of contiguous float or double rows. It owns its values or refers to external
// memory (an array of another language, a mapped file). Copies share the values.
class SharedMatrix {
 public:
  template <class Scalar>
  using Plain = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  template <class Scalar>
  using View = Eigen::Map<const Plain<Scalar>>;

  SharedMatrix() = default;
  // Takes ownership of the values.
  SharedMatrix(Matrix&& matrix) { own(std::move(matrix)); }
  SharedMatrix(MatrixF&& matrix) { own(std::move(matrix)); }
  // Copies the values in their own precision.
  template <class Derived>
  SharedMatrix(const Eigen::DenseBase<Derived>& matrix) {
    own(Plain<typename Derived::Scalar>(matrix.derived()));
  }
  // Refers to external values, which `owner` keeps alive and unchanged.
  template <class Scalar>
  SharedMatrix(const Scalar* data, Index rows, Index cols, std::shared_ptr<const void> owner)
      : data_(data),
        rows_(rows),
        cols_(cols),
        single_(std::is_same_v<Scalar, float>),
        owner_(std::move(owner)) {
    static_assert(std::is_same_v<Scalar, float> || std::is_same_v<Scalar, double>);
  }

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index size() const { return rows_ * cols_; }
  bool single() const { return single_; }  // whether the values are float

  double operator()(Index i, Index j) const {
    const Index at = i * cols_ + j;
    return single_ ? static_cast<const float*>(data_)[at] : static_cast<const double*>(data_)[at];
  }

  // Calls f(View<double>) or f(View<float>), depending on the precision.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return single_ ? f(as<float>()) : f(as<double>());
  }

  // A view of the values; `Scalar` must be their type.
  template <class Scalar>
  View<Scalar> as() const {
    return {static_cast<const Scalar*>(data_), rows_, cols_};
  }

  // The same values in the precision of Scalar; shares them if they already have it.
  template <class Scalar>
  SharedMatrix in_precision_of() const {
    if (single_ == std::is_same_v<Scalar, float>) return *this;
    return visit([](const auto& values) -> SharedMatrix {
      return Plain<Scalar>(values.template cast<Scalar>());
    });
  }

  // Copies as double.
  Matrix matrix() const;
  Matrix gather(std::span<const Index> rows) const;

  // Copies of some rows, or of some rows and columns, in the same precision.
  SharedMatrix chosen_rows(std::span<const Index> rows) const;
  SharedMatrix chosen_block(std::span<const Index> rows, std::span<const Index> columns) const;

  bool all_finite() const;
  std::span<const std::byte> bytes() const;

 private:
  template <class Scalar>
  void own(Plain<Scalar>&& matrix) {
    auto kept = std::make_shared<const Plain<Scalar>>(std::move(matrix));
    *this = SharedMatrix(kept->data(), kept->rows(), kept->cols(), kept);
  }

  const void* data_ = nullptr;
  Index rows_ = 0;
  Index cols_ = 0;
  bool single_ = false;
  std::shared_ptr<const void> owner_;
};

// Compares values, regardless of their precision.
bool operator==(const SharedMatrix& a, const SharedMatrix& b);

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
