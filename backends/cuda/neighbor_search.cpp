#include "neighbor_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "device_memory.hpp"
#include "neighbor_device.hpp"
#include "neighbor_reaching.hpp"
#include "neighbor_stages.hpp"
#include "stkr/error.hpp"

namespace stkr::cuda {

using namespace neighbor;

namespace {

// Candidates per list. A list receives about 2k candidates from each block of points, whatever the
// points are, because their order is random; all of the first block; and those that rounding cannot
// tell from the k-th.
int list_capacity(int k) { return k <= 32 ? 512 : 1024; }

void check_k(int k) {
  if (k >= 1 && k <= kMostNeighbors) return;
  throw ParameterError(
      fmt::format("nearest neighbors: k = {} on the device; expected 1 to {}", k, kMostNeighbors));
}

constexpr std::int64_t kFirstBlock = 2 * kBlockRows;
constexpr double kGrowth = 3.0;
constexpr std::uint64_t kMostListBytes = std::uint64_t{16} << 30;

// Where blocks of points end: the first has 512 points, which fill a list, and each makes the set
// about three times as large.
std::vector<std::int64_t> block_ends(std::int64_t count) {
  std::vector<std::int64_t> ends{std::min(kFirstBlock, count)};
  const double ratio = static_cast<double>(count) / kFirstBlock;
  const int blocks =
      ratio > 1.0 ? std::max(1, static_cast<int>(std::lround(std::log(ratio) / std::log(kGrowth))))
                  : 0;
  for (int b = 1; b <= blocks; ++b) {
    const double end = kFirstBlock * std::pow(ratio, static_cast<double>(b) / blocks);
    const std::int64_t rounded = b == blocks ? count : padded(static_cast<std::int64_t>(end));
    if (rounded > ends.back()) ends.push_back(std::min(rounded, count));
  }
  return ends;
}

// Rows of lists that fit into kMostListBytes, a multiple of the block size.
std::int64_t rows_per_part(std::int64_t rows, int capacity) {
  const auto most = static_cast<std::int64_t>(kMostListBytes / (capacity * sizeof(Candidate)));
  return std::min(padded(rows), most / kBlockRows * kBlockRows);
}

constexpr std::int64_t kQueriesPerPart = std::int64_t{1} << 18;

// The lists of one call, with what they need besides the packed points.
struct Lists {
  // For rows that are numbered from `first` on.
  Lists(std::int64_t first, std::int64_t rows, int k)
      : first_(first),
        capacity(list_capacity(k)),
        entries(static_cast<std::size_t>(padded(rows)) * capacity),
        count(padded(rows)),
        floor(padded(rows)) {}

  CandidateList view() {
    return {entries.data() - first_ * capacity, count.data() - first_, capacity};
  }
  float* floors() { return floor.data() - first_; }

  std::int64_t first_;
  int capacity;
  DeviceArray<Candidate> entries;
  DeviceArray<int> count;
  DeviceArray<float> floor;
};

}  // namespace

std::uint64_t neighbor_search_bytes(std::int64_t points, std::int64_t features,
                                    std::int64_t queries, int k) {
  const auto capacity = static_cast<std::uint64_t>(list_capacity(k));
  const auto plain = [&](std::int64_t rows) {
    return static_cast<std::uint64_t>(rows) * features * sizeof(float);
  };
  const std::int64_t part =
      queries == 0 ? rows_per_part(points, list_capacity(k)) : std::min(queries, kQueriesPerPart);
  const std::int64_t rows = queries == 0 ? points : part;
  std::uint64_t bytes = plain(points) + packed_bytes(points, features) + 4 * points;
  if (queries > 0) bytes += plain(part) + packed_bytes(part, features);
  bytes += static_cast<std::uint64_t>(padded(part)) * (capacity * sizeof(Candidate) + 8);
  bytes += static_cast<std::uint64_t>(rows) * (12 * k + 4);  // results, and rows to search again
  return bytes + exact_chunk_bytes(rows, points) + (std::uint64_t{8} << 20);
}

double ordered_distance(const float* x, const float* y, std::ptrdiff_t features) {
  double sum = 0.0;
  for (std::ptrdiff_t f = 0; f < features; ++f) {
    const double difference = static_cast<double>(x[f]) - static_cast<double>(y[f]);
    const volatile double square = difference * difference;  // rounded before it is added
    sum += square;
  }
  return std::sqrt(sum);
}

struct NeighborSearch::State {
  std::int64_t count, features;
  NeighborSettings settings;
  NeighborTimes times;
  DeviceArray<float> points;
  DeviceArray<std::int32_t> order;
  PackedScale scale;
  PackedPoints packed;

