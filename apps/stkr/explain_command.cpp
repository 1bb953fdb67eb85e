#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "blas_threads.hpp"
#include "cli.hpp"
#include "command.hpp"
#include "console.hpp"
#include "data_summary.hpp"
#include "file_roles.hpp"
#include "format/atomic_file.hpp"
#include "help_formatter.hpp"
#include "html_option.hpp"
#include "json_text.hpp"
#include "load_options.hpp"
#include "memory_option.hpp"
#include "reading_watch.hpp"
#include "refit.hpp"
#include "repeat_command.hpp"
#include "report/explain_json.hpp"
#include "report/explain_page.hpp"
#include "report/explain_tables.hpp"
#include "specification_options.hpp"
#include "specification_text.hpp"
#include "standard_input.hpp"
#include "standard_streams.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"

namespace stkr::app {
namespace {

using nlohmann::json;

struct ExplainArguments {
  std::string input;
  std::string model;  // whose kernel and method are explained; may be empty
  std::string html;
  bool no_curves = false;
  Index per_class = 0;
  LoadOptions load;
  SpecificationOptions spec;
  ExplainOptions options;
  MemoryOption memory;
  CommonOptions common;
};

void print_table(const report::PageTable& table) {
  if (table.rows.size() < 2) return;
  fmt::print("\n{}\n{}", table.title, format_table(table.rows));
}

// In short; the page and --json have everything about them.
void print_bounds(const Explanation& found) {
  report::PageTable table{"The paper's bounds on these data",
                          {{"Bound", "Value", "Known", "Verdict"}}};
  for (const Bound& bound : found.bounds) {
    table.rows.push_back(
        {bound.name, fmt::format("{} {:.3g}", bound.lower ? "at least" : "at most", bound.value),
         fmt::format("{:.3g}", bound.trivial), report::bound_verdict(bound)});
  }
  print_table(table);
}

void print_text(const Explanation& found, const std::string& repeat, const std::string& html) {
  fmt::print("{}\n\n", found.data);
  for (const std::string& sentence : found.verdict) fmt::print("- {}\n", sentence);
  print_table(report::compared_table(found));
  print_table(report::energy_table(found));
  print_table(report::curve_table(found));
  fmt::print("\n{}", format_fields(report::kernel_numbers(found)));
  if (found.suggestion) fmt::print("\n{}", format_fields(report::fit_numbers(found)));
  print_bounds(found);
  std::vector<std::pair<std::string, std::string>> fields;
  for (const auto& [part, why] : found.missing) fields.emplace_back("not known", part + ": " + why);
  for (const std::string& one : found.notes) fields.emplace_back("note", one);
  if (!repeat.empty()) fields.emplace_back("follow it with", repeat);
  if (!html.empty()) fields.emplace_back("page", html);
  if (!fields.empty()) fmt::print("\n{}", format_fields(fields));
}

// What to explain.
struct Request {
  Specification spec;
  Dataset dataset;
};

Request read_data(ExplainArguments& arguments, const Context& context, ProgressBar& bar) {
  Request request{finish_specification(arguments.spec), {}};
  arguments.load.node_features = true;
  check_reading(arguments.input, arguments.load, context.memory);
  request.dataset = read_dataset(arguments.input, arguments.load, bar);
  if (arguments.per_class > 0) {
    const auto* classes = std::get_if<ClassLabels>(&request.dataset.labels);
    if (!classes) throw ParameterError("--per-class needs class labels in the data");
    keep_only(request.dataset.labels,
              labeled_per_class(*classes, arguments.per_class, arguments.common.seed));
  }
  return request;
}

// A model says how its samples and labels are read, and with which kernel and method.
void check_model_options(const CLI::App& command) {
  const std::set<std::string> own{"html",    "no-curves", "draws", "memory", "json",
                                  "threads", "device",    "seed",  "quiet",  "verbose"};
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || option->get_positional()) continue;
    const std::string& name = option->get_lnames().front();
    if (!own.contains(name)) {
      throw CLI::ValidationError("--" + name,
                                 "does not go with MODEL, which says how it was fitted");
    }
  }
}

// The kernel, the method and the labels of a model.
Request read_as_fitted(const ExplainArguments& arguments, const Context& context,
                       ProgressBar& bar) {
  const Model model = Model::load(arguments.model, context.threads, context.device);
  RecordedFit fit = recorded_fit(model, arguments.model, arguments.input, "explain");
  check_reading(fit.arguments.input, fit.arguments.load, context.memory);
  Request request{fit.spec, read_fit_samples(fit.arguments, bar)};
  if (!fitted_on(model, request.dataset)) {
    warn(
        fmt::format("{}: its samples or labels are not those that {} was fitted on; its kernel and "
                    "method are explained on these",
                    arguments.input, arguments.model));
  }
  return request;
}

