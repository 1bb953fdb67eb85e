#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli.hpp"
#include "console.hpp"
#include "engine_commands.hpp"
#include "engine_problem.hpp"
#include "kept_shared_state.hpp"
#include "refit.hpp"
#include "repeat_command.hpp"
#include "select_request.hpp"
#include "selection/plan_selection.hpp"
#include "selection_output.hpp"
#include "selection_pages.hpp"
#include "shared_model.hpp"
#include "shared_reach.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "stkr/plan/plan.hpp"
#include "stkr/selection/select_model.hpp"

namespace stkr::petsc {
namespace {

using app::SelectArguments;
using app::SelectionReport;
using nlohmann::json;

// Options that would otherwise be ignored.
void refuse_options(const SelectArguments& arguments, const app::SelectRequest& request) {
  if (!arguments.html.image.empty()) refuse("--image", "omit it");
  if (!arguments.load.features_file.empty()) refuse("--features", "use the graph alone");
  if (arguments.common.device.backend()) refuse("--device", "use the CPU");
  if (!request.kernels.mixes.empty()) refuse("--mixes", "use the graph alone");
  if (!request.kernels.smoothings.empty()) refuse("--smoothings", "use the graph alone");
  if (!arguments.split.empty() &&
      request.validation.settings != std::vector<Setting>{Setting::transductive}) {
    refuse("--setting", "say --setting transductive: the inductive setting removes samples");
  }
}

// Train, val and test, which the first process reads; the others are told. `checksum`: of the
// split, in the first process.
FourWaySplit read_split(const Session& session, const std::string& file, Index size,
                        std::string& checksum) {
  FourWaySplit split;
  agree(session, [&] {
    if (session.rank() > 0) return;
    split = load_split(file, size);
    checksum = app::split_checksum(split);
  });
  split.other.clear();
  for (std::vector<Index>* part : {&split.train, &split.val, &split.test}) {
    auto count = static_cast<std::int64_t>(part->size());
    MPI_Bcast(&count, 1, MPI_INT64_T, 0, session.comm());
    part->resize(static_cast<std::size_t>(count));
    MPI_Bcast(part->data(), static_cast<int>(count), MPI_INT64_T, 0, session.comm());
  }
  return split;
}

Plan planned(ProcessShare share, const app::SelectRequest& request, const Context& context) {
  Validation scored;
  if (const auto& split = request.validation.split) {
    share.shape.labeled = static_cast<Index>(split->train.size());
    scored = {request.validation.settings,
              static_cast<Index>(split->val.size() + split->test.size())};
  }
  return plan_process(share, context, [&](const ProblemShape& shape, const Context& own) {
    return plan_selection(shape, request.spec, request.options.grid, scored, own);
  });
}

// The grams of the kernels that are tried, one at a time.
class Grams {
 public:
  Grams(EngineProblem& problem, std::size_t kernels, const Context& context)
      : problem_(problem), only_(kernels == 1), context_(context) {}

  // A resumed selection asks for the same one several times.
  const GramOperator& of(const Specification& spec) {
    if (prepared_ && kernel_ == spec.kernel) return *prepared_->gram;
    prepared_.reset();
    prepared_ = problem_.prepare(spec, context_, only_);
    kernel_ = spec.kernel;
    return *prepared_->gram;
  }
  // The gram of the choice, for its fit.
  PreparedGram take(const Specification& spec) {
    if (only_ && prepared_) return std::move(*prepared_);
    prepared_.reset();
    return problem_.prepare(spec, context_, /*last=*/true);
  }

