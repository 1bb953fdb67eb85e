#include "kernel/bandwidth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/random.hpp"
#include "stkr/error.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {
namespace {

void check(const SharedMatrix& points, Index needed, Index sample, const char* who) {
  if (points.rows() < needed) {
    throw ValueError(
        fmt::format("{}: {} points given; expected at least {}", who, points.rows(), needed));
  }
  if (sample < 1)
    throw ValueError(fmt::format("{}: sample is {}; expected at least 1", who, sample));
  if (!points.all_finite()) {
    throw ValueError(fmt::format(
        "{}: the points contain NaN or infinity; fill or drop missing values first", who));
  }
}

double squared_distance(const SharedMatrix& points, Index i, Index j) {
  return points.visit([&](const auto& x) {
    return (x.row(i).template cast<double>() - x.row(j).template cast<double>()).squaredNorm();
  });
}

double positive_median(std::vector<double>& values, const char* who) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  const double median = std::sqrt(*middle);
  if (!(median > 0.0)) {
    throw ValueError(
        fmt::format("{}: the length scale would be 0, because the points are constant or most of "
                    "them duplicates; remove duplicates, or set the length scale",
                    who));
  }
  return median;
}

}  // namespace

double median_distance(const SharedMatrix& points, std::uint64_t seed, Index sample) {
  const char* who = "median_distance";
  check(points, 2, sample, who);
  const Index n = points.rows();
  std::vector<double> squares;
  if (n * (n - 1) / 2 <= sample) {
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < i; ++j) squares.push_back(squared_distance(points, i, j));
    }
  } else {
    Random random(seed);
    for (Index s = 0; s < sample; ++s) {
      const Index i = random.below(n);
      const Index j = random.below(n - 1);
      squares.push_back(squared_distance(points, i, j + (j >= i ? 1 : 0)));
    }
  }
  return positive_median(squares, who);
}

double median_neighbor_distance(const SharedMatrix& points, Index k, std::uint64_t seed,
                                Index sample, const std::stop_token& cancel,
                                std::span<const Index> among) {
  const char* who = "median_neighbor_distance";
  if (k < 1) throw ValueError(fmt::format("{}: k is {}; expected at least 1", who, k));
  check(points, k + 1, sample, who);
  if (!among.empty() && static_cast<Index>(among.size()) < k + 1) {
    throw ValueError(fmt::format("{}: k is {} but {} points are listed; expected at least {}", who,
                                 k, among.size(), k + 1));
  }
  const Index n = points.rows();
  std::vector<double> kth;
  std::vector<double> squares;
  for (const Index i : Random(seed).sample(n, std::min(sample, n))) {
    throw_if_cancelled(cancel);
    squares.clear();
    const Index candidates = among.empty() ? n : static_cast<Index>(among.size());
    for (Index j = 0; j < candidates; ++j) {
      const Index other = among.empty() ? j : among[j];
      if (other != i) squares.push_back(squared_distance(points, i, other));
    }
    std::nth_element(squares.begin(), squares.begin() + (k - 1), squares.end());
    kth.push_back(squares[k - 1]);
  }
  return positive_median(kth, who);
}

double effective_neighbor_scale(const SharedMatrix& points, double count, std::uint64_t seed,
                                Index sample) {
  const char* who = "effective_neighbor_scale";
  check(points, 3, sample, who);
  const Index n = points.rows();
  const std::vector<Index> rows = Random(seed).sample(n, std::min(sample, n));
  std::vector<Vector> squares;
  std::vector<double> all;
  for (const Index i : rows) {
    Vector& own = squares.emplace_back(n - 1);
    for (Index j = 0, k = 0; j < n; ++j) {
      if (j != i) own[k++] = squared_distance(points, i, j);
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
