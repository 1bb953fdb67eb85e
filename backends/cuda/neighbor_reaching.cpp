#include "neighbor_reaching.hpp"

#include <algorithm>
#include <limits>

#include "neighbor_stages.hpp"

namespace stkr::cuda::neighbor {
namespace {

// Pairs with their distances take 16 bytes each.
constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 27;

unsigned long long read(const DeviceArray<unsigned long long>& number) {
  return number.download()[0];
}

void clear(DeviceArray<unsigned long long>& number) {
  check(cudaMemsetAsync(number.data(), 0, sizeof(unsigned long long)), "cudaMemsetAsync");
}

}  // namespace

ReachFinder::ReachFinder(const PackedPoints& packed, PlainPoints points, std::int64_t features,
                         PackedScale& scale, std::span<const double> reach,
                         const NeighborSettings& settings)
    : packed_(packed),
      points_(points),
      features_(features),
      scale_(scale),
      settings_(settings),
      reach_(reach.begin(), reach.end()),
      device_reach_(reach),
      floor_(padded(packed.rows)) {
  reach_floors(device_reach_.data(), points.order, packed.rows, scale, floor_.data());
}

void ReachFinder::collect(DeviceArray<Pair>& pairs, std::uint64_t count, const float* queries,
                          const std::int32_t* order, const std::vector<char>& skip,
                          std::vector<Found>& found) {
  if (count == 0) return;
  DeviceArray<double> distances(count);
  pair_distances(pairs.data(), count, queries, {points_.data, order}, features_, distances.data());
  const std::vector<double> apart = distances.download();
  std::vector<Pair> named(count);
  detail::copy_to_host(named.data(), pairs.data(), count * sizeof(Pair));
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto [query, point] = named[i];
    if (!skip[query] && apart[i] <= reach_[point]) found.push_back({query, point, apart[i]});
  }
}

bool ReachFinder::find(const float* queries, std::int64_t count, ReachingPoints& result) {
  // A single query may reach all points.
  const std::uint64_t most = std::max<std::uint64_t>(kMostPairs, packed_.rows);
  const std::uint64_t all = static_cast<std::uint64_t>(count) * packed_.rows;
  const DeviceArray<float> asking(std::span(queries, static_cast<std::size_t>(count * features_)));
  const PackedPoints packed = pack(asking.data(), nullptr, count, features_, scale_);

  DeviceArray<std::int32_t> again_rows(count);
  DeviceArray<int> again_count(1), counts(padded(count));
  DeviceArray<float> floor(padded(count));
  check(cudaMemsetAsync(again_count.data(), 0, sizeof(int)), "cudaMemsetAsync");
  start_lists(0, count, packed.floor.data(), floor.data(), counts.data(),
              {again_rows.data(), again_count.data(), nullptr});
  const std::int64_t unsure = settings_.exact ? count : again_count.download()[0];

  DeviceArray<unsigned long long> pair_count(1);
  std::vector<char> skip(count, 0);
  std::vector<Found> found;
  if (!settings_.exact) {
    std::vector<std::int32_t> unsure_rows(unsure);
    detail::copy_to_host(unsure_rows.data(), again_rows.data(), unsure * sizeof(std::int32_t));
    for (const std::int32_t row : unsure_rows) skip[row] = 1;
    TileJob job;
    job.left = packed.packed.data();
    job.left_group = packed.left_group.data();
    job.right = packed_.packed.data();
    job.inner = packed_.inner;
    job.row_end = count;
    job.column_end = packed_.rows;
    job.column_floor = floor_.data();
    job.pair_count = pair_count.data();
    std::uint64_t capacity = std::min({std::uint64_t{1} << 22, most, all});
    for (;;) {
      DeviceArray<Pair> pairs(capacity);
      job.pairs = pairs.data();
      job.pair_capacity = capacity;
      clear(pair_count);
      offer_tiles(job, settings_.portable);
      const std::uint64_t offered = read(pair_count);
      if (offered <= capacity) {
        collect(pairs, offered, asking.data(), points_.order, skip, found);
        break;
      }
      if (offered > most) return false;
      capacity = offered;
    }
  }
  std::fill(skip.begin(), skip.end(), 0);

  // The distances are exact here: one chunk at a time, whose pairs always fit.
  for_exact_chunks(unsure, packed_.rows, [&](std::int64_t begin, std::int64_t rows, double* chunk) {
    const std::int32_t* numbers = settings_.exact ? nullptr : again_rows.data() + begin;
    const std::int64_t shift = settings_.exact ? begin : 0;
    exact_distances(asking.data() + shift * features_, numbers, rows, points_.data, packed_.rows,
                    features_, chunk);
    DeviceArray<Pair> pairs(static_cast<std::size_t>(rows) * packed_.rows);
    clear(pair_count);
    append_reaching(chunk, numbers, shift, rows, packed_.rows, device_reach_.data(), pairs.data(),
                    pair_count.data(), pairs.size());
    collect(pairs, read(pair_count), asking.data(), nullptr, skip, found);
  });

  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return a.query != b.query ? a.query < b.query : a.point < b.point;
  });
  std::size_t at = 0;
  for (std::int64_t q = 0; q < count; ++q) {
    for (; at < found.size() && found[at].query == q; ++at) {
      result.index.push_back(found[at].point);
      result.distance.push_back(found[at].distance);
    }
    result.row_start.push_back(static_cast<std::int64_t>(result.index.size()));
  }
  return true;
}

}  // namespace stkr::cuda::neighbor
