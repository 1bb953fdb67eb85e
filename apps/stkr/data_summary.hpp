#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dataset/graph_statistics.hpp"
#include "stkr/dataset/dataset.hpp"
#include "stkr/selection/select.hpp"

namespace stkr::app {

// "digits: 1,797 points x 64 features, 10 classes, 100 labeled"
std::string describe_dataset(const Dataset& dataset);

// "graph.npz: graph of 5 nodes and 8 entries, 2 classes, 2 labeled"
std::string describe_graph(const std::string& name, Index nodes, long long entries,
                           const Labels& labels, Index labeled);

// "points.npz: 1,797 points x 64 features, 10 classes, 100 labeled"
std::string describe_points(const std::string& name, Index points, Index features,
                            const Labels& labels, Index labeled);

// "--labels: a file, or one of a, b, color": how to name the labels.
std::string label_choices(const std::vector<std::string>& candidates);
// Throws DataError, with `input` and how to label or name labels: no sample is labeled. `truth`:
// the labels that were found, also those that are hidden, where (`source`), and where others may
// be.
[[noreturn]] void no_labels(const std::string& input, const Labels& truth,
                            const std::string& source, const std::vector<std::string>& candidates);
// Throws it unless a sample is labeled.
void expect_labels(const Dataset& dataset, const std::string& input);

// Degrees, weights and components of a graph, for display.
std::vector<std::pair<std::string, std::string>> graph_fields(const Dataset& dataset);
std::vector<std::pair<std::string, std::string>> graph_fields(const GraphStatistics& statistics,
                                                              Index labeled);

// Adds the statistics of a graph to the description of its data in --json.
void add_graph_json(const GraphStatistics& statistics, nlohmann::json& data);

// Everything known, for --json and `stkr data info`.
nlohmann::json dataset_json(const Dataset& dataset);

// Predictions for samples whose labels are known but were hidden from the fit.
struct HiddenScore {
  bool classification = true;
  Index samples = 0;
  double accuracy = 0.0;      // classes
  double mean_squared = 0.0;  // targets
  double r_squared = 0.0;
};

// Returns nullopt if no label was hidden.
std::optional<HiddenScore> score_hidden(const Labels& truth, const Labels& seen,
                                        const Predictions& predictions);
std::string describe_score(const HiddenScore& score);
nlohmann::json score_json(const HiddenScore& score);

// The score of predictions for all samples of `truth`; unlabeled samples do not count.
double score_all(Score score, const Predictions& predictions, const Labels& truth);

// "12 that no label reaches: ...": what samples without evidence are predicted as. For `tied` of
// them, several classes are equally likely.
std::string describe_without_evidence(Index samples, Index tied);

}  // namespace stkr::app
