#include "fit_options.hpp"

#include "cli.hpp"
#include "engine.hpp"
#include "load_options.hpp"
#include "reading_watch.hpp"
#include "standard_input.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"

namespace stkr::app {

void add_fit_options(CLI::App& command, FitArguments& arguments) {
  command
      .add_option("INPUT", arguments.input,
                  "Samples: .npz, .npy, .csv, .svmlight (points); .npz, .mtx, .tsv, .graphml "
                  "(graph); .h5ad (cells); - is standard input; or a shipped data set (stkr data "
                  "list)")
      ->required()
      ->check(not_empty())
      ->option_text(" ");
  command.add_option("-o,--output", arguments.output, "Model file to write, .npz (required)")
      ->required()
      ->check(not_empty())
      ->option_text("MODEL");
  command
      .add_option("--list-unreached", arguments.unreached,
                  "Write a CSV of the samples that no label reaches, with their component")
      ->check(not_empty())
      ->option_text("FILE");
  command
      .add_option("--plot-transform", arguments.plot, "Draw s and M of Theorem 1 as an SVG picture")
      ->check(not_empty())
      ->option_text("FILE");
  command
      .add_option("--per-class", arguments.per_class,
                  "Keep N random labels per class and hide the others; reports the accuracy "
                  "on the hidden ones")
      ->check(at_least(1))
      ->option_text("N")
      ->group("Data");
  add_load_options(command, arguments.load);
  add_input_format(command, arguments.load.format);
  add_specification_options(command, arguments.spec);
  command
      .add_option("--suggest", arguments.suggest,
                  "Also say which N samples to label next: those whose labels would reduce the "
                  "expected number of wrong classes most, or for numbers the variance of f, given "
                  "the labels and each other")
      ->check(at_least(1))
      ->option_text("N");
  command
      .add_flag("--leave-one-out", arguments.leave_one_out,
                "Leave every label out even if the fit does not do so on its way, so that predict "
                "has calibrated probabilities, --coverage included (at most 2,000 labels)")
      ->option_text(" ");
  add_html_option(command, arguments.html);
  add_memory_option(command, arguments.memory);
  add_checkpoint_option(command, arguments.checkpoint);
  add_engine_option(command);
  add_common_options(command, arguments.common);
}

Specification fit_specification(FitArguments& arguments) {
  Specification spec = finish_specification(arguments.spec);
  spec.decision.by_volume = !spec.decision.prior.empty();
  spec.leave_one_out = arguments.leave_one_out;
  // Without a kernel, the choice includes kernels of the features.
  const bool open = spec.kernel == KernelSpec() && spec.added.empty() &&
                    std::holds_alternative<StkrSpec>(spec.method);
  arguments.load.node_features = adds_point_kernel(spec) || open;
  if (!arguments.load.features_file.empty() && !arguments.load.node_features) {
    throw CLI::ValidationError("--features",
                               "no kernel uses the features; add one with --add-kernel, e.g. rbf");
  }
  return spec;
}

Dataset read_fit_samples(const FitArguments& arguments, ProgressBar& bar) {
  Dataset dataset = read_dataset(arguments.input, arguments.load, bar);
  if (arguments.per_class == 0) return dataset;
  const auto* classes = std::get_if<ClassLabels>(&dataset.labels);
  if (!classes) throw ParameterError("--per-class needs class labels in the data");
  keep_only(dataset.labels,
            labeled_per_class(*classes, arguments.per_class, arguments.common.seed));
  return dataset;
}

}  // namespace stkr::app
