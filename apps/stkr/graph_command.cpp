#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "blas_threads.hpp"
#include "cli.hpp"
#include "command.hpp"
#include "console.hpp"
#include "data_summary.hpp"
#include "dataset/save_dataset.hpp"
#include "engine.hpp"
#include "file_roles.hpp"
#include "interrupt.hpp"
#include "json_text.hpp"
#include "load_options.hpp"
#include "memory_option.hpp"
#include "reading_watch.hpp"
#include "runtime/memory.hpp"
#include "specification_options.hpp"
#include "standard_input.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"
#include "stkr/gram/neighbor_graph.hpp"

namespace stkr::app {
namespace {

using nlohmann::json;

struct GraphArguments {
  std::string input;
  std::string output;
  NeighborGraphOptions graph;
  std::string weight = to_string(NeighborGraphOptions{}.weight);
  std::string rule = to_string(NeighborGraphOptions{}.rule);
  FormatOptions format;
  LoadOptions load;
  MemoryOption memory;
  CommonOptions common;
};

int run_graph(GraphArguments& arguments) {
  arguments.common.threads = reserve_blas_buffers(arguments.common.threads);
  NeighborGraphOptions options = arguments.graph;
  options.weight = edge_weight_from_name(arguments.weight);
  options.rule = edge_rule_from_name(arguments.rule);
  if (options.length_scale && options.weight != EdgeWeight::heat) {
    throw CLI::ValidationError("--length-scale", "applies only with --edge-weight heat");
  }
  arguments.input = input_path(arguments.input);
  arguments.output = output_path(arguments.output);
  arguments.load.format = input_format(arguments.format, arguments.input);
  FileRoles files;
  files.reads_dataset(arguments.input, arguments.load);
  files.writes_dataset("--output", arguments.output, arguments.format.output);
  files.check();
  Context context = context_of(arguments.common, allowed_memory(arguments.memory));
  check_reading(arguments.input, arguments.load, context.memory);
  ProgressBar bar(arguments.common.verbosity, arguments.common.json);
  Dataset dataset = read_dataset(arguments.input, arguments.load, bar);
  if (dataset.kind() != DatasetKind::points) {
    throw DataError(fmt::format("{} is a {}; expected points to build a graph from",
                                arguments.input, kind_name(dataset.kind())));
  }
  for (const std::string& text : dataset.notes) note(text);
  const std::string data = describe_dataset(dataset);
  const std::uint64_t planned = check_neighbors(dataset, options, context);

  context.progress = [&](const Progress& progress) { bar.update(progress); };
  const auto start = std::chrono::steady_clock::now();
  NeighborGraph graph = neighbor_graph(dataset.points().values, options, context);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  bar.clear();
  dataset.samples = Graph{std::move(graph.weights), {}};
  const std::vector<std::string> notes =
      save_dataset(arguments.output, dataset, arguments.format.output);
  for (const std::string& text : notes) note(text);

  const Index copies = graph.index.size() - graph.index.distinct();
  if (arguments.common.json) {
    json document{{"output", arguments.output},
                  {"k", options.k},
                  {"edge_weight", to_string(options.weight)},
                  {"edges", to_string(options.rule)},
                  {"recall", graph.index.cells().recall},
                  {"equal_points", copies},
                  {"seconds", seconds},
                  {"planned_bytes", planned},
                  {"graph", dataset_json(dataset)}};
    if (options.weight == EdgeWeight::heat) document["length_scale"] = graph.edges.length_scale;
    print_report(arguments.output, json_text(document) + "\n");
    return kDone;
  }
  if (arguments.common.verbosity == Verbosity::quiet) return kDone;
  std::vector<std::pair<std::string, std::string>> fields{
      {"data", data},
      {"neighbors", fmt::format("{}, {}, {:.2f} s", options.k,
                                graph.index.cells().probes > 0
                                    ? fmt::format("{:.1f}% of the true ones (on a sample)",
                                                  100.0 * graph.index.cells().recall)
                                    : "exact",
                                seconds)},
      {"edges", fmt::format("{}, {} weights{}", to_string(options.rule), to_string(options.weight),
                            options.weight == EdgeWeight::heat
                                ? fmt::format(", length scale {:.6g}", graph.edges.length_scale)
                                : "")}};
  if (copies > 0) {
    fields.emplace_back("equal points",
                        fmt::format("{}: each is joined to its first copy", with_commas(copies)));
  }
  for (auto& field : graph_fields(dataset)) fields.push_back(std::move(field));
  fields.emplace_back(
      "memory", fmt::format("about {} of {}", format_bytes(planned), format_bytes(context.memory)));
  fields.emplace_back("written", arguments.output);
  print_report(arguments.output, format_fields(fields));
  return kDone;
}

}  // namespace

Command add_graph_command(CLI::App& app) {
  auto arguments = std::make_shared<GraphArguments>();
  CLI::App* command = app.add_subcommand("graph", "Build the nearest-neighbor graph of points");
  command
      ->add_option("INPUT", arguments->input,
                   "Points in any format that fit reads, or a shipped data set")
      ->required()
      ->check(not_empty())
      ->option_text(" ");
  command
      ->add_option("-o,--output", arguments->output,
                   "Graph file to write: .npz (with the labels), .mtx or .tsv (required)")
      ->required()
      ->check(not_empty())
      ->option_text("GRAPH");
  const std::string group = "Graph";
  command
      ->add_option("-k,--neighbors,--neighbours", arguments->graph.k,
                   "Neighbors of each point (default: 10)")
      ->check(at_least(1))
      ->option_text("K")
      ->group(group);
  command
      ->add_option("--edge-weight", arguments->weight,
                   "self-tuning (default): exp(-d^2/(s s')), s the distance to the 7th neighbor; "
                   "binary: 1; heat: exp(-d^2/(2 l^2)); cosine: of the angle")
      ->transform(one_of(edge_weight_names()))
      ->option_text("NAME")
      ->group(group);
  command
      ->add_option("--edges", arguments->rule,
                   "either (default: one point is a neighbor of the other) or mutual (both are)")
      ->transform(one_of({"either", "mutual"}))
      ->option_text("RULE")
      ->group(group);
  command
      ->add_option("--length-scale", arguments->graph.length_scale,
                   "heat: l (default: the median distance to the k-th neighbor)")
      ->check(positive())
      ->group(group);
  command
      ->add_option("--recall", arguments->graph.recall,
                   "Share of the true neighbors to find; below 1 the search is approximate and "
                   "faster (default: 1, exact)")
      ->check(CLI::Range(1e-6, 1.0))
      ->option_text("SHARE")
      ->group(group);
  command
      ->add_option("--principal-components", arguments->graph.components,
                   "Search in the N leading principal components of the points (default: in all "
                   "features)")
      ->check(at_least(1))
      ->option_text("N")
      ->group(group);
  add_format_options(*command, arguments->format, "npz, mtx or tsv");
  add_load_options(*command, arguments->load);
  add_memory_option(*command, arguments->memory);
  add_engine_option(*command);
  add_common_options(*command, arguments->common);
  command->footer(
      "Examples:\n"
      "  stkr graph digits -o digits_graph.npz -k 10\n"
      "  stkr graph points.npy -o graph.mtx --edges mutual --edge-weight binary\n"
      "  stkr graph points.npz -o graph.npz --recall 0.98\n"
      "To learn on such a graph and predict new points, fit the points themselves:\n"
      "  stkr fit digits -o model.npz --per-class 10 --kernel knn");
  return {command, [arguments] { return run_graph(*arguments); }};
}

}  // namespace stkr::app
