#pragma once

#include <memory>
#include <optional>
#include <string>

#include "stkr/gram/graph_gram.hpp"
#include "stkr/kernel/nearest_neighbors.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

// The weight w(x, y) of an edge between points at distance d.
enum class EdgeWeight {
  binary,       // 1
  heat,         // exp(-d²/(2ℓ²))
  self_tuning,  // exp(-d²/(σ(x) σ(y))), σ the distance to a near neighbor (Zelnik-Manor, Perona)
  cosine,       // max(0, cos(x, y)); neighbors are then those with the smallest angle
};
const char* to_string(EdgeWeight weight);
EdgeWeight edge_weight_from_name(const std::string& name);  // throws ValueError if unknown

// When x and y are joined by an edge.
enum class EdgeRule {
  either,  // one of them is among the k nearest of the other: the union
  mutual,  // both are
};
const char* to_string(EdgeRule rule);
EdgeRule edge_rule_from_name(const std::string& name);

struct NeighborGraphOptions {
  Index k = 10;
  EdgeWeight weight = EdgeWeight::self_tuning;
  EdgeRule rule = EdgeRule::either;
  std::optional<double> length_scale{};  // ℓ of heat; default: median distance to the k-th neighbor
  double recall = 1.0;                   // below 1: an approximate search, see NeighborOptions
  // Neighbors are those in so many leading principal components; 0, or as many as features: in all
  // features.
  Index components = 0;
  GraphNormalization normalization = GraphNormalization::lazy_walk;
};

// Turns neighbors into edges, by the same rule for known and new points.
struct NeighborEdges {
  EdgeWeight weight = EdgeWeight::self_tuning;
  EdgeRule rule = EdgeRule::either;
  double length_scale = 1.0;  // ℓ of heat; for self_tuning, the σ of points without one
  Vector sigma;               // σ of each known point
  Vector reach;               // the distance to the k-th neighbor of each known point
};

class PrincipalAxes;  // kernel/principal_axes

struct NeighborGraph {
  CsrMatrix weights;  // symmetric, no self-loops
  NeighborIndex index;
  NeighborEdges edges;
  std::shared_ptr<const PrincipalAxes> axes;  // of the components; none: all features
};

// The graph of the k nearest neighbors. Edges of weight 0 are omitted. Throws ValueError for k
// outside [1, N), a length scale that is not positive, or coordinates that are not finite.
NeighborGraph neighbor_graph(const FeatureMatrix& points, const NeighborGraphOptions& options,
                             const Context& context = {});

// That graph as a gram. It is inductive: a new point finds its neighbors among the known ones and
// thus its row of K, so prediction takes points, not edges.
class NeighborGraphGram final : public GraphGram {
 public:
  NeighborGraphGram(const FeatureMatrix& points, const NeighborGraphOptions& options,
                    const Context& context = {});

  std::unique_ptr<CrossKernel> cross_kernel() const override;
  std::optional<std::vector<Index>> nearest(std::span<const Index> samples,
                                            std::span<const Index> among) const override;

  double recall() const { return index_->cells().recall; }  // 1 for the exact search
  double length_scale() const { return edges_.length_scale; }
  Index components() const;  // 0: neighbors are those in all features

 private:
  NeighborGraphGram(NeighborGraph graph, const NeighborGraphOptions& options,
                    const Context& context);

  std::shared_ptr<const NeighborIndex> index_;
  NeighborEdges edges_;
  std::shared_ptr<const PrincipalAxes> axes_;
};

// K(new points, known points). The edges of a new point follow the rule of the graph: with `either`
// they lead to its k nearest known points and to those that would count it among their own k
// nearest, with `mutual` to the intersection. A point equal to a known one is its twin.
class NeighborCrossKernel final : public CrossKernel {
 public:
  NeighborCrossKernel(std::shared_ptr<const NeighborIndex> index, NeighborEdges edges,
                      std::unique_ptr<CrossKernel> graph,
                      std::shared_ptr<const PrincipalAxes> axes = nullptr);

  Index known() const override { return index_->size(); }
  std::optional<Index> features() const override;
  double self_term() const override { return graph_->self_term(); }
  std::unique_ptr<PlacedSamples> place(const NewSamples& samples) const override;
  std::optional<std::vector<Index>> nearest(std::span<const Index> samples,
                                            std::span<const Index> among) const override;
  void save(CrossKernelSink& sink) const override;

  // The M × N edges of new points.
  CsrMatrix edges(const FeatureMatrix& points) const;

 private:
  class Placed;
  // In the coordinates and the form of the index. Throws ShapeError for another number of features.
  FeatureMatrix searched(const FeatureMatrix& points) const;

  std::shared_ptr<const NeighborIndex> index_;
  NeighborEdges edges_;
  std::unique_ptr<CrossKernel> graph_;
  std::shared_ptr<const PrincipalAxes> axes_;
  std::vector<std::int32_t> counts_;  // entries of sparse points, as saved
};

}  // namespace stkr
