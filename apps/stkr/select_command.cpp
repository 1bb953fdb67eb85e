#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "blas_threads.hpp"
#include "checkpoint_option.hpp"
#include "cli.hpp"
#include "command.hpp"
#include "console.hpp"
#include "data_summary.hpp"
#include "file_roles.hpp"
#include "format/atomic_file.hpp"
#include "format/crc64.hpp"
#include "grid_options.hpp"
#include "interrupt.hpp"
#include "json_text.hpp"
#include "kernel_options.hpp"
#include "load_options.hpp"
#include "memory_option.hpp"
#include "recipe_options.hpp"
#include "selection/plan_selection.hpp"
#include "selection/split_problem.hpp"
#include "selection_report.hpp"
#include "standard_streams.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "stkr/selection/select_kernels.hpp"

namespace stkr::app {
namespace {

using nlohmann::json;

struct SelectArguments {
  std::string input;
  std::string output;  // of the chosen model; may be empty
  std::string plot;    // of the heat map; may be empty
  std::string split;
  std::string setting = "both";
  int folds = 0;
  bool leave_one_out = false;
  Index per_class = 0;
  std::string score;
  std::string class_mass = "off";
  int top = 10;
  LoadOptions load;
  RecipeOptions recipe;
  GridOptions grid;
  KernelGridOptions kernels;
  MemoryOption memory;
  CheckpointOption checkpoint;
  CommonOptions common;
};

const std::map<std::string, ClassMassChoice> kClassMass{
    {"off", ClassMassChoice::off}, {"on", ClassMassChoice::on}, {"both", ClassMassChoice::both}};

// The samples and labels for the fit of the chosen point: with a split, the samples of its setting
// and only the training labels, so that the model written is the one that was scored.
Dataset training_data(Dataset dataset, const std::optional<FourWaySplit>& split, Setting setting) {
  if (!split) return dataset;
  keep_only(dataset.labels, split->train);
  if (setting == Setting::transductive) return dataset;
  return subset(dataset, visible_samples(*split));
}

std::vector<Setting> settings_of(const SelectArguments& arguments) {
  if (arguments.split.empty() || arguments.setting == "transductive") {
    return {Setting::transductive};
  }
  if (arguments.setting == "inductive") return {Setting::inductive};
  return {Setting::transductive, Setting::inductive};
}

std::string checksum_of(const FourWaySplit& split) {
  Crc64 crc;
  for (const std::vector<Index>* part : {&split.train, &split.val, &split.test, &split.other}) {
    const auto size = static_cast<Index>(part->size());
    crc.update(std::as_bytes(std::span(&size, 1)));
    crc.update(std::as_bytes(std::span(*part)));
  }
  return fmt::format("{:016x}", crc.value());
}

void check_arguments(const SelectArguments& arguments) {
  const int ways = !arguments.split.empty() + (arguments.folds > 0) + arguments.leave_one_out;
  if (ways > 1) {
    throw CLI::ValidationError("--split", "give one of --split, --folds and --leave-one-out");
  }
  if (arguments.split.empty() && arguments.setting != "both") {
    throw CLI::ValidationError("--setting", "applies only with --split");
  }
  if (!arguments.split.empty() && arguments.per_class > 0) {
    throw CLI::ValidationError(
        "--per-class", "cannot be combined with --split, which determines the labeled samples");
  }
  if (!arguments.plot.empty() && !arguments.plot.ends_with(".svg")) {
    throw CLI::ValidationError("--plot", "expected a name that ends in .svg");
  }
}

int run_select(SelectArguments& arguments, const CLI::App& command) {
  check_arguments(arguments);
  arguments.common.threads = reserve_blas_buffers(arguments.common.threads);
  Recipe recipe = finish_recipe(arguments.recipe);
  Context context = context_of(arguments.common, allowed_memory(arguments.memory));
  SelectOptions options;
  options.grid = finish_grid(arguments.grid);
  const KernelGrid kernel_grid = finish_kernel_grid(arguments.kernels);
  arguments.load.node_features = adds_point_kernel(recipe) || !kernel_grid.mixes.empty();
  if (!arguments.load.features_file.empty() && !arguments.load.node_features) {
    throw CLI::ValidationError("--features",
                               "no kernel uses the features; give --mixes or --add-kernel");
  }
  if (!arguments.score.empty()) options.score = score_from_name(arguments.score);
  options.class_mass = kClassMass.at(arguments.class_mass);
  options.decision = recipe.decision;
  options.intercept = recipe.intercept;
  options.literal_top_d = recipe.literal_top_d;
  FileRoles files;
  files.reads_dataset(arguments.input, arguments.load);
  files.reads("--split", arguments.split);
  files.writes_file("--output", arguments.output);
  files.writes("--plot", arguments.plot);
  files.writes_file("--checkpoint", arguments.checkpoint.file);
  files.check();
  check_reading(arguments.input, arguments.load, context.memory);
  Dataset dataset = load_dataset(arguments.input, arguments.load);
  std::optional<FourWaySplit> split;
  if (!arguments.split.empty()) {
    dataset.labels = dataset.truth;  // the split determines what is hidden
    split = load_split(arguments.split, dataset.size());
  } else if (arguments.per_class > 0) {
    const auto* classes = std::get_if<ClassLabels>(&dataset.labels);
    if (!classes) throw ValueError("--per-class needs class labels in the data");
    keep_only(dataset.labels,
              labeled_per_class(*classes, arguments.per_class, arguments.common.seed));
  }
  SelectionReport report;
  report.truth = dataset.labels;
  report.validated = split ? split->val : labeled_indices(dataset.labels);
  report.seed = arguments.common.seed;
  const json data_json = dataset_json(dataset);
  for (const std::string& text : dataset.notes) note(text);

  ProgressBar bar(options.tolerance, !arguments.common.json);
  context.progress = [&](const Progress& progress) { bar.update(progress); };
  const std::vector<Setting> settings = settings_of(arguments);
  const auto [plan, candidates] =
      plan_candidates(dataset, split, settings, kernel_grid, recipe, options, context);
  report.data = describe_dataset(dataset);
  report.grid = options.grid;
  report.ways = options.class_mass == ClassMassChoice::both ? 2 : 1;
  for (const KernelCandidate& candidate : candidates) {
    report.kernel_options.push_back(kernel_grid.empty() ? "" : kernel_options(candidate.recipe));
  }
  if (plan.chosen != 0) {
    const Choice memory = choice_of(plan);
    note(fmt::format("memory: {} ({})", memory.value, memory.why));
  }
  KeptState state(arguments.checkpoint, command, dataset, recipe,
                  split ? "; split " + checksum_of(*split) : "");
  context.saved = state.get();
  const auto start = std::chrono::steady_clock::now();
  if (split && settings.size() == 2) {
    std::vector<Selection> both =
        select_kernels_by_split(dataset, candidates, *split, options, context);
    for (std::size_t k = 0; k < 2; ++k) {
      report.selections.emplace_back(settings[k], std::move(both[k]));
    }
  } else if (split) {
    report.selections.emplace_back(
        settings[0],
        select_kernels_by_split(dataset, candidates, *split, settings[0], options, context));
  } else {
    const int folds = arguments.folds > 0 ? arguments.folds : 5;
    report.selections.emplace_back(
        settings[0], arguments.leave_one_out
                         ? select_kernels_by_leave_one_out(dataset, candidates, options, context)
                         : select_kernels_by_folds(dataset, candidates, folds, options, context));
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.validation = split                     ? "validation"
                      : arguments.leave_one_out ? "leave-one-out"
                                                : "cross-validation";

  for (auto& [name, one] : report.selections) {
    for (std::string& warning : one.warnings_of_best(report.truth, report.validated)) {
      one.warnings.push_back(std::move(warning));
    }
  }

  // The choice of the first setting is fitted.
  const auto& [setting, selection] = report.selections.front();
  const std::optional<std::size_t> best = selection.best();
  if (!best) {
    throw ValueError(
        fmt::format("no grid point could be fitted{}{}",
                    selection.warnings.empty() ? "" : ": " + selection.warnings.back(),
                    setting == Setting::inductive && !options.grid.propagation_etas.empty()
                        ? "; label propagation predicts only in the transductive setting"
                        : ""));
  }
  const GridPoint& chosen = selection.scores[*best].point;
  bool converged = true;
  if (!arguments.output.empty()) {
    Dataset training = training_data(std::move(dataset), split, setting);
    Recipe chosen_recipe =
        recipe_of(chosen, options.grid, selection.largest_eigenvalue(chosen),
                  candidates[chosen.kernel].recipe, selection.scores[*best].beta);
    chosen_recipe.execution = recipe.execution;
    chosen_recipe.single_precision = recipe.single_precision;
    const RecipeResult result = fit_model(training, chosen_recipe, context);
    result.model.save(arguments.output);
    converged = result.summary.solve.converged();
    for (const std::string& warning : result.summary.warnings) {
      report.selections.front().second.warnings.push_back("the chosen model: " + warning);
    }
    report.model = arguments.output;
  }
  bar.clear();
  state.finish();
  if (!arguments.plot.empty()) {
    const std::string svg = heat_map(report, chosen);
    write_atomically(arguments.plot, [&](FileSink& sink) { sink.write(svg); });
    report.plot = arguments.plot;
  }
  for (const auto& [name, one] : report.selections) {
    for (const std::string& warning : one.warnings) {
      warn((report.selections.size() > 1 ? fmt::format("{}: ", to_string(name)) : "") + warning);
    }
  }
  if (arguments.common.json) {
    json document = selection_json(report);
    document["data"] = data_json;
    fmt::print("{}\n", json_text(document, 1));
  } else {
    print_selection(report, arguments.top);
  }
  if (!converged) {
    say("the fit of the chosen model did not converge; the model is written and marked");
    return kNotConverged;
  }
  return kDone;
}

}  // namespace

Command add_select_command(CLI::App& app) {
  auto arguments = std::make_shared<SelectArguments>();
  CLI::App* command = app.add_subcommand(
      "select", "Choose transform, parameter and ridge for your data from a whole grid");
  command
      ->add_option("INPUT", arguments->input,
                   "Samples with labels in any format that fit reads, or a shipped data set")
      ->required()
      ->check(not_empty())
      ->option_text(" ");
  command->add_option("-o,--output", arguments->output, "Fit the chosen model and write it, .npz")
      ->check(not_empty())
      ->option_text("MODEL");
  command
      ->add_option("--plot", arguments->plot,
                   "Draw the score over parameter and ridge, .svg (needs gnuplot)")
      ->check(not_empty())
      ->option_text("FILE");
  command->add_option("--top", arguments->top, "Show the N best points (default: 10)")
      ->check(at_least(1))
      ->option_text("N");
  const std::string group = "Validation";
  command
      ->add_option("--split", arguments->split,
                   ".npz with index arrays train, val, test, other: fit on train, choose by val")
      ->check(not_empty())
      ->option_text("FILE")
      ->group(group);
  command
      ->add_option("--setting", arguments->setting,
                   "With --split: transductive (all samples seen), inductive (val and test are "
                   "new), or both (default; the model written is the transductive one)")
      ->check(CLI::IsMember({"transductive", "inductive", "both"}))
      ->option_text("NAME")
      ->group(group);
  command
      ->add_option("--folds", arguments->folds,
                   "Cross-validation over the labeled samples (default: 5 folds)")
      ->check(at_least(2))
      ->option_text("K")
      ->group(group);
  command
      ->add_flag("--leave-one-out", arguments->leave_one_out,
                 "Leave every labeled sample out in turn, in closed form")
      ->group(group);
  command
      ->add_option("--score", arguments->score,
                   "accuracy (default for classes), balanced-accuracy, macro-f1; mse, r2 (default "
                   "for regression)")
      ->check(CLI::IsMember({"accuracy", "balanced-accuracy", "macro-f1", "mse", "r2"}))
      ->option_text("NAME")
      ->group(group);
  command
      ->add_option("--per-class", arguments->per_class,
                   "Keep N random labels per class and hide the others")
      ->check(at_least(1))
      ->option_text("N")
      ->group("Data");
  command
      ->add_option("--class-mass", arguments->class_mass,
                   "Class-mass normalized scores: off (default), on, or both (choose by score)")
      ->check(CLI::IsMember({"off", "on", "both"}))
      ->option_text("NAME")
      ->group("Classes");
  add_prior_option(*command, arguments->recipe);
  add_grid_options(*command, arguments->grid);
  add_kernel_grid_options(*command, arguments->kernels);
  add_load_options(*command, arguments->load);
  add_kernel_options(*command, arguments->recipe);
  add_definition_options(*command, arguments->recipe);
  add_memory_option(*command, arguments->memory);
  add_checkpoint_option(*command, arguments->checkpoint);
  add_common_options(*command, arguments->common);
  command->footer(
      "Examples:\n"
      "  stkr select digits --per-class 10 -o model.npz\n"
      "  stkr select graph.npz --split split.npz --kernel symmetric --json\n"
      "  stkr select digits --per-class 10 --leave-one-out --families inverse-laplacian,power\n"
      "  stkr select karate --folds 4 --ridges 1,0.1,0.01 --plot scores.svg\n"
      "  stkr select digits --per-class 10 --kernels rbf,laplacian --length-scales 0.5x,1x,2x\n"
      "  stkr select graph.npz --features table.csv --mixes 0,0.25,0.5,0.75,1");
  return {command, [arguments, command] { return run_select(*arguments, *command); }};
}

}  // namespace stkr::app
