#include "neighbor_cells.hpp"

#include <atomic>
#include <cmath>
#include <numeric>
#include <thread>

#include "reach_lists.hpp"
#include "runtime/parallel.hpp"
#include "runtime/progress_counter.hpp"
#include "runtime/random.hpp"
#include "runtime/serial_blas.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {
namespace {

constexpr Index kSamplePerCell = 48;  // sampled points per center
constexpr int kRounds = 6;            // of Lloyd's algorithm; cells need not be optimal
constexpr Index kRecallSample = 1000;
constexpr Index kCellStrip = 192;

// Queries are processed in parts to limit the list of (query, cell) visits to this length.
constexpr Index kCellVisits = 2'000'000;

// The positions that hold each value from 0 to count - 1, in ascending order.
class Grouped {
 public:
  Grouped(std::span<const std::int32_t> values, Index count)
      : start_(count + 1, 0), position_(values.size()) {
    for (const std::int32_t value : values) ++start_[value + 1];
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    std::vector<Index> next(start_.begin(), start_.end() - 1);
    for (std::size_t i = 0; i < values.size(); ++i) {
      position_[next[values[i]]++] = static_cast<std::int32_t>(i);
    }
  }
  std::span<const std::int32_t> operator[](Index value) const {
    return {position_.data() + start_[value], position_.data() + start_[value + 1]};
  }

 private:
  std::vector<Index> start_;
  std::vector<std::int32_t> position_;
};

template <class Number>
MatrixF gather(ScanPoints<float> points, std::span<const Number> samples) {
  MatrixF result(samples.size(), points.features);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::copy_n(points.row(samples[i]), points.features, result.row(i).data());
  }
  return result;
}

// The `count` cells nearest to each query, nearest first.
CandidateLists<float> nearest_cells(ScanPoints<float> queries, const MatrixF& centers, Index count,
                                    int threads, std::stop_token cancel) {
  const std::vector<float> norms = half_norms_of(centers);
  CandidateLists<float> lists(queries.count, count);
  scan_queries(queries, view(centers, norms), {}, lists, threads, cancel);
  return lists;
}

std::vector<std::int32_t> assign(ScanPoints<float> points, const MatrixF& centers, int threads,
                                 std::stop_token cancel) {
  const CandidateLists<float> nearest = nearest_cells(points, centers, 1, threads, cancel);
  return {nearest.indices(0), nearest.indices(0) + points.count};
}

// Lloyd's algorithm on a sample. A center that loses all its points keeps its position.
MatrixF place_centers(ScanPoints<float> points, Index cells, Random& random,
                      const Context& context) {
  const Index count = std::min(points.count, kSamplePerCell * cells);
  std::vector<Index> chosen = random.sample(points.count, count);
  const MatrixF sample = gather<Index>(points, chosen);
  const std::vector<float> norms = half_norms_of(sample);
  MatrixF centers = gather<Index>(view(sample, norms), random.sample(count, cells));
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<std::int32_t> of =
        assign(view(sample, norms), centers, context.threads, context.cancel);
    Matrix sum = Matrix::Zero(cells, sample.cols());
    Vector members = Vector::Zero(cells);
    for (Index i = 0; i < count; ++i) {
      sum.row(of[i]) += sample.row(i).cast<double>();
      members[of[i]] += 1.0;
    }
    for (Index c = 0; c < cells; ++c) {
      if (members[c] > 0.0) centers.row(c) = (sum.row(c) / members[c]).cast<float>();
    }
  }
  return centers;
}

// Sets `probes` to the smallest number of cells that finds the requested fraction of the neighbors
// of a sample, with a margin of two standard errors.
void choose_probes(ScanPoints<float> points, Random& random, const NeighborOptions& options,
                   const Context& context, NeighborCells& cells) {
  const Index count = cells.centers.rows();
  const Index wanted = std::min(options.k, points.count - 1);
  const std::vector<Index> sample =
      random.sample(points.count, std::min(kRecallSample, points.count));
  const MatrixF queries = gather<Index>(points, sample);
  const std::vector<float> norms = half_norms_of(queries);
  CandidateLists<float> truth(queries.rows(), wanted);
  scan_queries(view(queries, norms), points, sample, truth, context.threads, context.cancel);
  const CandidateLists<float> near =
      nearest_cells(view(queries, norms), cells.centers, count, context.threads, context.cancel);

  // found(q, p): neighbors of query q in its p + 1 nearest cells.
  Matrix found = Matrix::Zero(queries.rows(), count);
  std::vector<Index> rank(count);
  for (Index q = 0; q < queries.rows(); ++q) {
    for (Index p = 0; p < count; ++p) rank[near.indices(q)[p]] = p;
    for (Index j = 0; j < wanted; ++j) found(q, rank[cells.of[truth.indices(q)[j]]]) += 1.0;
    for (Index p = 1; p < count; ++p) found(q, p) += found(q, p - 1);
  }
  found /= static_cast<double>(wanted);
  for (cells.probes = 1;; ++cells.probes) {
    const auto column = found.col(cells.probes - 1);
    cells.recall = column.mean();
    const double variance = (column.array() - cells.recall).square().mean();
    const double error = std::sqrt(variance / static_cast<double>(queries.rows()));
    if (cells.probes == count || cells.recall - 2.0 * error >= options.recall) return;
  }
}

}  // namespace

