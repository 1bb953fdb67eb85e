#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli.hpp"
#include "console.hpp"
#include "data_summary.hpp"
#include "engine_commands.hpp"
#include "file_roles.hpp"
#include "fit_options.hpp"
#include "fit_report.hpp"
#include "help_formatter.hpp"
#include "interrupt.hpp"
#include "json_text.hpp"
#include "model/prepare_gram.hpp"
#include "refit.hpp"
#include "repeat_command.hpp"
#include "selection/automatic_candidates.hpp"
#include "shared_graph.hpp"
#include "shared_graph_gram.hpp"
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
  if (!arguments.checkpoint.file.empty()) refuse("--checkpoint", "omit it");
  if (!arguments.load.features_file.empty()) refuse("--features", "use the graph alone");
  if (arguments.common.device.backend()) refuse("--device", "use the CPU");
}

void refuse_method(const Specification& spec) {
  if (spec.center) refuse("--center", "omit it");
  if (!spec.added.empty()) refuse("--add-kernel", "use the graph alone");
  if (spec.decision.by_volume && !spec.decision.class_mass) {
    refuse("--prior", "use it with --class-mass");
  }
  const auto* stkr = std::get_if<StkrSpec>(&spec.method);
  if (!stkr) return;
  if (!stkr->transform) return;
  const auto terms = terms_of(*stkr->transform);
  for (const TransformTerm& term : terms) {
    if (std::holds_alternative<TruncationTransform>(term.transform.form())) {
      refuse("--transform", "use --method kernel-pca instead of a truncation");
    }
    if (stkr->solver == StkrSolver::richardson && term.transform.reciprocal_form()) {
      refuse("--solver", "use automatic instead of richardson for a reciprocal transform");
    }
  }
}

PreparedGram prepared_gram(SharedGraph& graph, const Specification& spec, int threads) {
  const KernelSpec kernel = spec.kernel.resolved(DatasetKind::graph);
  const auto* of_graph = kernel.get_if<GraphKernelSpec>();
  if (!of_graph) refuse("--kernel", "use a kernel of graphs");
  const bool by_degree = spec.measure == Measure::degree ||
                         (spec.measure == Measure::automatic &&
                          of_graph->normalization == GraphNormalization::probability);
  if (by_degree) refuse("--measure", "say --measure uniform");
  if (graph.entries == 0) {
    throw ValueError("the graph has no edges, so there is nothing to learn from");
  }
  const bool is_default = spec.kernel.get_if<AutomaticKernelSpec>() != nullptr;
  PreparedGram prepared;
  prepared.choices.push_back(graph_kernel_choice(*of_graph, is_default));
  prepared.description = prepared.choices.back().value;
  prepared.gram = std::make_unique<SharedGraphGram>(
      graph.layout, std::move(graph.rows),
      SharedGraphOptions{
          .normalization = of_graph->normalization,
          .add_self_loops = of_graph->self_loops,
          .threads = threads,
          .cancelled = [token = app::interrupt_token()] { return token.stop_requested(); }});
  return prepared;
}

// The part of the problem that one process has, for its memory.
ProblemShape share_of(const SharedGraph& graph, Index outputs, int ranks) {
  ProblemShape shape;
  shape.kind = DatasetKind::graph;
  shape.samples = std::max<Index>(graph.layout->most(), 1);
  shape.entries = graph.entries / ranks;
  shape.labeled = graph.labeled;
  shape.outputs = outputs;
  return shape;
}

