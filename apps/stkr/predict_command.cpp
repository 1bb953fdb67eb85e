#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "blas_threads.hpp"
#include "cli.hpp"
#include "command.hpp"
#include "console.hpp"
#include "data_summary.hpp"
#include "dataset/new_edges.hpp"
#include "dataset/point_stream.hpp"
#include "estimator/answer_tally.hpp"
#include "file_roles.hpp"
#include "format/atomic_file.hpp"
#include "interrupt.hpp"
#include "json_text.hpp"
#include "memory_option.hpp"
#include "prediction_writer.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"
#include "stkr/model/model.hpp"
#include "unreached_list.hpp"

namespace stkr::app {
namespace {

struct PredictArguments {
  std::string model;
  std::string samples;
  std::string features;  // of new nodes, for models with a kernel of features
  std::string output;
  std::string unreached;  // file for samples without evidence; may be empty
  MemoryOption memory;
  CommonOptions common;
};

// Reads new samples in the form the model needs, one part at a time: memory does not grow with
// their number. A model with a sum of kernels needs one part per kernel: points are in NEW, or,
// with edges in NEW, in --features.
class SampleStream {
 public:
  SampleStream(const PredictArguments& arguments, const Model& model)
      : kinds_(CLI::detail::split(model.info().samples, '+')),  // e.g. "graph+points"
        edges_path_(arguments.samples) {
    const auto has = [&](const char* kind) {
      return std::find(kinds_.begin(), kinds_.end(), kind) != kinds_.end();
    };
    // "nodes": edges and features for one kernel.
    const bool graph = has("graph") || has("nodes");
    const bool both = has("nodes") || (graph && has("points"));
    if (both && arguments.features.empty()) {
      throw DataError(fmt::format(
          "{}: the model needs edges and features of new nodes; give the features with --features",
          arguments.samples));
    }
    if (!both && !arguments.features.empty()) {
      throw DataError(fmt::format("{}: the model uses only {}; omit --features", arguments.features,
                                  graph ? "edges" : "features, given as NEW"));
    }
    if (graph) {
      edges_ = open_new_edges(
          arguments.samples, model.size(),
          {.known_names = model.info().node_names, .numbered = !arguments.features.empty()});
    }
    if (!graph || both) {
      points_path_ = both ? arguments.features : arguments.samples;
      points_ = open_points(points_path_, {.features = model.features(),
                                           .feature_names = model.info().feature_names});
      match_features(model);
    }
  }

  NewSamples next() {
    constexpr Index kNodes = 4096;
    Matrix points;
    if (points_) {
      points = points_->next(points_at_a_time(points_->features()));
      if (!order_.empty()) points = points(Eigen::all, order_).eval();
      if (!edges_ && kinds_.size() == 1) return {std::move(points)};
    }
    CsrMatrix edges;
    if (edges_) edges = points_ ? edges_beside(points.rows()) : edges_->next(kNodes);
    const auto part = [&](const std::string& kind) -> NewSamples {
      if (kind == "graph") return {edges};
      if (kind == "points") return {points};
      return {std::vector<NewSamples>{{edges}, {points}}};
    };
    if (kinds_.size() == 1) return part(kinds_.front());
    std::vector<NewSamples> parts;
    for (const std::string& kind : kinds_) parts.push_back(part(kind));
    return {std::move(parts)};
  }

  // Whether the new samples have names; and the names of the last part.
  bool named() const { return edges_ && edges_->has_names(); }
  std::span<const std::string> names() const {
    return named() ? edges_->names() : std::span<const std::string>();
  }

  double progress() const { return points_ ? points_->progress() : edges_->progress(); }

 private:
  void match_features(const Model& model) {
    order_ = feature_order(model.features().value_or(points_->features()),
                           model.info().feature_names, *points_);
    for (const std::string& text : points_->notes()) note(text);
    if (!order_.empty()) {
      note(points_path_ +
           ": the features are in a different order than the model's; they are matched by name");
    }
  }

