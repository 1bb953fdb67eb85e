#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "petsc_block.hpp"
#include "ring_exchange.hpp"
#include "stkr/gram/point_gram.hpp"

namespace stkr::petsc {

// S = K(X, X)/N of points of which every process has some, on blocks of the engine. Matrix-free:
// the points, with their rows of the block, pass around the processes, every pair of points is
// evaluated once, and what it gives a visitor goes home with it.
class SharedKernelOperator final : public BasicLinearOperator<PetscBlock> {
 public:
  // The points of this process, with the shift of all. A product throws Cancelled in all processes
  // if `cancel` is requested in any.
  SharedKernelOperator(Layout layout, std::shared_ptr<const KnownPoints<double>> points,
                       int threads, std::stop_token cancel);

  Index size() const override { return layout_->size(); }
  const SharedRows* shared_rows() const override { return layout_.get(); }
  PetscBlock new_block(Index columns) const override { return {layout_, columns}; }
  void apply(ConstView x, View y) const override;

  // How many points this process sends in a product, with their rows of the block; as many rows of
  // results go home.
  static Index passed_rows(const RowLayout& layout);

 private:
  // Adds what the pairs of own points with those of a visitor give to both.
  void add_pairs(const RingBlock& visitor, const PairRange& pairs, const Matrix& x, MatrixRef y,
                 Matrix& guests) const;

  Layout layout_;
  std::shared_ptr<const KnownPoints<double>> points_;
  PointGram<double> own_;        // K of the points of this process
  std::vector<double> shifted_;  // empty: there is no shift
  const double* passed_;
  int threads_;
  std::stop_token cancel_;
};

}  // namespace stkr::petsc
