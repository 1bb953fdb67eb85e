#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "console.hpp"
#include "interrupt.hpp"
#include "stkr/dataset/atomic_file.hpp"
#include "stkr/dataset/new_edges.hpp"
#include "stkr/dataset/point_stream.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/model.hpp"

namespace stkr::app {
namespace {

struct PredictArguments {
  std::string model;
  std::string samples;
  std::string output;
  CommonOptions common;
};

// A CSV field, quoted where it needs to be.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

const std::vector<std::string>& output_names(const Decision& decision) {
  return std::visit([](const auto& d) -> const std::vector<std::string>& { return d.names; },
                    decision);
}

// The answer for sample i: a class name, a number, or one number per target.
std::string answer(const Decision& decision, const Predictions& predictions, Index i) {
  if (const auto* classes = std::get_if<ClassDecision>(&decision)) {
    return field(classes->names[predictions.class_index[i]]);
  }
  return fmt::format("{}", fmt::join(predictions.scores.row(i), ";"));
}

// The rows of the output, part by part.
class PredictionWriter {
 public:
  PredictionWriter(FileSink& sink, const Decision& decision) : sink_(sink), decision_(decision) {
    std::string line = "index,prediction,evidence";
    for (const std::string& name : output_names(decision)) line += "," + field("score_" + name);
    sink_.write(line + "\n");
  }

  void write(const Predictions& part) {
    for (Index i = 0; i < part.scores.rows(); ++i) {
      std::string line = fmt::format("{},{},{}", rows_++, answer(decision_, part, i),
                                     static_cast<int>(part.evidence[i]));
      for (const double score : part.scores.row(i)) line += fmt::format(",{}", score);
      sink_.write(line + "\n");
    }
    without_evidence_ += std::count(part.evidence.begin(), part.evidence.end(), 0);
  }

  Index rows() const { return rows_; }
  Index without_evidence() const { return without_evidence_; }

 private:
  FileSink& sink_;
  const Decision& decision_;
  Index rows_ = 0;
  Index without_evidence_ = 0;
};

// New samples in the form the model takes, a part at a time: memory does not grow with their
// number.
class SampleStream {
 public:
  SampleStream(const std::string& path, const Model& model) {
    if (model.info().samples == "graph") {
      edges_ = open_new_edges(path, model.size());
      return;
    }
    points_ = open_points(path, {.features = model.features()});
    order_ = feature_order(model.features().value_or(points_->features()),
                           model.info().feature_names, *points_);
    for (const std::string& note : points_->notes()) fmt::print(stderr, "stkr: note: {}\n", note);
    if (!order_.empty()) {
      fmt::print(stderr,
                 "stkr: note: {}: the features come in another order than the model's; they are "
                 "matched by name\n",
                 path);
    }
  }

  NewSamples next() {
    constexpr Index kNodes = 4096;
    if (edges_) return {edges_->next(kNodes)};
    Matrix points = points_->next(points_at_a_time(points_->features()));
    if (!order_.empty()) points = points(Eigen::all, order_).eval();
    return {std::move(points)};
  }

  double progress() const { return edges_ ? edges_->progress() : points_->progress(); }

 private:
  std::unique_ptr<NewEdgeStream> edges_;
  std::unique_ptr<PointStream> points_;
  std::vector<Index> order_;
};

void predict_new(const Model& model, const std::string& path, bool show, PredictionWriter& writer) {
  SampleStream stream(path, model);
  ProgressBar bar(1.0, show);
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
    throw DataError(fmt::format("{}: {}", path, error.what()));
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
  check_output(arguments.output, {arguments.model, arguments.samples});
  const Model model = Model::load(arguments.model, arguments.common.threads);
  const bool seen = arguments.samples.empty();
  Index rows = 0;
  Index without = 0;
  write_atomically(arguments.output, [&](FileSink& sink) {
    PredictionWriter writer(sink, model.decision());
    if (seen) {
      predict_fitted(model, writer);
    } else {
      predict_new(model, arguments.samples, !arguments.common.json, writer);
    }
    rows = writer.rows();
    without = writer.without_evidence();
  });
  // The answers may go to the standard output: what is said about them goes elsewhere then.
  std::FILE* report = is_stream(arguments.output) ? stderr : stdout;
  const bool converged = model.info().stop_reason == "converged";
  if (arguments.common.json) {
    nlohmann::json document{{"output", arguments.output},
                            {"model", arguments.model},
                            {"samples", rows},
                            {"setting", seen ? "transductive" : "inductive"},
                            {"without_evidence", without},
                            {"outputs", output_names(model.decision())},
                            {"model_converged", converged}};
    fmt::print(report, "{}\n", document.dump(2));
  } else {
    std::vector<std::pair<std::string, std::string>> fields{
        {"model", fmt::format("{}, {}, {} (fitted on {} samples, {} labelled)", model.info().method,
                              model.info().transform, model.info().kernel,
                              with_commas(model.size()), with_commas(model.info().labeled))},
        {"samples", fmt::format("{} {}", with_commas(rows), seen ? "fitted ones" : "new ones")}};
    if (without > 0) {
      fields.emplace_back("no evidence", fmt::format("{} of them: they get the prior, evidence = 0",
                                                     with_commas(without)));
    }
    fields.emplace_back("written", arguments.output);
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
  command->add_option("-o,--output", arguments->output, "CSV to write (required)")
      ->required()
      ->check(not_empty())
      ->option_text("OUT.csv");
  add_common_options(*command, arguments->common);
  command->footer(
      "The CSV has the columns index, prediction, evidence, and one score per class or target.\n"
      "evidence is 0 where nothing known reaches the sample; the prediction is then the most\n"
      "frequent class among the labelled samples, or the mean of the targets.\n"
      "New samples are read, predicted and written in parts: any number of them will do. A list "
      "of\n"
      "more than a million edges has to be sorted by the new node. Columns of a CSV file are "
      "matched\n"
      "to the model's features by name. -o /dev/stdout writes to the standard output.");
  return {command, [arguments] { return run_predict(*arguments); }};
}

}  // namespace stkr::app
