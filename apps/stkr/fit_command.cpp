#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "blas_threads.hpp"
#include "choice_json.hpp"
#include "cli.hpp"
#include "command.hpp"
#include "console.hpp"
#include "data_summary.hpp"
#include "file_roles.hpp"
#include "fit_options.hpp"
#include "fit_report.hpp"
#include "help_formatter.hpp"
#include "interrupt.hpp"
#include "json_text.hpp"
#include "refit.hpp"
#include "repeat_command.hpp"
#include "report/fit_page.hpp"
#include "specification_text.hpp"
#include "standard_input.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"
#include "stkr/plan/plan.hpp"
#include "stkr/selection/fit_automatic.hpp"
#include "time_estimate.hpp"
#include "transform_picture.hpp"
#include "unreached_list.hpp"

namespace stkr::app {
namespace {

using nlohmann::json;

// Errors of encode_targets concern the data: adds the file name to the message.
void check_labels(const Labels& labels, const DecisionOptions& decision, const std::string& input) {
  try {
    encode_targets(labels, decision);
  } catch (const ParameterError&) {
    throw;  // --prior and --class-mass
  } catch (const ValueError& error) {
    throw DataError(fmt::format("{}: {}", input, error.what()));
  }
}

// Samples to label next: what --suggest asks for.
std::vector<Suggestion> suggestions(const FitArguments& arguments, const FittedModel& result,
                                    const Predictions& fitted, const Context& context) {
  if (arguments.suggest == 0) return {};
  try {
    return suggest(*result.system, present_predictions(result.model.decision(), fitted),
                   {.count = arguments.suggest}, context.inner());
  } catch (const ValueError& error) {
    throw CLI::ValidationError("--suggest", error.what());
  }
}

int run_fit(FitArguments& arguments, const CLI::App& command) {
  arguments.unreached = output_path(arguments.unreached);
  Specification spec = fit_specification(arguments);
  arguments.input = input_path(arguments.input);
  FileRoles files;
  files.reads_dataset(arguments.input, arguments.load);
  files.writes_model("--output", arguments.output);
  files.writes("--list-unreached", arguments.unreached);
  files.writes("--plot-transform", arguments.plot);
  files.writes("--html", arguments.html.file);
  files.writes_file("--checkpoint", arguments.checkpoint.file);
  files.check();
  check_picture(arguments.plot, spec);
  if (arguments.suggest > 0 && !std::holds_alternative<StkrSpec>(spec.method) &&
      !std::holds_alternative<KernelRidgeSpec>(spec.method)) {
    throw CLI::ValidationError("--suggest",
                               "this method has no system of its labels; use stkr or kernel-ridge");
  }
  const std::optional<report::PictureShape> picture = picture_of(arguments.html);
  spec.diagnostics = arguments.html.given();
  spec.keep_system = arguments.suggest > 0;
  arguments.common.threads = reserve_blas_buffers(arguments.common.threads);
  Context context = context_of(arguments.common, allowed_memory(arguments.memory));
  const std::uint64_t reading = check_reading(arguments.input, arguments.load, context.memory);
  ProgressBar bar(arguments.common.verbosity, arguments.common.json);
  Dataset dataset = read_fit_samples(arguments, bar);
  const std::string data = describe_dataset(dataset);
  const json data_json = dataset_json(dataset);
  const std::vector<std::string> notes = dataset.notes;
  const DatasetKind kind = dataset.kind();
  for (const std::string& text : notes) note(text);
  expect_labels(dataset, arguments.input);
  check_labels(dataset.labels, spec.decision, arguments.input);

  const SharedMatrix shown = pictured_points(picture, dataset);
  const Plan plan = plan_fit(shape_of(dataset), planned_specification(dataset, spec), context);
  KeptState state(arguments.checkpoint, command, dataset, chosen_execution(plan));
  if (arguments.common.verbosity != Verbosity::quiet) {
    if (const auto hint = faster_kernel(plan.shape, spec, context)) note(*hint);
  }
  context.progress = [&](const Progress& progress) { bar.update(progress); };
  context.saved = state.get();
  AutomaticFit automatic = fit_automatic(dataset, spec, context);
  FittedModel& result = automatic.fitted;
  bar.clear();
  if (result.summary.solve.reason == StopReason::cancelled) throw Cancelled("interrupted");
  const std::vector<std::string> chosen =
      automatic.tried.empty() ? std::vector<std::string>() : option_words(automatic.spec);
  record_fit(result.model, repeat_words(command, chosen), arguments.output);
  result.model.save(arguments.output);
  state.finish();

  const Predictions fitted = result.model.predict();
  // The accuracy on samples with hidden labels, if any.
  const auto score = score_hidden(dataset.truth, dataset.labels, fitted);
  const Index without_evidence = std::count(fitted.evidence.begin(), fitted.evidence.end(), 0);
  const Index tied = std::count(fitted.tied.begin(), fitted.tied.end(), 1);
  if (!arguments.unreached.empty()) {
    list_unreached(arguments.unreached, fitted.evidence, result.model.info(), result.reach);
  }
  const std::string repeat =
      automatic.tried.empty() ? "" : repeat_command(command, chosen, arguments.output);
  if (!arguments.plot.empty()) draw_picture(arguments.plot, automatic);
  context.saved = nullptr;
  const std::vector<Suggestion> suggested = suggestions(arguments, result, fitted, context);
  if (arguments.html.given()) {
    report::Facts how{{"Command", typed_command(command)}};
    if (!repeat.empty()) how.emplace_back("Repeat it with", repeat);
    how.emplace_back("Model", arguments.output);
    write_page(arguments.html, report::fit_page({.data = data,
                                                 .model = result.model,
                                                 .record = report::record_of(automatic),
                                                 .labels = dataset.labels,
                                                 .truth = dataset.truth,
                                                 .features = picture ? &shown : nullptr,
                                                 .picture = picture,
                                                 .repeat = std::move(how)}));
  }
  const FitReport report{data,
                         automatic,
                         score,
                         without_evidence,
                         tied,
                         suggested,
                         repeat,
                         arguments.output,
                         arguments.unreached,
                         arguments.html.file};
  if (arguments.common.json) {
    json document = fit_json(report, kind, notes);
    document["data"] = data_json;
    document["planned_bytes"] =
        std::max({reading, plan.strategies[*plan.chosen].expected, automatic.planned_bytes});
    fmt::print("{}\n", json_text(document));
  } else if (arguments.common.verbosity != Verbosity::quiet) {
    print_fit_report(report);
  }
  if (!result.summary.solve.converged()) {
    say(fmt::format("did not converge ({}): {}; the model is written and marked",
                    to_string(result.summary.solve.reason), result.summary.solve.message));
    return kNotConverged;
  }
  return kDone;
}

}  // namespace

Command add_fit_command(CLI::App& app) {
  auto arguments = std::make_shared<FitArguments>();
  CLI::App* command =
      app.add_subcommand("fit", "Learn from labeled and unlabeled samples and write a model");
  add_fit_options(*command, *arguments);
  show_first(*command,
             {"--output", "--labels", "--labeled", "--per-class", "--task", "--kind", "--id",
              "--standardize", "--html", "--kernel", "--length-scale", "--neighbors", "--transform",
              "--eta", "--power", "--ridge", "--class-mass", "--memory", "--json"});
  command->footer(
      "Examples:\n"
      "  stkr fit digits -o model.npz --per-class 10\n"
      "  stkr fit graph.npz -o model.npz --labeled train_index.npy --eta 0.999 --beta 1e-3\n"
      "  stkr fit table.csv -o model.npz --labels outcome --id patient --standardize\n"
      "  stkr fit table.csv -o model.npz --labels price --task regression --kernel matern32\n"
      "  stkr fit digits -o model.npz --per-class 10 --power 8 --solver cg\n"
      "  stkr fit graph.npz -o model.npz --features table.csv --add-kernel rbf:0.5\n"
      "  stkr fit graph.npz -o model.npz --features words.npz --add-kernel cosine:1:smooth=2");
  return {command, [arguments, command] { return run_fit(*arguments, *command); }};
}

}  // namespace stkr::app