// The accuracy on labels that the fit did not see; the counts of all processes.
std::optional<app::HiddenScore> hidden_score(const SharedGraph& graph,
                                             const Predictions& predictions) {
  const RowLayout* rows = graph.layout.get();
  const auto* truth = std::get_if<ClassLabels>(&graph.truth);
  const auto* seen = std::get_if<ClassLabels>(&graph.labels);
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

json data_json(const SharedGraph& graph) {
  json result{{"name", graph.name},
              {"source", graph.source},
              {"kind", kind_name(DatasetKind::graph)},
              {"samples", graph.layout->size()},
              {"labeled", graph.labeled},
              {"entries", graph.entries}};
  if (!graph.label_source.empty()) result["label_source"] = graph.label_source;
  if (const auto* classes = std::get_if<ClassLabels>(&graph.labels)) {
    Matrix counts = Matrix::Zero(1, static_cast<Index>(classes->names.size()));
    for (const std::int32_t code : classes->code) {
      if (code != kUnlabeled) counts(0, code) += 1.0;
    }
    graph.layout->sum(counts);
    result["task"] = "classification";
    result["classes"] = json::array();
    for (Index c = 0; c < counts.cols(); ++c) {
      result["classes"].push_back({{"name", classes->names[static_cast<std::size_t>(c)]},
                                   {"labeled", static_cast<Index>(counts(0, c))}});
    }
  } else if (const auto* targets = std::get_if<TargetValues>(&graph.labels)) {
    result["task"] = "regression";
    result["targets"] = targets->names;
  }
  return result;
}

int run(const Session& session, FitArguments& arguments, const CLI::App& command) {
  const bool speaks = session.rank() == 0;
  refuse_options(arguments);
  Specification spec = app::fit_specification(arguments);
  refuse_method(spec);
  agree(session.comm(), [&] {
    if (!speaks) return;
    app::FileRoles files;
    files.reads_dataset(arguments.input, arguments.load);
    files.writes_model("--output", arguments.output);
    files.check();
  });
  arguments.common.threads = threads_of(session, arguments.common.threads);
  Context context{.threads = arguments.common.threads,
                  .seed = arguments.common.seed,
                  .memory = app::allowed_memory(arguments.memory)};
  app::ProgressBar bar(speaks ? arguments.common.verbosity : app::Verbosity::quiet,
                       arguments.common.json || !speaks);
  SharedGraph graph = read_graph(session.comm(), arguments.input, arguments.load,
                                 arguments.per_class, arguments.common.seed);
  for (const std::string& text : graph.notes) app::note(text);
  if (graph.labeled == 0) {
    throw DataError(
        fmt::format("{}: no labeled sample; label at least a few samples (class -1, an "
                    "empty cell, NA or NaN means unlabeled)",
                    arguments.input));
  }
  try {
    encode_targets(graph.labels, spec.decision, graph.layout.get());
  } catch (const ParameterError&) {
    throw;  // --prior and --class-mass
  } catch (const ValueError& error) {
    throw DataError(fmt::format("{}: {}", arguments.input, error.what()));
  }
  const std::string data = app::describe_graph(graph.name, graph.layout->size(), graph.entries,
                                               graph.labels, graph.labeled);
  const auto* classes = std::get_if<ClassLabels>(&graph.labels);
  const auto outputs = static_cast<Index>(
      classes ? classes->names.size() : std::get<TargetValues>(graph.labels).names.size());
  const json data_document = data_json(graph);
  Plan plan;
  agree(session.comm(), [&] {
    plan = plan_fit(share_of(graph, outputs, session.ranks()), spec, context);
    chosen_execution(plan);
  });
  context.memory = 0;  // planned; processes must not decide differently
  const std::string checksum = fingerprint(graph);
  PreparedGram prepared = prepared_gram(graph, spec, context.threads);
  const std::unique_ptr<CrossKernel> cross = prepared.gram->cross_kernel();
  const auto& halo = dynamic_cast<const SharedGraphGram&>(*prepared.gram).matrix().halo();
  const double halo_rows = sum_over(graph.layout.get(), static_cast<double>(halo.size()));
  if (speaks) context.progress = [&](const Progress& progress) { bar.update(progress); };
  ModelInfo info;
  info.samples = "graph";
  info.data_fingerprint = checksum;
  const bool open = is_open(spec, /*kernel=*/false);
  AutomaticFit automatic =
      open ? fit_automatic(std::move(prepared), graph.labels, spec, chosen_execution(plan), context,
                           std::move(info))
           : AutomaticFit{fit_prepared(std::move(prepared), graph.labels, spec,
                                       chosen_execution(plan), context, std::move(info)),
                          spec,
                          {},
                          "",
                          0};
  FittedModel& result = automatic.fitted;
  bar.clear();
  const std::vector<std::string> chosen =
      automatic.tried.empty() ? std::vector<std::string>() : app::option_words(automatic.spec);
  app::record_fit(result.model, app::repeat_words(command, chosen), arguments.output);
  save_model(result.model, *cross, *graph.layout, arguments.output);

  const Predictions fitted = result.model.predict();
  const auto count = [&](const std::vector<char>& flags, char wanted) {
    return static_cast<Index>(sum_over(
        graph.layout.get(), static_cast<double>(std::count(flags.begin(), flags.end(), wanted))));
  };
  const app::FitReport report{
      .data = data,
      .fit = automatic,
      .score = hidden_score(graph, fitted),
      .without_evidence = count(fitted.evidence, 0),
      .tied = count(fitted.tied, 1),
      .suggested = {},
      .repeat =
          automatic.tried.empty() ? "" : app::repeat_command(command, chosen, arguments.output),
      .output = arguments.output,
      .unreached = "",
      .page = ""};
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  Matrix peak = Matrix::Constant(1, 1, 1024.0 * static_cast<double>(usage.ru_maxrss));
  graph.layout->largest(peak);
  if (speaks && arguments.common.json) {
    json document = app::fit_json(report, DatasetKind::graph, graph.notes);
    document["data"] = data_document;
    // A product with C columns moves 8 C bytes per row of the halo.
    document["engine"] = {{"name", "petsc"},
                          {"processes", session.ranks()},
                          {"threads", context.threads},
                          {"halo_rows", static_cast<Index>(halo_rows)},
                          {"peak_bytes", peak(0, 0)}};
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
