#include "shared_neighbors.hpp"

#include <algorithm>
#include <numeric>

#include "kernel/neighbor_decision.hpp"
#include "kernel/neighbor_scan.hpp"
#include "ring_exchange.hpp"
#include "row_fetch.hpp"
#include "runtime/parallel.hpp"
#include "runtime/progress_counter.hpp"
#include "session.hpp"

namespace stkr::petsc {
namespace {

constexpr const char* kSearch = "nearest neighbors";

Neighbors no_neighbors(Index count, Index k) {
  return {count, k, std::vector<std::int32_t>(static_cast<std::size_t>(count * k), -1),
          std::vector<double>(static_cast<std::size_t>(count * k), 0.0)};
}

// The search among places. Candidates are numbers of places, neighbors those of their first
// samples.
class PlaceSearch {
 public:
  PlaceSearch(const SharedPlaces& places, Index k, const Context& context)
      : places_(places),
        layout_(*places.layout),
        context_(context),
        capacity_(k + kSpareCandidates),
        result_(no_neighbors(layout_.count(), k)) {}

  Neighbors run() {
    std::vector<Index> rows(static_cast<std::size_t>(layout_.count()));
    std::iota(rows.begin(), rows.end(), Index{0});
    std::vector<Index> open;
    {
      CandidateLists<float> lists = candidates();
      decide(rows, lists);
      for (const Index q : rows) {
        const double norm = places_.points.row(q).cast<double>().norm();
        const double last = result_.distance[static_cast<std::size_t>((q + 1) * result_.k - 1)];
        if (!proven_complete(lists.worst(q), norm, last, features())) open.push_back(q);
      }
    }
    if (any_over(&layout_, !open.empty())) decide(open, exact_candidates(open));
    return std::move(result_);
  }

 private:
  Index features() const { return places_.points.cols(); }
  std::size_t point_bytes() const { return static_cast<std::size_t>(features()) * sizeof(float); }

  // The nearest of all places to each of this process, by values in single precision.
  CandidateLists<float> candidates() {
    const std::size_t list_bytes = static_cast<std::size_t>(capacity_) * sizeof(float);
    CandidateLists<float> lists(layout_.count(), capacity_), guests(0, capacity_);
    std::vector<float> half_norms, values;
    std::vector<std::int32_t> indices;
    agree(layout_.comm(), [&] {
      half_norms = checked_half_norms(places_.points, kSearch, layout_.first());
      values.resize(static_cast<std::size_t>(layout_.count() * capacity_));
      indices.resize(values.size());
    });
    ScanPoints<float> own = view(places_.points, half_norms);
    own.first = static_cast<std::int32_t>(layout_.first());
    const RingExchange ring(places_.layout, {{places_.points.data(), point_bytes()},
                                             {half_norms.data(), sizeof(float)}});
    const int steps = steps_of_pairs(ring.ranks());
    ProgressCounter counter(context_.progress, "neighbors", steps);
    const auto compare = [&](const RingBlock& block) {
      if (block.step == 0) {
        scan_all_pairs(own, lists, context_.threads, context_.cancel);
      } else {
        guests = CandidateLists<float>(block.count, capacity_);
        const ScanPoints<float> visitor{block.rows<float>(0), block.count, features(),
                                        block.rows<float>(1),
                                        static_cast<std::int32_t>(block.first)};
        const PairRange range = pairs_of(block, own.count, ring.rank(), ring.ranks());
        scan_pairs(own.slice(range.own_first, range.own_count),
                   visitor.slice(range.visitor_first, range.visitor_count), lists, range.own_first,
                   guests, range.visitor_first, context_.threads, context_.cancel);
      }
      counter.add();
    };
    // The visitor's points go home with the candidates found here.
    ring.pass(steps, compare, [&](const RingBlock& block) {
      if (block.step == 0) return;
      ring.give_back(block, guests.values(0), values.data(), list_bytes);
      ring.give_back(block, guests.indices(0), indices.data(), list_bytes);
      parallel_chunks(layout_.count(), 256, context_.threads, [&](Index begin, Index end) {
        for (Index at = begin * capacity_; at < end * capacity_; ++at) {
          const auto p = static_cast<std::size_t>(at);
          if (indices[p] >= 0) lists.offer(at / capacity_, values[p], indices[p]);
        }
      });
    });
    return lists;
  }

  // The same for some places of this process, in double precision.
  CandidateLists<double> exact_candidates(const std::vector<Index>& rows) {
    const auto count = static_cast<Index>(rows.size());
    CandidateLists<double> lists(count, capacity_);
    Matrix asking(count, features());
    std::vector<Index> skip;
    for (Index i = 0; i < count; ++i) {
      asking.row(i) = places_.points.row(rows[static_cast<std::size_t>(i)]).cast<double>();
      skip.push_back(layout_.first() + rows[static_cast<std::size_t>(i)]);
    }
    const Vector norms = 0.5 * asking.rowwise().squaredNorm();
    const RingExchange ring(places_.layout, {{places_.points.data(), point_bytes()}});
    ring.pass(ring.ranks(), [&](const RingBlock& block) {
      if (count == 0 || block.count == 0) return;
      const Matrix known =
          Eigen::Map<const MatrixF>(block.rows<float>(0), block.count, features()).cast<double>();
      const Vector known_norms = 0.5 * known.rowwise().squaredNorm();
      scan_queries<double>({asking.data(), count, features(), norms.data()},
                           {known.data(), block.count, features(), known_norms.data(),
                            static_cast<std::int32_t>(block.first)},
                           skip, lists, context_.threads, context_.cancel);
    });
    return lists;
  }

