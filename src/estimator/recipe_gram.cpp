// The first half of a recipe: the gram of a data set's samples.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stkr/error.hpp"
#include "stkr/estimator/recipe.hpp"
#include "stkr/gram/centred_gram.hpp"
#include "stkr/gram/dense_gram.hpp"
#include "stkr/gram/graph_gram.hpp"
#include "stkr/gram/neighbour_graph.hpp"
#include "stkr/gram/normalized_gram.hpp"
#include "stkr/gram/point_gram.hpp"
#include "stkr/kernel/bandwidth.hpp"

namespace stkr {
namespace {

GraphNormalization graph_normalization(const std::string& name) {
  if (name == "symmetric") return GraphNormalization::symmetric;
  if (name == "probability") return GraphNormalization::probability;
  if (name.empty() || name == "lazy-walk") return GraphNormalization::lazy_walk;
  if (name == "adjacency") return GraphNormalization::adjacency;
  throw ValueError(fmt::format(
      "kernel '{}' does not apply to a graph; expected symmetric, probability, lazy-walk or "
      "adjacency",
      name));
}

// What does not apply to the data at hand is refused: ignoring it would look like obeying it.
void check_applies(DatasetKind kind, const Recipe& recipe) {
  const bool points = kind == DatasetKind::points, graph = kind == DatasetKind::graph;
  const auto refuse = [&](const std::string& what, const char* expected) {
    throw ValueError(fmt::format("{} does not apply to {}; {}", what,
                                 points  ? "points"
                                 : graph ? "a graph"
                                         : "a precomputed kernel",
                                 expected));
  };
  if (points) {
    for (const char* name : {"symmetric", "probability", "lazy-walk", "adjacency"}) {
      if (recipe.kernel == name) {
        refuse(fmt::format("kernel '{}'", name), "it is for graphs: rbf is usual for points");
      }
    }
  } else {
    if (recipe.length_scale) refuse("a length scale", "it is for kernels of points");
    if (recipe.single_precision) refuse("single precision", "it is for kernels of points");
  }
  const bool neighbours = recipe.neighbours || !recipe.edge_weight.empty() ||
                          !recipe.edge_rule.empty() || recipe.recall;
  if (neighbours && recipe.kernel != "knn") {
    throw ValueError(fmt::format(
        "neighbours, edge weights, edge rule and recall are for kernel knn, not for '{}'",
        recipe.kernel.empty() ? "the default kernel" : recipe.kernel));
  }
  if (recipe.kernel == "knn") {
    if (!points) refuse("kernel 'knn'", "it makes a graph of points");
    if (recipe.single_precision) refuse("single precision", "knn always searches in it");
    if (recipe.normalize) refuse("normalising", "knn is a normalised graph already");
  }
  if (!points && !graph && !recipe.kernel.empty()) {
    refuse(fmt::format("kernel '{}'", recipe.kernel), "leave it out");
  }
  if (!graph && recipe.self_loops) refuse("adding self-loops", "it is for graphs");
}

// The kernel of points, its length scale from the data where none is given.
Kernel point_kernel(const Matrix& points, const Recipe& recipe, std::vector<Choice>& choices) {
  KernelParameters parameters;
  parameters.name = recipe.kernel.empty() ? "rbf" : recipe.kernel;
  parameters.gamma = recipe.gamma;
  parameters.coef0 = recipe.coef0;
  parameters.degree = recipe.degree;
  parameters.length_scale = recipe.length_scale.value_or(1.0);
  // Built once with a provisional scale: the name is checked before any distance is computed.
  const Kernel provisional = Kernel::from_parameters(parameters);
  std::string why;
  const bool has_scale = provisional.stationary();
  if (has_scale && !recipe.length_scale) {
    const Index neighbour = std::min<Index>(10, std::max<Index>(points.rows() - 1, 1));
    const double distance = median_neighbour_distance(points, neighbour, recipe.seed);
    const char* ending = neighbour == 1   ? "st"
                         : neighbour == 2 ? "nd"
                         : neighbour == 3 ? "rd"
                                          : "th";
    const std::string which =
        fmt::format("the median distance to the {}{} neighbour", neighbour, ending);
    switch (provisional.kind()) {
      case KernelKind::epsilon_neighbour:
        parameters.length_scale = distance;
        why = "radius: " + which;
        break;
      case KernelKind::laplacian:
        // ‖·‖₁ of a difference is about √(2 features/π) times its ‖·‖₂.
        parameters.length_scale =
            distance * std::sqrt(2.0 / std::numbers::pi * static_cast<double>(points.cols())) / 3.0;
        why = "length scale: a third of " + which + ", in the L1 norm";
        break;
      default:
        parameters.length_scale = distance / 3.0;
        why = "length scale: a third of " + which;
    }
  }
  const Kernel kernel = Kernel::from_parameters(parameters);
  if (recipe.kernel.empty())
    why = why.empty() ? "default for points" : "default for points; " + why;
  choices.push_back({"kernel", kernel.describe(), why});
  return kernel;
}

// The graph of the nearest neighbours. The points are released: the graph keeps its own.
std::unique_ptr<GramOperator> neighbour_gram(Points& points, const Recipe& recipe,
                                             std::vector<Choice>& choices) {
  NeighbourGraphOptions options;
  // A handful of points has fewer neighbours than are usual.
  options.k = recipe.neighbours.value_or(
      std::clamp<Index>(points.values.rows() - 1, 1, NeighbourGraphOptions{}.k));
  if (!recipe.edge_weight.empty()) options.weight = edge_weight_from_name(recipe.edge_weight);
  if (!recipe.edge_rule.empty()) options.rule = edge_rule_from_name(recipe.edge_rule);
  if (recipe.length_scale && options.weight != EdgeWeight::heat) {
    throw ValueError(fmt::format("a length scale does not apply to {} edges; it is for heat",
                                 to_string(options.weight)));
  }
  options.length_scale = recipe.length_scale;
  options.recall = recipe.recall.value_or(1.0);
  options.seed = recipe.seed;
  options.threads = recipe.threads;
  options.cancel = recipe.control.cancel;
  auto gram = std::make_unique<NeighbourGraphGram>(points.values, options);
  points.values.resize(0, 0);
  std::string why = recipe.neighbours ? "" : "k: the default";
  if (options.weight == EdgeWeight::heat && !recipe.length_scale) {
    why += fmt::format("{}length scale: the median distance to the k-th neighbour",
                       why.empty() ? "" : "; ");
  }
  const std::string scale = options.weight == EdgeWeight::heat
                                ? fmt::format(", length_scale={:.6g}", gram->length_scale())
                                : "";
  const std::string found =
      gram->recall() < 1.0 ? fmt::format(", recall {:.3f}", gram->recall()) : ", exact";
  choices.push_back({"kernel",
                     fmt::format("knn(k={}, {} edges, {}{}{}), lazy walk", options.k,
                                 to_string(options.weight), to_string(options.rule), scale, found),
                     why});
  return gram;
}

std::unique_ptr<GramOperator> point_gram(Points& points, const Recipe& recipe,
                                         std::vector<Choice>& choices) {
  if (recipe.kernel == "knn") return neighbour_gram(points, recipe, choices);
  const Kernel kernel = point_kernel(points.values, recipe, choices);
  if (recipe.single_precision) {
    MatrixF single = points.values.cast<float>();
    points.values.resize(0, 0);
    return std::make_unique<PointGram<float>>(std::move(single), kernel, recipe.threads);
  }
  return std::make_unique<PointGram<double>>(std::move(points.values), kernel, recipe.threads);
}

}  // namespace

PreparedGram prepare_gram(Dataset& dataset, const Recipe& recipe) {
  PreparedGram result;
  check_applies(dataset.kind(), recipe);
  if (dataset.kind() == DatasetKind::graph) {
    if (dataset.graph().adjacency.entries() == 0) {
      throw ValueError("the graph has no edges: there is nothing to learn from");
    }
    GraphGramOptions options;
    options.normalization = graph_normalization(recipe.kernel);
    options.add_self_loops = recipe.self_loops;
    options.threads = recipe.threads;
    const std::string name = recipe.kernel.empty() ? "lazy-walk" : recipe.kernel;
    result.choices.push_back(
        {"kernel",
         fmt::format("graph, {} normalisation{}", name,
                     recipe.self_loops ? ", self-loops added" : ""),
         recipe.kernel.empty() ? "default for graphs: positive semidefinite" : ""});
    result.gram =
        std::make_unique<GraphGram>(std::move(std::get<Graph>(dataset.samples).adjacency), options);
  } else if (dataset.kind() == DatasetKind::points) {
    result.gram = point_gram(std::get<Points>(dataset.samples), recipe, result.choices);
  } else {
    result.choices.push_back({"kernel", "precomputed", ""});
    result.gram = std::make_unique<DenseGram>(
        std::move(std::get<PrecomputedKernel>(dataset.samples).values), recipe.threads);
  }
  const bool points = dataset.kind() == DatasetKind::points;
  const bool knn = recipe.kernel == "knn";
  if (recipe.normalize.value_or(points && !knn && result.gram->nonnegative())) {
    result.gram = std::make_unique<NormalizedGram>(std::move(result.gram));
    result.choices.back().value += ", degree-normalised";
  }
  if (recipe.centre) {
    result.gram = std::make_unique<CentredGram>(std::move(result.gram));
    result.choices.back().value += ", centred";
  }
  result.description = result.choices.back().value;
  return result;
}

}  // namespace stkr
