#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "stkr/linop/linear_operator.hpp"

// A second block type, for tests only: its numbers are behind a handle, as those of a GPU or of
// another process are, and host code cannot reach them. What compiles and passes on it needs no
// change for such a backend.
namespace stkr::handle {

// What owns the memory of blocks; counts what crosses between it and the host.
class Device {
 public:
  void moved(Index numbers) {
    ++transfers_;
    numbers_ += numbers;
    largest_ = std::max(largest_, numbers);
  }
  long transfers() const { return transfers_; }
  Index numbers() const { return numbers_; }
  Index largest() const { return largest_; }  // numbers in one transfer

 private:
  long transfers_ = 0;
  Index numbers_ = 0, largest_ = 0;
};

// What a device can do and the host cannot: reach the numbers of a view.
struct Access;

class Block {
 public:
  Block() = default;
  Block(Device& device, Index rows, Index columns)
      : device_(&device), memory_(std::make_unique<Matrix>(rows, columns)) {}

  Index rows() const { return memory_ ? memory_->rows() : 0; }
  Index cols() const { return memory_ ? memory_->cols() : 0; }

 private:
  friend class View;
  friend class ConstView;
  Device* device_ = nullptr;
  std::unique_ptr<Matrix> memory_;
};

class View {
 public:
  View(Block& block)
      : device_(block.device_), memory_(block.memory_.get()), columns_(block.cols()) {}

  Index rows() const { return memory_ ? memory_->rows() : 0; }
  Index cols() const { return columns_; }

 private:
  friend class ConstView;
  friend struct Access;
  Device* device_;
  Matrix* memory_;
  Index first_ = 0, columns_;
};

class ConstView {
 public:
  ConstView(const Block& block)
      : device_(block.device_), memory_(block.memory_.get()), columns_(block.cols()) {}
  ConstView(View view)
      : device_(view.device_),
        memory_(view.memory_),
        first_(view.first_),
        columns_(view.columns_) {}

  Index rows() const { return memory_ ? memory_->rows() : 0; }
  Index cols() const { return columns_; }

