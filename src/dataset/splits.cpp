#include "stkr/dataset/splits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "format/utf8.hpp"
#include "runtime/random.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

void check_samples(std::span<const Index> samples, Index total, const char* who) {
  for (const Index i : samples) {
    if (i < 0 || i >= total) {
      throw ValueError(
          fmt::format("{}: sample {} is out of range; the data has {}", who, i, total));
    }
  }
}

std::vector<std::string> chosen_names(const std::vector<std::string>& names,
                                      std::span<const Index> samples) {
  std::vector<std::string> result;
  if (names.empty()) return result;
  for (const Index i : samples) result.push_back(names[static_cast<std::size_t>(i)]);
  return result;
}

Points chosen_points(const Points& points, std::span<const Index> samples) {
  return {.values = points.values.chosen_rows(samples), .feature_names = points.feature_names};
}

}  // namespace

std::vector<Index> labeled_per_class(const ClassLabels& labels, Index per_class,
                                     std::uint64_t seed) {
  if (per_class < 1) {
    throw ParameterError(
        fmt::format("{} labels per class requested; expected 1 or more", per_class));
  }
  std::vector<std::vector<Index>> members(labels.names.size());
  for (std::size_t i = 0; i < labels.code.size(); ++i) {
    if (labels.code[i] != kUnlabeled) {
      members[static_cast<std::size_t>(labels.code[i])].push_back(static_cast<Index>(i));
    }
  }
  Random random(seed);
  std::vector<Index> chosen;
  for (std::size_t c = 0; c < members.size(); ++c) {
    const auto size = static_cast<Index>(members[c].size());
    if (size < per_class) {
      throw ParameterError(
          fmt::format("{} labels per class requested, but class {} has {}; request fewer",
                      per_class, printable(labels.names[c]), size));
    }
    for (const Index k : random.sample(size, per_class)) {
      chosen.push_back(members[c][static_cast<std::size_t>(k)]);
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

Split split_off(Index total, Index count, std::uint64_t seed) {
  if (total < 0 || count < 0 || count > total) {
    throw ValueError(fmt::format("cannot hold out {} of {} samples", count, total));
  }
  Random random(seed);
  Split split{.kept = {}, .held_out = random.sample(total, count)};
  auto next = split.held_out.begin();
  for (Index i = 0; i < total; ++i) {
    if (next != split.held_out.end() && *next == i) {
      ++next;
    } else {
      split.kept.push_back(i);
    }
  }
  return split;
}

Split split_off_share(Index total, double share, std::uint64_t seed) {
  if (!(share >= 0.0 && share <= 1.0)) {
    throw ParameterError(fmt::format("share = {}; expected a number from 0 to 1", share));
  }
  return split_off(total, static_cast<Index>(std::round(share * static_cast<double>(total))), seed);
}

CsrMatrix cross_edges(const CsrMatrix& graph, std::span<const Index> new_nodes,
                      std::span<const Index> known_nodes) {
  check_samples(new_nodes, graph.rows, "cross_edges");
  check_samples(known_nodes, graph.cols, "cross_edges");
  std::vector<std::int32_t> position(static_cast<std::size_t>(graph.cols), -1);
  for (std::size_t k = 0; k < known_nodes.size(); ++k) {
    std::int32_t& place = position[static_cast<std::size_t>(known_nodes[k])];
    if (place >= 0) {
      throw ValueError(fmt::format("cross_edges: node {} is listed twice", known_nodes[k]));
    }
    place = static_cast<std::int32_t>(k);
  }
  CsrMatrix result;
  result.rows = static_cast<Index>(new_nodes.size());
  result.cols = static_cast<Index>(known_nodes.size());
  result.row_start.push_back(0);
  std::vector<std::pair<std::int32_t, double>> row;
  for (const Index node : new_nodes) {
    const auto at = static_cast<std::size_t>(node);
    row.clear();
    for (auto i = graph.row_start[at]; i < graph.row_start[at + 1]; ++i) {
      const auto entry = static_cast<std::size_t>(i);
      const std::int32_t column = position[static_cast<std::size_t>(graph.column[entry])];
      if (column >= 0) row.emplace_back(column, graph.value[entry]);
    }
    std::sort(row.begin(), row.end());
    for (const auto& [column, value] : row) {
      result.column.push_back(column);
      result.value.push_back(value);
    }
    result.row_start.push_back(static_cast<std::int64_t>(result.column.size()));
  }
  return result;
}

CsrMatrix induced_subgraph(const CsrMatrix& graph, std::span<const Index> nodes) {
  return cross_edges(graph, nodes, nodes);
}

Dataset subset(const Dataset& dataset, std::span<const Index> samples) {
  check_samples(samples, dataset.size(), "subset");
  Dataset result;
  result.name = dataset.name;
  result.source =
      fmt::format("{} of {} samples of {}", samples.size(), dataset.size(), dataset.source);
  result.labels = labels_of(dataset.labels, samples);
  result.truth = labels_of(dataset.truth, samples);
  result.notes = dataset.notes;
  result.ids = chosen_names(dataset.ids, samples);
  result.id_column = dataset.id_column;
  result.label_source = dataset.label_source;
  result.encoding = dataset.encoding;
  if (const auto* points = std::get_if<Points>(&dataset.samples)) {
    result.samples = chosen_points(*points, samples);
  } else if (const auto* graph = std::get_if<Graph>(&dataset.samples)) {
    result.samples = Graph{.adjacency = induced_subgraph(graph->adjacency, samples),
                           .node_names = chosen_names(graph->node_names, samples)};
    if (dataset.features) result.features = chosen_points(*dataset.features, samples);
  } else {
    const SharedMatrix& kernel = std::get<PrecomputedKernel>(dataset.samples).values;
    result.samples = PrecomputedKernel{kernel.chosen_block(samples, samples)};
  }
  return result;
}

}  // namespace stkr