 private:
  EngineProblem& problem_;
  bool only_;
  const Context& context_;
  std::optional<PreparedGram> prepared_;
  KernelSpec kernel_;  // of it
};

// What the page says about the model, which the first process reads: the others have its rows.
void add_model_page(const Session& session, const SelectArguments& arguments,
                    const SharedSamples& samples, const FittedModel& fitted,
                    const std::optional<LabelReach>& reach, SelectionReport& report) {
  // A split hides labels from the fit, but not from the page.
  const Labels labels =
      gathered(arguments.split.empty() ? samples.labels : samples.truth, *samples.layout);
  const Labels truth = gathered(samples.truth, *samples.layout);
  agree(session, [&] {
    if (session.rank() > 0) return;
    const Model whole = Model::load(arguments.output, arguments.common.threads);
    app::add_fit_page(
        {.fitted = fitted, .model = whole, .reach = reach, .labels = labels, .truth = truth},
        report);
  });
}

// Fits the choice and writes it. Returns whether the fit converged.
bool write_model(const Session& session, const SelectArguments& arguments,
                 const EngineProblem& problem, ModelInfo info, Grams& grams,
                 const Context& planning, const Context& context, SelectionReport& report) {
  Selection& first = report.result.selections.front().second;
  const Specification spec = report.result.specification(first, *first.best());
  const ProcessShare share = problem.share();
  Plan plan;
  agree(session, [&] {
    plan = plan_process(share, planning, [&](const ProblemShape& shape, const Context& own) {
      return plan_fit(shape, spec, own);
    });
    chosen_execution(plan);
  });
  PreparedGram prepared = grams.take(spec);
  const std::unique_ptr<CrossKernel> cross = prepared.gram->cross_kernel();
  std::optional<LabelReach> reach;
  if (arguments.html.given()) reach = whole_reach(*prepared.gram, problem.samples());
  FittedModel fitted = fit_prepared(std::move(prepared), problem.samples().labels, spec,
                                    chosen_execution(plan), context, std::move(info));
  // No option of fit says which samples of a split are labeled.
  if (arguments.split.empty()) {
    app::record_fit(fitted.model,
                    app::repeat_words(*report.command,
                                      app::fit_words(report, first, first.scores[*first.best()])),
                    arguments.output);
  }
  save_model(fitted.model, *cross, *problem.samples().layout, arguments.output,
             problem.samples().ids);
  for (const std::string& warning : fitted.summary.warnings) {
    first.warnings.push_back("the chosen model: " + warning);
  }
  report.model = arguments.output;
  if (arguments.html.given()) {
    add_model_page(session, arguments, problem.samples(), fitted, reach, report);
  }
  return fitted.summary.solve.converged();
}

int run(const Session& session, SelectArguments& arguments, const CLI::App& command) {
  const bool speaks = session.rank() == 0;
  app::SelectRequest request = app::select_request(arguments);
  refuse_options(arguments, request);
  request.spec = in_double(std::move(request.spec));
  check_supported(request.spec);
  agree(session, [&] {
    if (speaks) app::check_select_files(arguments);
  });
  arguments.common.threads = threads_of(session, arguments.common.threads);
  Context context{.threads = arguments.common.threads,
                  .seed = arguments.common.seed,
                  .memory = app::allowed_memory(arguments.memory)};
  app::ProgressBar bar(speaks ? arguments.common.verbosity : app::Verbosity::quiet,
                       arguments.common.json || !speaks);
  const bool split = !arguments.split.empty();
  const std::unique_ptr<EngineProblem> problem = read_problem(
      session, {arguments.input, arguments.load, arguments.per_class, arguments.common.seed, split},
      bar);
  SharedSamples& samples = problem->samples();
  SelectionReport report;
  report.data = problem->describe();
  report.name = samples.name;
  report.seed = arguments.common.seed;
  report.command = &command;
  report.ways = request.options.class_mass == ClassMassChoice::both ? 2 : 1;
  const json data = arguments.common.json ? problem_json(*problem) : json();
  std::string split_checksum;
  if (split) {
    request.validation.split =
        read_split(session, arguments.split, samples.layout->size(), split_checksum);
  }
  app::check_folds(arguments, samples.labeled, request.validation);
  const ProcessShare share = problem->share();
  Plan plan;
  agree(session, [&] {
    plan = planned(share, request, context);
    request.options.execution = chosen_execution(plan);
  });
  const Context planning = context;
  context.memory = 0;  // planned; processes must not decide differently
  if (speaks) context.progress = [&](const Progress& progress) { bar.update(progress); };

  // Parts of the grid are saved when they are complete, whatever way they were computed.
  Execution any;
  KeptSharedState state(session, arguments.checkpoint, command,
                        arguments.checkpoint.file.empty() ? "" : problem->info().data_fingerprint,
                        any, split ? "; split " + split_checksum : "");
  context.saved = state.get();
  // The model is fitted to the labels that the split shows, and says which data it saw.
  Labels shown = samples.labels;
  agree(session, [&] {
    if (!split) return;
    keep_only(shown, local_samples(samples.layout.get(), request.validation.split->train));
  });
  Labels all = std::move(samples.labels);
  samples.labels = std::move(shown);
  ModelInfo info = arguments.output.empty() ? ModelInfo() : problem->info();
  Grams grams(*problem, kernel_candidates(request.kernels, request.spec, problem->kind()).size(),
              context);
  report.result = state.run([&] {
    return select_model(
        [&](const Specification& spec) -> const GramOperator& { return grams.of(spec); },
        problem->kind(), all, samples.layout.get(), request.spec, request.kernels,
        request.validation, request.options, context);
  });
  report.result.plan = std::move(plan);
  app::name_kernels(problem->kind(), !request.kernels.empty(), report);
  const bool converged = arguments.output.empty() || state.run([&] {
    return write_model(session, arguments, *problem, std::move(info), grams, planning, context,
                       report);
  });
  bar.clear();
  state.finish();
  const json engine = engine_json(session, context.threads);
  agree(session, [&] {
    if (speaks) {
      if (arguments.html.given()) app::write_selection_page(arguments, command, report);
      app::report_selection(arguments, report, converged, data, samples.notes, &engine);
    }
  });
  return converged ? app::kDone : app::kNotConverged;
}

}  // namespace

app::Command add_select(CLI::App& application, const Session& session) {
  auto arguments = std::make_shared<SelectArguments>();
  CLI::App* command = application.add_subcommand(
      "select", "Choose transform, parameter and ridge for your data from a whole grid");
  app::add_select_options(*command, *arguments);
  return {command, [arguments, command, &session] { return run(session, *arguments, *command); }};
}

}  // namespace stkr::petsc