  PlainPoints plain() const { return {points.data(), order.data()}; }

  // The host is far ahead of the device; it must not be when somebody may ask it to stop.
  void pause() const {
    if (!settings.between) return;
    check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
    settings.between();
  }

  // Offers the columns [begin, end) of the points to the rows of `left`.
  TileJob rectangle(const PackedPoints& left, Lists& lists, std::int64_t row_begin,
                    std::int64_t row_end, std::int64_t begin, std::int64_t end) const {
    TileJob job;
    job.left = left.packed.data();
    job.left_group = left.left_group.data();
    job.right = packed.packed.data();
    job.inner = packed.inner;
    job.row_begin = row_begin;
    job.row_end = row_end;
    job.column_begin = begin;
    job.column_end = end;
    job.row_floor = lists.floors();
    job.list = lists.view();
    job.same_set = &left == &packed;
    job.fill = begin == 0 && end == kFirstBlock && end < count;
    return job;
  }

  // Each unordered pair once. When a block of points is added, its points have seen every smaller
  // block, one after the other, and the others have seen all smaller ones: a threshold comes from
  // at least a third of the points that a list will have seen.
  void scan_themselves(Lists& lists, int k, AgainRows again) {
    const float* sigma = packed.sigma.data();
    const auto lower = [&](std::int64_t begin, std::int64_t end) {
      tighten(lists.view(), begin, end, k, sigma, sigma, lists.floors(), again);
      pause();
    };
    std::int64_t begin = 0;
    std::vector<std::pair<std::int64_t, std::int64_t>> earlier;
    for (const std::int64_t end : block_ends(count)) {
      for (const auto& [first, last] : earlier) {
        TileJob job = rectangle(packed, lists, begin, end, first, last);
        job.column_floor = lists.floors();
        offer_tiles(job, settings.portable);
        lower(begin, end);
      }
      TileJob job = rectangle(packed, lists, begin, end, begin, end);
      job.square = !job.fill;
      if (job.square) job.column_floor = lists.floors();
      offer_tiles(job, settings.portable);
      lower(0, end);
      earlier.emplace_back(begin, end);
      begin = end;
    }
  }

  // Rows [row_begin, row_end) of `left` against all points.
  void scan_rows(const PackedPoints& left, Lists& lists, std::int64_t row_begin,
                 std::int64_t row_end, int k, AgainRows again) {
    std::int64_t begin = 0;
    for (const std::int64_t end : block_ends(count)) {
      offer_tiles(rectangle(left, lists, row_begin, row_end, begin, end), settings.portable);
      tighten(lists.view(), row_begin, row_end, k, left.sigma.data(), packed.sigma.data(),
              lists.floors(), again);
      pause();
      begin = end;
    }
  }

