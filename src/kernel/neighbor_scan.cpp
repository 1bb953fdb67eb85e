#include "neighbor_scan.hpp"

#include <cmath>

#include "reach_lists.hpp"
#include "runtime/parallel.hpp"
#include "runtime/progress_counter.hpp"
#include "runtime/serial_blas.hpp"

extern "C" {
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*,
            const float*, const int*, const float*, const int*, const float*, float*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
            const double*, const int*, const double*, const int*, const double*, double*,
            const int*);
}

namespace stkr {
namespace {

// Points per block, and rows per tile: the tile stays in the second-level cache.
constexpr Index kBlock = 1024;
constexpr Index kStrip = 192;

// Partitions by size, never by thread count.
Index block_size(Index count) { return std::clamp<Index>((count + 15) / 16, 64, kBlock); }

template <class Scalar, class Gemm>
void multiply(Gemm gemm, const Scalar* x, Index rows, const Scalar* y, Index columns,
              Index features, Scalar* out) {
  if (rows == 0 || columns == 0) return;
  // BLAS is column-major and is given the transposed problem.
  const int m = static_cast<int>(columns), n = static_cast<int>(rows),
            k = static_cast<int>(features);
  const Scalar one = 1, zero = 0;
  gemm("T", "N", &m, &n, &k, &one, y, &k, x, &k, &zero, out, &m);
}

// Offers point `i` to the lists, from `first` on, of all columns of one row of inner products.
void offer_to_columns(CandidateLists<float>& lists, std::int32_t i, float half_norm,
                      const float* products, Index first, Index columns) {
  constexpr Index kChunk = 64;
  for (Index begin = 0; begin < columns; begin += kChunk) {
    const Index end = std::min(columns, begin + kChunk);
    const float* worst = lists.worst() + first;
    int some = 0;
    for (Index j = begin; j < end; ++j) some |= half_norm - products[j] <= worst[j];
    if (!some) continue;
    for (Index j = begin; j < end; ++j) {
      const float value = half_norm - products[j];
      if (value <= lists.worst(first + j)) lists.offer(first + j, value, i);
    }
  }
}

// Calls visit(q, products, first, columns) with the inner products of query q and the points from
// `first` on. The calls for a query come in order and on one thread.
template <class Scalar, class Visit>
void visit_products(ScanPoints<Scalar> queries, ScanPoints<Scalar> points, int threads,
                    std::stop_token cancel, const Visit& visit) {
  const detail::SerialBlas serial;
  parallel_chunks(queries.count, kStrip, threads, [&](Index begin, Index end) {
    std::vector<Scalar> tile((end - begin) * std::min(kBlock, points.count));
    for (Index first = 0; first < points.count; first += kBlock) {
      throw_if_cancelled(cancel);
      const Index columns = std::min(kBlock, points.count - first);
      inner_products(queries.row(begin), end - begin, points.row(first), columns, points.features,
                     tile.data());
      for (Index q = begin; q < end; ++q) {
        visit(q, tile.data() + (q - begin) * columns, first, columns);
      }
    }
  });
}

}  // namespace

std::vector<float> half_norms_of(const MatrixF& points) {
  std::vector<float> norms(points.rows());
  constexpr Index kGrain = 256;
  parallel_chunks(points.rows(), kGrain, 0, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      norms[i] = static_cast<float>(0.5 * points.row(i).cast<double>().squaredNorm());
    }
  });
  return norms;
}

ScanPoints<float> view(const MatrixF& points, const std::vector<float>& half_norms) {
  return {points.data(), points.rows(), points.cols(), half_norms.data()};
}

double distance(const float* x, const float* y, Index features) {
  double sum = 0.0;
  for (Index k = 0; k < features; ++k) {
    const double apart = static_cast<double>(x[k]) - static_cast<double>(y[k]);
    sum += apart * apart;
  }
  return std::sqrt(sum);
}

void inner_products(const float* x, Index rows, const float* y, Index columns, Index features,
                    float* out) {
  multiply(sgemm_, x, rows, y, columns, features, out);
}

void inner_products(const double* x, Index rows, const double* y, Index columns, Index features,
                    double* out) {
  multiply(dgemm_, x, rows, y, columns, features, out);
}

template <class Scalar>
void offer_row(CandidateLists<Scalar>& lists, Index i, const Scalar* products,
               const Scalar* half_norms, Index columns, const std::int32_t* index,
               std::int32_t first, Index skip) {
  constexpr Index kChunk = 64;
  for (Index begin = 0; begin < columns; begin += kChunk) {
    const Index end = std::min(columns, begin + kChunk);
    const Scalar worst = lists.worst(i);
    int some = 0;
    for (Index j = begin; j < end; ++j) some |= half_norms[j] - products[j] <= worst;
    if (!some) continue;
    for (Index j = begin; j < end; ++j) {
      const Scalar value = half_norms[j] - products[j];
      const std::int32_t candidate = index ? index[j] : first + static_cast<std::int32_t>(j);
      if (value <= lists.worst(i) && candidate != skip) lists.offer(i, value, candidate);
    }
  }
}

