#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include "stkr/linop/matrix.hpp"

namespace stkr {

// A matrix that is only read and never copied: rows of float or double one after the other, its own
// or somebody else's (an array of another language, a mapped file). Copies share the numbers.
class SharedMatrix {
 public:
  template <class Scalar>
  using Plain = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  template <class Scalar>
  using View = Eigen::Map<const Plain<Scalar>>;

  SharedMatrix() = default;
  // Takes the numbers over.
  SharedMatrix(Matrix&& matrix) { own(std::move(matrix)); }
  SharedMatrix(MatrixF&& matrix) { own(std::move(matrix)); }
  // Copies them, in their own precision.
  template <class Derived>
  SharedMatrix(const Eigen::DenseBase<Derived>& matrix) {
    own(Plain<typename Derived::Scalar>(matrix.derived()));
  }
  // Somebody else's: `owner` keeps them where they are, unchanged.
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
  bool single() const { return single_; }  // float, not double

  double operator()(Index i, Index j) const {
    const Index at = i * cols_ + j;
    return single_ ? static_cast<const float*>(data_)[at] : static_cast<const double*>(data_)[at];
  }

  // f(View<double>) or f(View<float>), whichever it is.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return single_ ? f(as<float>()) : f(as<double>());
  }

  // The numbers as what they are; `Scalar` must be that.
  template <class Scalar>
  View<Scalar> as() const {
    return {static_cast<const Scalar*>(data_), rows_, cols_};
  }

  // The same numbers in the precision of Scalar: this one, where it has that already.
  template <class Scalar>
  SharedMatrix in_precision_of() const {
    if (single_ == std::is_same_v<Scalar, float>) return *this;
    return visit([](const auto& values) -> SharedMatrix {
      return Plain<Scalar>(values.template cast<Scalar>());
    });
  }

  // Copies, as double.
  Matrix matrix() const;
  Matrix gather(std::span<const Index> rows) const;

  // Some rows, some of both, in the precision they have.
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

// Equal numbers; the precision they are in does not matter.
bool operator==(const SharedMatrix& a, const SharedMatrix& b);

}  // namespace stkr
