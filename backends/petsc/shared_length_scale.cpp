#include "shared_length_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "kernel/bandwidth.hpp"
#include "runtime/parallel.hpp"
#include "runtime/random.hpp"
#include "session.hpp"
#include "shared_points.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {
namespace {

constexpr Index kSample = 1000;  // points whose neighbors count
constexpr Index kAtOnce = 64;    // whose candidates from all processes are in memory

double squared_distance(const Matrix& x, Index i, const Matrix& y, Index j) {
  return (x.row(i) - y.row(j)).squaredNorm();
}

}  // namespace

double shared_median_distance(const RowLayout& samples, const SharedMatrix& own,
                              std::uint64_t seed) {
  const char* who = "median distance";
  if (samples.size() < 2) {
    throw ValueError(fmt::format("{}: 1 points given; expected at least 2", who));
  }
  const auto pairs = sampled_pairs(samples.size(), seed);
  std::vector<Index> wanted;
  for (const auto& [i, j] : pairs) wanted.insert(wanted.end(), {i, j});
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  const Matrix points = gathered_rows(samples, own, wanted);
  const auto place = [&](Index sample) {
    return std::lower_bound(wanted.begin(), wanted.end(), sample) - wanted.begin();
  };
  std::vector<double> squares;
  for (const auto& [i, j] : pairs) {
    squares.push_back(squared_distance(points, place(i), points, place(j)));
  }
  return positive_median(std::move(squares), who);
}

double shared_neighbor_distance(const RowLayout& samples, const SharedMatrix& own, Index k,
                                const Context& context, std::span<const Index> among) {
  const char* who = "length scale";
  const Index n = samples.size();
  if (n < k + 1) {
    throw ValueError(fmt::format("{}: {} points given; expected at least {}", who, n, k + 1));
  }
  int rank = 0, ranks = 1;
  MPI_Comm_rank(samples.comm(), &rank);
  MPI_Comm_size(samples.comm(), &ranks);
  std::vector<Index> candidates = local_samples(&samples, among);
  if (among.empty()) {
    candidates.resize(static_cast<std::size_t>(samples.count()));
    std::iota(candidates.begin(), candidates.end(), Index{0});
  }
  const std::vector<Index> chosen = Random(context.seed).sample(n, std::min(kSample, n));
  std::vector<double> squares;
  for (std::size_t begin = 0; begin < chosen.size(); begin += kAtOnce) {
    const std::span part(chosen.data() + begin,
                         std::min<std::size_t>(kAtOnce, chosen.size() - begin));
    const Matrix asking = gathered_rows(samples, own, part);
    // The nearest that each process has.
    Matrix nearest = Matrix::Zero(asking.rows(), ranks * k);
    agree(samples.comm(), [&] {
      context.check_cancelled();
      parallel_tasks(asking.rows(), context.threads, [&](Index i) {
        std::vector<double> found;
        own.visit([&](const auto& values) {
          for (const Index j : candidates) {
            if (samples.first() + j == part[static_cast<std::size_t>(i)]) continue;
            found.push_back((asking.row(i) - values.row(j).template cast<double>()).squaredNorm());
          }
        });
        const auto kept = std::min<std::size_t>(static_cast<std::size_t>(k), found.size());
        std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept),
                          found.end());
        found.resize(kept);
        found.resize(static_cast<std::size_t>(k), std::numeric_limits<double>::infinity());
        for (Index r = 0; r < k; ++r) {
          nearest(i, rank * k + r) = found[static_cast<std::size_t>(r)];
        }
      });
    });
    samples.sum(nearest);
    for (Index i = 0; i < nearest.rows(); ++i) {
      std::vector<double> all(nearest.row(i).begin(), nearest.row(i).end());
      std::nth_element(all.begin(), all.begin() + (k - 1), all.end());
      squares.push_back(all[static_cast<std::size_t>(k - 1)]);
    }
  }
  return positive_median(std::move(squares), who);
}

ChosenScale shared_length_scale(const Kernel& kernel, const LengthScale& scale,
                                const SharedSamples& samples, const SharedMatrix& rows,
                                const Context& context) {
  const RowLayout& layout = *samples.layout;
  PointDistances distances{.points = layout.size(),
                           .numbers = std::holds_alternative<TargetValues>(samples.labels),
                           .l1_factor = l1_factor(static_cast<double>(rows.cols()))};
  const std::vector<Index> labeled = all_labeled(samples);
  if (distances.numbers) distances.labeled = static_cast<Index>(labeled.size());
  distances.median = [&] { return shared_median_distance(layout, rows, context.seed); };
  distances.neighbor = [&] {
    const std::vector<Index> among = neighbor_candidates(labeled, distances.numbers);
    const Index candidates = among.empty() ? layout.size() : static_cast<Index>(among.size());
    return shared_neighbor_distance(layout, rows, default_neighbor(candidates), context, among);
  };
  return length_scale_for(kernel, scale, distances);
}

}  // namespace stkr::petsc
