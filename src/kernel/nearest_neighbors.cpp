#include "stkr/kernel/nearest_neighbors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "equal_points.hpp"
#include "kernel/neighbor_decision.hpp"
#include "kernel/point_shift.hpp"
#include "kernel/sparse_neighbors.hpp"
#include "kernel/sparse_points.hpp"
#include "linop/device_backend.hpp"
#include "neighbor_cells.hpp"
#include "neighbor_scan.hpp"
#include "reach_lists.hpp"
#include "runtime/parallel.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr const char* kSearch = "nearest neighbors";

// Throws ValueError if a norm overflows, and with it distances.
void check_norms(const CsrMatrix& points, const char* who) {
  for (Index i = 0; i < points.rows; ++i) {
    if (std::isfinite(squared_norm(sparse_point(points, i)))) continue;
    throw ValueError(fmt::format(
        "{}: the squared norm of the point in row {} overflows; rescale the features", who, i));
  }
}

// The k nearest candidates by distance in double precision.
template <class Scalar>
void decide_row(const CandidateLists<Scalar>& lists, Index list, const MatrixF& queries, Index q,
                const MatrixF& points, Neighbors& result) {
  std::vector<RankedCandidate> ranked;
  for (Index c = 0; c < lists.capacity() && lists.indices(list)[c] >= 0; ++c) {
    const std::int32_t j = lists.indices(list)[c];
    ranked.emplace_back(distance(queries.row(q).data(), points.row(j).data(), points.cols()), j);
  }
  keep_nearest(ranked, q, result);
}

// Searches the rows that single precision could not decide in double precision.
void search_again(const MatrixF& queries, const MatrixF& points, std::span<const Index> rows,
                  bool themselves, int threads, const std::stop_token& cancel, Neighbors& result) {
  constexpr Index kChunk = 1024;
  const Matrix known = points.cast<double>();
  const Vector known_norms = 0.5 * known.rowwise().squaredNorm();
  for (std::size_t begin = 0; begin < rows.size(); begin += kChunk) {
    const auto part = rows.subspan(begin, std::min<std::size_t>(kChunk, rows.size() - begin));
    Matrix asking(part.size(), queries.cols());
    for (std::size_t i = 0; i < part.size(); ++i)
      asking.row(i) = queries.row(part[i]).cast<double>();
    const Vector norms = 0.5 * asking.rowwise().squaredNorm();
    CandidateLists<double> lists(asking.rows(), result.k + kSpareCandidates);
    scan_queries<double>({asking.data(), asking.rows(), asking.cols(), norms.data()},
                         {known.data(), known.rows(), known.cols(), known_norms.data()},
                         themselves ? part : std::span<const Index>(), lists, threads, cancel);
    for (std::size_t i = 0; i < part.size(); ++i) {
      decide_row(lists, static_cast<Index>(i), queries, part[i], points, result);
    }
  }
}

}  // namespace

NeighborIndex::NeighborIndex(const FeatureMatrix& points, const NeighborOptions& options,
                             const Context& context, const char* who)
    : options_(options), threads_(context.threads), cancel_(context.cancel) {
  if (points.rows() == 0 || points.cols() == 0) {
    throw ShapeError(
        fmt::format("{}: points are {} x {}; at least one point with one feature is needed", who,
                    points.rows(), points.cols()));
  }
  if (points.sparse()) {
    check_csr(*points.sparse(), who);
    sparse_ = *points.sparse();
    distinct_of_ = keep_distinct(sparse_);
  } else {
    points.dense().visit([&](const auto& values) {
      check_finite_points(values, who);
      shift_ = helpful_shift(values);
      points_ = place_points(values, shift_);
    });
    distinct_of_ = keep_distinct(points_);
  }
  check_options(who);
  finish(who);
  if (options_.recall < 1.0 && !sparse() && distinct() >= kCellsFrom) {
    cells_ = make_cells(view(points_, half_norms_), options_, context);
  } else if (context.device.backend() && !sparse()) {
    on_device_ = context.device.backend()->neighbors(PointsView::of(points_), options_.k, cancel_);
  }
}

