#include "select_options.hpp"

#include "cli.hpp"
#include "engine.hpp"
#include "load_options.hpp"
#include "standard_input.hpp"

namespace stkr::app {

void add_select_options(CLI::App& command, SelectArguments& arguments) {
  command
      .add_option("INPUT", arguments.input,
                  "Samples with labels in any format that fit reads, or a shipped data set")
      ->required()
      ->check(not_empty())
      ->option_text(" ");
  command.add_option("-o,--output", arguments.output, "Fit the chosen model and write it, .npz")
      ->check(not_empty())
      ->option_text("MODEL");
  command.add_option("--plot", arguments.plot, "Draw the score over parameter and ridge, .svg")
      ->check(not_empty())
      ->option_text("FILE");
  add_html_option(command, arguments.html);
  command.add_option("--top", arguments.top, "Show the N best points (default: 10; --json: all)")
      ->check(at_least(1))
      ->option_text("N");
  const std::string group = "Validation";
  command
      .add_option("--split", arguments.split,
                  ".npz with index arrays train, val, test, other: fit on train, choose by val")
      ->check(not_empty())
      ->option_text("FILE")
      ->group(group);
  command
      .add_option("--setting", arguments.setting,
                  "With --split: transductive (all samples seen), inductive (val and test are "
                  "new), or both (default; the model written is the transductive one)")
      ->transform(one_of({"transductive", "inductive", "both"}))
      ->option_text("NAME")
      ->group(group);
  command
      .add_option("--folds", arguments.folds,
                  "Cross-validation over the labeled samples (default: 5 folds)")
      ->check(at_least(2))
      ->option_text("K")
      ->group(group);
  command
      .add_flag("--leave-one-out", arguments.leave_one_out,
                "Leave every labeled sample out in turn, in closed form")
      ->group(group);
  command
      .add_option("--score", arguments.score,
                  "accuracy (default for classes), balanced-accuracy, macro-f1; mse, r2 (default "
                  "for regression)")
      ->transform(one_of({"accuracy", "balanced-accuracy", "macro-f1", "mse", "r2"}))
      ->option_text("NAME")
      ->group(group);
  command
      .add_option("--per-class", arguments.per_class,
                  "Keep N random labels per class and hide the others")
      ->check(at_least(1))
      ->option_text("N")
      ->group("Data");
  command
      .add_option("--class-mass", arguments.class_mass,
                  "Class-mass normalized scores: off (default), on, or both (choose by score)")
      ->transform(one_of({"off", "on", "both"}))
      ->option_text("NAME")
      ->group("Classes");
  add_prior_option(command, arguments.spec);
  add_grid_options(command, arguments.grid);
  add_kernel_grid_options(command, arguments.kernels);
  add_load_options(command, arguments.load);
  add_input_format(command, arguments.load.format);
  add_kernel_options(command, arguments.spec);
  add_definition_options(command, arguments.spec);
  add_memory_option(command, arguments.memory);
  add_checkpoint_option(command, arguments.checkpoint);
  add_engine_option(command);
  add_common_options(command, arguments.common);
}

void check_select_options(const SelectArguments& arguments) {
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
  if (picture_of(arguments.html) && arguments.output.empty()) {
    throw CLI::ValidationError("--image",
                               "applies only with --output: the page shows samples that "
                               "the chosen model is uncertain about");
  }
}

}  // namespace stkr::app
