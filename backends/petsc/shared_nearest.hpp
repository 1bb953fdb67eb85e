#pragma once

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "petsc_block.hpp"

namespace stkr::petsc {

// Which of some samples, usually labeled ones, is nearest to others: predictions without evidence
// ask for it. The points of those that are compared with come to every process once.
class SharedNearest {
 public:
  using Point = Eigen::Ref<const Eigen::RowVectorXd>;
  // The point of a row of this process.
  using PointOfRow = std::function<Eigen::RowVectorXd(Index row)>;
  // From the one that asks to one that is compared with.
  using Distance = std::function<double(const Point& asking, const Point& known)>;

  SharedNearest(Layout layout, Index features, PointOfRow point, Distance distance)
      : layout_(std::move(layout)),
        features_(features),
        point_(std::move(point)),
        distance_(std::move(distance)) {}

  // Brings samples, which all processes list, to all of them.
  void bring(std::span<const Index> samples);

  // For samples that all processes list: brings them and `among`. Ties are broken by the order of
  // `among`.
  std::vector<Index> of_samples(std::span<const Index> samples, std::span<const Index> among);
  // For rows of this process alone. Throws Error unless `among` was brought.
  std::vector<Index> of_rows(std::span<const Index> rows, std::span<const Index> among) const;

 private:
  Index nearest(const Point& asking, std::span<const Index> among) const;

  Layout layout_;
  Index features_;
  PointOfRow point_;
  Distance distance_;
  std::map<Index, Eigen::RowVectorXd> brought_;
};

}  // namespace stkr::petsc
