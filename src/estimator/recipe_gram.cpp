// The first half of a recipe: the gram of a data set's samples.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "estimator/gram_spectrum.hpp"
#include "estimator/kernel_parts.hpp"
#include "gram/centered_gram.hpp"
#include "gram/normalized_gram.hpp"
#include "gram/precision_error.hpp"
#include "gram/sum_gram.hpp"
#include "gram/weighted_gram.hpp"
#include "kernel/bandwidth.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/recipe.hpp"
#include "stkr/gram/dense_gram.hpp"
#include "stkr/gram/graph_gram.hpp"
#include "stkr/gram/neighbor_graph.hpp"
#include "stkr/gram/point_gram.hpp"

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

// Rejects settings that do not apply to the data: ignoring them would mislead the user.
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
    if (is_graph_kernel(recipe.kernel)) {
      refuse(fmt::format("kernel '{}'", recipe.kernel),
             "it is a graph kernel; rbf is usual for points");
    }
  } else {
    if (recipe.length_scale || recipe.scale_factor != 1.0 || recipe.median_scale)
      refuse("a length scale", "it is for point kernels");
    if (recipe.single_precision) refuse("single precision", "it is for point kernels");
  }
  const bool neighbors =
      recipe.neighbors || !recipe.edge_weight.empty() || !recipe.edge_rule.empty() || recipe.recall;
  if (neighbors && recipe.kernel != "knn") {
    throw ValueError(fmt::format(
        "neighbors, edge weights, edge rule and recall apply only to kernel knn, not to '{}'",
        recipe.kernel.empty() ? "the default kernel" : recipe.kernel));
  }
  if (recipe.kernel == "knn") {
    if (!points) refuse("kernel 'knn'", "it builds a graph from points");
    if (recipe.single_precision) refuse("single precision", "knn always searches with it");
    if (recipe.normalize) refuse("normalizing", "knn is already normalized");
  }
  if (!points && !graph && !recipe.kernel.empty()) {
    refuse(fmt::format("kernel '{}'", recipe.kernel), "leave it out");
  }
  if (!graph && recipe.self_loops) refuse("adding self-loops", "it is for graphs");
}

Index default_neighbor(Index candidates) {
  return std::min<Index>(10, std::max<Index>(candidates - 1, 1));
}

bool are_numbers(const Labels& labels) { return std::holds_alternative<TargetValues>(labels); }

// "10th"
std::string ordinal(Index k) {
  return fmt::format("{}{}", k, k == 1 ? "st" : k == 2 ? "nd" : k == 3 ? "rd" : "th");
}

// The point kernel; its length scale is estimated from the data if none is given.
Kernel point_kernel(const Points& points, const Labels& labels, const Recipe& recipe,
                    const Context& context, std::vector<Choice>& choices) {
  double length_scale = recipe.length_scale.value_or(1.0);
  // Built first with a provisional scale, so that the name is checked before computing distances.
  const Kernel provisional = named_kernel(recipe, length_scale);
  std::string why;
  const bool has_scale = provisional.stationary();
  if (!has_scale && (recipe.scale_factor != 1.0 || recipe.median_scale)) {
    throw ValueError(fmt::format("kernel {} has no length scale", provisional.name()));
  }
  if (has_scale && !recipe.length_scale && recipe.median_scale) {
    // ‖·‖₁ of a difference is about √(2 features/π) times its ‖·‖₂.
    const double norms =
        provisional.kind() == KernelKind::laplacian
            ? std::sqrt(2.0 / std::numbers::pi * static_cast<double>(points.values.cols()))
            : 1.0;
    length_scale = norms * median_distance(points.values, context.seed);
    why = "length scale: the median distance between points";
  } else if (has_scale && !recipe.length_scale) {
    const bool numbers = are_numbers(labels);
    const double distance =
        recipe.scale_factor * (recipe.known_distance ? *recipe.known_distance
                                                     : neighbor_distance(points, labels, context));
    const Index neighbor = default_neighbor(
        numbers ? static_cast<Index>(labeled_indices(labels).size()) : points.values.rows());
    const std::string which = fmt::format(
        "the median distance to the {} {}neighbor{}", ordinal(neighbor), numbers ? "labeled " : "",
        recipe.scale_factor == 1.0 ? "" : fmt::format(", times {:g}", recipe.scale_factor));
    // Half of it for classes: labels spread through the unlabeled samples between them.
    // docs/points.md has measurements of this and alternatives.
    const double share = numbers ? 1.0 : 0.5;
    const std::string part = numbers ? which : "half of " + which;
    switch (provisional.kind()) {
      case KernelKind::epsilon_neighbor:
        length_scale = distance;
        why = "radius: " + which;
        break;
      case KernelKind::laplacian:
        // ‖·‖₁ of a difference is about √(2 features/π) times its ‖·‖₂.
        length_scale =
            share * distance *
            std::sqrt(2.0 / std::numbers::pi * static_cast<double>(points.values.cols()));
        why = fmt::format("length scale: {}, in the L1 norm", part);
        break;
      default:
        length_scale = share * distance;
        why = "length scale: " + part;
    }
  }
  const Kernel kernel = named_kernel(recipe, length_scale);
  if (recipe.kernel.empty())
    why = why.empty() ? "default for points" : "default for points; " + why;
  choices.push_back({"kernel", kernel.describe(), why});
  return kernel;
}