  // Searches the rows of `left` and writes the results. Returns how many were searched again.
  std::int64_t search(const PackedPoints& left, PlainPoints queries, int k, std::int32_t* index,
                      double* distance) {
    const bool themselves = &left == &packed;
    DeviceArray<std::int32_t> again_rows(left.rows);
    DeviceArray<int> again_count(1);
    check(cudaMemsetAsync(again_count.data(), 0, sizeof(int)), "cudaMemsetAsync");
    const AgainRows again{again_rows.data(), again_count.data(), queries.order};
    const std::int64_t part = rows_per_part(left.rows, list_capacity(k));
    for (std::int64_t begin = 0; begin < left.rows && !settings.exact; begin += part) {
      const std::int64_t end = std::min(left.rows, begin + part);
      Lists lists(begin, end - begin, k);
      start_lists(begin, end, left.floor.data(), lists.floors(), lists.view().count, again);
      const StageTimer scan(settings.timed, times.scan);
      if (themselves && part >= left.rows) {
        scan_themselves(lists, k, again);
      } else {
        scan_rows(left, lists, begin, end, k, again);
      }
      scan.stop();
      const StageTimer deciding(settings.timed, times.decide);
      decide(lists.view(), begin, end, features, k, lists.floors(), queries, plain(), index,
             distance);
      deciding.stop();
    }
    std::int64_t unsure = left.rows;
    if (!settings.exact) unsure = again_count.download()[0];
    const StageTimer timer(settings.timed, times.again);
    for_exact_chunks(unsure, count, [&](std::int64_t begin, std::int64_t rows, double* chunk) {
      const std::int32_t* numbers = settings.exact ? nullptr : again_rows.data() + begin;
      const std::int64_t shift = settings.exact ? begin : 0;
      exact_distances(queries.data + shift * features, numbers, rows, points.data(), count,
                      features, chunk);
      select_nearest(chunk, numbers, shift, rows, count, k, themselves, index, distance);
      pause();
    });
    timer.stop();
    return unsure;
  }
};

NeighborSearch::NeighborSearch(const float* points, std::int64_t count, std::int64_t features,
                               NeighborSettings settings)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.count = count;
  s.features = features;
  s.settings = std::move(settings);
  s.points = DeviceArray<float>(std::span(points, static_cast<std::size_t>(count * features)));
  const StageTimer timer(s.settings.timed, s.times.pack);
  s.order = random_order(count);
  s.packed = pack(s.points.data(), s.order.data(), count, features, s.scale);
  timer.stop();
}

NeighborSearch::NeighborSearch(NeighborSearch&&) noexcept = default;
NeighborSearch& NeighborSearch::operator=(NeighborSearch&&) noexcept = default;
NeighborSearch::~NeighborSearch() = default;

std::int64_t NeighborSearch::size() const { return state_->count; }
std::int64_t NeighborSearch::features() const { return state_->features; }
const NeighborTimes& NeighborSearch::times() const { return state_->times; }

NearestPoints NeighborSearch::among_themselves(int k) {
  check_k(k);
  State& s = *state_;
  s.times = {.pack = s.times.pack};
  const std::size_t size = static_cast<std::size_t>(s.count) * k;
  DeviceArray<std::int32_t> index(size);
  DeviceArray<double> distance(size);
  NearestPoints result;
  result.searched_again = s.search(s.packed, s.plain(), k, index.data(), distance.data());
  result.index = index.download();
  result.distance = distance.download();
  return result;
}

NearestPoints NeighborSearch::of(const float* queries, std::int64_t count, int k) {
  check_k(k);
  State& s = *state_;
  s.times = {};
  NearestPoints result;
  result.index.resize(count * k);
  result.distance.resize(count * k);
  for (std::int64_t begin = 0; begin < count; begin += kQueriesPerPart) {
    const std::int64_t rows = std::min(kQueriesPerPart, count - begin);
    const std::size_t size = static_cast<std::size_t>(rows * s.features);
    const DeviceArray<float> part(std::span(queries + begin * s.features, size));
    const StageTimer timer(s.settings.timed, s.times.pack);
    const PackedPoints packed = pack(part.data(), nullptr, rows, s.features, s.scale);
    timer.stop();
    DeviceArray<std::int32_t> index(rows * k);
    DeviceArray<double> distance(rows * k);
    result.searched_again +=
        s.search(packed, {part.data(), nullptr}, k, index.data(), distance.data());
    index.download(result.index.data() + begin * k);
    distance.download(result.distance.data() + begin * k);
  }
  return result;
}

ReachingPoints NeighborSearch::reaching(const float* queries, std::int64_t count,
                                        std::span<const double> reach) {
  State& s = *state_;
  s.times = {};
  ReachFinder finder(s.packed, s.plain(), s.features, s.scale, reach, s.settings);
  ReachingPoints result;
  result.row_start.assign(1, 0);
  std::int64_t part = kQueriesPerPart;
  for (std::int64_t begin = 0; begin < count;) {
    const std::int64_t rows = std::min(part, count - begin);
    const StageTimer timer(s.settings.timed, s.times.scan);
    const bool fits = finder.find(queries + begin * s.features, rows, result);
    timer.stop();
    if (fits) {
      begin += rows;
    } else {
      part = std::max<std::int64_t>(1, rows / 4);
    }
    s.pause();
  }
  return result;
}

}  // namespace stkr::cuda
