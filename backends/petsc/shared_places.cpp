#include "shared_places.hpp"

#include "kernel/equal_points.hpp"
#include "kernel/neighbor_decision.hpp"
#include "kernel/point_shift.hpp"
#include "ordered_sum.hpp"
#include "ring_exchange.hpp"
#include "row_fetch.hpp"
#include "session.hpp"

namespace stkr::petsc {
namespace {

// For each distinct point of this process, the number of the equal one of the first process that
// has one, if it is another: of all processes' distinct points. Else -1.
std::vector<Index> earlier_twins(const Layout& distinct, const MatrixF& points) {
  std::vector<Index> twin(static_cast<std::size_t>(points.rows()), -1);
  const Index features = points.cols();
  std::vector<std::int32_t> slots;
  agree(distinct->comm(), [&] { slots = hash_rows(points); });
  const RingExchange ring(distinct,
                          {{points.data(), static_cast<std::size_t>(features) * sizeof(float)}});
  ring.pass(ring.ranks(), [&](const RingBlock& block) {
    if (block.owner >= ring.rank()) return;
    const MatrixF visitor = Eigen::Map<const MatrixF>(block.rows<float>(0), block.count, features);
    for (Index i = 0; i < block.count; ++i) {
      const Index own = find_row(points, slots, visitor, i);
      if (own < 0) continue;
      // Blocks come from later processes first.
      twin[static_cast<std::size_t>(own)] = block.first + i;
    }
  });
  return twin;
}

}  // namespace

Vector shared_shift(const RowLayout& samples, const SharedMatrix& points) {
  const auto n = static_cast<double>(samples.size());
  return points.visit([&](const auto& values) {
    const Vector mean =
        ordered_sum(samples, values.cols(), [&](Vector& sum) { add_features(values, sum); }) / n;
    const Vector square =
        ordered_sum(samples, values.cols(), [&](Vector& sum) { add_squares(values, mean, sum); });
    return shift_of(mean, square, samples.size());
  });
}

SharedPlaces shared_places(const Layout& samples, const SharedMatrix& points) {
  SharedPlaces places;
  places.shift = shared_shift(*samples, points);
  MatrixF own;
  std::vector<std::int32_t> distinct_of;
  agree(samples->comm(), [&] {
    own = points.visit([&](const auto& values) { return place_points(values, places.shift); });
    distinct_of = keep_distinct(own);
  });
  const auto distinct = std::make_shared<const RowLayout>(samples->comm(), own.rows());
  const std::vector<Index> twin = earlier_twins(distinct, own);

  std::vector<Index> wanted;
  Index kept = 0;
  for (std::size_t i = 0; i < twin.size(); ++i) {
    if (twin[i] >= 0) {
      wanted.push_back(twin[i]);
    } else {
      ++kept;
    }
  }
  places.layout = std::make_shared<const RowLayout>(samples->comm(), kept);
  Matrix number(own.rows(), 1);
  places.points.resize(kept, own.cols());
  kept = 0;
  for (Index i = 0; i < own.rows(); ++i) {
    if (twin[static_cast<std::size_t>(i)] >= 0) continue;
    places.points.row(kept) = own.row(i);
    number(i, 0) = static_cast<double>(places.layout->first() + kept++);
  }
  const Matrix elsewhere = RowFetch(*distinct, wanted)(number);
  for (Index i = 0, next = 0; i < own.rows(); ++i) {
    if (twin[static_cast<std::size_t>(i)] >= 0) number(i, 0) = elsewhere(next++, 0);
  }
  places.first_sample.assign(static_cast<std::size_t>(kept), -1);
  for (std::size_t i = 0; i < distinct_of.size(); ++i) {
    places.of.push_back(static_cast<std::int32_t>(number(distinct_of[i], 0)));
    const Index row = places.layout->local(places.of.back());
    if (row >= 0 && places.first_sample[static_cast<std::size_t>(row)] < 0) {
      places.first_sample[static_cast<std::size_t>(row)] =
          static_cast<std::int32_t>(samples->first() + static_cast<Index>(i));
    }
  }
  return places;
}

}  // namespace stkr::petsc
