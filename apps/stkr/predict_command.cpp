#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "console.hpp"
#include "data_summary.hpp"
#include "interrupt.hpp"
#include "json_text.hpp"
#include "memory_option.hpp"
#include "stkr/dataset/atomic_file.hpp"
#include "stkr/dataset/csv.hpp"
#include "stkr/dataset/new_edges.hpp"
#include "stkr/dataset/point_stream.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/model.hpp"
#include "unreached_list.hpp"

namespace stkr::app {
namespace {

struct PredictArguments {
  std::string model;
  std::string samples;
  std::string features;  // of new nodes, for models that add a kernel of them
  std::string output;
  std::string unreached;  // a list of samples without evidence; may be empty
  MemoryOption memory;
  CommonOptions common;
};

const std::vector<std::string>& output_names(const Decision& decision) {
  return std::visit([](const auto& d) -> const std::vector<std::string>& { return d.names; },
                    decision);
}

// The answer for sample i: a class name, a number, or one number per target.
std::string answer(const Decision& decision, const Predictions& predictions, Index i) {
  if (const auto* classes = std::get_if<ClassDecision>(&decision)) {
    return csv_field(classes->names[predictions.class_index[i]]);
  }
  return fmt::format("{}", fmt::join(predictions.scores.row(i), ";"));
}

// The rows of the output, part by part.
class PredictionWriter {
 public:
  PredictionWriter(FileSink& sink, const Decision& decision, bool keep_evidence)
      : sink_(sink), decision_(decision), keep_evidence_(keep_evidence) {
    std::string line = "index,prediction,evidence";
    classes_ = std::holds_alternative<ClassDecision>(decision);
    if (classes_) line += ",tie";
    for (const std::string& name : output_names(decision)) line += "," + csv_field("score_" + name);
    sink_.write(line + "\n");
  }

  void write(const Predictions& part) {
    for (Index i = 0; i < part.scores.rows(); ++i) {
      std::string line = fmt::format("{},{},{}", rows_++, answer(decision_, part, i),
                                     static_cast<int>(part.evidence[i]));
      if (classes_) line += part.tied[i] ? ",1" : ",0";
      for (const double score : part.scores.row(i)) line += fmt::format(",{}", score);
      sink_.write(line + "\n");
    }
    without_evidence_ += std::count(part.evidence.begin(), part.evidence.end(), 0);
    tied_ += std::count(part.tied.begin(), part.tied.end(), 1);
    if (keep_evidence_) {
      evidence_.insert(evidence_.end(), part.evidence.begin(), part.evidence.end());
    }
  }

  Index rows() const { return rows_; }
  Index without_evidence() const { return without_evidence_; }
  Index tied() const { return tied_; }
  const std::vector<char>& evidence() const { return evidence_; }  // empty unless it is kept

 private:
  FileSink& sink_;
  const Decision& decision_;
  Index rows_ = 0;
  Index without_evidence_ = 0;
  Index tied_ = 0;
  bool classes_ = false;
  bool keep_evidence_;
  std::vector<char> evidence_;
};

// New samples in the form the model takes, a part at a time: memory does not grow with their
// number. A model that adds up kernels takes one part for each of them: points are in NEW, or in
// --features beside the edges there.
class SampleStream {
 public:
  SampleStream(const PredictArguments& arguments, const Model& model)
      : kinds_(CLI::detail::split(model.info().samples, '+')),  // "graph+points", say
        edges_path_(arguments.samples) {
    const auto has = [&](const char* kind) {
      return std::find(kinds_.begin(), kinds_.end(), kind) != kinds_.end();
    };
    const bool graph = has("graph"), both = graph && has("points");
    if (both && arguments.features.empty()) {
      throw DataError(fmt::format(
          "{}: the model takes edges and features of new nodes; give the features with --features",
          arguments.samples));
    }
    if (!both && !arguments.features.empty()) {
      throw DataError(fmt::format("{}: the model takes {} alone, so --features has no use",
                                  arguments.features, graph ? "edges" : "features, as NEW,"));
    }
    if (graph) edges_ = open_new_edges(arguments.samples, model.size());
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
    if (kinds_.size() == 1) return {std::move(edges)};
    std::vector<NewSamples> parts;
    for (const std::string& kind : kinds_) {
      parts.push_back(kind == "graph" ? NewSamples{edges} : NewSamples{points});
    }
    return {std::move(parts)};
  }

