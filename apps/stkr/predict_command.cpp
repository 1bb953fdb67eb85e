#include "predict_command.hpp"

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
#include "estimator/answer_tally.hpp"
#include "file_roles.hpp"
#include "format/atomic_file.hpp"
#include "interrupt.hpp"
#include "json_text.hpp"
#include "prediction_writer.hpp"
#include "questions.hpp"
#include "report/fit_page.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"
#include "stkr/inference/inference.hpp"
#include "stkr/model/model.hpp"
#include "unreached_list.hpp"

namespace stkr::app {
namespace {

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
          .deviations = arguments.uncertainty,
          .copied = output.copied,
          .threads = arguments.common.threads};
}

// Of the k-th sample of a part, for pictures.
std::function<Vector(Index)> features_of(const NewSamples& part,
                                         const PredictArguments& arguments) {
  const auto* points = std::get_if<Matrix>(&part.data);
  if (!points || arguments.html.image.empty()) return {};
  return [points](Index k) { return Vector(points->row(k).transpose()); };
}

WrittenPredictions predict_new(const Model& model, const PredictArguments& arguments,
                               Certainty* certainty, report::AnswerSummary& summary,
                               const Output& output, const SharedStream* shared) {
  ProgressBar bar(arguments.common.verbosity, arguments.common.json);
  try {
    NewSampleStream stream(arguments.fresh, model);
    WrittenPredictions written;
    const AnswerLayout layout = layout_of(model, arguments, output, stream.id_column());
    write_answers(output.path, layout, output.memory, [&](AnswerWriter& answers) {
      PredictionWriter writer(answers, !arguments.unreached.empty());
      if (shared) shared->begin();
      Index parts = 0;
      for (NewSamples part = stream.next(); part.count() > 0; part = stream.next(), ++parts) {
        bar.update({"predicting", std::llround(1000.0 * stream.progress()), 1000});
        if (interrupt_token().stop_requested()) throw Cancelled("interrupted");
        const Predictions predictions =
            shared ? shared->predict(model, part, parts) : model.predict(part);
        writer.write(predictions, stream.names(), {},
                     certainty ? certainty->of_new(part, predictions.scores) : CertaintyRows());
        summary.add(predictions, stream.names(), {}, features_of(part, arguments));
      }
      written = writer.written();
    });
    for (const std::string& warning : stream.warnings()) warn(warning);
    if (stream.duplicates() > 0) {
      note(fmt::format("{}: {}", arguments.fresh.samples,
                       duplicates_note(arguments.fresh.duplicates, stream.duplicates(), 0)));
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
    throw DataError(fmt::format("{}: {}", arguments.fresh.samples, error.what()));
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
                                  Certainty* certainty, report::AnswerSummary& summary,
                                  const Output& output) {
  constexpr Index kPart = 4096;
  const std::span<const std::string> names = model.info().sample_names;
  const std::vector<char> wanted = wanted_samples(model, arguments);
  std::vector<char> labeled(static_cast<std::size_t>(model.size()), 0);
  for (const Index i : labeled_samples(model)) labeled[static_cast<std::size_t>(i)] = 1;
  if (certainty) {
    std::vector<Index> asked;
    for (Index i = 0; i < model.size(); ++i) {
      if (wanted.empty() || wanted[static_cast<std::size_t>(i)]) asked.push_back(i);
    }
    certainty->prepare(asked);
  }
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
      writer.write(predictions, part(names), part(wanted),
                   certainty ? certainty->of_known(first, predictions.scores) : CertaintyRows());
      summary.add(predictions, part(names), part(labeled));
    }
    written = writer.written();
  });
  return written;
}