namespace {

// Two blocks of points meet: each row is offered the columns, and the other way around unless these
// are the same points.
void meet(ScanPoints<float> rows, ScanPoints<float> columns, CandidateLists<float>& row_lists,
          Index row_list, CandidateLists<float>& column_lists, Index column_list) {
  const bool same = rows.data == columns.data;
  std::vector<float> tile(std::min(kStrip, rows.count) * columns.count);
  for (Index r = 0; r < rows.count; r += kStrip) {
    const Index count = std::min(kStrip, rows.count - r);
    inner_products(rows.row(r), count, columns.data, columns.count, rows.features, tile.data());
    for (Index i = 0; i < count; ++i) {
      const std::int32_t number = rows.first + static_cast<std::int32_t>(r + i);
      const float* products = tile.data() + i * columns.count;
      offer_row(row_lists, row_list + r + i, products, columns.half_norms, columns.count, nullptr,
                columns.first, number);
      if (!same) {
        offer_to_columns(column_lists, number, rows.half_norms[r + i], products, column_list,
                         columns.count);
      }
    }
  }
}

}  // namespace

void scan_all_pairs(ScanPoints<float> points, CandidateLists<float>& lists, int threads,
                    std::stop_token cancel, const ProgressSink& progress) {
  const detail::SerialBlas serial;
  const Index size = block_size(points.count);
  const Index blocks = (points.count + size - 1) / size;
  ProgressCounter counter(progress, "neighbors", blocks * (blocks + 1) / 2);  // pairs of blocks
  const auto block = [&](Index k) {
    return points.slice(k * size, std::min(size, points.count - k * size));
  };
  const auto meet_blocks = [&](Index a, Index b) {
    throw_if_cancelled(cancel);
    meet(block(a), block(b), lists, a * size, lists, b * size);
    counter.add();
  };
  // A round-robin tournament: within a round no two pairs share a block, so no list has two
  // writers.
  parallel_tasks(blocks, threads, [&](Index b) { meet_blocks(b, b); });
  const Index players = blocks + blocks % 2;
  for (Index round = 0; round + 1 < players; ++round) {
    parallel_tasks(players / 2, threads, [&](Index k) {
      const Index a = k == 0 ? round : (round + k) % (players - 1);
      const Index b = k == 0 ? players - 1 : (round - k + players - 1) % (players - 1);
      if (a < blocks && b < blocks) meet_blocks(a, b);  // else a bye: the number of blocks is odd
    });
  }
}

void scan_pairs(ScanPoints<float> rows, ScanPoints<float> columns, CandidateLists<float>& row_lists,
                Index row_list, CandidateLists<float>& column_lists, Index column_list, int threads,
                std::stop_token cancel) {
  const detail::SerialBlas serial;
  const Index size = block_size(std::max(rows.count, columns.count));
  const Index row_blocks = (rows.count + size - 1) / size;
  const Index column_blocks = (columns.count + size - 1) / size;
  // In a round, block a of the rows meets block a + round of the columns: no list has two writers.
  const Index rounds = std::max(row_blocks, column_blocks);
  for (Index round = 0; round < rounds; ++round) {
    parallel_tasks(row_blocks, threads, [&](Index a) {
      const Index b = (a + round) % rounds;
      if (b >= column_blocks) return;
      throw_if_cancelled(cancel);
      meet(rows.slice(a * size, std::min(size, rows.count - a * size)),
           columns.slice(b * size, std::min(size, columns.count - b * size)), row_lists,
           row_list + a * size, column_lists, column_list + b * size);
    });
  }
}

template <class Scalar>
void scan_queries(ScanPoints<Scalar> queries, ScanPoints<Scalar> points,
                  std::span<const Index> skip, CandidateLists<Scalar>& lists, int threads,
                  std::stop_token cancel) {
  visit_products(queries, points, threads, cancel,
                 [&](Index q, const Scalar* products, Index first, Index columns) {
                   offer_row(lists, q, products, points.half_norms + first, columns, nullptr,
                             points.first + static_cast<std::int32_t>(first),
                             skip.empty() ? Index{-1} : skip[q]);
                 });
}

void scan_queries(ScanPoints<float> queries, ScanPoints<float> points, CandidateLists<float>& lists,
                  ReachLists& reached, int threads, std::stop_token cancel) {
  visit_products(queries, points, threads, cancel,
                 [&](Index q, const float* products, Index first, Index columns) {
                   const auto number = static_cast<std::int32_t>(first);
                   offer_row(lists, q, products, points.half_norms + first, columns, nullptr,
                             number, -1);
                   reached.offer_row(q, products, reached.thresholds().data() + first, columns,
                                     nullptr, number);
                 });
}

template void offer_row(CandidateLists<float>&, Index, const float*, const float*, Index,
                        const std::int32_t*, std::int32_t, Index);
template void offer_row(CandidateLists<double>&, Index, const double*, const double*, Index,
                        const std::int32_t*, std::int32_t, Index);
template void scan_queries(ScanPoints<float>, ScanPoints<float>, std::span<const Index>,
                           CandidateLists<float>&, int, std::stop_token);
template void scan_queries(ScanPoints<double>, ScanPoints<double>, std::span<const Index>,
                           CandidateLists<double>&, int, std::stop_token);

}  // namespace stkr
