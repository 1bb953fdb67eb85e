#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli.hpp"
#include "console.hpp"
#include "engine_commands.hpp"
#include "engine_problem.hpp"
#include "file_roles.hpp"
#include "fit_options.hpp"
#include "fit_report.hpp"
#include "help_formatter.hpp"
#include "json_text.hpp"
#include "kept_shared_state.hpp"
#include "refit.hpp"
#include "repeat_command.hpp"
#include "selection/automatic_candidates.hpp"
#include "shared_model.hpp"
#include "specification_text.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"
#include "stkr/plan/plan.hpp"

namespace stkr::petsc {
namespace {

using app::FitArguments;
using nlohmann::json;

// Options that would otherwise be ignored.
void refuse_options(const FitArguments& arguments) {
  const char* after = "fit first, then ask the model on one machine";
  if (arguments.html.given()) refuse("--html", after);
  if (!arguments.plot.empty()) refuse("--plot-transform", after);
  if (!arguments.unreached.empty()) {
    refuse("--list-unreached", "predictions have a column that says so");
  }
  if (arguments.suggest > 0) refuse("--suggest", after);
  if (!arguments.load.features_file.empty()) refuse("--features", "use the graph alone");
  if (arguments.common.device.backend()) refuse("--device", "use the CPU");
}

// The accuracy on labels that the fit did not see; the counts of all processes.
std::optional<app::HiddenScore> hidden_score(const SharedSamples& samples,
                                             const Predictions& predictions) {
  const RowLayout* rows = samples.layout.get();
  const auto* truth = std::get_if<ClassLabels>(&samples.truth);
  const auto* seen = std::get_if<ClassLabels>(&samples.labels);
  if (!truth || !seen) return std::nullopt;
  double right = 0.0, hidden = 0.0;
  for (std::size_t i = 0; i < truth->code.size(); ++i) {
    if (truth->code[i] == kUnlabeled || seen->code[i] != kUnlabeled) continue;
    hidden += 1.0;
    right += predictions.class_index[i] == truth->code[i];
  }
  hidden = sum_over(rows, hidden);
  right = sum_over(rows, right);
  if (hidden == 0.0) return std::nullopt;
  app::HiddenScore score;
  score.samples = static_cast<Index>(hidden);
  score.accuracy = right / hidden;
  return score;
}

// Errors of encode_targets concern the data: adds the file name to the message.
void check_labels(const SharedSamples& samples, const DecisionOptions& decision,
                  const std::string& input) {
  try {
    encode_targets(samples.labels, decision, samples.layout.get());
  } catch (const ParameterError&) {
    throw;  // --prior and --class-mass
  } catch (const ValueError& error) {
    throw DataError(fmt::format("{}: {}", input, error.what()));
  }
}

int run(const Session& session, FitArguments& arguments, const CLI::App& command) {
  const bool speaks = session.rank() == 0;
  refuse_options(arguments);
  Specification spec = app::fit_specification(arguments);
  check_supported(spec);
  agree(session.comm(), [&] {
    if (!speaks) return;
    app::FileRoles files;
    files.reads_dataset(arguments.input, arguments.load);
    files.writes_model("--output", arguments.output);
    files.writes_file("--checkpoint", arguments.checkpoint.file);
    files.check();
  });
  arguments.common.threads = threads_of(session, arguments.common.threads);
  Context context{.threads = arguments.common.threads,
                  .seed = arguments.common.seed,
                  .memory = app::allowed_memory(arguments.memory)};
  app::ProgressBar bar(speaks ? arguments.common.verbosity : app::Verbosity::quiet,
                       arguments.common.json || !speaks);
  const std::unique_ptr<EngineProblem> problem = read_problem(
      session, {arguments.input, arguments.load, arguments.per_class, arguments.common.seed});
  const SharedSamples& samples = problem->samples();
  check_labels(samples, spec.decision, arguments.input);
  const std::string data = problem->describe();
  const json data_document = arguments.common.json ? problem_json(*problem) : json();
  Plan plan;
  Execution way;
  context.memory = least_memory(session, context.memory);
  const ProcessShare share = problem->share();
  agree(session.comm(), [&] {
    plan = plan_process(share, context, [&](const ProblemShape& shape, const Context& own) {
      return plan_fit(shape, spec, own);
    });
    way = chosen_execution(plan);
  });
  context.memory = 0;  // planned
  ModelInfo info;
  info.samples = std::string(kind_name(problem->kind()));
  info.data_fingerprint = problem->fingerprint();
  info.id_column = samples.id_column;
  KeptSharedState state(session, arguments.checkpoint, command, info.data_fingerprint, way);
  context.saved = state.get();
  PreparedGram prepared = problem->prepare(spec, context, /*last=*/true);
  const std::unique_ptr<CrossKernel> cross = prepared.gram->cross_kernel();
  json engine = {};
  problem->add_exchange(*prepared.gram, engine);
  if (speaks) context.progress = [&](const Progress& progress) { bar.update(progress); };
  const bool open = is_open(spec, /*kernel=*/false);
  AutomaticFit automatic = state.run([&] {
    return open ? fit_automatic(std::move(prepared), samples.labels, spec, way, context,
                                std::move(info))
                : AutomaticFit{fit_prepared(std::move(prepared), samples.labels, spec, way, context,
                                            std::move(info)),
                               spec,
                               {},
                               "",
                               0};
  });
  FittedModel& result = automatic.fitted;
  bar.clear();
  const std::vector<std::string> chosen =
      automatic.tried.empty() ? std::vector<std::string>() : app::option_words(automatic.spec);
  app::record_fit(result.model, app::repeat_words(command, chosen), arguments.output);
  save_model(result.model, *cross, *samples.layout, arguments.output, samples.ids);
  state.finish();

  const Predictions fitted = result.model.predict();
  const auto count = [&](const std::vector<char>& flags, char wanted) {
    return static_cast<Index>(sum_over(
        samples.layout.get(), static_cast<double>(std::count(flags.begin(), flags.end(), wanted))));
  };
  const app::FitReport report{
      .data = data,
      .fit = automatic,
      .score = hidden_score(samples, fitted),
      .without_evidence = count(fitted.evidence, 0),
      .tied = count(fitted.tied, 1),
      .suggested = {},
      .repeat =
          automatic.tried.empty() ? "" : app::repeat_command(command, chosen, arguments.output),
      .output = arguments.output,
      .unreached = "",
      .page = ""};
  engine.update(engine_json(session, context.threads));
  if (speaks && arguments.common.json) {
    json document = app::fit_json(report, problem->kind(), samples.notes);
    document["data"] = data_document;
    document["engine"] = engine;
    document["planned_bytes"] = plan.strategies[*plan.chosen].expected;
    fmt::print("{}\n", app::json_text(document));
  } else if (speaks && arguments.common.verbosity != app::Verbosity::quiet) {
    app::print_fit_report(report);
  }
  if (result.summary.solve.converged()) return app::kDone;
  if (speaks) {
    app::say(fmt::format("did not converge ({}): {}; the model is written and marked",
                         to_string(result.summary.solve.reason), result.summary.solve.message));
  }
  return app::kNotConverged;
}

}  // namespace

app::Command add_fit(CLI::App& application, const Session& session) {
  auto arguments = std::make_shared<FitArguments>();
  CLI::App* command = application.add_subcommand(
      "fit", "Learn from labeled and unlabeled samples and write a model");
  app::add_fit_options(*command, *arguments);
  return {command, [arguments, command, &session] { return run(session, *arguments, *command); }};
}

}  // namespace stkr::petsc