NeighborCells make_cells(ScanPoints<float> points, const NeighborOptions& options,
                         const Context& context) {
  Random random(context.seed);
  // About as many cells as points per cell: finding the cells then costs as much as searching them.
  const auto count = std::max<Index>(
      1, static_cast<Index>(std::lround(std::sqrt(static_cast<double>(points.count)))));
  NeighborCells cells;
  cells.centers = place_centers(points, count, random, context);
  cells.of = assign(points, cells.centers, context.threads, context.cancel);
  choose_probes(points, random, options, context, cells);
  return cells;
}

void scan_cells(ScanPoints<float> queries, ScanPoints<float> points, const NeighborCells& cells,
                std::span<const Index> skip, CandidateLists<float>& lists, ReachLists* reached,
                int threads, std::stop_token cancel, const ProgressSink& progress) {
  const Index count = cells.centers.rows();
  const Grouped members(cells.of, count);
  // Several cells may offer points to the same query, so each list has a lock. The lists do not
  // depend on the order of the offers.
  std::vector<std::atomic_flag> busy(queries.count);
  ProgressCounter counter(progress, "neighbors", queries.count);
  const detail::SerialBlas serial;
  const Index at_once = std::max<Index>(1, kCellVisits / cells.probes);
  for (Index begin = 0; begin < queries.count; begin += at_once) {
    const Index size = std::min(at_once, queries.count - begin);
    const ScanPoints<float> part{queries.row(begin), size, queries.features,
                                 queries.half_norms + begin};
    const CandidateLists<float> near =
        nearest_cells(part, cells.centers, cells.probes, threads, cancel);
    const Grouped visitors({near.indices(0), static_cast<std::size_t>(size * cells.probes)}, count);
    parallel_tasks(count, threads, [&](Index cell) {
      throw_if_cancelled(cancel);
      const std::span<const std::int32_t> index = members[cell];
      const std::span<const std::int32_t> visits = visitors[cell];
      if (visits.empty()) return;
      const MatrixF known = gather(points, index);
      std::vector<float> norms, thresholds;
      for (const std::int32_t i : index) {
        norms.push_back(points.half_norms[i]);
        if (reached) thresholds.push_back(reached->thresholds()[i]);
      }
      const auto width = static_cast<Index>(index.size());
      std::vector<float> tile(kCellStrip * width);
      std::vector<Index> strip;
      for (std::size_t first = 0; first < visits.size(); first += kCellStrip) {
        strip.clear();
        for (const std::int32_t visit :
             visits.subspan(first, std::min<std::size_t>(kCellStrip, visits.size() - first))) {
          strip.push_back(begin + visit / cells.probes);
        }
        const MatrixF asking = gather<Index>(queries, strip);
        inner_products(asking.data(), asking.rows(), known.data(), width, points.features,
                       tile.data());
        for (std::size_t r = 0; r < strip.size(); ++r) {
          const Index q = strip[r];
          while (busy[q].test_and_set(std::memory_order_acquire)) std::this_thread::yield();
          const float* products = tile.data() + static_cast<Index>(r) * width;
          offer_row(lists, q, products, norms.data(), width, index.data(), 0,
                    skip.empty() ? Index{-1} : skip[q]);
          if (reached) {
            reached->offer_row(q, products, thresholds.data(), width, index.data(), 0);
          }
          busy[q].clear(std::memory_order_release);
        }
      }
    });
    counter.add(size);
  }
}

std::uint64_t cell_search_bytes(Index points, Index features) {
  const auto n = static_cast<double>(points), d = static_cast<double>(features);
  const double cells = std::round(std::sqrt(n));
  // While cells are made: the centers, the points that place them, and their sums; or the sample
  // that counts the neighbors found per number of cells.
  const double placing = 4.0 * d * std::min(n, kSamplePerCell * cells) + 12.0 * d * cells;
  const double choosing = std::min<double>(kRecallSample, n) * cells * 16.0;
  // While they are searched: members, locks, and the visits of one part of the queries.
  const double visits = std::min<double>(kCellVisits, n * cells);
  const double searching = 8.0 * n + 12.0 * visits;
  return static_cast<std::uint64_t>(4.0 * d * cells + 4.0 * n +
                                    std::max({placing, choosing, searching}));
}

}  // namespace stkr
