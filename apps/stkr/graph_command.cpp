#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "blas_threads.hpp"
#include "cli.hpp"
#include "command.hpp"
#include "console.hpp"
#include "data_summary.hpp"
#include "dataset/save_dataset.hpp"
#include "graph_options.hpp"
#include "graph_report.hpp"
#include "interrupt.hpp"
#include "json_text.hpp"
#include "reading_watch.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"

namespace stkr::app {
namespace {

int run_graph(GraphArguments& arguments) {
  if (arguments.parts > 0) {
    throw CLI::ValidationError("--partition",
                               "needs --engine petsc, whose PTScotch finds the parts");
  }
  arguments.common.threads = reserve_blas_buffers(arguments.common.threads);
  const NeighborGraphOptions options = neighbor_options(arguments);
  arguments.input = input_path(arguments.input);
  arguments.output = output_path(arguments.output);
  arguments.load.format = input_format(arguments.format, arguments.input);
  check_graph_files(arguments);
  Context context = context_of(arguments.common, allowed_memory(arguments.memory));
  check_reading(arguments.input, arguments.load, context.memory);
  ProgressBar bar(arguments.common.verbosity, arguments.common.json);
  Dataset dataset = read_dataset(arguments.input, arguments.load, bar);
  if (dataset.kind() != DatasetKind::points) {
    throw DataError(fmt::format("{} is a {}; expected points to build a graph from",
                                arguments.input, kind_name(dataset.kind())));
  }
  for (const std::string& text : dataset.notes) note(text);
  GraphReport report{.data = describe_dataset(dataset),
                     .options = options,
                     .memory = context.memory,
                     .output = arguments.output};
  report.planned = check_neighbors(shape_of(dataset), options, context);

  context.progress = [&](const Progress& progress) { bar.update(progress); };
  const auto start = std::chrono::steady_clock::now();
  NeighborGraph graph = neighbor_graph(dataset.points().values, options, context);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  bar.clear();
  dataset.samples = Graph{std::move(graph.weights), {}};
  const std::vector<std::string> notes =
      save_dataset(arguments.output, dataset, arguments.format.output);
  for (const std::string& text : notes) note(text);

  report.approximate = graph.index.cells().probes > 0;
  report.recall = graph.index.cells().recall;
  report.length_scale = graph.edges.length_scale;
  report.copies = graph.index.size() - graph.index.distinct();
  if (arguments.common.json) {
    print_report(arguments.output, json_text(graph_json(report, dataset_json(dataset))) + "\n");
  } else if (arguments.common.verbosity != Verbosity::quiet) {
    print_graph_report(report, graph_fields(dataset));
  }
  return kDone;
}

}  // namespace

Command add_graph_command(CLI::App& app) {
  auto arguments = std::make_shared<GraphArguments>();
  CLI::App* command = app.add_subcommand("graph", "Build the nearest-neighbor graph of points");
  add_graph_options(*command, *arguments);
  return {command, [arguments] { return run_graph(*arguments); }};
}

}  // namespace stkr::app
