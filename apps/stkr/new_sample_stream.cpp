#include "new_sample_stream.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"

namespace stkr::app {

NewSampleStream::NewSampleStream(const NewSampleOptions& options, const Model& model)
    : kinds_(CLI::detail::split(model.info().samples, '+')),  // e.g. "graph+points"
      edges_path_(options.samples),
      encoding_(model.info().encoding ? &*model.info().encoding : nullptr) {
  const auto has = [&](const char* kind) {
    return std::find(kinds_.begin(), kinds_.end(), kind) != kinds_.end();
  };
  // "nodes": edges and features for one kernel.
  const bool graph = has("graph") || has("nodes");
  const bool both = has("nodes") || (graph && has("points"));
  if (both && options.features.empty()) {
    throw DataError(fmt::format(
        "{}: the model needs edges and features of new nodes; give the features with --features",
        options.samples));
  }
  if (!both && !options.features.empty()) {
    throw DataError(fmt::format("{}: the model uses only {}; omit --features", options.features,
                                graph ? "edges" : "features, given as NEW"));
  }
  if (graph) {
    edges_ = open_new_edges(options.samples, model.size(),
                            {.known_names = model.info().sample_names,
                             .numbered = !options.features.empty(),
                             .format = input_format(options.format, options.samples),
                             .duplicates = options.duplicates});
  }
  if (!graph || both) {
    points_path_ = both ? options.features : options.samples;
    const std::string format = both ? "" : input_format(options.format, options.samples);
    points_ = open_points(points_path_, {.format = format,
                                         .key = options.key,
                                         .features = model.features(),
                                         .feature_names = model.info().feature_names,
                                         .encoding = encoding_});
    match_features(model);
  }
}

NewSamples NewSampleStream::next() {
  constexpr Index kNodes = 4096;
  NewSamples points;
  if (points_) {
    PointBlock block = points_->next(points_->at_a_time());
    if (!order_.empty()) block = in_order(std::move(block), order_);
    if (encoding_ != nullptr) {
      std::visit([&](auto& rows) { encoding_->standardize(rows); }, block);
    }
    std::visit([&](auto& rows) { points.data = std::move(rows); }, block);
    if (!edges_ && kinds_.size() == 1) return points;
  }
  CsrMatrix edges;
  if (edges_) edges = points_ ? edges_beside(points.count()) : edges_->next(kNodes);
  const auto part = [&](const std::string& kind) -> NewSamples {
    if (kind == "graph") return {edges};
    if (kind == "points") return points;
    return {std::vector<NewSamples>{{edges}, points}};
  };
  if (kinds_.size() == 1) return part(kinds_.front());
  std::vector<NewSamples> parts;
  for (const std::string& kind : kinds_) parts.push_back(part(kind));
  return {std::move(parts)};
}

std::string NewSampleStream::id_column() const {
  if (edges_) return edges_->has_names() ? "node" : "";
  return points_->id_column();
}
std::span<const std::string> NewSampleStream::names() const {
  if (edges_) return edges_->has_names() ? edges_->names() : std::span<const std::string>();
  return points_->ids();
}

std::vector<std::string> NewSampleStream::warnings() const {
  return points_ ? points_->warnings() : std::vector<std::string>();
}

void NewSampleStream::match_features(const Model& model) {
  order_ = feature_order(model.features().value_or(points_->features()), model.info().feature_names,
                         *points_);
  for (const std::string& text : points_->notes()) note(text);
  if (!order_.empty()) {
    note(points_path_ +
         ": the features are in a different order than the model's; they are matched by name");
  }
}

// The edges of the next `nodes` nodes, whose features have been read; throws if edges remain
// after the last of these.
CsrMatrix NewSampleStream::edges_beside(Index nodes) {
  CsrMatrix edges = edges_->next(std::max<Index>(nodes, 1));
  nodes_ += nodes;
  if (edges.rows > nodes || (edges.rows < nodes && !edges_->may_leave_out_nodes())) {
    throw DataError(fmt::format("{} has features of {}{} new nodes, but {} has the edges of {}{}",
                                points_path_, edges.rows < nodes ? "at least " : "", nodes_,
                                edges_path_, edges.rows > nodes ? "at least " : "",
                                nodes_ - nodes + edges.rows));
  }
  edges.row_start.resize(static_cast<std::size_t>(nodes) + 1, edges.entries());
  edges.rows = nodes;
  return edges;
}

}  // namespace stkr::app