 private:
  friend struct Access;
  Device* device_;
  const Matrix* memory_;
  Index first_ = 0, columns_;
};

struct Access {
  static ConstMatrixRef in(ConstView x) {
    static const Matrix none;
    return (x.memory_ ? *x.memory_ : none).middleCols(x.first_, x.columns_);
  }
  static MatrixRef out(View x) {
    static Matrix none;
    return (x.memory_ ? *x.memory_ : none).middleCols(x.first_, x.columns_);
  }
  static Device& device(ConstView x) { return *x.device_; }
  template <class AnyView>
  static AnyView part(AnyView x, Index first, Index count) {
    x.first_ += first;
    x.columns_ = count;
    return x;
  }
};

inline Block block_like(ConstView x, Index columns) {
  return Block(Access::device(x), x.rows(), columns);
}
inline Block block_of_rows(ConstView x, std::span<const Index> samples, Index columns) {
  return Block(Access::device(x), static_cast<Index>(samples.size()), columns);
}
inline ConstView columns_of(ConstView x, Index first, Index count) {
  return Access::part(x, first, count);
}
inline View mutable_columns(View x, Index first, Index count) {
  return Access::part(x, first, count);
}

inline Matrix download(ConstView x) {
  Access::device(x).moved(x.rows() * x.cols());
  return Access::in(x);
}
inline void upload(ConstMatrixRef host, View x) {
  Access::device(x).moved(host.size());
  stkr::upload(host, Access::out(x));
}

// These stay on the device.
inline void set_zero(View x, int threads) { stkr::set_zero(Access::out(x), threads); }
inline void fill_normal(Random& random, View x) { stkr::fill_normal(random, Access::out(x)); }
inline void copy_block(ConstView x, View y, int threads) {
  stkr::copy_block(Access::in(x), Access::out(y), threads);
}
inline void axpby(double a, ConstView x, double b, View y, int threads) {
  stkr::axpby(a, Access::in(x), b, Access::out(y), threads);
}
inline void recurrence_step(double a, ConstView u, double b, ConstView x, double c, View y,
                            int threads) {
  stkr::recurrence_step(a, Access::in(u), b, Access::in(x), c, Access::out(y), threads);
}
inline void scale_rows(ConstView w, ConstView x, View y, int threads) {
  stkr::scale_rows(Access::in(w), Access::in(x), Access::out(y), threads);
}
inline void add_and_scale_rows(ConstView w, ConstView t, ConstView x, View y, int threads) {
  stkr::add_and_scale_rows(Access::in(w), Access::in(t), Access::in(x), Access::out(y), threads);
}
inline void project_out(const KnownEigenspace& space, View x, int threads) {
  stkr::project_out(space, Access::out(x), threads);
}
inline void add_projection(const KnownEigenspace& space, double a, ConstView x, View y,
                           int threads) {
  stkr::add_projection(space, a, Access::in(x), Access::out(y), threads);
}

// These bring a result to the host.
inline bool all_finite(ConstView x, int threads) {
  Access::device(x).moved(1);
  return stkr::all_finite(Access::in(x), threads);
}
inline Vector column_dots(ConstView x, ConstView y, int threads) {
  Access::device(x).moved(x.cols());
  return stkr::column_dots(Access::in(x), Access::in(y), threads);
}
inline Vector column_norms(ConstView x, int threads) {
  Access::device(x).moved(x.cols());
  return stkr::column_norms(Access::in(x), threads);
}
inline Matrix tall_product(ConstView x, ConstView y, int threads) {
  Access::device(x).moved(x.cols() * y.cols());
  return stkr::tall_product(Access::in(x), Access::in(y), threads);
}
inline Matrix symmetric_tall_product(ConstView x, ConstView y, int threads) {
  Access::device(x).moved(x.cols() * y.cols());
  return stkr::symmetric_tall_product(Access::in(x), Access::in(y), threads);
}
inline Matrix gather_rows(ConstView x, std::span<const Index> samples) {
  Access::device(x).moved(static_cast<Index>(samples.size()) * x.cols());
  return stkr::gather_rows(Access::in(x), samples);
}

// These take scalars, a small matrix or sample numbers to the device.
inline void scale_columns(const Vector& a, ConstView x, View y, int threads) {
  Access::device(x).moved(a.size());
  stkr::scale_columns(a, Access::in(x), Access::out(y), threads);
}
inline void divide_columns(const Vector& a, ConstView x, View y, int threads) {
  Access::device(x).moved(a.size());
  stkr::divide_columns(a, Access::in(x), Access::out(y), threads);
}
inline void add_scaled(const Vector& a, ConstView x, View y, int threads) {
  Access::device(x).moved(a.size());
  stkr::add_scaled(a, Access::in(x), Access::out(y), threads);
}
inline void scale_and_add(const Vector& a, ConstView x, View y, int threads) {
  Access::device(x).moved(a.size());
  stkr::scale_and_add(a, Access::in(x), Access::out(y), threads);
}
inline void direction_step(const DirectionStep& step, ConstView v, ConstView w1, ConstView w2,
                           View w, View x, int threads) {
  Access::device(x).moved(4 * step.scale.size());
  stkr::direction_step(step, Access::in(v), Access::in(w1), Access::in(w2), Access::out(w),
                       Access::out(x), threads);
}
inline Block tall_times_small(ConstView x, ConstMatrixRef m, int threads) {
  Access::device(x).moved(m.size());
  Block y = block_like(x, m.cols());
  Access::out(y) = stkr::tall_times_small(Access::in(x), m, threads);
  return y;
}
inline void subtract_product(ConstView x, ConstMatrixRef m, View y, int threads) {
  Access::device(x).moved(m.size());
  stkr::subtract_product(Access::in(x), m, Access::out(y), threads);
}
inline void multiply_by_upper(View x, ConstMatrixRef m, int threads) {
  Access::device(x).moved(m.size());
  stkr::multiply_by_upper(Access::out(x), m, threads);
}
inline void gather_columns(ConstView x, std::span<const Index> columns, View y, int threads) {
  Access::device(x).moved(static_cast<Index>(columns.size()));
  stkr::gather_columns(Access::in(x), columns, Access::out(y), threads);
}
inline void gather_rows(double scale, ConstView x, std::span<const Index> samples, View y,
                        int threads) {
  Access::device(x).moved(static_cast<Index>(samples.size()));
  stkr::gather_rows(scale, Access::in(x), samples, Access::out(y), threads);
}
inline void scatter_rows(ConstView x, std::span<const Index> samples, View y, int threads) {
  Access::device(x).moved(static_cast<Index>(samples.size()));
  stkr::scatter_rows(Access::in(x), samples, Access::out(y), threads);
}

}  // namespace stkr::handle

namespace stkr {

template <>
struct BlockTraits<handle::Block> {
  using View = handle::View;
  using ConstView = handle::ConstView;
};
static_assert(BlockType<handle::Block>);
static_assert(!std::copyable<handle::Block>);

namespace handle {

// An operator of the host, on blocks of a device. Both must outlive it.
class Operator : public BasicLinearOperator<Block> {
 public:
  Operator(Device& device, const LinearOperator& op) : device_(device), op_(op) {}

  Index size() const override { return op_.size(); }
  Block new_block(Index columns) const override { return Block(device_, size(), columns); }
  void apply(ConstView x, View y) const override { op_.apply(Access::in(x), Access::out(y)); }
  Index panel_columns() const override { return op_.panel_columns(); }

 private:
  Device& device_;
  const LinearOperator& op_;
};

}  // namespace handle
}  // namespace stkr
