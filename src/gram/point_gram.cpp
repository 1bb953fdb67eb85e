#include "stkr/gram/point_gram.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include "gram/gram_cost.hpp"
#include "kernel/sparse_points.hpp"
#include "linop/device_operator.hpp"
#include "linop/operators.hpp"
#include "point_tiles.hpp"
#include "runtime/byte_count.hpp"
#include "runtime/parallel.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// One tile of the tournament. turn_i is the number of earlier tiles of block i, which must have
// been added to y_i before this one.
struct Match {
  Index i = 0;
  Index j = 0;
  Index turn_i = 0;
  Index turn_j = 0;
};

// Every pair of blocks once (circle method), after each block has met itself. Consecutive tiles
// share no block, so threads rarely wait.
std::vector<Match> tournament(Index blocks) {
  std::vector<Match> matches;
  std::vector<Index> turn(blocks, 0);
  matches.reserve(blocks * (blocks + 1) / 2);
  const auto add = [&](Index i, Index j) {
    if (i >= blocks || j >= blocks) return;  // a bye: the number of blocks is odd
    matches.push_back({i, j, turn[i], turn[j]});
    ++turn[i];
    if (i != j) ++turn[j];
  };
  for (Index i = 0; i < blocks; ++i) add(i, i);
  const Index players = blocks + blocks % 2;
  for (Index round = 0; round + 1 < players; ++round) {
    add(round, players - 1);
    for (Index k = 1; k < players / 2; ++k) {
      add((round + k) % (players - 1), (round - k + players - 1) % (players - 1));
    }
  }
  return matches;
}

// The start of each tile among the kept ones, followed by their total size.
template <class Scalar>
std::vector<std::size_t> tile_starts(Index size, Index block_size,
                                     const std::vector<Match>& matches) {
  std::vector<std::size_t> starts{0};
  for (const Match& match : matches) {
    const Index rows = std::min(block_size, size - match.i * block_size);
    const Index columns = std::min(block_size, size - match.j * block_size);
    starts.push_back(starts.back() +
                     static_cast<std::size_t>(rows * PackedPoints<Scalar>::padded(columns)));
  }
  return starts;
}

}  // namespace

template <class Scalar>
PointGram<Scalar>::PointGram(FeatureMatrix points, Kernel kernel, int threads, Tiles tiles,
                             std::stop_token cancel, const Device& device)
    : PointGram(
          std::make_shared<const KnownPoints<Scalar>>(std::move(points), kernel, "points", device),
          threads, std::move(cancel)) {
  if (tiles == Tiles::evaluated || on_device_) return;
  const Index block_size = tile_columns<Scalar>(size(), points_->packed_features());
  const std::vector<Match> matches = tournament((size() + block_size - 1) / block_size);
  tile_start_ = tile_starts<Scalar>(size(), block_size, matches);
  kept_ = std::make_unique_for_overwrite<Scalar[]>(tile_start_.back());
  const Index blocks = (size() + block_size - 1) / block_size;
  tile_of_.assign(static_cast<std::size_t>(blocks * blocks), -1);
  for (std::size_t k = 0; k < matches.size(); ++k) {
    tile_of_[matches[k].i * blocks + matches[k].j] = static_cast<std::int32_t>(k);
  }
  parallel_tasks(static_cast<Index>(matches.size()), threads_, [&](Index k) {
    if (cancel_.stop_requested()) return;
    const Index i = matches[k].i * block_size;
    const Index j = matches[k].j * block_size;
    PointTiles<Scalar> tile(*points_);
    tile.fill(i, std::min(block_size, size() - i), j, std::min(block_size, size() - j),
              kept_.get() + tile_start_[k]);
  });
  check_cancelled();
}

template <class Scalar>
std::uint64_t PointGram<Scalar>::tile_bytes(Index points, Index features) {
  const auto block = static_cast<std::uint64_t>(tile_columns<Scalar>(points, features));
  const std::uint64_t whole = static_cast<std::uint64_t>(points) / block;
  const auto last = static_cast<std::uint64_t>(
      PackedPoints<Scalar>::padded(static_cast<Index>(static_cast<std::uint64_t>(points) % block)));
  // Every pair of blocks once; diagonal blocks are stored in full.
  const std::uint64_t width = whole * block + last;
  return sizeof(Scalar) * (width * width + whole * block * block + last * last) / 2;
}

template <class Scalar>
PointGram<Scalar>::PointGram(std::shared_ptr<const KnownPoints<Scalar>> points, int threads,
                             std::stop_token cancel)
    : points_(std::move(points)),
      threads_(threads),
      cancel_(std::move(cancel)),
      on_device_(points_->on_device() ? points_->on_device()->gram() : nullptr) {}

