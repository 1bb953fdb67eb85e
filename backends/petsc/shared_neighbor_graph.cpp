#include "shared_neighbor_graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "gram/neighbor_edges.hpp"
#include "gram/neighbor_rounding.hpp"
#include "kernel/neighbor_decision.hpp"
#include "row_fetch.hpp"
#include "session.hpp"
#include "shared_neighbors.hpp"
#include "shared_weights.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {
namespace {

constexpr const char* kWho = "neighbor graph";

// The median of positive numbers of all processes: the smallest that is at least so many of them,
// by bisection in their bits, which are ordered as the numbers.
double median_of_all(const RowLayout& layout, const std::vector<double>& own, double fallback) {
  const double total = sum_over(&layout, static_cast<double>(own.size()));
  if (total == 0.0) return fallback;
  const double wanted = std::floor(total / 2.0) + 1.0;
  std::uint64_t low = 0, high = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::max());
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    const auto limit = std::bit_cast<double>(middle);
    const auto below = std::count_if(own.begin(), own.end(), [&](double v) { return v <= limit; });
    if (sum_over(&layout, static_cast<double>(below)) >= wanted) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return std::bit_cast<double>(low);
}

std::vector<Index> sorted_distinct(std::vector<Index> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

Index place_in(const std::vector<Index>& sorted, Index number) {
  return std::lower_bound(sorted.begin(), sorted.end(), number) - sorted.begin();
}

// What check_neighbor_rounding does on one machine.
void check_rounding(const RowLayout& samples, const SharedMatrix& points,
                    const SharedPlaces& places, const SharedNeighbors& found) {
  const Index k = found.of_places.k;
  const auto count = static_cast<Index>(places.of.size());
  const auto point = [&](Index i) -> Eigen::RowVectorXd {
    return points.visit([&](const auto& values) -> Eigen::RowVectorXd {
      return values.row(i).template cast<double>();
    });
  };
  // Points with at least k copies are compared with the first sample at their place.
  const auto first_of = [&](Index i) {
    return Index{
        found.first_sample[static_cast<std::size_t>(found.row[static_cast<std::size_t>(i)])]};
  };
  const auto copies_of = [&](Index i) {
    return found.copies[static_cast<std::size_t>(found.row[static_cast<std::size_t>(i)])];
  };
  std::vector<Index> wanted;
  for (Index i = 0; i < count; ++i) {
    if (copies_of(i) >= k) wanted.push_back(first_of(i));
  }
  wanted = sorted_distinct(std::move(wanted));
  Matrix firsts;
  if (any_over(&samples, !wanted.empty())) {
    firsts = RowFetch(samples, wanted)(points.matrix());
  }
  LostPoints lost;
  for (Index i = 0; i < count; ++i) {
    const Eigen::RowVectorXd given = point(i), x = given - places.shift.transpose();
    const MatrixF stored = place_points(Matrix(x), Vector::Zero(x.size()));
    const double rounding = storage_rounding(x, stored.data());
    if (rounding == 0.0) continue;
    if (copies_of(i) >= k) {
      const double apart = (given - firsts.row(place_in(wanted, first_of(i)))).stableNorm();
      if (equal_before(apart, x.stableNorm())) continue;
    }
    const double last =
        distance_of_last(found.of_places, found.row[static_cast<std::size_t>(i)], copies_of(i));
    if (exceeds_reach(rounding, last)) lost.add(samples.first() + i, rounding, last);
  }
  // The first of all processes.
  const double total = sum_over(&samples, static_cast<double>(lost.count));
  Matrix row = Matrix::Constant(1, 1, lost.count > 0 ? -static_cast<double>(lost.row) : -1e300);
  samples.largest(row);
  Matrix sizes = Matrix::Zero(1, 2);
  if (lost.count > 0 && static_cast<double>(lost.row) == -row(0, 0)) {
    sizes << lost.rounding, lost.distance;
  }
  samples.sum(sizes);
  check_lost_points(
      {static_cast<Index>(total), static_cast<Index>(-row(0, 0)), sizes(0, 0), sizes(0, 1)},
      samples.size(), kWho);
}

CsrMatrix joined_edges(const Layout& samples, const Neighbors& neighbors,
                       const NeighborEdges& edges) {
  std::vector<Index> elsewhere;
  for (const std::int32_t j : neighbors.index) {
    if (j >= 0 && samples->local(j) < 0) elsewhere.push_back(j);
  }
  elsewhere = sorted_distinct(std::move(elsewhere));
  const Matrix beyond = RowFetch(*samples, elsewhere)(Matrix(edges.sigma));
  CsrMatrix directed =
      directed_edges(neighbors, edges, samples->first(), samples->size(), [&](Index i) {
        const Index own = samples->local(i);
        return own >= 0 ? edges.sigma[own] : beyond(place_in(elsewhere, i), 0);
      });
  if (edges.rule == EdgeRule::mutual) return mutual_weights(samples, std::move(directed));
  return checked_weights(samples, std::move(directed), /*symmetrize=*/true, kWho);
}

}  // namespace

SharedNeighborGraph shared_neighbor_graph(const Layout& samples, const SharedMatrix& points,
                                          const NeighborGraphOptions& options,
                                          const Context& context) {
  check_neighbor_options({options.k, options.recall}, samples->size(), kWho);
  SharedMatrix searched = points;
  agree(samples->comm(), [&] {
    searched = searched_points(points, nullptr, options.weight, context.threads).dense();
  });
  SharedNeighborGraph graph;
  graph.places = shared_places(samples, searched);
  SharedNeighbors found = shared_neighbors(graph.places, options.k, context);
  check_rounding(*samples, searched, graph.places, found);
  found.of_places = {};
  graph.edges = measure_edges(found.of_samples, options,
                              [&](const std::vector<double>& values, double fallback) {
                                return median_of_all(*samples, values, fallback);
                              });
  graph.weights = joined_edges(samples, found.of_samples, graph.edges);
  return graph;
}

}  // namespace stkr::petsc