  // Keeps the nearest of the candidates of some places, by distances in double precision.
  template <class Scalar>
  void decide(const std::vector<Index>& rows, const CandidateLists<Scalar>& lists) {
    std::vector<std::vector<RankedCandidate>> ranked(rows.size());
    const RingExchange ring(places_.layout, {{places_.points.data(), point_bytes()},
                                             {places_.first_sample.data(), sizeof(std::int32_t)}});
    ring.pass(ring.ranks(), [&](const RingBlock& block) {
      parallel_chunks(
          static_cast<Index>(rows.size()), 256, context_.threads, [&](Index begin, Index end) {
            for (Index r = begin; r < end; ++r) {
              const float* own = places_.points.row(rows[static_cast<std::size_t>(r)]).data();
              for (Index c = 0; c < capacity_ && lists.indices(r)[c] >= 0; ++c) {
                const Index j = lists.indices(r)[c] - block.first;
                if (j < 0 || j >= block.count) continue;
                ranked[static_cast<std::size_t>(r)].emplace_back(
                    distance(own, block.rows<float>(0) + j * features(), features()),
                    block.rows<std::int32_t>(1)[j]);
              }
            }
          });
    });
    for (std::size_t r = 0; r < rows.size(); ++r) keep_nearest(ranked[r], rows[r], result_);
  }

  const SharedPlaces& places_;
  const RowLayout& layout_;
  const Context& context_;
  Index capacity_;
  Neighbors result_;
};

// What samples need to know of their places: k neighbors, k distances, the first sample, copies.
Matrix facts_of(const SharedNeighbors& found) {
  const Index k = found.of_places.k, count = found.of_places.count;
  Matrix facts(count, 2 * k + 2);
  for (Index i = 0; i < count; ++i) {
    for (Index r = 0; r < k; ++r) {
      facts(i, r) = found.of_places.index[static_cast<std::size_t>(i * k + r)];
      facts(i, k + r) = found.of_places.distance[static_cast<std::size_t>(i * k + r)];
    }
    facts(i, 2 * k) = found.first_sample[static_cast<std::size_t>(i)];
    facts(i, 2 * k + 1) = static_cast<double>(found.copies[static_cast<std::size_t>(i)]);
  }
  return facts;
}

// Appends what other processes know of places that samples of this one share with theirs.
void add_places_elsewhere(const SharedPlaces& places, SharedNeighbors& found) {
  const RowLayout& layout = *places.layout;
  std::vector<Index> elsewhere;
  for (const std::int32_t place : places.of) {
    if (layout.local(place) < 0) elsewhere.push_back(place);
  }
  std::sort(elsewhere.begin(), elsewhere.end());
  elsewhere.erase(std::unique(elsewhere.begin(), elsewhere.end()), elsewhere.end());

  Matrix samples = Matrix::Zero(layout.count(), 1);
  Matrix others = Matrix::Zero(static_cast<Index>(elsewhere.size()), 1);
  for (const std::int32_t place : places.of) {
    const Index own = layout.local(place);
    const Index row =
        own >= 0 ? own
                 : layout.count() + (std::lower_bound(elsewhere.begin(), elsewhere.end(), place) -
                                     elsewhere.begin());
    found.row.push_back(row);
    (own >= 0 ? samples(own, 0) : others(row - layout.count(), 0)) += 1.0;
  }
  if (!any_over(&layout, !elsewhere.empty())) {
    for (Index i = 0; i < layout.count(); ++i) {
      found.copies.push_back(static_cast<Index>(samples(i, 0)) - 1);
    }
    return;
  }
  const RowFetch fetch(layout, elsewhere);
  fetch.add(others, samples);
  for (Index i = 0; i < layout.count(); ++i) {
    found.copies.push_back(static_cast<Index>(samples(i, 0)) - 1);
  }
  const Matrix facts = fetch(facts_of(found));
  const Index k = found.of_places.k;
  for (Index i = 0; i < facts.rows(); ++i) {
    for (Index r = 0; r < k; ++r) {
      found.of_places.index.push_back(static_cast<std::int32_t>(facts(i, r)));
      found.of_places.distance.push_back(facts(i, k + r));
    }
    found.first_sample.push_back(static_cast<std::int32_t>(facts(i, 2 * k)));
    found.copies.push_back(static_cast<Index>(facts(i, 2 * k + 1)));
  }
  found.of_places.count += facts.rows();
}

}  // namespace

SharedNeighbors shared_neighbors(const SharedPlaces& places, Index k, const Context& context) {
  SharedNeighbors found;
  found.of_places = PlaceSearch(places, k, context).run();
  found.first_sample = places.first_sample;
  add_places_elsewhere(places, found);
  const auto count = static_cast<Index>(places.of.size());
  found.of_samples = no_neighbors(count, k);
  // The first sample at a place has its neighbors, the others that sample and one fewer.
  std::vector<char> met(static_cast<std::size_t>(places.layout->count()), 0);
  for (Index i = 0; i < count; ++i) {
    const Index row = found.row[static_cast<std::size_t>(i)];
    const bool copy = row >= places.layout->count() || met[static_cast<std::size_t>(row)];
    if (!copy) met[static_cast<std::size_t>(row)] = 1;
    const Index to = i * k + (copy ? 1 : 0), kept = k - (copy ? 1 : 0);
    if (copy) {
      found.of_samples.index[static_cast<std::size_t>(i * k)] =
          found.first_sample[static_cast<std::size_t>(row)];
    }
    std::copy_n(found.of_places.index.begin() + row * k, kept, found.of_samples.index.begin() + to);
    std::copy_n(found.of_places.distance.begin() + row * k, kept,
                found.of_samples.distance.begin() + to);
  }
  return found;
}

}  // namespace stkr::petsc