int run_explain(ExplainArguments& arguments, const CLI::App& command) {
  arguments.input = input_path(arguments.input);
  if (!arguments.model.empty()) check_model_options(command);
  FileRoles files;
  files.reads_dataset(arguments.input, arguments.load);
  files.reads("MODEL", arguments.model);
  files.writes("--html", arguments.html);
  files.check();
  arguments.common.threads = reserve_blas_buffers(arguments.common.threads);
  Context context = context_of(arguments.common, allowed_memory(arguments.memory));
  ProgressBar bar(arguments.common.verbosity, arguments.common.json);
  auto [spec, dataset] = arguments.model.empty() ? read_data(arguments, context, bar)
                                                 : read_as_fitted(arguments, context, bar);
  for (const std::string& text : dataset.notes) note(text);
  context.progress = [&](const Progress& progress) { bar.update(progress); };
  arguments.options.curves = !arguments.no_curves;
  Explanation found = explain(dataset, spec, arguments.options, context);
  bar.clear();
  found.data = describe_dataset(dataset);
  // The data options of a model are its own.
  const std::string repeat =
      found.suggestion && arguments.model.empty()
          ? repeat_command(command, option_words(found.suggestion->spec), "model.npz")
          : "";
  if (!arguments.html.empty()) {
    report::Facts how{{"Command", typed_command(command)}};
    if (!repeat.empty()) how.emplace_back("Follow the advice with", repeat);
    const std::string page = report::explain_page(found, how);
    write_atomically(arguments.html, [&](FileSink& sink) { sink.write(page); });
  }
  if (arguments.common.json) {
    json document = report::explanation_json(found);
    document["data"] = dataset_json(dataset);
    if (!repeat.empty()) document["follow"] = repeat;
    if (!arguments.html.empty()) document["html"] = arguments.html;
    fmt::print("{}\n", json_text(document));
  } else if (arguments.common.verbosity != Verbosity::quiet) {
    print_text(found, repeat, arguments.html);
  }
  return kDone;
}

}  // namespace

Command add_explain_command(CLI::App& app) {
  auto arguments = std::make_shared<ExplainArguments>();
  CLI::App* command = app.add_subcommand(
      "explain", "Say whether unlabeled samples help, which transform suits, and what to buy");
  command
      ->add_option("INPUT", arguments->input,
                   "Samples and labels, as for stkr fit; labels may be missing")
      ->required()
      ->check(not_empty())
      ->option_text(" ");
  command
      ->add_option("MODEL", arguments->model,
                   "Explain the kernel, the method and the labels of this model, written by stkr "
                   "fit. Default: those of a full selection, or of the options")
      ->check(not_empty())
      ->option_text(" ");
  command
      ->add_option("--html", arguments->html,
                   "Write a page: the verdict, pictures, numbers, and how each was computed")
      ->check(not_empty())
      ->option_text("FILE");
  command
      ->add_flag("--no-curves", arguments->no_curves,
                 "Leave out what needs fits to parts of the samples: learning curves and the "
                 "cross-fit estimate")
      ->option_text(" ");
  command
      ->add_option("--draws", arguments->options.draws,
                   "Random subsets of the unlabeled samples per point of a curve (default: 4)")
      ->check(at_least(1))
      ->option_text("N");
  command
      ->add_option("--per-class", arguments->per_class,
                   "Keep N random labels per class and hide the others, which then also score")
      ->check(at_least(1))
      ->option_text("N")
      ->group("Data");
  add_load_options(*command, arguments->load);
  add_input_format(*command, arguments->load.format);
  add_specification_options(*command, arguments->spec);
  add_memory_option(*command, arguments->memory);
  add_common_options(*command, arguments->common);
  show_first(*command, {"--html", "--no-curves", "--labels", "--labeled", "--per-class", "--task",
                        "--kernel", "--memory", "--json"});
  command->footer(
      "The kernel is that of a full selection, unless --kernel or MODEL gives it. Nothing is "
      "written\n"
      "but the page. docs/explain.md says how each number is computed.\n"
      "\n"
      "Examples:\n"
      "  stkr explain digits --per-class 10 --html digits.html\n"
      "  stkr explain graph.npz --labeled train_index.npy --json\n"
      "  stkr explain digits model.npz");
  return {command, [arguments, command] { return run_explain(*arguments, *command); }};
}

}  // namespace stkr::app