NeighborIndex::NeighborIndex(std::variant<MatrixF, CsrMatrix> distinct_points,
                             std::vector<std::int32_t> distinct_of, Vector shift,
                             NeighborCells cells, const NeighborOptions& options,
                             const Context& context, const char* who)
    : options_(options),
      threads_(context.threads),
      cancel_(context.cancel),
      distinct_of_(std::move(distinct_of)),
      shift_(std::move(shift)),
      cells_(std::move(cells)) {
  const auto within = [](const std::vector<std::int32_t>& values, Index end) {
    return std::all_of(values.begin(), values.end(),
                       [end](std::int32_t v) { return v >= 0 && v < end; });
  };
  if (auto* dense = std::get_if<MatrixF>(&distinct_points)) {
    points_ = std::move(*dense);
  } else {
    sparse_ = std::get<CsrMatrix>(std::move(distinct_points));
    check_csr(sparse_, who);
  }
  check_finite_points(points_, who);
  check_finite_points(cells_.centers, who);
  check_options(who);
  const bool with_cells = cells_.probes > 0;
  if (distinct() == 0 || shift_.size() != points_.cols() || !shift_.allFinite() ||
      (sparse() && with_cells) || size() < distinct() || !within(distinct_of_, distinct()) ||
      (with_cells &&
       (cells_.centers.cols() != features() || static_cast<Index>(cells_.of.size()) != distinct() ||
        cells_.probes > cells_.centers.rows() || !within(cells_.of, cells_.centers.rows())))) {
    throw ShapeError(fmt::format("{}: the parts of the neighbor search are inconsistent", who));
  }
  finish(who);
  if (context.device.backend() && !sparse() && !with_cells) {
    on_device_ = context.device.backend()->neighbors(PointsView::of(points_), options_.k, cancel_);
  }
}

void NeighborIndex::check_options(const char* who) const {
  check_neighbor_options(options_, size(), who);
}

void NeighborIndex::finish(const char* who) {
  half_norms_ = checked_half_norms(points_, who);
  if (sparse()) check_norms(sparse_, who);
  place_start_.assign(distinct() + 1, 0);
  for (const std::int32_t place : distinct_of_) ++place_start_[place + 1];
  if (std::find(place_start_.begin() + 1, place_start_.end(), 0) != place_start_.end()) {
    throw ShapeError(fmt::format("{}: the neighbor search has a place without points", who));
  }
  std::partial_sum(place_start_.begin(), place_start_.end(), place_start_.begin());
  std::vector<std::int32_t> next(place_start_.begin(), place_start_.end() - 1);
  place_samples_.resize(distinct_of_.size());
  for (Index i = 0; i < size(); ++i) {
    place_samples_[next[distinct_of_[i]]++] = static_cast<std::int32_t>(i);
  }
  slots_ = sparse() ? hash_rows(sparse_) : hash_rows(points_);
}

std::span<const std::int32_t> NeighborIndex::samples_at(Index place) const {
  return {place_samples_.begin() + place_start_[place],
          place_samples_.begin() + place_start_[place + 1]};
}

Neighbors NeighborIndex::search(const MatrixF& queries, const std::vector<float>& half_norms,
                                bool themselves, ReachLists* reached,
                                const ProgressSink& progress) const {
  if (on_device_ && !reached) {
    return themselves ? on_device_->among_themselves(options_.k)
                      : on_device_->of(PointsView::of(queries), options_.k);
  }
  const Index k = options_.k;
  const Index count = queries.rows();
  Neighbors result{count, k, std::vector<std::int32_t>(count * k, -1),
                   std::vector<double>(count * k, 0.0)};
  std::vector<Index> self;
  if (themselves) {
    self.resize(count);
    std::iota(self.begin(), self.end(), Index{0});
  }
  CandidateLists<float> lists(count, k + kSpareCandidates);
  const ScanPoints<float> asking = view(queries, half_norms), known = view(points_, half_norms_);
  const bool exact = cells_.probes == 0;
  if (!exact) {
    scan_cells(asking, known, cells_, self, lists, reached, threads_, cancel_, progress);
  } else if (themselves) {
    scan_all_pairs(known, lists, threads_, cancel_, progress);
  } else if (reached) {
    scan_queries(asking, known, lists, *reached, threads_, cancel_);
  } else {
    scan_queries<float>(asking, known, {}, lists, threads_, cancel_);
  }
  std::vector<char> open(count, 0);
  parallel_chunks(count, 256, threads_, [&](Index begin, Index end) {
    for (Index q = begin; q < end; ++q) {
      decide_row(lists, q, queries, q, points_, result);
      open[q] = exact && !proven_complete(lists.worst(q), queries.row(q).cast<double>().norm(),
                                          result.distance[q * k + k - 1], features());
    }
  });
  std::vector<Index> again;
  for (Index q = 0; q < count; ++q) {
    if (open[q]) again.push_back(q);
  }
  if (!again.empty()) search_again(queries, points_, again, themselves, threads_, cancel_, result);
  return result;
}

void NeighborIndex::name_samples(Neighbors& places) const {
  for (std::int32_t& j : places.index) {
    if (j >= 0) j = first_at(j);
  }
}

Neighbors NeighborIndex::among_themselves(const ProgressSink& progress) const {
  const Index k = options_.k;
  Neighbors places =
      sparse() ? sparse_neighbors(sparse_, sparse_, k, true, nullptr, nullptr, threads_, cancel_)
               : search(points_, half_norms_, true, nullptr, progress);
  name_samples(places);
  if (distinct() == size()) return places;
  Neighbors result{size(), k, std::vector<std::int32_t>(size() * k, -1),
                   std::vector<double>(size() * k, 0.0)};
  for (Index i = 0; i < size(); ++i) {
    const Index place = distinct_of_[i];
    const bool copy = first_at(place) != i;
    if (copy) result.index[i * k] = first_at(place);
    const Index from = place * k, to = i * k + copy;
    std::copy_n(places.index.begin() + from, k - copy, result.index.begin() + to);
    std::copy_n(places.distance.begin() + from, k - copy, result.distance.begin() + to);
  }
  return result;
}