  double progress() const { return points_ ? points_->progress() : edges_->progress(); }

 private:
  void match_features(const Model& model) {
    order_ = feature_order(model.features().value_or(points_->features()),
                           model.info().feature_names, *points_);
    for (const std::string& note : points_->notes()) fmt::print(stderr, "stkr: note: {}\n", note);
    if (!order_.empty()) {
      fmt::print(stderr,
                 "stkr: note: {}: the features come in another order than the model's; they are "
                 "matched by name\n",
                 points_path_);
    }
  }

  // The edges of the next `nodes` nodes, whose features were read; after the last of these there
  // must be no more.
  CsrMatrix edges_beside(Index nodes) {
    CsrMatrix edges = edges_->next(std::max<Index>(nodes, 1));
    nodes_ += nodes;
    if (edges.rows > nodes || (edges.rows < nodes && !edges_->may_leave_out_nodes())) {
      throw DataError(
          fmt::format("{}: has features of {}{} new nodes, but {} has the edges of {}{}",
                      points_path_, edges.rows < nodes ? "at least " : "", nodes_, edges_path_,
                      edges.rows > nodes ? "at least " : "", nodes_ - nodes + edges.rows));
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
  Index nodes_ = 0;  // whose features were read
};

void predict_new(const Model& model, const PredictArguments& arguments, PredictionWriter& writer) {
  SampleStream stream(arguments, model);
  ProgressBar bar(1.0, !arguments.common.json);
  try {
    for (NewSamples part = stream.next(); part.count() > 0; part = stream.next()) {
      bar.update("predict", std::lround(1000.0 * stream.progress()), 1000);
      if (interrupt_token().stop_requested()) throw Cancelled("interrupted");
      writer.write(model.predict(part));
    }
  } catch (const DataError&) {
    throw;  // names the file already
  } catch (const Cancelled&) {
    throw;
  } catch (const WriteError&) {
    throw;
  } catch (const Error& error) {
    throw DataError(fmt::format("{}: {}", arguments.samples, error.what()));
  }
}

void predict_fitted(const Model& model, PredictionWriter& writer) {
  constexpr Index kPart = 4096;
  for (Index first = 0; first < model.size(); first += kPart) {
    if (interrupt_token().stop_requested()) throw Cancelled("interrupted");
    writer.write(model.predict(first, std::min(kPart, model.size() - first)));
  }
}

int run_predict(const PredictArguments& arguments) {
  check_output(arguments.output, {arguments.model, arguments.samples, arguments.features});
  if (!arguments.unreached.empty()) {
    if (arguments.unreached == arguments.output) {
      throw CLI::ValidationError("--list-unreached", "is also --output; give another name");
    }
    check_output(arguments.unreached,
                 {arguments.model, arguments.samples, arguments.features, arguments.output});
  }
  if (arguments.samples.empty() && !arguments.features.empty()) {
    throw CLI::ValidationError("--features", "is of new nodes: give their edges too");
  }
  check_predicting(arguments.model, arguments.samples, allowed_memory(arguments.memory));
  const Model model = Model::load(arguments.model, arguments.common.threads);
  const bool seen = arguments.samples.empty();
  Index rows = 0;
  Index without = 0, tied = 0;
  std::vector<char> evidence;
  write_atomically(arguments.output, [&](FileSink& sink) {
    PredictionWriter writer(sink, model.decision(), !arguments.unreached.empty());
    if (seen) {
      predict_fitted(model, writer);
    } else {
      predict_new(model, arguments, writer);
    }
    rows = writer.rows();
    without = writer.without_evidence();
    tied = writer.tied();
    evidence = writer.evidence();
  });
  if (!arguments.unreached.empty()) write_unreached(arguments.unreached, evidence);
  // The answers may go to the standard output: what is said about them goes elsewhere then.
  std::FILE* report = is_stream(arguments.output) ? stderr : stdout;
  const bool converged = model.info().stop_reason == "converged";
  if (arguments.common.json) {
    nlohmann::json document{{"output", arguments.output},
                            {"model", arguments.model},
                            {"samples", rows},
                            {"setting", seen ? "transductive" : "inductive"},
                            {"without_evidence", without},
                            {"tied", tied},
                            {"outputs", output_names(model.decision())},
                            {"model_converged", converged}};
    if (!arguments.unreached.empty()) document["unreached"] = arguments.unreached;
    fmt::print(report, "{}\n", json_text(document));
  } else {
    std::vector<std::pair<std::string, std::string>> fields{
        {"model", fmt::format("{}, {}, {} (fitted on {} samples, {} labelled)", model.info().method,
                              model.info().transform, model.info().kernel,
                              with_commas(model.size()), with_commas(model.info().labeled))},
        {"samples", fmt::format("{} {}", with_commas(rows), seen ? "fitted ones" : "new ones")}};
    if (without > 0) {
      fields.emplace_back("no evidence", describe_without_evidence(without, tied));
    }
    fields.emplace_back("written", arguments.output);
    if (!arguments.unreached.empty()) fields.emplace_back("unreached", arguments.unreached);
    fmt::print(report, "{}", format_fields(fields));
  }
  if (!converged) {
    fmt::print(stderr, "stkr: warning: the model's fit had not converged ({})\n",
               model.info().stop_reason);
  }
  return kDone;
}

}  // namespace

Command add_predict_command(CLI::App& app) {
  auto arguments = std::make_shared<PredictArguments>();
  CLI::App* command =
      app.add_subcommand("predict", "Predict with a model, for its own samples or for new ones");
  command->add_option("MODEL", arguments->model, "Model written by stkr fit")
      ->required()
      ->check(not_empty())
      ->option_text(" ");
  command
      ->add_option(
          "NEW", arguments->samples,
          "New samples: points with the model's features; for a graph the edges of new "
          "nodes to known ones (lines 'new known [weight]', or a sparse .npz/.mtx of new x "
          "known); for a precomputed kernel its rows. Without it: the fitted samples")
      ->check(not_empty())
      ->option_text(" ");
  command
      ->add_option("--features", arguments->features,
                   "Features of the new nodes, points in any format: for models of a graph with a "
                   "kernel of features added")
      ->check(not_empty())
      ->option_text("FILE");
  command->add_option("-o,--output", arguments->output, "CSV to write (required)")
      ->required()
      ->check(not_empty())
      ->option_text("OUT.csv");
  command
      ->add_option("--list-unreached", arguments->unreached, "CSV of the samples without evidence")
      ->check(not_empty())
      ->option_text("FILE");
  add_memory_option(*command, arguments->memory);
  add_common_options(*command, arguments->common);
  command->footer(
      "The CSV has the columns index, prediction, evidence, for classes tie, and one score per\n"
      "class or target. evidence is 0 where no label reaches the sample; the prediction is then\n"
      "the class with the largest prior (the most frequent label), or the constant of the\n"
      "targets. Where several classes have that prior it is the class of the nearest labeled\n"
      "sample; without a distance tie is 1, and the first of these classes is written.\n"
      "New samples are read, predicted and written in parts: any number of them will do. A list\n"
      "of more than a million edges has to be sorted by the new node. Columns of a CSV file are\n"
      "matched to the model's features by name. -o /dev/stdout writes to the standard output.");
  return {command, [arguments] { return run_predict(*arguments); }};
}

}  // namespace stkr::app
