#include "neighbour_cells.hpp"

#include <atomic>
#include <cmath>
#include <numeric>
#include <thread>

#include "reach_lists.hpp"
#include "stkr/linop/parallel.hpp"
#include "stkr/linop/random.hpp"
#include "stkr/linop/serial_blas.hpp"

namespace stkr {
namespace {

constexpr Index kSamplePerCell = 48;  // points that place the centres
constexpr int kRounds = 6;            // of Lloyd's algorithm; cells need not be optimal
constexpr Index kRecallSample = 1000;
constexpr Index kStrip = 192;

MatrixF gather(ScanPoints<float> points, std::span<const Index> samples) {
  MatrixF result(samples.size(), points.features);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::copy_n(points.row(samples[i]), points.features, result.row(i).data());
  }
  return result;
}

// The `count` cells nearest to each query, nearest first.
CandidateLists<float> nearest_cells(ScanPoints<float> queries, const MatrixF& centres, Index count,
                                    int threads, std::stop_token cancel) {
  const std::vector<float> norms = half_norms_of(centres);
  CandidateLists<float> lists(queries.count, count);
  scan_queries(queries, view(centres, norms), {}, lists, threads, cancel);
  return lists;
}

std::vector<std::int32_t> assign(ScanPoints<float> points, const MatrixF& centres, int threads,
                                 std::stop_token cancel) {
  const CandidateLists<float> nearest = nearest_cells(points, centres, 1, threads, cancel);
  return {nearest.indices(0), nearest.indices(0) + points.count};
}

// Lloyd's algorithm on a sample. A centre that loses all its points stays where it is.
MatrixF place_centres(ScanPoints<float> points, Index cells, Random& random,
                      const NeighbourOptions& options) {
  const Index count = std::min(points.count, kSamplePerCell * cells);
  std::vector<Index> chosen = random.sample(points.count, count);
  const MatrixF sample = gather(points, chosen);
  const std::vector<float> norms = half_norms_of(sample);
  MatrixF centres = gather(view(sample, norms), random.sample(count, cells));
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<std::int32_t> of =
        assign(view(sample, norms), centres, options.threads, options.cancel);
    Matrix sum = Matrix::Zero(cells, sample.cols());
    Vector members = Vector::Zero(cells);
    for (Index i = 0; i < count; ++i) {
      sum.row(of[i]) += sample.row(i).cast<double>();
      members[of[i]] += 1.0;
    }
    for (Index c = 0; c < cells; ++c) {
      if (members[c] > 0.0) centres.row(c) = (sum.row(c) / members[c]).cast<float>();
    }
  }
  return centres;
}

// Sets `probes` to the least number of cells that finds the wanted share of the neighbours of a
// sample, with two standard errors to spare.
void choose_probes(ScanPoints<float> points, Random& random, const NeighbourOptions& options,
                   NeighbourCells& cells) {
  const Index count = cells.centres.rows();
  const Index wanted = std::min(options.k, points.count - 1);
  const std::vector<Index> sample =
      random.sample(points.count, std::min(kRecallSample, points.count));
  const MatrixF queries = gather(points, sample);
  const std::vector<float> norms = half_norms_of(queries);
  CandidateLists<float> truth(queries.rows(), wanted);
  scan_queries(view(queries, norms), points, sample, truth, options.threads, options.cancel);
  const CandidateLists<float> near =
      nearest_cells(view(queries, norms), cells.centres, count, options.threads, options.cancel);

  // found(q, p): neighbours of query q that p + 1 cells hold.
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

NeighbourCells make_cells(ScanPoints<float> points, const NeighbourOptions& options) {
  Random random(options.seed);
  // About as many cells as points in each: finding the cells costs what searching them does.
  const auto count = std::max<Index>(
      1, static_cast<Index>(std::lround(std::sqrt(static_cast<double>(points.count)))));
  NeighbourCells cells;
  cells.centres = place_centres(points, count, random, options);
  cells.of = assign(points, cells.centres, options.threads, options.cancel);
  choose_probes(points, random, options, cells);
  return cells;
}

void scan_cells(ScanPoints<float> queries, ScanPoints<float> points, const NeighbourCells& cells,
                std::span<const Index> skip, CandidateLists<float>& lists, ReachLists* reached,
                int threads, std::stop_token cancel) {
  const Index count = cells.centres.rows();
  const CandidateLists<float> near =
      nearest_cells(queries, cells.centres, cells.probes, threads, cancel);
  // Who lives in a cell, and who looks into it.
  std::vector<std::vector<Index>> members(count), visitors(count);
  for (Index i = 0; i < points.count; ++i) members[cells.of[i]].push_back(i);
  for (Index q = 0; q < queries.count; ++q) {
    for (Index p = 0; p < cells.probes; ++p) visitors[near.indices(q)[p]].push_back(q);
  }
  // Several cells may have something for the same query: its list has a lock. The lists do not
  // depend on who comes first.
  std::vector<std::atomic_flag> busy(queries.count);
  const detail::SerialBlas serial;
  parallel_tasks(count, threads, [&](Index cell) {
    check_cancelled(cancel);
    const MatrixF known = gather(points, members[cell]);
    std::vector<float> norms, thresholds;
    std::vector<std::int32_t> index;
    for (const Index i : members[cell]) {
      norms.push_back(points.half_norms[i]);
      if (reached) thresholds.push_back(reached->thresholds()[i]);
      index.push_back(static_cast<std::int32_t>(i));
    }
    const auto width = static_cast<Index>(index.size());
    std::vector<float> tile(kStrip * width);
    const std::span<const Index> all(visitors[cell]);
    for (std::size_t first = 0; first < all.size(); first += kStrip) {
      const auto strip = all.subspan(first, std::min<std::size_t>(kStrip, all.size() - first));
      const MatrixF asking = gather(queries, strip);
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
}

}  // namespace stkr
