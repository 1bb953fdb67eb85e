#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli.hpp"
#include "command.hpp"
#include "console.hpp"
#include "dataset/dataset_shape.hpp"
#include "engine.hpp"
#include "grid_options.hpp"
#include "help_formatter.hpp"
#include "interrupt.hpp"
#include "json_text.hpp"
#include "load_options.hpp"
#include "memory_option.hpp"
#include "plan/process_plan.hpp"
#include "plan_report.hpp"
#include "runtime/memory.hpp"
#include "selection/plan_selection.hpp"
#include "specification/host_parts.hpp"
#include "specification_options.hpp"
#include "standard_input.hpp"
#include "standard_streams.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "stkr/selection/fit_automatic.hpp"
#include "time_estimate.hpp"

namespace stkr::app {
namespace {

using nlohmann::json;

struct PlanArguments {
  std::string input;
  Index ranks = 0;     // processes of the engine; 0: this program alone
  std::string points;  // "NxF"
  Index nodes = 0;
  Index entries = 0;
  Index kernel_size = 0;
  Index classes = 2;
  Index per_class = 0;
  bool select = false;
  LoadOptions load;
  SpecificationOptions spec;
  GridOptions grid;
  MemoryOption memory;
  CommonOptions common;
};

[[noreturn]] void wrong(const char* option, const std::string& what) {
  throw CLI::ValidationError(option, what);
}

Index whole_number(std::string_view text, const char* option) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) {
    wrong(option, fmt::format("'{}' given; expected a whole number, 1 or more", text));
  }
  return value;
}

// A problem given by its sizes alone. Assumes reading an .npy or .npz of doubles.
ProblemShape given_shape(const PlanArguments& arguments) {
  ProblemShape shape{.outputs = arguments.classes};
  if (!arguments.points.empty()) {
    const std::size_t cross = arguments.points.find('x');
    if (cross == std::string::npos) wrong("--points", "expected SAMPLESxFEATURES: 100000x64");
    const std::string_view text = arguments.points;
    shape.samples = whole_number(text.substr(0, cross), "--points");
    shape.features = whole_number(text.substr(cross + 1), "--points");
    shape.reading = 8 * static_cast<std::uint64_t>(shape.samples * shape.features);
  } else if (arguments.nodes > 0) {
    if (arguments.entries == 0) wrong("--graph", "needs --entries: two per edge");
    shape.kind = DatasetKind::graph;
    shape.samples = arguments.nodes;
    shape.entries = arguments.entries;
    shape.reading = 12 * static_cast<std::uint64_t>(shape.entries);
  } else {
    shape.kind = DatasetKind::kernel;
    shape.samples = arguments.kernel_size;
    shape.reading = 8 * static_cast<std::uint64_t>(shape.samples * shape.samples);
  }
  if (arguments.load.labeled.empty()) wrong("--labeled", "give the number of labeled samples");
  shape.labeled = whole_number(arguments.load.labeled, "--labeled");
  if (shape.labeled > shape.samples) wrong("--labeled", "exceeds the number of samples");
  return shape;
}

// What the process with the most has, if several share the samples.
std::optional<ProcessShare> share_of(const PlanArguments& arguments, const ProblemShape& shape) {
  if (arguments.ranks == 0) return std::nullopt;
  if (shape.kind != DatasetKind::graph) {
    wrong("--engine", "the plan of many processes is for graphs; plan points and kernels without");
  }
  return graph_process_share(shape,
                             arguments.input.empty()
                                 ? equal_share(shape.samples, shape.entries, arguments.ranks)
                                 : largest_share(arguments.input, arguments.load, arguments.ranks));
}

Plan plan_of(const PlanArguments& arguments, const Specification& spec, const ProblemShape& whole,
             const std::optional<ProcessShare>& share, const Context& context) {
  const PlanShare plan = [&](const ProblemShape& shape, const Context& own) {
    return arguments.select ? plan_selection(shape, spec, finish_grid(arguments.grid), {}, own)
                            : plan_fit(shape, planned_specification(shape, spec), own);
  };
  return share ? plan_process(*share, context, plan) : plan(whole, context);
}

ProblemShape shape_of_file(const PlanArguments& arguments, std::string& name) {
  DatasetShape found = read_shape(arguments.input, arguments.load);
  for (const std::string& text : found.notes) note(text);
  if (arguments.per_class > 0) {
    const auto* classes = std::get_if<ClassLabels>(&found.labels);
    if (!classes) throw ParameterError("--per-class needs class labels in the data");
    keep_only(found.labels,
              labeled_per_class(*classes, arguments.per_class, arguments.common.seed));
  }
  ProblemShape shape{.kind = found.kind,
                     .samples = found.samples,
                     .features = found.features,
                     .entries = found.entries,
                     .feature_entries = found.feature_entries,
                     .names = found.names,
                     .reading = found.reading};
  count_labels(found.labels, shape);
  name = found.name + ": ";
  return shape;
}

