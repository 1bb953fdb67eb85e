#pragma once

#include <optional>
#include <utility>

#include "stkr/linop/linear_operator.hpp"

namespace stkr {

// T_k(t(A)) x for k = 0, 1, 2, ..., where t maps the interval to [-1, 1]: one product per degree
// and one block besides x. With `top`, T_k is divided by T_k(t(top)), so that nothing overflows if
// A has eigenvalues up to `top` outside the interval (Zhou, Saad, Tiago and Chelikowsky 2006,
// Algorithm 3.2). `op` must outlive this object.
template <class Block>
class ChebyshevRecurrence {
 public:
  ChebyshevRecurrence(const BasicLinearOperator<Block>& op, const SpectrumBounds& interval, Block x,
                      int threads, std::optional<double> top = {})
      : op_(op),
        threads_(threads),
        center_(0.5 * (interval.lower + interval.upper)),
        half_(0.5 * (interval.upper - interval.lower)),
        current_(std::move(x)),
        other_(block_like(current_, current_.cols())) {
    if (!top) return;
    tau_ = 2.0 * (*top - center_) / half_;
    sigma_ = half_ / (*top - center_);
  }

  const Block& current() const { return current_; }  // T_k x

  // A T_k x. advance() then needs no further product, and takes what the caller made of it.
  Block& image() {
    if (!has_image_) {
      if (image_.cols() != current_.cols()) image_ = block_like(current_, current_.cols());
      op_.apply(current_, image_);
      has_image_ = true;
    }
    return image_;
  }

  // k ← k + 1. Each step overwrites the older of two blocks.
  void advance() {
    double a = sigma_ / half_, b = -center_ * sigma_ / half_, c = 0.0;
    if (std::exchange(first_, false) == false) {
      const double next = 1.0 / (tau_ - sigma_);
      a = 2.0 * next / half_;
      b = -center_ * a;
      c = -sigma_ * next;
      sigma_ = next;
    }
    if (std::exchange(has_image_, false)) {
      recurrence_step(a, image_, b, current_, c, other_, threads_);
    } else {
      op_.apply_step(a, current_, b, c, other_);
    }
    std::swap(current_, other_);
  }

 private:
  const BasicLinearOperator<Block>& op_;
  int threads_;
  double center_, half_;
  double tau_ = 2.0, sigma_ = 1.0;  // 2 t(top), and T_{k-1}(t(top)) / T_k(t(top)) of the next k
  Block current_, other_;
  Block image_;
  bool first_ = true, has_image_ = false;
};

}  // namespace stkr
