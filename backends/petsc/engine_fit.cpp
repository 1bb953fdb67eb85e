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
#include "report/fit_page.hpp"
#include "shared_model.hpp"
#include "shared_reach.hpp"
#include "specification_text.hpp"
#include "standard_input.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"
#include "stkr/plan/plan.hpp"
#include "time_estimate.hpp"
#include "transform_picture.hpp"
#include "unreached_list.hpp"

namespace stkr::petsc {
namespace {

using app::FitArguments;
using nlohmann::json;

// Options that would otherwise be ignored.
void refuse_options(const FitArguments& arguments) {
  if (arguments.suggest > 0) {
    refuse("--suggest", "fit without it, then run stkr suggest MODEL on one machine");
  }
  if (!arguments.html.image.empty()) refuse("--image", "omit it");
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

// What the first process writes besides the model.
struct Reports {
  std::optional<LabelReach> reach{};  // of all samples
  std::string data{}, repeat{};       // for the page
};

// Writes the list of unreached samples, the picture and the page, as one machine would.
void write_reports(const Session& session, const FitArguments& arguments, const CLI::App& command,
                   const SharedSamples& samples, const AutomaticFit& fit, const Predictions& fitted,
                   const Reports& reports) {
  std::vector<char> evidence;
  Labels labels, truth;
  if (!arguments.unreached.empty()) {
    evidence = gathered(fitted.evidence, 1, MPI_CHAR, *samples.layout);
  }
  if (arguments.html.given()) {
    labels = gathered(samples.labels, *samples.layout);
    truth = gathered(samples.truth, *samples.layout);
  }
  agree(session, [&] {
    if (session.rank() > 0) return;
    if (!arguments.unreached.empty()) {
      ModelInfo named = fit.fitted.model.info();
      named.sample_names = samples.ids;
      app::list_unreached(arguments.unreached, evidence, named, reports.reach);
    }
    if (!arguments.plot.empty()) app::draw_picture(arguments.plot, fit);
    if (!arguments.html.given()) return;
    const Model whole = Model::load(arguments.output, arguments.common.threads);
    report::FitRecord record = report::record_of(fit);
    record.reach = reports.reach;
    report::Facts how{{"Command", app::typed_command(command)}};
    if (!reports.repeat.empty()) how.emplace_back("Repeat it with", reports.repeat);
    how.emplace_back("Model", arguments.output);
    app::write_page(arguments.html, report::fit_page({.data = reports.data,
                                                      .model = whole,
                                                      .record = record,
                                                      .labels = labels,
                                                      .truth = truth,
                                                      .repeat = std::move(how)}));
  });
}

int run(const Session& session, FitArguments& arguments, const CLI::App& command) {
  const bool speaks = session.rank() == 0;
  refuse_options(arguments);
  arguments.unreached = app::output_path(arguments.unreached);
  Specification spec = in_double(app::fit_specification(arguments));
  check_supported(spec);
  app::check_picture(arguments.plot, spec);
  spec.diagnostics = arguments.html.given();
  agree(session, [&] {
    if (!speaks) return;
    app::FileRoles files;
    files.reads_dataset(arguments.input, arguments.load);
    files.writes_model("--output", arguments.output);
    files.writes("--list-unreached", arguments.unreached);
    files.writes("--plot-transform", arguments.plot);
    files.writes("--html", arguments.html.file);
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
      session, {arguments.input, arguments.load, arguments.per_class, arguments.common.seed}, bar);
  const SharedSamples& samples = problem->samples();
  const bool kernel_open = leaves_kernel_open(*problem, spec);
  check_labels(samples, spec.decision, arguments.input);
  const std::vector<std::string> warnings = problem->warnings();
  const std::string data = problem->describe();
  const json data_document = arguments.common.json ? problem_json(*problem) : json();
  Plan plan;
  Execution way;
  context.memory = least_memory(session, context.memory);
  const ProcessShare share = problem->share();
  agree(session, [&] {
    plan = plan_process(share, context, [&](const ProblemShape& shape, const Context& own) {
      return plan_fit(shape, planned_specification(shape, spec), own);
    });
    way = chosen_execution(plan);
  });
  if (speaks && arguments.common.verbosity != app::Verbosity::quiet) {
    const auto hint = app::faster_kernel(whole(*problem), spec, context, session.ranks());
    if (hint) app::note(*hint);
  }
  const bool limited = context.memory > 0;
  context.memory = 0;  // planned
  ModelInfo info = problem->info();
  KeptSharedState state(session, arguments.checkpoint, command, info.data_fingerprint, way);
  context.saved = state.get();
  std::unique_ptr<CrossKernel> cross;  // of the last gram
  Reports reports{.data = data};
  json engine = {};
  const auto prepare = [&](const Specification& own) {
    PreparedGram prepared = problem->prepare(own, context, /*last=*/!kernel_open);
    if (limited) prepared.choices.push_back({"memory", describe_choice(plan), plan.why});
    cross = prepared.gram->cross_kernel();
    if (!arguments.unreached.empty() || arguments.html.given()) {
      reports.reach = whole_reach(*prepared.gram, samples);
    }
    problem->add_exchange(engine);
    return prepared;
  };
  if (speaks) context.progress = [&](const Progress& progress) { bar.update(progress); };
  AutomaticFit automatic = state.run([&] {
    return fit_automatic(prepare, whole(*problem), samples.labels, spec, way, context,
                         std::move(info));
  });
  FittedModel& result = automatic.fitted;
  result.summary.warnings.insert(result.summary.warnings.begin(), warnings.begin(), warnings.end());
  bar.clear();
  const std::vector<std::string> chosen =
      automatic.tried.empty() ? std::vector<std::string>() : app::option_words(automatic.spec);
  app::record_fit(result.model, app::repeat_words(command, chosen), arguments.output);
  save_model(result.model, *cross, *samples.layout, arguments.output, samples.ids);
  state.finish();

  const Predictions fitted = result.model.predict();
  if (!automatic.tried.empty()) {
    reports.repeat = app::repeat_command(command, chosen, arguments.output);
  }
  write_reports(session, arguments, command, samples, automatic, fitted, reports);
  const auto count = [&](const std::vector<char>& flags, char wanted) {
    return static_cast<Index>(sum_over(
        samples.layout.get(), static_cast<double>(std::count(flags.begin(), flags.end(), wanted))));
  };
  const app::FitReport report{.data = data,
                              .fit = automatic,
                              .score = hidden_score(samples, fitted),
                              .without_evidence = count(fitted.evidence, 0),
                              .tied = count(fitted.tied, 1),
                              .suggested = {},
                              .repeat = reports.repeat,
                              .output = arguments.output,
                              .unreached = arguments.unreached,
                              .page = arguments.html.file};
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