template <class Scalar>
Index PointGram<Scalar>::size() const {
  return points_->count();
}

template <class Scalar>
const Kernel& PointGram<Scalar>::kernel() const {
  return points_->kernel();
}

template <class Scalar>
Index PointGram<Scalar>::features() const {
  return points_->features();
}

template <class Scalar>
std::optional<std::vector<Index>> PointGram<Scalar>::nearest(std::span<const Index> samples,
                                                             std::span<const Index> among) const {
  return points_->nearest(samples, among);
}

template <class Scalar>
void PointGram<Scalar>::check_cancelled() const {
  if (cancel_.stop_requested()) throw Cancelled("a kernel product was stopped by the caller");
}

template <class Scalar>
std::unique_ptr<LinearOperator> PointGram<Scalar>::restricted(std::vector<Index> samples,
                                                              double scale) const {
  check_block_indices(*this, samples, {}, "PointGram::restricted");
  if (samples.empty()) return GramOperator::restricted(std::move(samples), scale);
  const double factor = scale * static_cast<double>(samples.size()) / static_cast<double>(size());
  PointGram smaller(std::make_shared<const KnownPoints<Scalar>>(points_->chosen(samples)), threads_,
                    cancel_);
  return std::make_unique<ScaledOperator>(std::make_shared<const PointGram>(std::move(smaller)),
                                          factor, threads_);
}

template <class Scalar>
void PointGram<Scalar>::apply(ConstMatrixRef x, MatrixRef y) const {
  check_apply_shapes(*this, x, y, "PointGram::apply");
  check_cancelled();
  if (on_device_) return on_device_->apply(x, y);
  y.setZero();
  const Index block_size = tile_columns<Scalar>(size(), points_->packed_features());
  const Index blocks = (size() + block_size - 1) / block_size;
  const std::vector<Match> matches = tournament(blocks);
  std::vector<std::atomic<Index>> finished(blocks);
  std::atomic<Index> next{0};
  std::atomic<bool> failed{false};

  const auto play = [&](std::size_t ticket, PointTiles<Scalar>& tiles) {
    const Match& match = matches[ticket];
    const Scalar* kept = kept_ ? kept_.get() + tile_start_[ticket] : nullptr;
    const Index i = match.i * block_size;
    const Index j = match.j * block_size;
    const Index rows = std::min(block_size, size() - i);
    const Index columns = std::min(block_size, size() - j);
    if (match.i == match.j) {
      tiles.add_diagonal(i, rows, x.middleRows(i, rows), y.middleRows(i, rows), kept);
    } else {
      tiles.add_pair(i, rows, j, columns, x.middleRows(i, rows), x.middleRows(j, columns),
                     y.middleRows(i, rows), y.middleRows(j, columns), kept);
    }
  };
  // Tickets are drawn in order, and a tile waits only for tiles with earlier tickets, which are
  // finished or in progress: no deadlock for any number of threads.
  const int workers = resolve_threads(threads_);
  parallel_tasks(workers, workers, [&](Index) {
    PointTiles<Scalar> tiles(*points_);
    while (!cancel_.stop_requested() && !failed.load(std::memory_order_relaxed)) {
      const auto ticket = static_cast<std::size_t>(next.fetch_add(1));
      if (ticket >= matches.size()) return;
      const Match& match = matches[ticket];
      while (finished[match.i].load(std::memory_order_acquire) != match.turn_i ||
             finished[match.j].load(std::memory_order_acquire) != match.turn_j) {
        // The tile that this one waits for may never be added then.
        if (cancel_.stop_requested() || failed.load(std::memory_order_relaxed)) return;
        std::this_thread::yield();
      }
      try {
        play(ticket, tiles);
      } catch (...) {  // a custom kernel may throw
        failed.store(true, std::memory_order_relaxed);
        throw;
      }
      finished[match.i].fetch_add(1, std::memory_order_release);
      if (match.i != match.j) finished[match.j].fetch_add(1, std::memory_order_release);
    }
  });
  check_cancelled();
  y /= static_cast<double>(size());
}

template <class Scalar>
void PointGram<Scalar>::apply_roughly(ConstMatrixRef x, MatrixRef y) const {
  check_apply_shapes(*this, x, y, "PointGram::apply_roughly");
  if (!on_device_) return apply(x, y);
  check_cancelled();
  on_device_->apply_roughly(x, y);
}

template <class Scalar>
RoughProducts PointGram<Scalar>::rough() const {
  return on_device_ ? on_device_->rough() : RoughProducts{};
}

