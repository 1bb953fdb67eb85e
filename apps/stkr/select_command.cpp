#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "blas_threads.hpp"
#include "cli.hpp"
#include "command.hpp"
#include "data_summary.hpp"
#include "help_formatter.hpp"
#include "interrupt.hpp"
#include "reading_watch.hpp"
#include "refit.hpp"
#include "repeat_command.hpp"
#include "select_options.hpp"
#include "select_request.hpp"
#include "selection_output.hpp"
#include "selection_pages.hpp"
#include "selection_report.hpp"
#include "standard_input.hpp"
#include "standard_streams.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "stkr/selection/select_model.hpp"

namespace stkr::app {
namespace {

using nlohmann::json;

// The samples with the labels that selection may see, and the split.
Dataset load_samples(const SelectArguments& arguments, ValidationSpec& validation,
                     ProgressBar& bar) {
  Dataset dataset = read_dataset(arguments.input, arguments.load, bar);
  if (!arguments.split.empty()) {
    dataset.labels = dataset.truth;  // the split determines what is hidden
    validation.split = load_split(arguments.split, dataset.size());
  } else if (arguments.per_class > 0) {
    const auto* classes = std::get_if<ClassLabels>(&dataset.labels);
    if (!classes) throw ParameterError("--per-class needs class labels in the data");
    keep_only(dataset.labels,
              labeled_per_class(*classes, arguments.per_class, arguments.common.seed));
  }
  for (const std::string& text : dataset.notes) note(text);
  expect_labels(dataset, arguments.input);
  return dataset;
}

// Fits the choice and writes it. Returns whether the fit converged.
bool write_model(const SelectArguments& arguments, Dataset dataset, const Context& context,
                 SelectionReport& report) {
  const std::string& output = arguments.output;
  const std::optional<report::PictureShape> picture = picture_of(arguments.html);
  const SharedMatrix shown = pictured_points(picture, dataset);
  const Labels labels = dataset.labels, truth = dataset.truth;
  FittedModel fitted = fit_selected(report.result, std::move(dataset), context);
  // No option of fit says which samples of a split are labeled.
  if (const Selection& first = report.result.selections.front().second; arguments.split.empty()) {
    record_fit(fitted.model,
               repeat_words(*report.command, fit_words(report, first, first.scores[*first.best()])),
               output);
  }
  fitted.model.save(output);
  for (const std::string& warning : fitted.summary.warnings) {
    report.result.selections.front().second.warnings.push_back("the chosen model: " + warning);
  }
  report.model = output;
  if (arguments.html.given()) {
    add_fit_page({.fitted = fitted,
                  .model = fitted.model,
                  .reach = fitted.reach,
                  .labels = labels,
                  .truth = truth,
                  .features = picture ? &shown : nullptr,
                  .picture = picture},
                 report);
  }
  return fitted.summary.solve.converged();
}

int run_select(SelectArguments& arguments, const CLI::App& command) {
  SelectRequest request = select_request(arguments);
  arguments.input = input_path(arguments.input);
  arguments.common.threads = reserve_blas_buffers(arguments.common.threads);
  Context context = context_of(arguments.common, allowed_memory(arguments.memory));
  check_select_files(arguments);
  check_reading(arguments.input, arguments.load, context.memory);
  ProgressBar bar(arguments.common.verbosity, arguments.common.json);
  Dataset dataset = load_samples(arguments, request.validation, bar);
  SelectionReport report;
  report.data = describe_dataset(dataset);
  report.name = dataset.name;
  report.seed = arguments.common.seed;
  report.command = &command;
  report.ways = request.options.class_mass == ClassMassChoice::both ? 2 : 1;
  const json data_json = dataset_json(dataset);
  const std::vector<std::string> notes = dataset.notes;
  check_folds(arguments, static_cast<Index>(labeled_indices(dataset.labels).size()),
              request.validation);
  pictured_points(picture_of(arguments.html), dataset);  // before the work

  context.progress = [&](const Progress& progress) { bar.update(progress); };
  const auto& split = request.validation.split;
  KeptState state(arguments.checkpoint, command, dataset, {},
                  split ? "; split " + split_checksum(*split) : "");
  context.saved = state.get();
  report.result = select_model(dataset, request.spec, request.kernels, request.validation,
                               request.options, context);
  name_kernels(dataset.kind(), !request.kernels.empty(), report);
  const bool converged =
      arguments.output.empty() || write_model(arguments, std::move(dataset), context, report);
  bar.clear();
  state.finish();
  if (arguments.html.given()) write_selection_page(arguments, command, report);
  return report_selection(arguments, report, converged, data_json, notes);
}

}  // namespace

Command add_select_command(CLI::App& app) {
  auto arguments = std::make_shared<SelectArguments>();
  CLI::App* command = app.add_subcommand(
      "select", "Choose transform, parameter and ridge for your data from a whole grid");
  add_select_options(*command, *arguments);
  show_first(*command,
             {"--output", "--labels", "--labeled", "--per-class", "--task", "--kernel", "--kernels",
              "--length-scales", "--families", "--ridges", "--folds", "--leave-one-out", "--split",
              "--score", "--top", "--plot", "--html", "--json"});
  command->footer(
      "Examples:\n"
      "  stkr select digits --per-class 10 -o model.npz\n"
      "  stkr select graph.npz --split split.npz --kernel symmetric --json\n"
      "  stkr select digits --per-class 10 --leave-one-out --families inverse-laplacian,power\n"
      "  stkr select karate --folds 4 --ridges 1,0.1,0.01 --plot scores.svg\n"
      "  stkr select digits --per-class 10 --kernels rbf,laplacian --length-scales 0.5x,1x,2x\n"
      "  stkr select graph.npz --features table.csv --mixes 0,0.25,0.5,0.75,1\n"
      "  stkr select graph.npz --features words.npz --smoothings 0,1,2,4");
  return {command, [arguments, command] { return run_select(*arguments, *command); }};
}

}  // namespace stkr::app