void NeighborIndex::check_queries(const FeatureMatrix& queries) const {
  if (queries.cols() != features()) {
    throw ShapeError(fmt::format("{}: the new points have {} features but the known ones have {}",
                                 kSearch, queries.cols(), features()));
  }
  if (queries.sparse()) {
    check_csr(*queries.sparse(), kSearch);
  } else {
    queries.dense().visit([](const auto& values) { check_finite_points(values, kSearch); });
  }
}

MatrixF NeighborIndex::place_queries(const FeatureMatrix& queries) const {
  check_queries(queries);
  if (queries.sparse()) return place_points(queries.matrix(), shift_);
  return queries.dense().visit([&](const auto& values) { return place_points(values, shift_); });
}

CsrMatrix NeighborIndex::sparse_queries(const FeatureMatrix& queries) const {
  check_queries(queries);
  CsrMatrix placed =
      queries.sparse() ? without_zeros(*queries.sparse()) : sparse_of(queries.matrix());
  check_norms(placed, kSearch);
  return placed;
}

Neighbors NeighborIndex::of(const FeatureMatrix& queries) const {
  if (sparse()) {
    Neighbors result = sparse_neighbors(sparse_queries(queries), sparse_, options_.k, false,
                                        nullptr, nullptr, threads_, cancel_);
    name_samples(result);
    return result;
  }
  const MatrixF placed = place_queries(queries);
  Neighbors result = search(placed, checked_half_norms(placed, kSearch), false, nullptr);
  name_samples(result);
  return result;
}

Surroundings NeighborIndex::of(const FeatureMatrix& queries, const Vector& reach) const {
  if (reach.size() != size()) {
    throw ShapeError(fmt::format("{}: {} reaches for {} points; expected one per point", kSearch,
                                 reach.size(), size()));
  }
  Vector place_reach(distinct());
  for (Index place = 0; place < distinct(); ++place) {
    place_reach[place] = reach[first_at(place)];
    if (place_reach[place] >= 0.0 && std::isfinite(place_reach[place])) continue;
    throw ValueError(fmt::format("{}: point {} has the reach {}; expected a distance", kSearch,
                                 first_at(place), place_reach[place]));
  }
  if (sparse()) {
    Surroundings result;
    result.nearest = sparse_neighbors(sparse_queries(queries), sparse_, options_.k, false,
                                      &place_reach, &result.reached_by, threads_, cancel_);
    name_samples(result.nearest);
    // Places ascend, and so do their first points.
    for (std::int32_t& j : result.reached_by.index) j = first_at(j);
    return result;
  }
  const MatrixF placed = place_queries(queries);
  const std::vector<float> half_norms = checked_half_norms(placed, kSearch);
  if (on_device_) {
    Surroundings result{search(placed, half_norms, false, nullptr),
                        on_device_->reaching(PointsView::of(placed), place_reach)};
    name_samples(result.nearest);
    for (std::int32_t& j : result.reached_by.index) j = first_at(j);
    return result;
  }
  ReachLists lists(view(placed, half_norms), view(points_, half_norms_), place_reach);
  Surroundings result{search(placed, half_norms, false, &lists), {}};
  name_samples(result.nearest);

  ReachedBy& reached = result.reached_by;
  reached.row_start.assign(1, 0);
  for (Index q = 0; q < placed.rows(); ++q) {
    reached.row_start.push_back(reached.row_start.back() +
                                static_cast<std::int64_t>(lists.found(q).size()));
  }
  reached.index.resize(reached.row_start.back());
  reached.distance.resize(reached.row_start.back());
  for (Index q = 0; q < placed.rows(); ++q) {
    ReachLists::Found found = std::move(lists.found(q));  // freed row by row
    for (auto& [point, apart] : found) point = first_at(point);
    std::sort(found.begin(), found.end());
    for (std::size_t r = 0; r < found.size(); ++r) {
      reached.index[reached.row_start[q] + r] = found[r].first;
      reached.distance[reached.row_start[q] + r] = found[r].second;
    }
  }
  return result;
}

std::vector<std::int32_t> NeighborIndex::place_of(const FeatureMatrix& queries) const {
  std::vector<std::int32_t> places(queries.rows());
  const auto find = [&](const auto& known, const auto& placed) {
    parallel_chunks(queries.rows(), 1024, threads_, [&](Index begin, Index end) {
      for (Index q = begin; q < end; ++q) {
        places[q] = static_cast<std::int32_t>(find_row(known, slots_, placed, q));
      }
    });
  };
  if (sparse()) {
    find(sparse_, sparse_queries(queries));
  } else {
    find(points_, place_queries(queries));
  }
  return places;
}

}  // namespace stkr
