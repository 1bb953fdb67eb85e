#pragma once

#include <span>
#include <vector>

#include "neighbor_device.hpp"
#include "neighbor_search.hpp"

namespace stkr::cuda::neighbor {

// Finds the points whose own reach covers a query. By the bound of neighbor_bound.hpp, a pair whose
// value v is below the floor of its point is out of reach; the distances of all others are computed
// in double precision.
class ReachFinder {
 public:
  // Keeps references to all arguments but `reach`.
  ReachFinder(const PackedPoints& packed, PlainPoints points, std::int64_t features,
              PackedScale& scale, std::span<const double> reach, const NeighborSettings& settings);

  // Appends the rows of `count` queries to `result`. False, and nothing appended, if there may be
  // too many points within reach to hold: ask for fewer queries. One query always fits.
  bool find(const float* queries, std::int64_t count, ReachingPoints& result);

 private:
  struct Found {
    std::int32_t query, point;
    double distance;
  };

  // Moves the pairs within reach to `found`, except those of queries with skip[query].
  void collect(DeviceArray<Pair>& pairs, std::uint64_t count, const float* queries,
               const std::int32_t* order, const std::vector<char>& skip, std::vector<Found>& found);

  const PackedPoints& packed_;
  PlainPoints points_;
  std::int64_t features_;
  PackedScale& scale_;
  const NeighborSettings& settings_;
  std::vector<double> reach_;
  DeviceArray<double> device_reach_;
  DeviceArray<float> floor_;
};

}  // namespace stkr::cuda::neighbor
