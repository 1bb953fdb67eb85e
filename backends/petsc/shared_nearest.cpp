#include "shared_nearest.hpp"

#include <fmt/format.h>

#include <limits>

#include "stkr/error.hpp"

namespace stkr::petsc {

void SharedNearest::bring(std::span<const Index> samples) {
  std::vector<Index> missing;
  for (const Index sample : samples) {
    if (brought_.try_emplace(sample).second) missing.push_back(sample);
  }
  if (missing.empty()) return;  // in all processes
  Matrix points = Matrix::Zero(static_cast<Index>(missing.size()), features_);
  for (std::size_t k = 0; k < missing.size(); ++k) {
    const Index row = layout_->local(missing[k]);
    if (row >= 0) points.row(static_cast<Index>(k)) = point_(row);
  }
  layout_->sum(points);
  for (std::size_t k = 0; k < missing.size(); ++k) {
    brought_[missing[k]] = points.row(static_cast<Index>(k));
  }
}

Index SharedNearest::nearest(const Point& asking, std::span<const Index> among) const {
  Index result = among.front();
  double least = std::numeric_limits<double>::infinity();
  for (const Index sample : among) {
    const auto known = brought_.find(sample);
    if (known == brought_.end()) {
      throw Error(fmt::format("the point of sample {} is in another process", sample));
    }
    const double distance = distance_(asking, known->second);
    if (distance < least) {
      least = distance;
      result = sample;
    }
  }
  return result;
}

std::vector<Index> SharedNearest::of_samples(std::span<const Index> samples,
                                             std::span<const Index> among) {
  bring(samples);
  bring(among);
  std::vector<Index> result;
  for (const Index sample : samples) result.push_back(nearest(brought_.at(sample), among));
  return result;
}

std::vector<Index> SharedNearest::of_rows(std::span<const Index> rows,
                                          std::span<const Index> among) const {
  std::vector<Index> result;
  for (const Index row : rows) result.push_back(nearest(point_(row), among));
  return result;
}

}  // namespace stkr::petsc
