#include "shared_kernel_operator.hpp"

#include <algorithm>
#include <utility>

#include "gram/point_tiles.hpp"
#include "runtime/parallel.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {

SharedKernelOperator::SharedKernelOperator(Layout layout,
                                           std::shared_ptr<const KnownPoints<double>> points,
                                           int threads, std::stop_token cancel)
    : layout_(std::move(layout)),
      points_(std::move(points)),
      own_(points_, threads, {}),
      passed_(points_->rows(0, points_->count(), shifted_).data),
      threads_(threads),
      cancel_(std::move(cancel)) {}

void SharedKernelOperator::add_pairs(const RingBlock& visitor, const PairRange& pairs,
                                     const Matrix& x, MatrixRef y, Matrix& guests) const {
  const Index features = points_->features(), columns = x.cols();
  const Index width = tile_columns<double>(std::max(pairs.own_count, pairs.visitor_count),
                                           points_->packed_features());
  const PointRows<double> points{visitor.rows<double>(0), visitor.count, features,
                                 visitor.rows<double>(1)};
  const Eigen::Map<const Matrix> x_visitor(visitor.rows<double>(2), visitor.count, columns);
  const auto blocks = [&](Index count) { return (count + width - 1) / width; };
  const Index own = blocks(pairs.own_count), others = blocks(pairs.visitor_count);
  // In every round each block meets another one, so that no two tasks add to the same rows, and
  // rows are added to in the order of the rounds.
  const Index rounds = std::max(own, others);
  for (Index round = 0; round < rounds; ++round) {
    parallel_tasks(rounds, threads_, [&](Index k) {
      const Index i = k, j = (k + round) % rounds;
      if (i >= others || j >= own || cancel_.stop_requested()) return;
      const Index r = pairs.visitor_first + i * width, s = pairs.own_first + j * width;
      const Index rows = std::min(width, pairs.visitor_first + pairs.visitor_count - r);
      const Index count = std::min(width, pairs.own_first + pairs.own_count - s);
      PointTiles<double> tiles(*points_);
      tiles.add_pair(points.slice(r, rows), s, count, x_visitor.middleRows(r, rows),
                     x.middleRows(s, count), guests.middleRows(r, rows), y.middleRows(s, count));
    });
  }
}

void SharedKernelOperator::apply(ConstView given, View result) const {
  check_apply_shapes<PetscBlock>(*this, given, result, "a kernel product of the PETSc engine");
  const Matrix x = given.local();  // without gaps between rows, so that they can be passed on
  MatrixRef y = result.local();
  y.setZero();
  Matrix guests, received(layout_->count(), x.cols());
  const auto bytes = [](Index numbers) {
    return static_cast<std::size_t>(numbers) * sizeof(double);
  };
  const RingExchange ring(layout_, {{passed_, bytes(points_->features())},
                                    {points_->squared_norms().data(), sizeof(double)},
                                    {x.data(), bytes(x.cols())}});
  const auto visit = [&](const RingBlock& block) {
    throw_if_cancelled(cancel_);
    if (block.step == 0) {
      if (block.count == 0) return;
      own_.apply(x, y);
      y *= static_cast<double>(block.count);  // of which S of these points is the share
      return;
    }
    guests = Matrix::Zero(block.count, x.cols());
    add_pairs(block, pairs_of(block, layout_->count(), ring.rank(), ring.ranks()), x, y, guests);
    throw_if_cancelled(cancel_);
  };
  ring.pass(steps_of_pairs(ring.ranks()), visit, [&](const RingBlock& block) {
    if (block.step == 0) return;
    ring.give_back(block, guests.data(), received.data(), bytes(x.cols()));
    y += received;
  });
  y /= static_cast<double>(size());
}

Index SharedKernelOperator::passed_rows(const RowLayout& layout) {
  int ranks = 1;
  MPI_Comm_size(layout.comm(), &ranks);
  return layout.count() * (steps_of_pairs(ranks) - 1);
}

}  // namespace stkr::petsc