// The nearest-neighbor graph. Releases the points: the graph keeps its own copy.
std::unique_ptr<GramOperator> neighbor_gram(Points& points, const Recipe& recipe,
                                            const Context& context, std::vector<Choice>& choices) {
  NeighborGraphOptions options;
  // Very few points have fewer neighbors than the default.
  options.k = recipe.neighbors.value_or(
      std::clamp<Index>(points.values.rows() - 1, 1, NeighborGraphOptions{}.k));
  if (!recipe.edge_weight.empty()) options.weight = edge_weight_from_name(recipe.edge_weight);
  if (!recipe.edge_rule.empty()) options.rule = edge_rule_from_name(recipe.edge_rule);
  if (recipe.scale_factor != 1.0 || recipe.median_scale) {
    throw ValueError("kernel knn takes no relative length scale; give an absolute one");
  }
  if (recipe.length_scale && options.weight != EdgeWeight::heat) {
    throw ValueError(fmt::format("a length scale does not apply to {} edges; it is for heat edges",
                                 to_string(options.weight)));
  }
  options.length_scale = recipe.length_scale;
  options.recall = recipe.recall.value_or(1.0);
  auto gram = std::make_unique<NeighborGraphGram>(points.values, options, context);
  points.values = {};
  std::string why = recipe.neighbors ? "" : "k: the default";
  if (options.weight == EdgeWeight::heat && !recipe.length_scale) {
    why += fmt::format("{}length scale: the median distance to the k-th neighbor",
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

std::unique_ptr<GramOperator> point_gram(Points& points, const Labels& labels, const Recipe& recipe,
                                         const Context& context, std::vector<Choice>& choices) {
  if (recipe.kernel == "knn") return neighbor_gram(points, recipe, context, choices);
  const Kernel kernel = point_kernel(points, labels, recipe, context, choices);
  if (points.values.single()) {
    return std::make_unique<PointGram<float>>(std::move(points.values), kernel, context.threads,
                                              recipe.execution.tiles, context.cancel);
  }
  if (recipe.single_precision) {
    auto gram = std::make_unique<PointGram<float>>(points.values, kernel, context.threads,
                                                   recipe.execution.tiles, context.cancel);
    const PrecisionError error = measure_precision_error(*gram, points.values.as<double>(),
                                                         context.seed, 64, context.threads);
    points.values = {};
    // Insert before the kernel, to whose entry the caller adds more.
    choices.insert(choices.end() - 1, {"precision",
                                       fmt::format("single: products off by {:.1e} relative on {} "
                                                   "sampled rows",
                                                   error.relative, error.rows),
                                       ""});
    return gram;
  }
  return std::make_unique<PointGram<double>>(std::move(points.values), kernel, context.threads,
                                             recipe.execution.tiles, context.cancel);
}

// The gram of one kernel.
PreparedGram part_gram(Dataset& dataset, const Recipe& recipe, const Context& context) {
  PreparedGram result;
  check_applies(dataset.kind(), recipe);
  if (dataset.kind() == DatasetKind::graph) {
    if (dataset.graph().adjacency.entries() == 0) {
      throw ValueError("the graph has no edges, so there is nothing to learn from");
    }
    GraphGramOptions options;
    options.normalization = graph_normalization(recipe.kernel);
    options.add_self_loops = recipe.self_loops;
    options.threads = context.threads;
    const std::string name = recipe.kernel.empty() ? "lazy-walk" : recipe.kernel;
    result.choices.push_back(
        {"kernel",
         fmt::format("graph, {} normalization{}", name,
                     recipe.self_loops ? ", self-loops added" : ""),
         recipe.kernel.empty() ? "default for graphs: positive semidefinite" : ""});
    result.gram =
        std::make_unique<GraphGram>(std::move(std::get<Graph>(dataset.samples).adjacency), options);
  } else if (dataset.kind() == DatasetKind::points) {
    result.gram = point_gram(std::get<Points>(dataset.samples), dataset.labels, recipe, context,
                             result.choices);
  } else {
    result.choices.push_back({"kernel", "precomputed", ""});
    result.gram = std::make_unique<DenseGram>(
        std::move(std::get<PrecomputedKernel>(dataset.samples).values), context.threads);
  }
  if (is_normalized(dataset.kind(), recipe)) {
    result.gram = std::make_unique<NormalizedGram>(std::move(result.gram));
    result.choices.back().value += ", degree-normalized";
  }
  return result;
}

// The data that one kernel sees: the samples, or the node features. Moved out of `dataset` if no
// other kernel needs them.
Dataset seen_by(const KernelPart& part, Dataset& dataset, bool last) {
  Dataset seen;
  seen.name = dataset.name;
  seen.labels = dataset.labels;
  if (part.features) {
    check_has_features(dataset, part.recipe.kernel);
    seen.samples = last ? std::move(*dataset.features) : *dataset.features;
  } else {
    seen.samples = last ? std::move(dataset.samples) : dataset.samples;
  }
  return seen;
}

// Σ_k share_k K_k/λ₁(K_k)
PreparedGram sum_gram(Dataset& dataset, const std::vector<KernelPart>& parts,
                      const Context& context) {
  if (dataset.kind() == DatasetKind::kernel) {
    throw ValueError(
        "a precomputed kernel cannot be combined with others; add the matrices yourself");
  }
  PreparedGram result;
  std::vector<std::unique_ptr<GramOperator>> grams;
  std::vector<double> weights;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const KernelPart& part = parts[k];
    const bool last = std::none_of(parts.begin() + static_cast<std::ptrdiff_t>(k) + 1, parts.end(),
                                   [&](const auto& p) { return p.features == part.features; });
    Dataset seen = seen_by(part, dataset, last);
    PreparedGram one = part_gram(seen, part.recipe, context);
    const double largest = largest_eigenvalue(*one.gram, context);
    Choice& choice = one.choices.back();
    if (!(largest > 0.0)) {
      throw ValueError(fmt::format(
          "kernel {} is zero on these samples, so there is nothing to learn from", choice.value));
    }
    choice.value = fmt::format("{:.6g} x {}", part.share, choice.value);
    if (largest != 1.0) choice.value += fmt::format(", divided by lambda_1 = {:.4g}", largest);
    if (k > 0) choice.what = "added kernel";
    result.description += (k > 0 ? " + " : "") + choice.value;
    result.choices.insert(result.choices.end(), one.choices.begin(), one.choices.end());
    grams.push_back(std::move(one.gram));
    weights.push_back(part.share / largest);
  }
  result.gram = std::make_unique<SumGram>(std::move(grams), std::move(weights));
  return result;
}

// Sample weights.
void add_weights(const Recipe& recipe, std::size_t kernels, PreparedGram& result) {
  if (!recipe.measure.empty() && recipe.measure != "uniform" && recipe.measure != "degree") {
    throw ValueError(
        fmt::format("measure '{}' is unknown; expected uniform or degree", recipe.measure));
  }
  const auto* graph = dynamic_cast<const GraphGram*>(result.gram.get());
  const bool by_degree =
      recipe.measure == "degree" ||
      (recipe.measure.empty() && kernels == 1 && recipe.sample_weights.size() == 0 &&
       !recipe.center && graph && graph->normalization() == GraphNormalization::probability);
  if (recipe.measure == "degree" && (!graph || recipe.sample_weights.size() > 0)) {
    throw ValueError(
        "measure degree weights nodes by their degrees; it needs a single graph kernel and no "
        "sample weights");
  }
  if (!by_degree && recipe.sample_weights.size() == 0) return;
  if (recipe.center) {
    throw ValueError(
        "centering cannot be combined with sample weights or measure degree; omit one of them");
  }
  Vector weights = by_degree ? graph->degrees() : recipe.sample_weights;
  result.gram = std::make_unique<WeightedGram>(std::move(result.gram), std::move(weights));
  result.choices.push_back(
      {"measure", by_degree ? "degree" : "sample weights",
       by_degree && recipe.measure.empty() ? "default of kernel probability: p = D/Tr(D)" : ""});
  result.description += by_degree ? ", weighted by degree" : ", weighted samples";
}

}  // namespace

double neighbor_distance(const Points& points, const Labels& labels, const Context& context) {
  std::vector<Index> labeled;
  if (are_numbers(labels)) labeled = labeled_indices(labels);
  // One or two labeled samples give no meaningful distance.
  if (labeled.size() < 3) labeled.clear();
  const Index candidates =
      labeled.empty() ? points.values.rows() : static_cast<Index>(labeled.size());
  return median_neighbor_distance(points.values, default_neighbor(candidates), context.seed, 1000,
                                  context.cancel, labeled);
}

PreparedGram prepare_gram(Dataset& dataset, const Recipe& recipe, const Context& context) {
  const std::vector<KernelPart> parts = kernel_parts(dataset.kind(), recipe);
  PreparedGram result;
  if (parts.size() > 1) {
    result = sum_gram(dataset, parts, context);
  } else {
    Dataset seen = seen_by(parts.front(), dataset, true);
    result = part_gram(seen, parts.front().recipe, context);
    result.description = result.choices.back().value;
  }
  add_weights(recipe, parts.size(), result);
  if (recipe.center) {
    result.gram = std::make_unique<CenteredGram>(std::move(result.gram));
    if (parts.size() > 1) {
      result.choices.push_back({"sum", "centered", ""});
    } else {
      result.choices.back().value += ", centered";
    }
    result.description += ", centered";
  }
  return result;
}

}  // namespace stkr
