#include "neighbor_edges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "kernel/principal_axes.hpp"
#include "kernel/sparse_points.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// σ is the distance to this neighbor, or to the last if there are fewer: the 7th, as in the paper
// that introduced it.
constexpr Index kScaleNeighbor = 7;

// A cosine up to this is 0, up to rounding.
constexpr double kOrthogonal = 1e-12;

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

}  // namespace

double median_or(std::vector<double> values, double fallback) {
  if (values.empty()) return fallback;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

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
  throw ParameterError(fmt::format(
      "edge weight '{}' is unknown; expected binary, heat, self-tuning or cosine", name));
}

EdgeRule edge_rule_from_name(const std::string& name) {
  for (const auto& [rule, known] : kRules) {
    if (name == known) return rule;
  }
  throw ParameterError(fmt::format("edge rule '{}' is unknown; expected either or mutual", name));
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

NeighborEdges measure_edges(const Neighbors& neighbors, const NeighborGraphOptions& options,
                            const MedianOr& median) {
  if (options.length_scale && !(*options.length_scale > 0.0)) {
    throw ParameterError(fmt::format("neighbor graph: length scale {}; expected a positive number",
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
  edges.length_scale =
      options.length_scale ? *options.length_scale : median(std::move(positive), 1.0);
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
    case EdgeWeight::cosine: {  // for points of length 1
      const double cosine = 1.0 - 0.5 * distance * distance;
      return cosine > kOrthogonal ? cosine : 0.0;
    }
  }
  return 0.0;
}

CsrMatrix directed_edges(const Neighbors& neighbors, const NeighborEdges& edges, Index first,
                         Index size, const std::function<double(Index)>& sigma) {
  const Index count = neighbors.count, k = neighbors.k;
  CsrMatrix result{count, size, {0}, {}, {}};
  result.row_start.reserve(count + 1);
  result.column.reserve(count * k);
  result.value.reserve(count * k);
  EdgeRow row;
  for (Index i = 0; i < count; ++i) {
    row.clear();
    for (Index r = i * k; r < (i + 1) * k && neighbors.index[r] >= 0; ++r) {
      const std::int32_t j = neighbors.index[r];
      // The smaller index comes first so that both directions round the same way.
      const double weight =
          edge_weight(edges, neighbors.distance[r], sigma(std::min<Index>(first + i, j)),
                      sigma(std::max<Index>(first + i, j)));
      if (weight > 0.0) row.emplace_back(j, weight);
    }
    append_row(row, result);
  }
  return result;
}

void append_row(EdgeRow& row, CsrMatrix& edges) {
  std::sort(row.begin(), row.end());
  for (const auto& [column, value] : row) {
    edges.column.push_back(column);
    edges.value.push_back(value);
  }
  edges.row_start.push_back(static_cast<std::int64_t>(edges.column.size()));
}

std::vector<Index> nearest_points(const NeighborIndex& index, const FeatureMatrix& points,
                                  std::span<const Index> among) {
  std::vector<Index> result(points.rows(), among.front());
  const bool sparse = index.sparse();
  const CsrMatrix asking = !sparse           ? CsrMatrix()
                           : points.sparse() ? *points.sparse()
                                             : sparse_of(points.matrix());
  const Matrix dense = sparse ? Matrix() : points.matrix();
  for (Index i = 0; i < points.rows(); ++i) {
    Eigen::RowVectorXd x;
    if (!sparse) x = dense.row(i) - index.shift().transpose();
    double least = std::numeric_limits<double>::infinity();
    for (const Index j : among) {
      const Index place = index.distinct_of()[j];
      const double distance =
          sparse ? squared_distance(sparse_point(asking, i),
                                    sparse_point(index.sparse_points(), place))
                 : (x - index.distinct_points().row(place).cast<double>()).squaredNorm();
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
  if (index.sparse()) {
    std::vector<Index> places;
    for (const Index i : samples) places.push_back(index.distinct_of()[i]);
    return nearest_points(index, chosen_rows(index.sparse_points(), places), among);
  }
  Matrix points(static_cast<Index>(samples.size()), index.features());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    points.row(i) = index.distinct_points().row(index.distinct_of()[samples[i]]).cast<double>() +
                    index.shift().transpose();
  }
  return nearest_points(index, points, among);
}

FeatureMatrix directions(const FeatureMatrix& points) {
  if (const auto& sparse = points.sparse()) {
    CsrMatrix result{sparse->rows, sparse->cols + 1, {0}, {}, {}};
    for (Index i = 0; i < sparse->rows; ++i) {
      const SparsePoint point = sparse_point(*sparse, i);
      const double norm =
          Eigen::Map<const Vector>(point.value.data(), static_cast<Index>(point.value.size()))
              .stableNorm();
      for (std::size_t k = 0; norm > 0.0 && k < point.column.size(); ++k) {
        result.column.push_back(point.column[k]);
        result.value.push_back(point.value[k] / norm);
      }
      if (!(norm > 0.0)) {
        result.column.push_back(static_cast<std::int32_t>(sparse->cols));
        result.value.push_back(1.0);
      }
      result.row_start.push_back(result.entries());
    }
    return result;
  }
  Matrix result = points.matrix();
  for (Index i = 0; i < result.rows(); ++i) {
    const double norm = result.row(i).stableNorm();
    if (norm > 0.0) result.row(i) /= norm;
  }
  return result;
}

FeatureMatrix searched_points(const FeatureMatrix& points, const PrincipalAxes* axes,
                              EdgeWeight weight, int threads) {
  const FeatureMatrix searched =
      axes ? FeatureMatrix(axes->project(points.dense(), threads)) : points;
  return weight == EdgeWeight::cosine ? directions(searched) : searched;
}

void save_rule(CrossKernelSink& sink, const char* kind, const NeighborOptions& options,
               const NeighborEdges& edges) {
  sink.text("kind", kind);
  sink.text("weight", to_string(edges.weight));
  sink.text("rule", to_string(edges.rule));
  sink.number("k", static_cast<double>(options.k));
  sink.number("wanted_recall", options.recall);
  sink.number("length_scale", edges.length_scale);
}

}  // namespace stkr
