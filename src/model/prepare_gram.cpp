#include "model/prepare_gram.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "estimator/gram_spectrum.hpp"
#include "gram/dense_gram.hpp"
#include "gram/normalized_gram.hpp"
#include "gram/precision_error.hpp"
#include "gram/smoothed_gram.hpp"
#include "gram/sum_gram.hpp"
#include "model/length_scale.hpp"
#include "model/weight_and_center.hpp"
#include "specification/host_parts.hpp"
#include "specification/kernel_names.hpp"
#include "specification/kernel_parts.hpp"
#include "stkr/error.hpp"
#include "stkr/gram/graph_gram.hpp"
#include "stkr/gram/neighbor_graph.hpp"
#include "stkr/gram/point_gram.hpp"
#include "stkr/model/fit_model.hpp"
#include "stkr/plan/plan.hpp"

namespace stkr {
namespace {

// The nearest-neighbor graph. Releases the points: the graph keeps its own copy.
std::unique_ptr<GramOperator> neighbor_gram(Points& points, const NeighborGraphSpec& spec,
                                            const Context& context, std::vector<Choice>& choices) {
  const NeighborGraphOptions options = neighbor_options(spec, points.values.rows());
  auto gram = std::make_unique<NeighborGraphGram>(points.values, options, context);
  points.values = {};
  choices.push_back(neighbor_kernel_choice(spec, options, gram->length_scale(), gram->components(),
                                           gram->recall()));
  return gram;
}

std::unique_ptr<GramOperator> point_gram(Points& points, const Labels& labels,
                                         const PointKernelSpec& spec, bool is_default,
                                         const Execution& execution, const Context& context,
                                         std::vector<Choice>& choices) {
  Kernel kernel = spec.kernel;
  std::string why;
  if (kernel.has_length_scale()) {
    const ChosenScale chosen =
        length_scale_for(kernel, spec.length_scale, points, labels, execution, context);
    kernel = kernel.with_length_scale(chosen.value);
    why = chosen.why;
  }
  choices.push_back(point_kernel_choice(kernel, why, is_default));
  if (points.values.sparse()) {
    if (execution.single_precision) {
      throw ValueError(
          "single precision is for dense points, and these are sparse; use double precision");
    }
    return std::make_unique<PointGram<double>>(std::move(points.values), kernel, context.threads,
                                               execution.tiles, context.cancel, context.device);
  }
  if (points.values.dense().single()) {
    return std::make_unique<PointGram<float>>(points.values.dense(), kernel, context.threads,
                                              execution.tiles, context.cancel, context.device);
  }
  if (execution.single_precision) {
    auto gram = std::make_unique<PointGram<float>>(points.values.dense(), kernel, context.threads,
                                                   execution.tiles, context.cancel, context.device);
    const PrecisionError error = measure_precision_error(*gram, points.values.dense().as<double>(),
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
  return std::make_unique<PointGram<double>>(points.values.dense(), kernel, context.threads,
                                             execution.tiles, context.cancel, context.device);
}

std::unique_ptr<GramOperator> graph_gram(Graph& graph, const GraphKernelSpec& spec, bool is_default,
                                         const Context& context, std::vector<Choice>& choices) {
  if (graph.adjacency.entries() == 0) {
    throw ValueError("the graph has no edges, so there is nothing to learn from");
  }
  choices.push_back(graph_kernel_choice(spec, is_default));
  return std::make_unique<GraphGram>(std::move(graph.adjacency),
                                     GraphGramOptions{.normalization = spec.normalization,
                                                      .add_self_loops = spec.self_loops,
                                                      .threads = context.threads,
                                                      .device = context.device});
}

// The gram of a kernel of the samples. `is_default`: the user named no kernel.
PreparedGram own_gram(Dataset& dataset, const KernelSpec& kernel, bool is_default,
                      const Execution& execution, const Context& context) {
  PreparedGram result;
  if (const auto* graph = kernel.get_if<GraphKernelSpec>()) {
    result.gram =
        graph_gram(std::get<Graph>(dataset.samples), *graph, is_default, context, result.choices);
  } else if (const auto* neighbors = kernel.get_if<NeighborGraphSpec>()) {
    result.gram =
        neighbor_gram(std::get<Points>(dataset.samples), *neighbors, context, result.choices);
  } else if (const auto* points = kernel.get_if<PointKernelSpec>()) {
    result.gram = point_gram(std::get<Points>(dataset.samples), dataset.labels, *points, is_default,
                             execution, context, result.choices);
  } else {
    result.choices.push_back({"kernel", name_of(kernel), ""});
    result.gram = std::make_unique<DenseGram>(
        std::move(std::get<PrecomputedKernel>(dataset.samples).values), context.threads);
  }
  return result;
}

std::shared_ptr<const CsrMatrix> sparse_features(const Points& features) {
  if (features.values.sparse()) return features.values.sparse();
  return std::make_shared<const CsrMatrix>(sparse_of(features.values.matrix()));
}

// A kernel of node features that are smoothed over the graph, or sparse.
PreparedGram smoothed_gram(const Dataset& dataset, const PointKernelSpec& spec, bool factored,
                           const Execution& execution, const Context& context) {
  PreparedGram result;
  const bool cosine = spec.kernel.kind() == KernelKind::cosine;
  const Vector* squares = nullptr;
  if (execution.smoothed_squares) {
    const auto found = execution.smoothed_squares->find(spec.smoothing);
    if (found != execution.smoothed_squares->end()) squares = &found->second;
  }
  const auto smoothed = std::make_shared<const SmoothedFeatures>(
      dataset.graph().adjacency, sparse_features(*dataset.features), spec.smoothing,
      factored && cosine, context.threads, squares);
  if (factored) {
    std::string why;
    if (smoothed->empty_rows() > 0) {
      why = fmt::format("{} nodes have no features, so this kernel relates them to no other node",
                        smoothed->empty_rows());
    }
    result.choices.push_back({"kernel", spec.kernel.describe(), why});
    result.gram = std::make_unique<SmoothedGram>(smoothed);
  } else {
    // Distances between smoothed features are others than those of the features.
    Execution own = execution;
    own.neighbor_distance.reset();
    Points points{.values = smoothed->dense(), .feature_names = {}};
    result.gram = std::make_unique<SmoothedPointGram>(
        point_gram(points, dataset.labels, spec, /*is_default=*/false, own, context,
                   result.choices),
        smoothed);
  }
  result.choices.back().value +=
      fmt::format(" of node features{}", spec.smoothing == 0 ? ""
                                         : spec.smoothing == 1
                                             ? " smoothed once"
                                             : fmt::format(" smoothed {} times", spec.smoothing));
  return result;
}

// K(x, x')/√(d(x) d(x')) instead of the gram, if the kernel says so. Returns whether it does.
bool normalize(const KernelSpec& kernel, PreparedGram& prepared) {
  if (!kernel.normalized()) return false;
  prepared.gram = std::make_unique<NormalizedGram>(std::move(prepared.gram));
  prepared.choices.back().value += ", degree-normalized";
  return true;
}

// The gram of one kernel, before normalization. `samples_left` and `features_left`: whether another
// kernel needs them; else they are moved out of `dataset`.
PreparedGram part_gram(Dataset& dataset, const KernelPart& part, bool is_default, bool samples_left,
                       bool features_left, const Execution& execution, const Context& context) {
  check_has_features(dataset, part);
  PreparedGram result;
  const bool factored =
      part.features && part.factored(dataset.features->values.sparse() != nullptr);
  if (factored || part.kernel.smoothing() > 0) {
    result = smoothed_gram(dataset, *part.kernel.get_if<PointKernelSpec>(), factored, execution,
                           context);
    if (!features_left) dataset.features.reset();
  } else {
    Dataset seen;
    seen.labels = dataset.labels;
    if (part.features) {
      seen.samples = *dataset.features;
      if (!features_left) dataset.features.reset();
    } else {
      seen.samples = samples_left ? dataset.samples : std::move(dataset.samples);
    }
    result = own_gram(seen, part.kernel, is_default, execution, context);
  }
  return result;
}

// Σ_k share_k K_k/λ₁(K_k)
PreparedGram sum_gram(Dataset& dataset, const std::vector<KernelPart>& parts,
                      const Execution& execution, const Context& context) {
  if (dataset.kind() == DatasetKind::kernel) {
    throw ValueError(
        "a precomputed kernel cannot be combined with others; add the matrices yourself");
  }
  PreparedGram result;
  std::vector<std::unique_ptr<GramOperator>> grams;
  std::vector<double> weights;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const KernelPart& part = parts[k];
    const auto later = parts.begin() + static_cast<std::ptrdiff_t>(k) + 1;
    const bool samples_left = std::any_of(
        later, parts.end(), [](const KernelPart& p) { return !p.features || p.needs_edges(); });
    const bool features_left =
        std::any_of(later, parts.end(), [](const KernelPart& p) { return p.features; });
    // Sparse features without smoothing still ask the graph for its size.
    PreparedGram one = part_gram(dataset, part, /*is_default=*/false, samples_left || features_left,
                                 features_left, execution, context);
    normalize(part.kernel, one);
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

// Throws ValueError if single precision was asked for and no kernel evaluates points.
void check_precision(const Specification& spec, const std::vector<KernelPart>& parts) {
  const auto evaluates = [](const KernelPart& part) {
    return part.kernel.get_if<PointKernelSpec>() && !part.factored(/*sparse_features=*/false);
  };
  if (spec.precision != Precision::single || std::any_of(parts.begin(), parts.end(), evaluates)) {
    return;
  }
  throw ValueError(fmt::format(
      "single precision does not apply to kernel {}; it is for point kernels{}",
      name_of(parts.front().kernel),
      parts.front().kernel.get_if<NeighborGraphSpec>() ? ", and neighbors are always searched in it"
                                                       : ""));
}

}  // namespace

Choice graph_kernel_choice(const GraphKernelSpec& spec, bool is_default) {
  return {"kernel",
          fmt::format("graph, {} normalization{}", name_of(KernelSpec(spec)),
                      spec.self_loops ? ", self-loops added" : ""),
          is_default ? "default for graphs: positive semidefinite" : ""};
}

Choice point_kernel_choice(const Kernel& kernel, const std::string& why, bool is_default) {
  const std::string first = is_default ? "default for points" : "";
  Choice choice{"kernel", kernel.describe(),
                first + (first.empty() || why.empty() ? "" : "; ") + why};
  if (kernel.has_length_scale()) {
    choice.numbers.emplace_back("length-scale", kernel.length_scale());
  }
  return choice;
}

void finish_gram(const Specification& spec, const KernelSpec& kernel, const GraphDegrees* graph,
                 PreparedGram& prepared) {
  if (normalize(kernel, prepared)) graph = nullptr;  // degrees of another kernel
  prepared.description = prepared.choices.back().value;
  weight_and_center(spec, /*kernels=*/1, graph, prepared);
}

NeighborGraphOptions neighbor_options(const NeighborGraphSpec& spec, Index points) {
  return {.k = neighbor_count(spec, points),
          .weight = spec.weight,
          .rule = spec.rule,
          .length_scale = spec.length_scale,
          .recall = spec.recall,
          .components = spec.components};
}

Choice neighbor_kernel_choice(const NeighborGraphSpec& spec, const NeighborGraphOptions& options,
                              double length_scale, Index components, double recall) {
  std::string why = spec.neighbors ? "" : "k: the default";
  if (options.weight == EdgeWeight::heat && !spec.length_scale) {
    why += fmt::format("{}length scale: the median distance to the k-th neighbor",
                       why.empty() ? "" : "; ");
  }
  const std::string scale =
      options.weight == EdgeWeight::heat ? fmt::format(", length_scale={:.6g}", length_scale) : "";
  const std::string projected =
      components > 0 ? fmt::format(", {} principal components", components) : "";
  const std::string found = recall < 1.0 ? fmt::format(", recall {:.3f}", recall) : ", exact";
  Choice choice{
      "kernel",
      fmt::format("{}(k={}, {} edges, {}{}{}{}), lazy walk", name_of(KernelSpec(spec)), options.k,
                  to_string(options.weight), to_string(options.rule), scale, projected, found),
      why,
      {{"neighbors", static_cast<double>(options.k)}}};
  if (!scale.empty()) choice.numbers.emplace_back("length-scale", length_scale);
  if (components > 0) {
    choice.numbers.emplace_back("principal-components", static_cast<double>(components));
  }
  return choice;
}

std::map<Index, Vector> smoothed_squares(const Dataset& dataset, const std::vector<Index>& steps,
                                         const Context& context) {
  return SmoothedFeatures::row_squares(dataset.graph().adjacency,
                                       sparse_features(*dataset.features), steps, context.threads);
}

PreparedGram prepare_gram(Dataset& dataset, const Specification& spec, const Execution& execution,
                          const Context& context) {
  const std::vector<KernelPart> parts = kernel_parts(dataset.kind(), spec);
  check_precision(spec, parts);
  Execution way = execution;
  way.single_precision |= spec.precision == Precision::single;
  std::string on_host = left_to_host(shape_of(dataset), spec, context.device);
  PreparedGram result;
  if (parts.size() > 1) {
    result = sum_gram(dataset, parts, way, context);
    weight_and_center(spec, parts.size(), nullptr, result);
  } else {
    const bool is_default = spec.kernel.get_if<AutomaticKernelSpec>() != nullptr;
    result = part_gram(dataset, parts.front(), is_default, /*samples_left=*/false,
                       /*features_left=*/false, way, context);
    const auto* graph = dynamic_cast<const GraphGram*>(result.gram.get());
    finish_gram(spec, parts.front().kernel, graph ? &graph->node_degrees() : nullptr, result);
  }
  result.left_to_host = std::move(on_host);
  return result;
}

}  // namespace stkr
