#include "data_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "console.hpp"
#include "dataset/graph_statistics.hpp"
#include "dataset/table_columns.hpp"
#include "stkr/error.hpp"

namespace stkr::app {
namespace {

using nlohmann::json;

// ", 5,000 entries" of sparse values.
std::string entries_text(const FeatureMatrix& values) {
  if (!values.sparse()) return {};
  return fmt::format(", {} entries", with_commas(values.sparse()->entries()));
}

std::string points_text(Index points, Index features) {
  return fmt::format("{} points x {} features", with_commas(points), features);
}

std::string samples_text(const Dataset& dataset) {
  switch (dataset.kind()) {
    case DatasetKind::points:
      return points_text(dataset.size(), dataset.points().values.cols()) +
             entries_text(dataset.points().values);
    case DatasetKind::graph:
      return fmt::format(
          "graph of {} nodes and {} entries{}", with_commas(dataset.size()),
          with_commas(dataset.graph().adjacency.entries()),
          dataset.features ? fmt::format(", {} features per node", dataset.features->values.cols())
                           : "");
    case DatasetKind::kernel:
      return fmt::format("{0} x {0} kernel", with_commas(dataset.size()));
  }
  return {};
}

}  // namespace

namespace {

// ", 10 classes, 100 labeled"
std::string labels_text(const Labels& labels, Index labeled) {
  std::string text;
  if (const auto* classes = std::get_if<ClassLabels>(&labels)) {
    text = fmt::format(", {} classes", classes->names.size());
  } else if (const auto* targets = std::get_if<TargetValues>(&labels)) {
    text =
        fmt::format(", {} target{}", targets->names.size(), targets->names.size() == 1 ? "" : "s");
  }
  return text + fmt::format(", {} labeled", with_commas(labeled));
}

}  // namespace

std::string describe_dataset(const Dataset& dataset) {
  return fmt::format(
      "{}: {}{}", dataset.name, samples_text(dataset),
      labels_text(dataset.labels, static_cast<Index>(labeled_indices(dataset.labels).size())));
}

std::string describe_graph(const std::string& name, Index nodes, long long entries,
                           const Labels& labels, Index labeled) {
  return fmt::format("{}: graph of {} nodes and {} entries{}", name, with_commas(nodes),
                     with_commas(entries), labels_text(labels, labeled));
}

std::string describe_points(const std::string& name, Index points, Index features,
                            const Labels& labels, Index labeled) {
  return fmt::format("{}: {}{}", name, points_text(points, features), labels_text(labels, labeled));
}

std::string label_choices(const std::vector<std::string>& candidates) {
  return fmt::format(
      "--labels: a file{}",
      candidates.empty() ? "" : fmt::format(", or one of {}", detail::listed(candidates)));
}

void no_labels(const std::string& input, const Labels& truth, const std::string& source,
               const std::vector<std::string>& candidates) {
  if (std::holds_alternative<std::monostate>(truth)) {
    throw DataError(fmt::format("{}: no labeled sample; name the labels with {}", input,
                                label_choices(candidates)));
  }
  throw DataError(fmt::format(
      "{}: no labeled sample{}: label at least a few samples (class -1, an empty cell, NA or NaN "
      "means unlabeled)",
      input, source.empty() ? "" : " in " + source));
}

void expect_labels(const Dataset& dataset, const std::string& input) {
  if (!labeled_indices(dataset.labels).empty()) return;
  no_labels(input, dataset.truth, dataset.label_source, dataset.label_candidates);
}

std::vector<std::pair<std::string, std::string>> graph_fields(const GraphStatistics& graph,
                                                              Index labeled) {
  std::vector<std::pair<std::string, std::string>> fields{
      {"degrees",
       fmt::format("{} to {}, median {}, mean {:.1f}; {} isolated node{}",
                   with_commas(graph.smallest_degree), with_commas(graph.largest_degree),
                   with_commas(graph.median_degree), graph.mean_degree,
                   with_commas(graph.isolated_nodes), graph.isolated_nodes == 1 ? "" : "s")},
      {"weights", fmt::format("{:.4g} to {:.4g}, {} entries", graph.smallest_weight,
                              graph.largest_weight, with_commas(graph.entries))},
      {"components", fmt::format("{}, the largest of {} nodes", with_commas(graph.components),
                                 with_commas(graph.largest_component))}};
  if (labeled > 0 && graph.components_without_label > 0) {
    fields.emplace_back("without label",
                        fmt::format("{} component{} with {} nodes: predicted by the prior",
                                    with_commas(graph.components_without_label),
                                    graph.components_without_label == 1 ? "" : "s",
                                    with_commas(graph.nodes_without_label)));
  }
  return fields;
}

std::vector<std::pair<std::string, std::string>> graph_fields(const Dataset& dataset) {
  const std::vector<Index> labeled = labeled_indices(dataset.labels);
  return graph_fields(graph_statistics(dataset.graph().adjacency, labeled),
                      static_cast<Index>(labeled.size()));
}

void add_graph_json(const GraphStatistics& statistics, json& data) {
  data["entries"] = statistics.entries;
  data["components"] = statistics.components;
  data["largest_component"] = statistics.largest_component;
  data["components_without_label"] = statistics.components_without_label;
  data["nodes_without_label"] = statistics.nodes_without_label;
  data["isolated_nodes"] = statistics.isolated_nodes;
  data["smallest_degree"] = statistics.smallest_degree;
  data["median_degree"] = statistics.median_degree;
  data["mean_degree"] = statistics.mean_degree;
  data["largest_degree"] = statistics.largest_degree;
  data["smallest_weight"] = statistics.smallest_weight;
  data["largest_weight"] = statistics.largest_weight;
}

json dataset_json(const Dataset& dataset) {
  json result{{"name", dataset.name},
              {"source", dataset.source},
              {"kind", kind_name(dataset.kind())},
              {"samples", dataset.size()},
              {"labeled", labeled_indices(dataset.labels).size()}};
  if (!dataset.label_source.empty()) result["label_source"] = dataset.label_source;
  if (!dataset.sample_names().empty()) result["id_column"] = dataset.sample_name_column();
  if (dataset.kind() == DatasetKind::points) {
    const FeatureMatrix& values = dataset.points().values;
    result["features"] = values.cols();
    if (values.sparse()) result["entries"] = values.sparse()->entries();
  } else if (dataset.kind() == DatasetKind::graph) {
    add_graph_json(graph_statistics(dataset.graph().adjacency, labeled_indices(dataset.labels)),
                   result);
    if (dataset.features) result["features"] = dataset.features->values.cols();
  }
  if (const auto* classes = std::get_if<ClassLabels>(&dataset.labels)) {
    std::vector<Index> counts(classes->names.size(), 0);
    for (const std::int32_t code : classes->code) {
      if (code != kUnlabeled) ++counts[code];
    }
    result["task"] = "classification";
    result["classes"] = json::array();
    for (std::size_t c = 0; c < counts.size(); ++c) {
      result["classes"].push_back({{"name", classes->names[c]}, {"labeled", counts[c]}});
    }
  } else if (const auto* targets = std::get_if<TargetValues>(&dataset.labels)) {
    result["task"] = "regression";
    result["targets"] = targets->names;
  }
  return result;
}

double score_all(Score score, const Predictions& predictions, const Labels& truth) {
  std::vector<Index> samples(static_cast<std::size_t>(predictions.scores.rows()));
  std::iota(samples.begin(), samples.end(), 0);
  return evaluate(score, predictions, truth, samples);
}

std::optional<HiddenScore> score_hidden(const Labels& truth, const Labels& seen,
                                        const Predictions& predictions) {
  const std::vector<Index> known = labeled_indices(truth);
  const std::vector<Index> shown = labeled_indices(seen);
  std::vector<Index> hidden;
  std::set_difference(known.begin(), known.end(), shown.begin(), shown.end(),
                      std::back_inserter(hidden));
  if (hidden.empty()) return std::nullopt;
  HiddenScore score;
  score.samples = static_cast<Index>(hidden.size());
  score.classification = std::holds_alternative<ClassLabels>(truth);
  Labels wanted = truth;
  keep_only(wanted, hidden);
  if (score.classification) {
    score.accuracy = score_all(Score::accuracy, predictions, wanted);
  } else {
    score.mean_squared = score_all(Score::mse, predictions, wanted);
    score.r_squared = score_all(Score::r2, predictions, wanted);
  }
  return score;
}

std::string describe_score(const HiddenScore& score) {
  const std::string count = with_commas(score.samples);
  return score.classification
             ? fmt::format("accuracy {:.2f}% on {} samples with labels hidden from the fit",
                           100.0 * score.accuracy, count)
             : fmt::format(
                   "R2 {:.4f}, mean squared error {:.4g} on {} samples with targets hidden from "
                   "the fit",
                   score.r_squared, score.mean_squared, count);
}

json score_json(const HiddenScore& score) {
  if (score.classification) return {{"samples", score.samples}, {"accuracy", score.accuracy}};
  return {{"samples", score.samples},
          {"mean_squared_error", score.mean_squared},
          {"r2", score.r_squared}};
}

std::string describe_without_evidence(Index samples, Index tied) {
  if (tied == 0) {
    return fmt::format("{} that no label reaches: predicted by the prior", with_commas(samples));
  }
  return fmt::format(
      "{} that no label reaches: predicted by the prior; for {} of them several classes are "
      "equally frequent, so the prediction is a tie (the first of these classes is written)",
      with_commas(samples), with_commas(tied));
}

}  // namespace stkr::app
