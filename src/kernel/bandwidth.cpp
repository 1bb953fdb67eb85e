#include "kernel/bandwidth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernel/kernel_tile.hpp"
#include "kernel/sparse_points.hpp"
#include "runtime/progress_counter.hpp"
#include "runtime/random.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

bool all_finite(const FeatureMatrix& points) {
  if (!points.sparse()) return points.dense().all_finite();
  return std::all_of(points.sparse()->value.begin(), points.sparse()->value.end(),
                     [](double value) { return std::isfinite(value); });
}

void check(const FeatureMatrix& points, Index needed, Index sample, const char* who) {
  if (points.rows() < needed) {
    throw ValueError(
        fmt::format("{}: {} points given; expected at least {}", who, points.rows(), needed));
  }
  if (sample < 1)
    throw ValueError(fmt::format("{}: sample is {}; expected at least 1", who, sample));
  if (!all_finite(points)) {
    throw ValueError(fmt::format(
        "{}: the points contain NaN or infinity; fill or drop missing values first", who));
  }
}

double squared_distance(const FeatureMatrix& points, Index i, Index j) {
  if (const auto& sparse = points.sparse()) {
    return stkr::squared_distance(sparse_point(*sparse, i), sparse_point(*sparse, j));
  }
  return points.dense().visit([&](const auto& x) {
    return (x.row(i).template cast<double>() - x.row(j).template cast<double>()).squaredNorm();
  });
}

// ‖x_i - x_j‖² from one point to others. Sparse points compute those to all points at once.
class DistancesFrom {
 public:
  explicit DistancesFrom(const FeatureMatrix& points) : points_(points) {
    if (!points.sparse()) return;
    norms_.resize(points.rows());
    for (Index i = 0; i < points.rows(); ++i) {
      norms_[i] = squared_norm(sparse_point(*points.sparse(), i));
    }
    packed_.pack(all());
    row_.resize(packed_.padded_count());
  }

  void start(Index i) {
    from_ = i;
    if (!points_.sparse()) return;
    squared_distance_tile(all().slice(i, 1), packed_, row_.data(), packed_.padded_count());
  }
  double to(Index j) const {
    return points_.sparse() ? row_[j] : squared_distance(points_, from_, j);
  }

 private:
  PointRows<double> all() const {
    return {nullptr, points_.rows(), points_.cols(), norms_.data(), points_.sparse().get()};
  }

  const FeatureMatrix& points_;
  Index from_ = 0;
  std::vector<double> norms_, row_;
  PackedPoints<double> packed_;
};

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return std::sqrt(*middle);
}

}  // namespace

// If most squares are 0, of points that have many copies, the median of the others.
double positive_median(std::vector<double> squares, const char* who) {
  const double median = median_of(squares);
  if (median > 0.0) return median;
  std::erase(squares, 0.0);
  if (squares.empty()) {
    throw ValueError(
        fmt::format("{} would be 0, because the points are constant or nearly "
                    "all of them duplicates; remove duplicates, or set the length scale",
                    who));
  }
  return median_of(squares);
}

std::vector<std::pair<Index, Index>> sampled_pairs(Index points, std::uint64_t seed, Index sample) {
  std::vector<std::pair<Index, Index>> pairs;
  if (points * (points - 1) / 2 <= sample) {
    for (Index i = 0; i < points; ++i) {
      for (Index j = 0; j < i; ++j) pairs.emplace_back(i, j);
    }
    return pairs;
  }
  Random random(seed);
  for (Index s = 0; s < sample; ++s) {
    const Index i = random.below(points);
    const Index j = random.below(points - 1);
    pairs.emplace_back(i, j + (j >= i ? 1 : 0));
  }
  return pairs;
}

double median_distance(const FeatureMatrix& points, std::uint64_t seed, Index sample) {
  const char* who = "median distance";
  check(points, 2, sample, who);
  std::vector<double> squares;
  for (const auto& [i, j] : sampled_pairs(points.rows(), seed, sample)) {
    squares.push_back(squared_distance(points, i, j));
  }
  return positive_median(squares, who);
}

double median_neighbor_distance(const FeatureMatrix& points, Index k, std::uint64_t seed,
                                Index sample, const Context& context,
                                std::span<const Index> among) {
  const char* who = "length scale";
  if (k < 1) throw ValueError(fmt::format("{}: k is {}; expected at least 1", who, k));
  check(points, k + 1, sample, who);
  if (!among.empty() && static_cast<Index>(among.size()) < k + 1) {
    throw ValueError(fmt::format("{}: k is {} but {} points are listed; expected at least {}", who,
                                 k, among.size(), k + 1));
  }
  const Index n = points.rows();
  std::vector<double> kth;
  std::vector<double> squares;
  DistancesFrom distances(points);
  ProgressCounter counter(context.progress, "length scale", std::min(sample, n));
  for (const Index i : Random(seed).sample(n, std::min(sample, n))) {
    context.check_cancelled();
    distances.start(i);
    squares.clear();
    const Index candidates = among.empty() ? n : static_cast<Index>(among.size());
    for (Index j = 0; j < candidates; ++j) {
      const Index other = among.empty() ? j : among[j];
      if (other != i) squares.push_back(distances.to(other));
    }
    std::nth_element(squares.begin(), squares.begin() + (k - 1), squares.end());
    kth.push_back(squares[k - 1]);
    counter.add();
  }
  return positive_median(kth, who);
}

double effective_neighbor_scale(const FeatureMatrix& points, double count, std::uint64_t seed,
                                Index sample) {
  const char* who = "length scale";
  check(points, 3, sample, who);
  const Index n = points.rows();
  const std::vector<Index> rows = Random(seed).sample(n, std::min(sample, n));
  std::vector<Vector> squares;
  std::vector<double> all;
  DistancesFrom distances(points);
  for (const Index i : rows) {
    distances.start(i);
    Vector& own = squares.emplace_back(n - 1);
    for (Index j = 0, k = 0; j < n; ++j) {
      if (j != i) own[k++] = distances.to(j);
    }
    all.insert(all.end(), own.begin(), own.end());
  }
  const double wanted = std::min(count, 0.5 * static_cast<double>(n - 1));
  const auto neighbors = [&](double scale) {
    std::vector<double> sums;
    for (const Vector& own : squares) {
      sums.push_back((own.array() * (-0.5 / (scale * scale))).exp().sum());
    }
    const auto middle = sums.begin() + static_cast<std::ptrdiff_t>(sums.size() / 2);
    std::nth_element(sums.begin(), middle, sums.end());
    return *middle;
  };
  // The number of neighbors grows with ℓ: bisection on log ℓ around the median distance.
  const double median = positive_median(all, who);
  double low = std::log(1e-3 * median), high = std::log(10.0 * median);
  constexpr int kHalvings = 20;
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = 0.5 * (low + high);
    (neighbors(std::exp(middle)) < wanted ? low : high) = middle;
  }
  return std::exp(0.5 * (low + high));
}

}  // namespace stkr
