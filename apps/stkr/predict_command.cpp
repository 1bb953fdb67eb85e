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
#include "dataset/listed_edges.hpp"
#include "dataset/new_edges.hpp"
#include "dataset/point_stream.hpp"
#include "estimator/answer_tally.hpp"
#include "file_roles.hpp"
#include "format/atomic_file.hpp"
#include "html_option.hpp"
#include "interrupt.hpp"
#include "json_text.hpp"
#include "load_options.hpp"
#include "memory_option.hpp"
#include "prediction_writer.hpp"
#include "report/fit_page.hpp"
#include "standard_input.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"
#include "stkr/inference/jackknife.hpp"
#include "stkr/model/model.hpp"
#include "unreached_list.hpp"

namespace stkr::app {
namespace {

struct PredictArguments {
  std::string model;
  std::string samples;
  std::string features;  // of new nodes, for models with a kernel of features
  std::string output;
  FormatOptions format;
  bool probabilities = false;
  std::optional<double> coverage;  // of prediction sets or intervals
  std::string only = "all";
  std::string copied;     // the AnnData file that an .h5ad output copies; may be empty
  std::string key;        // of points in AnnData
  std::string unreached;  // file for samples without evidence; may be empty
  DuplicateEdges duplicates = DuplicateEdges::largest;
  HtmlOption html;
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
        edges_path_(arguments.samples),
        encoding_(model.info().encoding ? &*model.info().encoding : nullptr) {
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
      edges_ = open_new_edges(arguments.samples, model.size(),
                              {.known_names = model.info().sample_names,
                               .numbered = !arguments.features.empty(),
                               .format = input_format(arguments.format, arguments.samples),
                               .duplicates = arguments.duplicates});
    }
    if (!graph || both) {
      points_path_ = both ? arguments.features : arguments.samples;
      const std::string format = both ? "" : input_format(arguments.format, arguments.samples);
      points_ = open_points(points_path_, {.format = format,
                                           .key = arguments.key,
                                           .features = model.features(),
                                           .feature_names = model.info().feature_names,
                                           .encoding = encoding_});
      match_features(model);
    }
  }

