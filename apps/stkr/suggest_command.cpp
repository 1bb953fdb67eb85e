#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "blas_threads.hpp"
#include "cli.hpp"
#include "command.hpp"
#include "console.hpp"
#include "dataset/csv.hpp"
#include "fit_report.hpp"
#include "format/atomic_file.hpp"
#include "json_text.hpp"
#include "refit.hpp"
#include "standard_input.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"
#include "stkr/inference/inference.hpp"

namespace stkr::app {
namespace {

struct SuggestArguments {
  std::string model;
  std::string data;
  std::string output;  // may be empty
  Index count = 10;
  std::string criterion = "error";
  MemoryOption memory;
  CommonOptions common;
};

// The table of the suggestions; numbers in full for files.
std::vector<std::vector<std::string>> suggestion_rows(const std::vector<Suggestion>& suggested,
                                                      const Model& model, bool in_full) {
  const ModelInfo& info = model.info();
  const bool named = !info.sample_names.empty();
  const auto* classes = std::get_if<ClassDecision>(&model.decision());
  std::vector<std::vector<std::string>> rows{{"index"}};
  if (named) rows.front().push_back(info.id_column);
  if (classes) rows.front().emplace_back("prediction");
  rows.front().insert(rows.front().end(), {"reduction", "variance"});
  for (const Suggestion& one : suggested) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(std::to_string(one.sample));
    if (named) row.push_back(info.sample_names[static_cast<std::size_t>(one.sample)]);
    if (classes) row.push_back(classes->names[static_cast<std::size_t>(one.predicted)]);
    for (const double value : {one.reduction, one.variance}) {
      row.push_back(in_full ? fmt::format("{}", value) : fmt::format("{:.3g}", value));
    }
  }
  return rows;
}

void write_suggestions(const std::string& path, const std::vector<std::vector<std::string>>& rows) {
  write_atomically(path, [&](FileSink& sink) {
    for (const std::vector<std::string>& row : rows) {
      std::string line;
      for (const std::string& cell : row) line += (line.empty() ? "" : ",") + csv_field(cell);
      sink.write(line + "\n");
    }
  });
}

int run_suggest(SuggestArguments& arguments) {
  arguments.output = output_path(arguments.output);
  arguments.common.threads = reserve_blas_buffers(arguments.common.threads);
  check_predicting(arguments.model, "", "", allowed_memory(arguments.memory));
  const Model model =
      Model::load(arguments.model, arguments.common.threads, arguments.common.device);
  Refit refit(model, arguments.model, arguments.data, "suggest");
  FileRoles files;
  files.reads("MODEL", arguments.model);
  refit.add_files(files);
  files.writes("--output", arguments.output);
  files.check();
  const Index unlabeled = model.size() - model.info().labeled;
  if (unlabeled == 0) {
    throw DataError(
        fmt::format("{}: every sample is labeled; there is nothing to suggest", arguments.model));
  }
  if (arguments.count > unlabeled) {
    throw CLI::ValidationError("-n", fmt::format("{} given; expected 1 to {}, the samples without "
                                                 "a label",
                                                 arguments.count, unlabeled));
  }
  const Refitted refitted = refit.run(arguments.memory, arguments.common);
  SuggestOptions options{.count = arguments.count};
  if (arguments.criterion == "variance") options.criterion = SuggestionCriterion::variance;
  if (arguments.criterion == "survey") options.criterion = SuggestionCriterion::survey;
  const std::vector<Suggestion> suggested =
      suggest(*refitted.system, present_predictions(model.decision(), model.predict()), options,
              context_of(arguments.common));
  if (!arguments.output.empty()) {
    write_suggestions(arguments.output, suggestion_rows(suggested, model, /*in_full=*/true));
  }
  if (arguments.common.json) {
    nlohmann::json document{{"model", arguments.model},
                            {"criterion", arguments.criterion},
                            {"suggestions", suggestions_json(suggested, model)}};
    if (!arguments.output.empty()) document["output"] = arguments.output;
    print_report(arguments.output, json_text(document) + "\n");
  } else if (arguments.common.verbosity != Verbosity::quiet) {
    std::string text = format_table(suggestion_rows(suggested, model, /*in_full=*/false));
    if (!arguments.output.empty()) text += fmt::format("\nwritten  {}\n", arguments.output);
    print_report(arguments.output, text);
  }
  return kDone;
}

}  // namespace

Command add_suggest_command(CLI::App& app) {
  auto arguments = std::make_shared<SuggestArguments>();
  CLI::App* command = app.add_subcommand("suggest", "Suggest which samples to label next");
  command->add_option("MODEL", arguments->model, "Model written by stkr fit or stkr select")
      ->required()
      ->check(not_empty())
      ->option_text(" ");
  command->add_option("-n,--count", arguments->count, "Number of samples (default: 10)")
      ->check(at_least(1))
      ->option_text("N");
  command
      ->add_option(
          "--criterion", arguments->criterion,
          "What the labels should reduce most: error, the expected number of wrong classes "
          "(default; of numbers, the same as variance), variance, the sum of the "
          "variances of f over all samples, or survey, the variance of the sum, which "
          "prefers samples that represent many others")
      ->transform(one_of({"error", "variance", "survey"}))
      ->option_text("NAME");
  command->add_option("-o,--output", arguments->output, "Also write a CSV; - is standard output")
      ->check(not_empty())
      ->option_text("FILE");
  add_data_option(*command, arguments->data);
  add_memory_option(*command, arguments->memory);
  add_common_options(*command, arguments->common);
  command->footer(
      "Each suggestion takes all labels and the suggestions before it into account. reduction is\n"
      "the share of the criterion that its label takes away, variance that of f there, in units "
      "of\n"
      "K_s. The fit is repeated as the model says, because a model does not keep its kernel: the\n"
      "samples must be where they were, or be given with --data.\n"
      "\n"
      "Examples:\n"
      "  stkr suggest model.npz -n 20\n"
      "  stkr suggest model.npz --criterion survey -o next.csv\n"
      "  stkr suggest model.npz --data moved/table.csv --json");
  return {command, [arguments] { return run_suggest(*arguments); }};
}

}  // namespace stkr::app