// The AnnData file that the output copies: --copy, NEW, or the file that the model was fitted on.
std::string copied_file(const PredictArguments& arguments, const Model& model) {
  std::string source = arguments.copied;
  if (source.empty()) source = arguments.fresh.samples;
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
  if (arguments.jackknife_plus && std::holds_alternative<ClassDecision>(model.decision())) {
    throw CLI::ValidationError("--jackknife-plus",
                               "the model predicts classes; --coverage alone gives sets of them");
  }
  if (arguments.output.ends_with(".h5ad")) {
    throw CLI::ValidationError("--coverage",
                               "sets and intervals are written to .csv, .tsv, .npz and .jsonl");
  }
  Index labels = 0;
  if (const auto* classes = std::get_if<ClassDecision>(&model.decision())) {
    if (classes->calibration) labels = static_cast<Index>(classes->calibration->conformity.size());
  } else {
    labels = arguments.jackknife_plus
                 ? model.info().labeled
                 : std::get<TargetDecision>(model.decision()).left_out_residuals.rows();
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

// How the intervals of numbers are made; empty if there are none.
std::string interval_kind(const PredictArguments& arguments, const Model& model) {
  if (!arguments.coverage || std::holds_alternative<ClassDecision>(model.decision())) return "";
  return arguments.jackknife_plus ? "jackknife+" : "jackknife";
}

}  // namespace

int run_predict(PredictArguments& arguments, const CLI::App& command, const SharedStream* shared) {
  check_predict_options(arguments);
  const std::optional<report::PictureShape> picture = picture_of(arguments.html);
  arguments.fresh.samples = input_path(arguments.fresh.samples);
  arguments.output = output_path(arguments.output);
  arguments.unreached = output_path(arguments.unreached);
  Output output{.path = arguments.output,
                .format = answer_format(arguments.output, arguments.fresh.format.output)};
  FileRoles files;
  files.reads("MODEL", arguments.model);
  files.reads("NEW", arguments.fresh.samples);
  files.reads("--features", arguments.fresh.features);
  files.writes("--output", arguments.output);
  files.writes("--list-unreached", arguments.unreached);
  files.writes("--html", arguments.html.file);
  files.check();
  arguments.common.threads = reserve_blas_buffers(arguments.common.threads);
  const bool seen = arguments.fresh.samples.empty();
  const std::uint64_t memory = allowed_memory(arguments.memory);
  output.memory =
      memory - check_predicting(arguments.model, arguments.fresh.samples,
                                input_format(arguments.fresh.format, arguments.fresh.samples),
                                memory);
  const auto load =
      seen ? &Model::load_for_known
           : static_cast<Model (*)(const std::filesystem::path&, int, const Device&)>(&Model::load);
  const Model model = load(arguments.model, arguments.common.threads, arguments.common.device);
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
  const Answered answered = answer_questions(arguments, model);
  Certainty* certainty = answered.certainty.get();
  report::AnswerSummary answers(model.decision(), arguments.html.given() ? 24 : 0);
  WrittenPredictions written;
  if (!arguments.output.empty()) {
    written = seen ? predict_fitted(model, arguments, certainty, answers, output)
                   : predict_new(model, arguments, certainty, answers, output, shared);
  }
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
                                         seen ? "the fitted samples" : arguments.fresh.samples),
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
    if (arguments.output.empty()) {
      document = {{"model", arguments.model}, {"model_converged", converged}};
    }
    if (arguments.uncertainty) document["deviation_error"] = certainty->relative_error();
    if (const std::string kind = interval_kind(arguments, model); !kind.empty()) {
      document["intervals"] = kind;
    }
    if (answered.explanation) {
      document["explanation"] = explanation_json(*answered.explanation, model, *answered.refitted);
    }
    if (!arguments.unreached.empty()) document["unreached"] = arguments.unreached;
    if (arguments.html.given()) document["html"] = arguments.html.file;
    print_report(arguments.output, json_text(document) + "\n");
  } else if (arguments.common.verbosity != Verbosity::quiet) {
    std::vector<std::pair<std::string, std::string>> fields{
        {"model", fmt::format("{}, {}, {} (fitted on {} samples, {} labeled)", model.info().method,
                              model.info().transform, model.info().kernel,
                              with_commas(model.size()), with_commas(model.info().labeled))}};
    if (!arguments.output.empty()) {
      fields.emplace_back("samples",
                          fmt::format("{} {}", with_commas(written.rows), seen ? "fitted" : "new"));
    }
    if (arguments.uncertainty) {
      fields.emplace_back("deviations",
                          certainty->relative_error() > 0.0
                              ? fmt::format("estimated, with a standard error of {:.1f} %",
                                            100.0 * certainty->relative_error())
                              : "exact");
    }
    if (const std::string kind = interval_kind(arguments, model); !kind.empty()) {
      fields.emplace_back("intervals", kind);
    }
    if (written.without_evidence > 0) {
      fields.emplace_back("no evidence",
                          describe_without_evidence(written.without_evidence, written.tied));
    }
    if (!arguments.output.empty()) fields.emplace_back("written", arguments.output);
    if (!arguments.unreached.empty()) fields.emplace_back("unreached", arguments.unreached);
    if (arguments.html.given()) fields.emplace_back("page", arguments.html.file);
    std::string text = format_fields(fields);
    if (answered.explanation) {
      text += "\n" + explanation_text(*answered.explanation, model, *answered.refitted);
    }
    print_report(arguments.output, text);
  }
  for (const std::string& warning : warnings) warn(warning);
  if (!converged) {
    warn(fmt::format("the model's fit did not converge ({})", model.info().stop_reason));
  }
  return kDone;
}

Command add_predict_command(CLI::App& app) {
  auto arguments = std::make_shared<PredictArguments>();
  CLI::App* command =
      app.add_subcommand("predict", "Predict the training samples of a model, or new samples");
  add_predict_options(*command, *arguments);
  return {command, [arguments, command] { return run_predict(*arguments, *command); }};
}

}  // namespace stkr::app
