#include "predict_options.hpp"

#include "answer_format.hpp"
#include "cli.hpp"
#include "engine.hpp"
#include "load_options.hpp"
#include "refit.hpp"

namespace stkr::app {

void add_predict_options(CLI::App& command, PredictArguments& arguments) {
  command.add_option("MODEL", arguments.model, "Model written by stkr fit")
      ->required()
      ->check(not_empty())
      ->option_text(" ");
  command
      .add_option(
          "NEW", arguments.fresh.samples,
          "New samples: points with the model's features; for a graph, the edges of new "
          "nodes to known ones (lines 'new known [weight]', or a sparse .npz/.mtx of new x "
          "known); for a precomputed kernel, its rows; - is standard input. Default: the fitted "
          "samples")
      ->check(not_empty())
      ->option_text(" ");
  command
      .add_option("--features", arguments.fresh.features,
                  "Features of the new nodes, as points in any format, for graph models with an "
                  "added kernel of node features")
      ->check(not_empty())
      ->option_text("FILE");
  command
      .add_option("-o,--output", arguments.output,
                  "File to write: .csv, .tsv, .npz, .jsonl (JSON lines), or .h5ad (a copy of an "
                  "AnnData file with the predictions); - is standard output "
                  "(required, except with --explain)")
      ->check(not_empty())
      ->option_text("FILE");
  command
      .add_flag("--proba,--probabilities", arguments.probabilities,
                "Also write class probabilities: calibrated on labels left out, if the fit did so, "
                "else shares of the positive scores; the prior if no label reaches the sample")
      ->option_text(" ");
  command
      .add_option("--coverage", arguments.coverage,
                  "Also write the classes that are plausible (set_CLASS is 1), or an interval for "
                  "each number, so that the truth is among them with about this probability: "
                  "0.9, say. From labels left out; none is set aside. A set may be empty")
      ->check(CLI::Range(1e-6, 1.0 - 1e-9))
      ->option_text("SHARE");
  command
      .add_flag("--jackknife-plus", arguments.jackknife_plus,
                "With --coverage, for numbers: intervals from the fits without each label, which "
                "promise 2*SHARE - 1; repeats the fit")
      ->option_text(" ");
  command
      .add_flag("--uncertainty", arguments.uncertainty,
                "Also write the standard deviation of every score, as of a Gaussian process whose "
                "mean is the fit; repeats the fit")
      ->option_text(" ");
  command
      .add_option("--explain", arguments.explained,
                  "Say which labels the scores of this sample come from, and through which samples "
                  "they act: the name or, from 0, the index of a fitted or, with NEW, a new "
                  "sample; repeats the fit")
      ->check(not_empty())
      ->option_text("SAMPLE");
  add_data_option(command, arguments.data);
  command
      .add_option("--only", arguments.only,
                  "Fitted samples to write: unlabeled, labeled or all (default)")
      ->transform(one_of({"all", "unlabeled", "labeled"}))
      ->option_text("WHICH");
  add_format_options(command, arguments.fresh.format, "csv, tsv, npz, jsonl or h5ad");
  command.get_option("--format")->transform(one_of(answer_format_names()));
  command
      .add_option("--list-unreached", arguments.unreached,
                  "Write a CSV of the samples without evidence")
      ->check(not_empty())
      ->option_text("FILE");
  command
      .add_option("--copy", arguments.copied,
                  "AnnData: the file that -o OUT.h5ad copies and adds predictions to, as columns "
                  "of obs (default: NEW, or the file that the model was fitted on)")
      ->check(not_empty())
      ->option_text("FILE.h5ad");
  command
      .add_option("--key", arguments.fresh.key, "AnnData: points of NEW in obsm (default: X_pca)")
      ->check(not_empty())
      ->option_text("KEY");
  add_duplicates_option(command, arguments.fresh.duplicates);
  add_html_option(command, arguments.html);
  add_memory_option(command, arguments.memory);
  add_engine_option(command);
  add_common_options(command, arguments.common);
  command.footer(
      "The columns are index, the name of the sample (if it has one), prediction, evidence, tie\n"
      "(for classes), and one score per class or target. evidence is 0 if no label reaches it;\n"
      "the prediction is then the class with the largest prior (the most frequent label), or the\n"
      "constant of a regression. Ties in the prior are broken by the nearest labeled sample;\n"
      "without a distance, tie is 1, and the first of the tied classes is written. New samples\n"
      "are read, predicted and written in parts, so their number is not limited. An edge list\n"
      "names nodes as the training data did: known nodes by their names, if they had any, and new\n"
      "nodes by other names. An edge list of more than a million edges must be sorted by the new\n"
      "node. Columns of a CSV file are matched to the model's features by name.\n"
      "\n"
      "Examples:\n"
      "  stkr predict model.npz -o answers.csv --only unlabeled --proba\n"
      "  stkr predict model.npz new.csv -o answers.jsonl --coverage 0.9\n"
      "  cat new.csv | stkr predict model.npz - --format csv -o - | head\n"
      "  stkr predict model.npz -o answers.csv --uncertainty\n"
      "  stkr predict model.npz --explain 17\n"
      "  stkr score answers.csv truth.csv");
}

void check_predict_options(const PredictArguments& arguments) {
  if (arguments.output.empty()) {
    if (arguments.explained.empty()) throw CLI::RequiredError("--output");
    const std::pair<const char*, bool> for_files[] = {
        {"--proba", arguments.probabilities},
        {"--coverage", arguments.coverage.has_value()},
        {"--uncertainty", arguments.uncertainty},
        {"--only", arguments.only != "all"},
        {"--list-unreached", !arguments.unreached.empty()},
        {"--html", arguments.html.given()}};
    for (const auto& [option, given] : for_files) {
      if (given) throw CLI::ValidationError(option, "needs a file of predictions; add -o FILE");
    }
  }
  if (arguments.jackknife_plus && !arguments.coverage) {
    throw CLI::ValidationError("--jackknife-plus", "applies only with --coverage");
  }
  if (!arguments.data.empty() && arguments.needs_refit().empty()) {
    throw CLI::ValidationError("--data",
                               "applies only with --uncertainty, --jackknife-plus or --explain");
  }
  if (arguments.fresh.samples.empty() && !arguments.fresh.features.empty()) {
    throw CLI::ValidationError("--features", "describes new nodes; also pass their edges");
  }
  if (!arguments.fresh.samples.empty() && arguments.only != "all") {
    throw CLI::ValidationError("--only", "applies to the fitted samples; new ones have no labels");
  }
  if (!arguments.copied.empty() && !arguments.output.ends_with(".h5ad")) {
    throw CLI::ValidationError("--copy", "needs an output that ends in .h5ad");
  }
}

}  // namespace stkr::app
