#include "neighbor_edges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "stkr/error.hpp"

namespace stkr {
namespace {

// σ is the distance to this neighbor, or to the last if there are fewer: the 7th, as in the paper
// that introduced it.
constexpr Index kScaleNeighbor = 7;

constexpr std::array<std::pair<EdgeWeight, const char*>, 4> kWeights{{
    {EdgeWeight::binary, "binary"},
    {EdgeWeight::heat, "heat"},
    {EdgeWeight::self_tuning, "self-tuning"},
    {EdgeWeight::cosine, "cosine"},
}};
constexpr std::array<std::pair<EdgeRule, const char*>, 2> kRules{{
    {EdgeRule::either, "either"},
    {EdgeRule::mutual, "mutual"},
}};

double median_or(std::vector<double> values, double fallback) {
  if (values.empty()) return fallback;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

const char* to_string(EdgeWeight weight) {
  return std::find_if(kWeights.begin(), kWeights.end(),
                      [&](const auto& named) { return named.first == weight; })
      ->second;
}

const char* to_string(EdgeRule rule) {
  return std::find_if(kRules.begin(), kRules.end(),
                      [&](const auto& named) { return named.first == rule; })
      ->second;
}

EdgeWeight edge_weight_from_name(const std::string& name) {
  for (const auto& [weight, known] : kWeights) {
    if (name == known) return weight;
  }
  throw ValueError(fmt::format(
      "edge weight '{}' is unknown; expected binary, heat, self-tuning or cosine", name));
}

EdgeRule edge_rule_from_name(const std::string& name) {
  for (const auto& [rule, known] : kRules) {
    if (name == known) return rule;
  }
  throw ValueError(fmt::format("edge rule '{}' is unknown; expected either or mutual", name));
}

double local_scale(const Neighbors& neighbors, Index i, double fallback) {
  const Index k = neighbors.k;
  const double* distance = neighbors.distance.data() + i * k;
  const std::int32_t* index = neighbors.index.data() + i * k;
  Index last = std::min(kScaleNeighbor, k) - 1;
  while (last >= 0 && index[last] < 0) --last;
  // A point with many copies takes its σ from a more distant neighbor.
  while (last >= 0 && last + 1 < k && distance[last] == 0.0 && index[last + 1] >= 0) ++last;
  return last >= 0 && distance[last] > 0.0 ? distance[last] : fallback;
}

NeighborEdges measure_edges(const Neighbors& neighbors, const NeighborGraphOptions& options) {
  if (options.length_scale && !(*options.length_scale > 0.0)) {
    throw ValueError(fmt::format("neighbor graph: length scale {}; expected a positive number",
                                 *options.length_scale));
  }
  const Index k = neighbors.k;
  NeighborEdges edges{options.weight, options.rule, 1.0, Vector(neighbors.count),
                      Vector(neighbors.count)};
  std::vector<double> positive;
  for (Index i = 0; i < neighbors.count; ++i) {
    Index last = k - 1;
    while (last >= 0 && neighbors.index[i * k + last] < 0) --last;
    edges.reach[i] = last >= 0 ? neighbors.distance[i * k + last] : 0.0;
    if (edges.reach[i] > 0.0) positive.push_back(edges.reach[i]);
  }
  // If all points are equal, any length works: all distances are 0.
  edges.length_scale = options.length_scale.value_or(median_or(std::move(positive), 1.0));
  for (Index i = 0; i < neighbors.count; ++i) {
    edges.sigma[i] = local_scale(neighbors, i, edges.length_scale);
  }
  return edges;
}

double edge_weight(const NeighborEdges& edges, double distance, double sigma_x, double sigma_y) {
  switch (edges.weight) {
    case EdgeWeight::binary:
      return 1.0;
    case EdgeWeight::heat:
      return std::exp(-0.5 * std::pow(distance / edges.length_scale, 2));
    case EdgeWeight::self_tuning:
      return std::exp(-(distance / sigma_x) * (distance / sigma_y));
    case EdgeWeight::cosine:  // for points of length 1
      return std::max(0.0, 1.0 - 0.5 * distance * distance);
  }
  return 0.0;
}

void append_row(EdgeRow& row, CsrMatrix& edges) {
  std::sort(row.begin(), row.end());
  for (const auto& [column, value] : row) {
    edges.column.push_back(column);
    edges.value.push_back(value);
  }
  edges.row_start.push_back(static_cast<std::int64_t>(edges.column.size()));
}

std::vector<Index> nearest_points(const NeighborIndex& index, ConstMatrixRef points,
                                  std::span<const Index> among) {
  std::vector<Index> result(points.rows(), among.front());
  const MatrixF& known = index.distinct_points();
  for (Index i = 0; i < points.rows(); ++i) {
    const Eigen::RowVectorXd x = points.row(i) - index.shift().transpose();
    double least = std::numeric_limits<double>::infinity();
    for (const Index j : among) {
      const double distance = (x - known.row(index.distinct_of()[j]).cast<double>()).squaredNorm();
      if (distance < least) {
        least = distance;
        result[i] = j;
      }
    }
  }
  return result;
}

std::vector<Index> nearest_points(const NeighborIndex& index, std::span<const Index> samples,
                                  std::span<const Index> among) {
  Matrix points(static_cast<Index>(samples.size()), index.features());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    points.row(i) = index.distinct_points().row(index.distinct_of()[samples[i]]).cast<double>() +
                    index.shift().transpose();
  }
  return nearest_points(index, points, among);
}

Matrix directions(ConstMatrixRef points) {
  Matrix result = points;
  for (Index i = 0; i < result.rows(); ++i) {
    const double norm = result.row(i).stableNorm();
    if (norm > 0.0) result.row(i) /= norm;
  }
  return result;
}

}  // namespace stkr
