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

std::unique_ptr<GramOperator> point_gram(Points& points, const Recipe& recipe,
                                         std::vector<Choice>& choices) {
  const Kernel kernel = point_kernel(points.values, recipe, choices);
  if (recipe.single_precision) {
    MatrixF single = points.values.cast<float>();
    points.values.resize(0, 0);
    return std::make_unique<PointGram<float>>(std::move(single), kernel, recipe.threads,
                                              recipe.execution.tiles);
  }
  return std::make_unique<PointGram<double>>(std::move(points.values), kernel, recipe.threads,
                                             recipe.execution.tiles);
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
  if (recipe.normalize.value_or(points && result.gram->nonnegative())) {
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