  // The edges of the next `nodes` nodes, whose features have been read; throws if edges remain
  // after the last of these.
  CsrMatrix edges_beside(Index nodes) {
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

  std::vector<std::string> kinds_;
  std::string edges_path_, points_path_;
  std::unique_ptr<NewEdgeStream> edges_;
  std::unique_ptr<PointStream> points_;
  std::vector<Index> order_;
  Index nodes_ = 0;  // whose features have been read
};

WrittenPredictions predict_new(const Model& model, const PredictArguments& arguments,
                               FileSink& sink) {
  ProgressBar bar(1.0, !arguments.common.json);
  try {
    SampleStream stream(arguments, model);
    PredictionWriter writer(
        sink, model.decision(),
        {.named = stream.named(), .keep_evidence = !arguments.unreached.empty()});
    for (NewSamples part = stream.next(); part.count() > 0; part = stream.next()) {
      bar.update("predict", std::lround(1000.0 * stream.progress()), 1000);
      if (interrupt_token().stop_requested()) throw Cancelled("interrupted");
      writer.write(model.predict(part), stream.names());
    }
    return writer.written();
  } catch (const DataError&) {
    throw;  // already names the file
  } catch (const Cancelled&) {
    throw;
  } catch (const WriteError&) {
    throw;
  } catch (const Error& error) {
    throw DataError(fmt::format("{}: {}", arguments.samples, error.what()));
  }
}

WrittenPredictions predict_fitted(const Model& model, const PredictArguments& arguments,
                                  FileSink& sink) {
  constexpr Index kPart = 4096;
  const std::span<const std::string> names = model.info().node_names;
  PredictionWriter writer(sink, model.decision(),
                          {.named = !names.empty(), .keep_evidence = !arguments.unreached.empty()});
  for (Index first = 0; first < model.size(); first += kPart) {
    if (interrupt_token().stop_requested()) throw Cancelled("interrupted");
    const Index count = std::min(kPart, model.size() - first);
    writer.write(model.predict(first, count), names.empty()
                                                  ? names
                                                  : names.subspan(static_cast<std::size_t>(first),
                                                                  static_cast<std::size_t>(count)));
  }
  return writer.written();
}

int run_predict(PredictArguments& arguments) {
  FileRoles files;
  files.reads("MODEL", arguments.model);
  files.reads("NEW", arguments.samples);
  files.reads("--features", arguments.features);
  files.writes("--output", arguments.output);
  files.writes("--list-unreached", arguments.unreached);
  files.check();
  arguments.common.threads = reserve_blas_buffers(arguments.common.threads);
  if (arguments.samples.empty() && !arguments.features.empty()) {
    throw CLI::ValidationError("--features", "describes new nodes; also pass their edges");
  }
  check_predicting(arguments.model, arguments.samples, allowed_memory(arguments.memory));
  const Model model = Model::load(arguments.model, arguments.common.threads);
  const bool seen = arguments.samples.empty();
  WrittenPredictions written;
  write_atomically(arguments.output, [&](FileSink& sink) {
    written = seen ? predict_fitted(model, arguments, sink) : predict_new(model, arguments, sink);
  });
  if (!arguments.unreached.empty()) {
    write_unreached(arguments.unreached, written.evidence, written.names);
  }
  // If predictions go to standard output, the report goes to standard error.
  const auto report = [&](const std::string& text) {
    is_stream(arguments.output) ? write_message(text) : fmt::print("{}", text);
  };
  const std::vector<std::string> warnings = written.tally.warnings("samples", model.decision());
  const bool converged = model.info().stop_reason == "converged";
  if (arguments.common.json) {
    nlohmann::json document{{"output", arguments.output},
                            {"model", arguments.model},
                            {"samples", written.rows},
                            {"setting", seen ? "transductive" : "inductive"},
                            {"without_evidence", written.without_evidence},
                            {"tied", written.tied},
                            {"outputs", output_names(model.decision())},
                            {"warnings", warnings},
                            {"model_converged", converged}};
    if (!arguments.unreached.empty()) document["unreached"] = arguments.unreached;
    report(json_text(document) + "\n");
  } else {
    std::vector<std::pair<std::string, std::string>> fields{
        {"model", fmt::format("{}, {}, {} (fitted on {} samples, {} labeled)", model.info().method,
                              model.info().transform, model.info().kernel,
                              with_commas(model.size()), with_commas(model.info().labeled))},
        {"samples", fmt::format("{} {}", with_commas(written.rows), seen ? "fitted" : "new")}};
    if (written.without_evidence > 0) {
      fields.emplace_back("no evidence",
                          describe_without_evidence(written.without_evidence, written.tied));
    }
    fields.emplace_back("written", arguments.output);
    if (!arguments.unreached.empty()) fields.emplace_back("unreached", arguments.unreached);
    report(format_fields(fields));
  }
  for (const std::string& warning : warnings) warn(warning);
  if (!converged) {
    warn(fmt::format("the model's fit did not converge ({})", model.info().stop_reason));
  }
  return kDone;
}

}  // namespace

Command add_predict_command(CLI::App& app) {
  auto arguments = std::make_shared<PredictArguments>();
  CLI::App* command =
      app.add_subcommand("predict", "Predict the training samples of a model, or new samples");
  command->add_option("MODEL", arguments->model, "Model written by stkr fit")
      ->required()
      ->check(not_empty())
      ->option_text(" ");
  command
      ->add_option(
          "NEW", arguments->samples,
          "New samples: points with the model's features; for a graph, the edges of new "
          "nodes to known ones (lines 'new known [weight]', or a sparse .npz/.mtx of new x "
          "known); for a precomputed kernel, its rows. Default: the fitted samples")
      ->check(not_empty())
      ->option_text(" ");
  command
      ->add_option("--features", arguments->features,
                   "Features of the new nodes, as points in any format, for graph models with an "
                   "added kernel of node features")
      ->check(not_empty())
      ->option_text("FILE");
  command->add_option("-o,--output", arguments->output, "CSV to write (required)")
      ->required()
      ->check(not_empty())
      ->option_text("OUT.csv");
  command
      ->add_option("--list-unreached", arguments->unreached,
                   "Write a CSV of the samples without evidence")
      ->check(not_empty())
      ->option_text("FILE");
  add_memory_option(*command, arguments->memory);
  add_common_options(*command, arguments->common);
  command->footer(
      "The CSV has the columns index, node (if nodes have names), prediction, evidence, tie (for\n"
      "classes), and one score per class or target. evidence is 0 if no label reaches the sample;\n"
      "the prediction is then the class with the largest prior (the most frequent label), or the\n"
      "constant of a regression. Ties in the prior are broken by the nearest labeled sample;\n"
      "without a distance, tie is 1, and the first of the tied classes is written. New samples\n"
      "are read, predicted and written in parts, so their number is not limited. An edge list\n"
      "names nodes as the training data did: known nodes by their names, if they had any, and new\n"
      "nodes by other names. An edge list of more than a million edges must be sorted by the new\n"
      "node. Columns of a CSV file are matched to the model's features by name.\n"
      "-o /dev/stdout writes to standard output.");
  return {command, [arguments] { return run_predict(*arguments); }};
}

}  // namespace stkr::app