int run_plan(PlanArguments& arguments) {
  const EndsAtOnce on_interrupt;
  const int given = !arguments.input.empty() + !arguments.points.empty() + (arguments.nodes > 0) +
                    (arguments.kernel_size > 0);
  if (given != 1) wrong("INPUT", "give one of INPUT, --points, --graph and --kernel-size");
  const Specification spec = finish_specification(arguments.spec);
  arguments.input = input_path(arguments.input);
  const Context context = context_of(arguments.common, allowed_memory(arguments.memory));
  PlanReport report;
  report.ranks = arguments.ranks;
  report.shape =
      arguments.input.empty() ? given_shape(arguments) : shape_of_file(arguments, report.name);
  const std::optional<ProcessShare> share = share_of(arguments, report.shape);
  report.plan = plan_of(arguments, spec, report.shape, share, context);
  // What the planned process or machine has.
  const ProblemShape& shape = share ? share->shape : report.shape;
  report.time = arguments.select ? estimated_time(shape, spec, finish_grid(arguments.grid), context)
                                 : estimated_time(shape, spec, context);
  if (!arguments.select) report.hint = faster_kernel(shape, spec, context);
  const std::string on_host = left_to_host(
      shape, arguments.select ? spec : planned_specification(shape, spec), context.device);
  if (!on_host.empty()) warn(on_host);
  if (arguments.common.json) {
    fmt::print("{}\n", json_text(plan_json(report)));
  } else {
    print_plan(report);
  }
  return report.plan.chosen ? kDone : kOutOfMemory;
}

}  // namespace

Command add_plan_command(CLI::App& app, int processes) {
  auto arguments = std::make_shared<PlanArguments>();
  arguments->ranks = processes;
  CLI::App* command = app.add_subcommand(
      "plan", "Show memory, work and time of a fit or a selection before running it");
  command
      ->add_option("INPUT", arguments->input,
                   "Samples in any format that fit reads: only headers and labels are read")
      ->check(not_empty())
      ->option_text(" ");
  command->add_option("--points", arguments->points, "Instead of INPUT: N points with F features")
      ->option_text("NxF")
      ->group("Data");
  command->add_option("--graph", arguments->nodes, "Instead of INPUT: N nodes, with --entries")
      ->check(at_least(1))
      ->option_text("N")
      ->group("Data");
  command
      ->add_option("--entries", arguments->entries, "Entries of the graph's matrix: two per edge")
      ->check(at_least(1))
      ->option_text("N")
      ->group("Data");
  command
      ->add_option("--kernel-size", arguments->kernel_size,
                   "Instead of INPUT: a precomputed kernel of N samples")
      ->check(at_least(1))
      ->option_text("N")
      ->group("Data");
  command
      ->add_option("--classes", arguments->classes, "Without INPUT: number of classes (default: 2)")
      ->check(at_least(1))
      ->option_text("N")
      ->group("Data");
  command->add_option("--per-class", arguments->per_class, "As in stkr fit")
      ->check(at_least(1))
      ->option_text("N")
      ->group("Data");
  command->add_flag("--select", arguments->select,
                    "Plan the whole grid of stkr select, by cross-validation, instead of one fit");
  add_load_options(*command, arguments->load);
  add_input_format(*command, arguments->load.format);
  command->get_option("--labeled")
      ->description("Which samples are labeled, as in stkr fit; without INPUT, how many");
  add_specification_options(*command, arguments->spec);
  add_grid_options(*command, arguments->grid);
  add_memory_option(*command, arguments->memory);
  add_engine_option(*command);
  command
      ->add_option("--ranks", arguments->ranks,
                   "With --engine petsc: the memory of each of P processes (default: those that "
                   "mpirun started)")
      ->check(at_least(1))
      ->option_text("P");
  add_common_options(*command, arguments->common);
  show_first(*command, {"--points", "--graph", "--entries", "--classes", "--per-class", "--labeled",
                        "--select", "--kernel", "--transform", "--memory", "--json"});
  command->footer(
      "Examples:\n"
      "  stkr plan digits --per-class 10\n"
      "  stkr plan --points 1000000x64 --labeled 100 --classes 10 --memory 8GB\n"
      "  stkr plan --graph 10000000 --entries 200000000 --labeled 1000 --classes 10 --json\n"
      "  stkr plan graph.npz --select --memory 50%");
  return {command, [arguments, command] {
            const bool engine = command->count("--engine") > 0 &&
                                command->get_option("--engine")->as<std::string>() == "petsc";
            if (command->count("--ranks") > 0 && !engine) wrong("--ranks", "needs --engine petsc");
            return run_plan(*arguments);
          }};
}

}  // namespace stkr::app