  NewSamples next() {
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

  // What the names of the new samples are called, empty if they have none; the names of the last
  // part.
  std::string id_column() const {
    if (edges_) return edges_->has_names() ? "node" : "";
    return points_->id_column();
  }
  std::span<const std::string> names() const {
    if (edges_) return edges_->has_names() ? edges_->names() : std::span<const std::string>();
    return points_->ids();
  }

  std::vector<std::string> warnings() const {
    return points_ ? points_->warnings() : std::vector<std::string>();
  }

  Index duplicates() const { return edges_ ? edges_->duplicates() : 0; }

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
  const TableEncoding* encoding_;
  std::unique_ptr<NewEdgeStream> edges_;
  std::unique_ptr<PointStream> points_;
  std::vector<Index> order_;
  Index nodes_ = 0;  // whose features have been read
};

// Memory left for what is not written at once.
struct Output {
  std::string path;
  AnswerFormat format = AnswerFormat::csv;
  std::string copied = {};  // the AnnData file, for .h5ad
  std::uint64_t memory = 0;
};

AnswerLayout layout_of(const Model& model, const PredictArguments& arguments, const Output& output,
                       const std::string& name_column) {
  return {.decision = model.decision(),
          .format = output.format,
          .name_column = name_column,
          .probabilities = arguments.probabilities,
          .coverage = arguments.coverage,
          .copied = output.copied};
}

// Of the k-th sample of a part, for pictures.
std::function<Vector(Index)> features_of(const NewSamples& part,
                                         const PredictArguments& arguments) {
  const auto* points = std::get_if<Matrix>(&part.data);
  if (!points || arguments.html.image.empty()) return {};
  return [points](Index k) { return Vector(points->row(k).transpose()); };
}

WrittenPredictions predict_new(const Model& model, const PredictArguments& arguments,
                               report::AnswerSummary& summary, const Output& output) {
  ProgressBar bar(arguments.common.verbosity, arguments.common.json);
  try {
    SampleStream stream(arguments, model);
    WrittenPredictions written;
    const AnswerLayout layout = layout_of(model, arguments, output, stream.id_column());
    write_answers(output.path, layout, output.memory, [&](AnswerWriter& answers) {
      PredictionWriter writer(answers, !arguments.unreached.empty());
      for (NewSamples part = stream.next(); part.count() > 0; part = stream.next()) {
        bar.update({"predicting", std::llround(1000.0 * stream.progress()), 1000});
        if (interrupt_token().stop_requested()) throw Cancelled("interrupted");
        const Predictions predictions = model.predict(part);
        writer.write(predictions, stream.names());
        summary.add(predictions, stream.names(), {}, features_of(part, arguments));
      }
      written = writer.written();
    });
    for (const std::string& warning : stream.warnings()) warn(warning);
    if (stream.duplicates() > 0) {
      note(fmt::format("{}: {}", arguments.samples,
                       duplicates_note(arguments.duplicates, stream.duplicates(), 0)));
    }
    return written;
  } catch (const DataError&) {
    throw;  // already names the file
  } catch (const Cancelled&) {
    throw;
  } catch (const WriteError&) {
    throw;
  } catch (const MemoryError&) {
    throw;
  } catch (const Error& error) {
    throw DataError(fmt::format("{}: {}", arguments.samples, error.what()));
  }
}

const std::vector<Index>& labeled_samples(const Model& model) {
  return std::visit([](const auto& d) -> const std::vector<Index>& { return d.labeled; },
                    model.decision());
}

// Which fitted samples --only selects; empty: all.
std::vector<char> wanted_samples(const Model& model, const PredictArguments& arguments) {
  if (arguments.only == "all") return {};
  const std::vector<Index>& labeled = labeled_samples(model);
  if (labeled.empty()) {
    throw DataError(fmt::format(
        "{}: the model does not list its labeled samples, because an earlier version wrote it; fit "
        "it again, or omit --only",
        arguments.model));
  }
  const bool with_label = arguments.only == "labeled";
  std::vector<char> wanted(static_cast<std::size_t>(model.size()), !with_label);
  for (const Index i : labeled) wanted[static_cast<std::size_t>(i)] = with_label;
  return wanted;
}

WrittenPredictions predict_fitted(const Model& model, const PredictArguments& arguments,
                                  report::AnswerSummary& summary, const Output& output) {
  constexpr Index kPart = 4096;
  const std::span<const std::string> names = model.info().sample_names;
  const std::vector<char> wanted = wanted_samples(model, arguments);
  std::vector<char> labeled(static_cast<std::size_t>(model.size()), 0);
  for (const Index i : labeled_samples(model)) labeled[static_cast<std::size_t>(i)] = 1;
  WrittenPredictions written;
  const AnswerLayout layout =
      layout_of(model, arguments, output, names.empty() ? "" : model.info().id_column);
  write_answers(output.path, layout, output.memory, [&](AnswerWriter& answers) {
    PredictionWriter writer(answers, !arguments.unreached.empty());
    for (Index first = 0; first < model.size(); first += kPart) {
      if (interrupt_token().stop_requested()) throw Cancelled("interrupted");
      const Index count = std::min(kPart, model.size() - first);
      const auto part = [&]<class Values>(const Values& values) {
        return std::span(values).subspan(values.empty() ? 0 : static_cast<std::size_t>(first),
                                         values.empty() ? 0 : static_cast<std::size_t>(count));
      };
      const Predictions predictions = model.predict(first, count);
      writer.write(predictions, part(names), part(wanted));
      summary.add(predictions, part(names), part(labeled));
    }
    written = writer.written();
  });
  return written;
}

void check_arguments(const PredictArguments& arguments) {
  if (arguments.samples.empty() && !arguments.features.empty()) {
    throw CLI::ValidationError("--features", "describes new nodes; also pass their edges");
  }
  if (!arguments.samples.empty() && arguments.only != "all") {
    throw CLI::ValidationError("--only", "applies to the fitted samples; new ones have no labels");
  }
  if (!arguments.copied.empty() && !arguments.output.ends_with(".h5ad")) {
    throw CLI::ValidationError("--copy", "needs an output that ends in .h5ad");
  }
}

// The AnnData file that the output copies: --copy, NEW, or the file that the model was fitted on.
std::string copied_file(const PredictArguments& arguments, const Model& model) {
  std::string source = arguments.copied;
  if (source.empty()) source = arguments.samples;
  if (source.empty()) source = model.info().anndata_file;
  std::error_code absent;
  if (source.empty() || !std::filesystem::exists(source, absent)) {
    throw CLI::ValidationError(
        "--output", fmt::format("an .h5ad file is a copy of the AnnData file that the predictions "
                                "are for{}; name it with --copy",
                                source.empty() ? "" : fmt::format(", and {} is missing", source)));
  }
  FileRoles files;
  files.reads("--copy", source);
  files.writes_file("--output", arguments.output);
  files.check();
  return source;
}

// The model must have left its labels out, and must have enough of them.
void check_coverage(const Model& model, const PredictArguments& arguments) {
  if (!arguments.coverage) return;
  if (arguments.output.ends_with(".h5ad")) {
    throw CLI::ValidationError("--coverage",
                               "sets and intervals are written to .csv, .tsv, .npz and .jsonl");
  }
  Index labels = 0;
  if (const auto* classes = std::get_if<ClassDecision>(&model.decision())) {
    if (classes->calibration) labels = static_cast<Index>(classes->calibration->conformity.size());
  } else {
    labels = std::get<TargetDecision>(model.decision()).left_out_residuals.rows();
  }
  if (labels == 0) {
    throw CLI::ValidationError(
        "--coverage", fmt::format("{} did not leave its labels out, from which sets and intervals "
                                  "are made; fit it again with --leave-one-out (STKR or kernel "
                                  "ridge regression, at most 2,000 labels, no sample weights)",
                                  arguments.model));
  }
  const double most = largest_interval_coverage(labels);
  if (*arguments.coverage > most) {
    throw CLI::ValidationError(
        "--coverage", fmt::format("{:g} needs at least {} labels, and the model has {}: it can "
                                  "give at most {:.4f}",
                                  *arguments.coverage,
                                  static_cast<Index>(
                                      std::ceil(*arguments.coverage / (1.0 - *arguments.coverage))),
                                  labels, std::floor(1e4 * most) / 1e4));
  }
}

int run_predict(PredictArguments& arguments, const CLI::App& command) {
  check_arguments(arguments);
  const std::optional<report::PictureShape> picture = picture_of(arguments.html);
  arguments.samples = input_path(arguments.samples);
  arguments.output = output_path(arguments.output);
  arguments.unreached = output_path(arguments.unreached);
  Output output{.path = arguments.output,
                .format = answer_format(arguments.output, arguments.format.output)};
  FileRoles files;
  files.reads("MODEL", arguments.model);
  files.reads("NEW", arguments.samples);
  files.reads("--features", arguments.features);
  files.writes("--output", arguments.output);
  files.writes("--list-unreached", arguments.unreached);
  files.writes("--html", arguments.html.file);
  files.check();
  arguments.common.threads = reserve_blas_buffers(arguments.common.threads);
  const bool seen = arguments.samples.empty();
  const std::uint64_t memory = allowed_memory(arguments.memory);
  output.memory =
      memory - check_predicting(arguments.model, arguments.samples,
                                input_format(arguments.format, arguments.samples), memory);
  const Model model = Model::load(arguments.model, arguments.common.threads);
  if (arguments.probabilities && !std::holds_alternative<ClassDecision>(model.decision())) {
    throw CLI::ValidationError("--proba",
                               "the model predicts numbers; probabilities are for classes");
  }
  check_coverage(model, arguments);
  if (output.format == AnswerFormat::h5ad) output.copied = copied_file(arguments, model);
  if (picture && (seen || !model.features())) {
    throw CLI::ValidationError("--image", "needs new samples that are points");
  }
  if (picture) check_image(picture, *model.features());
  report::AnswerSummary answers(model.decision(), arguments.html.given() ? 24 : 0);
  const WrittenPredictions written = seen ? predict_fitted(model, arguments, answers, output)
                                          : predict_new(model, arguments, answers, output);
  if (!arguments.unreached.empty()) {
    write_unreached(arguments.unreached, written.unreached,
                    written.unreached_names.empty() ? "" : model.info().id_column,
                    written.unreached_names);
  }
  const std::vector<std::string> warnings = written.tally.warnings("samples", model.decision());
  const bool converged = model.info().stop_reason == "converged";
  if (arguments.html.given()) {
    write_page(arguments.html,
               report::prediction_page(
                   {.title = fmt::format("Predictions for {}",
                                         seen ? "the fitted samples" : arguments.samples),
                    .model = model,
                    .answers = answers,
                    .warnings = warnings,
                    .picture = picture,
                    .repeat = {{"Command", typed_command(command)}}}));
  }
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
    if (arguments.html.given()) document["html"] = arguments.html.file;
    print_report(arguments.output, json_text(document) + "\n");
  } else if (arguments.common.verbosity != Verbosity::quiet) {
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
    if (arguments.html.given()) fields.emplace_back("page", arguments.html.file);
    print_report(arguments.output, format_fields(fields));
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
          "known); for a precomputed kernel, its rows; - is standard input. Default: the fitted "
          "samples")
      ->check(not_empty())
      ->option_text(" ");
  command
      ->add_option("--features", arguments->features,
                   "Features of the new nodes, as points in any format, for graph models with an "
                   "added kernel of node features")
      ->check(not_empty())
      ->option_text("FILE");
  command
      ->add_option("-o,--output", arguments->output,
                   "File to write: .csv, .tsv, .npz, .jsonl (JSON lines), or .h5ad (a copy of an "
                   "AnnData file with the predictions); - is standard output "
                   "(required)")
      ->required()
      ->check(not_empty())
      ->option_text("FILE");
  command
      ->add_flag(
          "--proba,--probabilities", arguments->probabilities,
          "Also write class probabilities: calibrated on labels left out, if the fit did so, "
          "else shares of the positive scores; the prior if no label reaches the sample")
      ->option_text(" ");
  command
      ->add_option("--coverage", arguments->coverage,
                   "Also write the classes that are plausible (set_CLASS is 1), or an interval for "
                   "each number, so that the truth is among them with about this probability: "
                   "0.9, say. From labels left out; none is set aside. A set may be empty")
      ->check(CLI::Range(1e-6, 1.0 - 1e-9))
      ->option_text("SHARE");
  command
      ->add_option("--only", arguments->only,
                   "Fitted samples to write: unlabeled, labeled or all (default)")
      ->transform(one_of({"all", "unlabeled", "labeled"}))
      ->option_text("WHICH");
  add_format_options(*command, arguments->format, "csv, tsv, npz, jsonl or h5ad");
  command->get_option("--format")->transform(one_of(answer_format_names()));
  command
      ->add_option("--list-unreached", arguments->unreached,
                   "Write a CSV of the samples without evidence")
      ->check(not_empty())
      ->option_text("FILE");
  command
      ->add_option("--copy", arguments->copied,
                   "AnnData: the file that -o OUT.h5ad copies and adds predictions to, as columns "
                   "of obs (default: NEW, or the file that the model was fitted on)")
      ->check(not_empty())
      ->option_text("FILE.h5ad");
  command->add_option("--key", arguments->key, "AnnData: points of NEW in obsm (default: X_pca)")
      ->check(not_empty())
      ->option_text("KEY");
  add_duplicates_option(*command, arguments->duplicates);
  add_html_option(*command, arguments->html);
  add_memory_option(*command, arguments->memory);
  add_common_options(*command, arguments->common);
  command->footer(
      "The columns are index, the name of the sample (if it has one), prediction, evidence, tie\n"
      "(for classes), and one score per class or target. evidence is 0 if no label reaches it;\n"
      "the prediction is then the class with the largest prior (the most frequent label), or the\n"
      "constant of a regression. Ties in the prior are broken by the nearest labeled sample;\n"
      "without a distance, tie is 1, and the first of the tied classes is written. New samples\n"
      "are read, predicted and written in parts, so their number is not limited. An edge list\n"
      "names nodes as the training data did: known nodes by their names, if they had any, and new\n"
      "nodes by other names. An edge list of more than a million edges must be sorted by the new\n"
      "node. Columns of a CSV file are matched to the model's features by name.\n"
      "\n"
      "Examples:\n"
      "  stkr predict model.npz -o answers.csv --only unlabeled --proba\n"
      "  stkr predict model.npz new.csv -o answers.jsonl --coverage 0.9\n"
      "  cat new.csv | stkr predict model.npz - --format csv -o - | head\n"
      "  stkr score answers.csv truth.csv");
  return {command, [arguments, command] { return run_predict(*arguments, *command); }};
}

}  // namespace stkr::app