template <class Scalar>
Matrix PointGram<Scalar>::block(std::span<const Index> rows, std::span<const Index> columns) const {
  check_block_indices(*this, rows, columns, "PointGram::block");
  check_cancelled();
  if (kept_) return kept_block(rows, columns);
  const auto row_count = static_cast<Index>(rows.size());
  const auto column_count = static_cast<Index>(columns.size());
  Matrix result(row_count, column_count);
  const Index width = tile_columns<Scalar>(column_count, points_->packed_features());
  for (Index j0 = 0; j0 < column_count; j0 += width) {
    const auto block_columns = columns.subspan(j0, std::min(width, column_count - j0));
    const auto column_points = points_->gather(block_columns);
    PackedPoints<Scalar> packed;
    packed.pack(column_points.rows());
    parallel_chunks(row_count, tile_rows, threads_, [&](Index begin, Index end) {
      if (cancel_.stop_requested()) return;
      const auto block_rows = rows.subspan(begin, end - begin);
      const auto row_points = points_->gather(block_rows);
      const PointRows<Scalar> x = row_points.rows();
      std::vector<Scalar> values(x.count * packed.padded_count());
      evaluate_tile(kernel(), x, packed, values.data(), packed.padded_count());
      for (Index i = 0; i < x.count; ++i) {
        const Scalar* from = values.data() + i * packed.padded_count();
        for (Index j = 0; j < packed.rows().count; ++j) {
          const bool diagonal = block_rows[i] == block_columns[j] && !kernel().of_points();
          result(begin + i, j0 + j) = static_cast<double>(
              diagonal ? static_cast<Scalar>(points_->at_itself(block_rows[i])) : from[j]);
        }
      }
    });
    check_cancelled();
  }
  return result;
}

template <class Scalar>
Matrix PointGram<Scalar>::kept_block(std::span<const Index> rows,
                                     std::span<const Index> columns) const {
  const Index block_size = tile_columns<Scalar>(size(), points_->packed_features());
  const Index blocks = (size() + block_size - 1) / block_size;
  // K(x_i, x_j), if the tile has i in its rows.
  const auto value = [&](std::int32_t tile, Index i, Index j) {
    const Index first = j / block_size * block_size;
    const Index length = PackedPoints<Scalar>::padded(std::min(block_size, size() - first));
    return kept_[tile_start_[tile] +
                 static_cast<std::size_t>(i % block_size * length + (j - first))];
  };
  Matrix result(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
  parallel_chunks(result.rows(), tile_rows, threads_, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      const Index i = rows[r];
      for (Index c = 0; c < result.cols(); ++c) {
        const Index j = columns[c];
        const std::int32_t tile = tile_of_[i / block_size * blocks + j / block_size];
        result(r, c) = static_cast<double>(
            tile >= 0 ? value(tile, i, j)
                      : value(tile_of_[j / block_size * blocks + i / block_size], j, i));
      }
    }
  });
  return result;
}

template <class Scalar>
SpectrumBounds PointGram<Scalar>::bounds() const {
  double diagonal = 0.0, largest = 0.0;
  for (Index i = 0; i < size(); ++i) {
    if (kernel().positive_semidefinite()) diagonal += points_->at_itself(i);
    largest = std::max(largest, static_cast<double>(points_->squared_norms()[i]));
  }
  return kernel_bounds(kernel(), diagonal / static_cast<double>(size()), largest);
}

template <class Scalar>
std::unique_ptr<CrossKernel> PointGram<Scalar>::cross_kernel() const {
  return std::make_unique<PointCrossKernel<Scalar>>(points_, threads_);
}

template class PointGram<float>;
template class PointGram<double>;

GramCost point_gram_cost(const PointShape& points, bool single_precision, Tiles tiles) {
  const Index samples = points.samples;
  Index features = points.features;
  GramCost cost;
  if (points.entries > 0) {
    cost.samples = sparse_point_bytes(samples, points.entries);
    // Neighbor distances, from the points of each feature.
    cost.preparing = feature_list_bytes(points.entries) + byte_count(samples, 56.0);
    features = sparse_packed_features(samples, points.entries);
    // Each entry meets a few of the others.
    cost.evaluation = 4.0 * static_cast<double>(points.entries) /
                          static_cast<double>(std::max<Index>(samples, 1)) +
                      20.0;
  } else {
    const Index values = samples * features;
    cost.samples = byte_count(values, single_precision ? 4.0 : 8.0);
    // Neighbor distances, then the points before rounding.
    cost.preparing =
        std::max(byte_count(values, single_precision ? 8.0 : 0.0), byte_count(samples, 40.0));
    cost.evaluation = 2.0 * static_cast<double>(features) + 20.0;  // an inner product and more
  }
  cost.gram = byte_count(samples, 8.0);  // norms
  if (tiles == Tiles::kept) {
    cost.gram += single_precision ? PointGram<float>::tile_bytes(samples, features)
                                  : PointGram<double>::tile_bytes(samples, features);
  }
  return cost;
}

}  // namespace stkr
