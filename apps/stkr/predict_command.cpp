#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "console.hpp"
#include "interrupt.hpp"
#include "memory_option.hpp"
#include "stkr/dataset/atomic_file.hpp"
#include "stkr/dataset/load_dataset.hpp"
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

void write_predictions(const std::string& path, const Decision& decision,
                       const Predictions& predictions) {
  write_atomically(path, [&](FileSink& sink) {
    std::string line = "index,prediction,evidence";
    for (const std::string& name : output_names(decision)) line += "," + field("score_" + name);
    sink.write(line + "\n");
    for (Index i = 0; i < predictions.scores.rows(); ++i) {
      line = fmt::format("{},{},{}", i, answer(decision, predictions, i),
                         static_cast<int>(predictions.evidence[i]));
      for (const double score : predictions.scores.row(i)) line += fmt::format(",{}", score);
      sink.write(line + "\n");
    }
  });
}

// One part for each kernel that the model adds up: points are in NEW, or beside the edges there.
NewSamples load_new_samples(const PredictArguments& arguments, const Model& model) {
  const std::string& kinds = model.info().samples;  // "graph+points", say
  const bool graph = kinds.find("graph") != std::string::npos;
  const bool points = kinds.find("points") != std::string::npos;
  if (graph && points && arguments.features.empty()) {
    throw DataError(fmt::format(
        "{}: the model takes edges and features of new nodes; give the features with --features",
        arguments.samples));
  }
  if (!(graph && points) && !arguments.features.empty()) {
    throw DataError(fmt::format("{}: the model takes {} alone, so --features has no use",
                                arguments.features, graph ? "edges" : "features, as NEW,"));
  }
  Matrix values;
  if (points || !graph) {
    values =
        load_points(graph ? arguments.features : arguments.samples, {.features = model.features()})
            .values;
  }
  CsrMatrix edges;
  if (graph) {
    edges = load_new_edges(arguments.samples, model.size(),
                           points ? std::optional(values.rows()) : std::nullopt);
    if (points && edges.rows != values.rows()) {
      throw DataError(fmt::format("{}: has features of {} new nodes, but {} has the edges of {}",
                                  arguments.features, values.rows(), arguments.samples,
                                  edges.rows));
    }
  }
  if (kinds == "graph") return {std::move(edges)};
  if (kinds.find('+') == std::string::npos) return {std::move(values)};
  std::vector<NewSamples> parts;
  for (const std::string& kind : CLI::detail::split(kinds, '+')) {
    parts.push_back(kind == "graph" ? NewSamples{edges} : NewSamples{values});
  }
  return {std::move(parts)};
}

// Part by part, so that a long prediction shows where it is and can be interrupted.
Predictions predict_in_parts(const Model& model, const NewSamples& samples, bool show) {
  constexpr Index kPart = 4096;
  ProgressBar bar(1.0, show);
  Predictions all;
  all.scores.resize(samples.count(), model.outputs());
  for (Index first = 0; first < samples.count(); first += kPart) {
    bar.update("predict", first, samples.count());
    if (interrupt_token().stop_requested()) throw Cancelled("interrupted");
    const Index count = std::min(kPart, samples.count() - first);
    const Predictions part = model.predict(samples.slice(first, count));
    all.scores.middleRows(first, count) = part.scores;
    all.evidence.insert(all.evidence.end(), part.evidence.begin(), part.evidence.end());
    all.class_index.insert(all.class_index.end(), part.class_index.begin(), part.class_index.end());
  }
  return all;
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
  Predictions predictions;
  try {
    predictions =
        seen ? model.predict()
             : predict_in_parts(model, load_new_samples(arguments, model), !arguments.common.json);
  } catch (const DataError&) {
    throw;  // names the file already
  } catch (const Error& error) {
    throw DataError(fmt::format("{}: {}", arguments.samples, error.what()));
  }
  if (interrupt_token().stop_requested()) throw Cancelled("interrupted");
  write_predictions(arguments.output, model.decision(), predictions);
  if (!arguments.unreached.empty()) write_unreached(arguments.unreached, predictions.evidence);

  const Index rows = predictions.scores.rows();
  const Index without = std::count(predictions.evidence.begin(), predictions.evidence.end(), 0);
  const bool converged = model.info().stop_reason == "converged";
  if (arguments.common.json) {
    nlohmann::json document{{"output", arguments.output},
                            {"model", arguments.model},
                            {"samples", rows},
                            {"setting", seen ? "transductive" : "inductive"},
                            {"without_evidence", without},
                            {"outputs", output_names(model.decision())},
                            {"model_converged", converged}};
    if (!arguments.unreached.empty()) document["unreached"] = arguments.unreached;
    fmt::print("{}\n", document.dump(2));
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
    if (!arguments.unreached.empty()) fields.emplace_back("unreached", arguments.unreached);
    fmt::print("{}", format_fields(fields));
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
      "The CSV has the columns index, prediction, evidence, and one score per class or target.\n"
      "evidence is 0 where nothing known reaches the sample; the prediction is then the class\n"
      "with the largest prior (the most frequent label), or the mean of the targets.");
  return {command, [arguments] { return run_predict(*arguments); }};
}

}  // namespace stkr::app
