#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli.hpp"
#include "command.hpp"
#include "console.hpp"
#include "interrupt.hpp"
#include "json_text.hpp"
#include "scored_answers.hpp"
#include "selection/answer_scores.hpp"
#include "standard_input.hpp"
#include "standard_streams.hpp"

namespace stkr::app {
namespace {

using nlohmann::json;

struct ScoreArguments {
  ScoreSources sources;
  std::string format;
  std::string task = "automatic";
  CommonOptions common;
};

using Fields = std::vector<std::pair<std::string, std::string>>;

std::string percent(double share) { return fmt::format("{:.2f}%", 100.0 * share); }

void add_classes(const ClassScores& scores, Fields& fields, json& document) {
  fields.emplace_back("accuracy", percent(scores.accuracy));
  fields.emplace_back("balanced accuracy", percent(scores.balanced_accuracy));
  fields.emplace_back("macro F1", percent(scores.macro_f1));
  if (scores.log_loss) fields.emplace_back("log loss", fmt::format("{:.4f}", *scores.log_loss));
  document["task"] = "classification";
  document["accuracy"] = scores.accuracy;
  document["balanced_accuracy"] = scores.balanced_accuracy;
  document["macro_f1"] = scores.macro_f1;
  if (scores.log_loss) document["log_loss"] = *scores.log_loss;
  document["classes"] = scores.classes;
  document["confusion"] = scores.confusion;
}

void add_targets(const TargetScores& scores, Fields& fields, json& document) {
  fields.emplace_back("R2", fmt::format("{:.4f}", scores.r2));
  fields.emplace_back("mean absolute error", fmt::format("{:.6g}", scores.mean_absolute_error));
  fields.emplace_back("root mean squared error",
                      fmt::format("{:.6g}", scores.root_mean_squared_error));
  document["task"] = "regression";
  document["r2"] = scores.r2;
  document["mean_absolute_error"] = scores.mean_absolute_error;
  document["root_mean_squared_error"] = scores.root_mean_squared_error;
}

// True classes down, predicted classes across.
std::string confusion_table(const ClassScores& scores) {
  constexpr std::size_t kMostClasses = 25;
  if (scores.classes.size() > kMostClasses) {
    return fmt::format("\nThe confusion matrix of {} classes is in --json.\n",
                       scores.classes.size());
  }
  std::vector<std::vector<std::string>> rows{{"true \\ predicted"}};
  for (const std::string& name : scores.classes) rows.front().push_back(name);
  for (std::size_t c = 0; c < scores.classes.size(); ++c) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(scores.classes[c]);
    for (const Index count : scores.confusion[c]) row.push_back(with_commas(count));
  }
  return "\n" + format_table(rows);
}

int run_score(ScoreArguments& arguments) {
  const EndsAtOnce on_interrupt;
  ScoreSources& sources = arguments.sources;
  if (sources.answers == "-" && sources.truth == "-") {
    throw CLI::ValidationError("TRUTH", "only one of ANSWERS and TRUTH can be standard input");
  }
  const std::string piped = arguments.format.empty() ? "csv" : arguments.format;
  if (sources.truth == "-") {
    sources.truth_format = piped;
  } else {
    sources.answers_format = sources.answers == "-" ? piped : arguments.format;
  }
  sources.answers = input_path(sources.answers);
  sources.truth = input_path(sources.truth);
  sources.task = arguments.task == "classification" ? Task::classification
                 : arguments.task == "regression"   ? Task::regression
                                                    : Task::automatic;
  const ScoredAnswers matched = match_answers(sources);
  Fields fields;
  json document{{"answers", sources.answers},
                {"truth", sources.truth},
                {"matched_by", matched.matched_by},
                {"notes", matched.notes}};
  std::string table;
  Index samples = 0;
  const Index predictions = sample_count(matched.truth);
  if (const auto* classes = std::get_if<ClassLabels>(&matched.truth)) {
    const ClassScores scores =
        score_classes(*classes, matched.predicted, matched.probabilities, matched.columns);
    samples = scores.samples;
    add_classes(scores, fields, document);
    table = confusion_table(scores);
  } else {
    const TargetScores scores =
        score_targets(std::get<TargetValues>(matched.truth), matched.values);
    samples = scores.samples;
    add_targets(scores, fields, document);
  }
  document["samples"] = samples;
  document["without_truth"] = predictions - samples;
  if (arguments.common.json) {
    fmt::print("{}\n", json_text(document));
    return kDone;
  }
  fields.insert(
      fields.begin(),
      {"samples", fmt::format("{} of {} predictions have a true label, matched by {}",
                              with_commas(samples), with_commas(predictions), matched.matched_by)});
  for (const std::string& text : matched.notes) note(text);
  fmt::print("{}{}", format_fields(fields), table);
  return kDone;
}

}  // namespace

Command add_score_command(CLI::App& app) {
  auto arguments = std::make_shared<ScoreArguments>();
  CLI::App* command =
      app.add_subcommand("score", "Compare predictions with the truth: how good are they");
  command
      ->add_option(
          "ANSWERS", arguments->sources.answers,
          "Predictions: a .csv, .tsv, .npz or .jsonl file of stkr predict, or another table "
          "with a column prediction; - is standard input")
      ->required()
      ->check(not_empty())
      ->option_text(" ");
  command
      ->add_option(
          "TRUTH", arguments->sources.truth,
          "True labels: a table (.csv, .tsv, .jsonl), an .npy array, or a data set that fit "
          "reads; samples without a label do not count")
      ->required()
      ->check(not_empty())
      ->option_text(" ");
  command
      ->add_option("--labels", arguments->sources.labels,
                   "Column or array of TRUTH (default: label, class, target or y)")
      ->check(not_empty())
      ->option_text("NAME");
  command
      ->add_option(
          "--id", arguments->sources.id,
          "Column of both that names the samples (default: that of ANSWERS, if TRUTH has it "
          "or a column id, node or name; else samples are matched by their number)")
      ->check(not_empty())
      ->option_text("COLUMN");
  command
      ->add_option("--prediction", arguments->sources.prediction,
                   "Column of ANSWERS (default: prediction)")
      ->check(not_empty())
      ->option_text("COLUMN");
  command
      ->add_option("--task", arguments->task,
                   "classification or regression (default: as ANSWERS are written)")
      ->transform(one_of({"automatic", "classification", "regression"}))
      ->option_text("TASK");
  command
      ->add_option("--format", arguments->format,
                   "Format of standard input (default: csv), or of ANSWERS if its extension does "
                   "not say: csv, tsv, jsonl or npz")
      ->transform(one_of({"csv", "tsv", "jsonl", "npz"}))
      ->option_text("NAME");
  add_common_options(*command, arguments->common);
  command->footer(
      "Classes: accuracy, balanced accuracy (mean recall over the classes), macro F1, the log "
      "loss\n"
      "if there are probabilities (predict --proba), and the confusion matrix. Numbers: R2, mean\n"
      "absolute error, root mean squared error.\n"
      "\n"
      "Examples:\n"
      "  stkr score answers.csv truth.csv\n"
      "  stkr score answers.jsonl truth.csv --labels species --id sample --json\n"
      "  stkr predict model.npz -o - --only unlabeled --proba | stkr score - digits");
  return {command, [arguments] { return run_score(*arguments); }};
}

}  // namespace stkr::app
