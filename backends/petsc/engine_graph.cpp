#include "engine_graph.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli.hpp"
#include "console.hpp"
#include "data_summary.hpp"
#include "engine_commands.hpp"
#include "engine_problem.hpp"
#include "format/file_format.hpp"
#include "graph_options.hpp"
#include "graph_problem.hpp"
#include "graph_report.hpp"
#include "interrupt.hpp"
#include "json_text.hpp"
#include "plan/process_plan.hpp"
#include "reading_watch.hpp"
#include "runtime/byte_count.hpp"
#include "shared_graph_file.hpp"
#include "shared_neighbor_graph.hpp"
#include "shared_points.hpp"
#include "shared_statistics.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {
namespace {

using app::GraphArguments;
using nlohmann::json;

// Options that would otherwise be ignored.
void refuse_options(const GraphArguments& arguments) {
  if (arguments.graph.recall < 1.0) refuse("--recall", "omit it: the search is exact");
  if (arguments.graph.components > 0) {
    refuse("--principal-components", "omit it: the search is in all features");
  }
  if (!arguments.load.features_file.empty()) refuse("--features", "omit it");
  if (arguments.output == "-") refuse("--output", "name a file");
  if (arguments.common.device.backend()) refuse("--device", "use the CPU");
  const FileFormat format = arguments.format.output.empty()
                                ? format_for_writing(arguments.output)
                                : format_from_name(arguments.format.output);
  if (format != FileFormat::npz) {
    refuse("--output", "write .npz, then convert it: stkr data convert graph.npz graph.mtx");
  }
}

void expect_kind(DatasetKind kind, const GraphArguments& arguments) {
  if (arguments.parts > 0 && kind != DatasetKind::graph) {
    throw DataError(fmt::format("{}: contains data of kind {}; --partition needs a graph",
                                arguments.input, kind_name(kind)));
  }
  if (arguments.parts > 0 || kind == DatasetKind::points) return;
  throw DataError(fmt::format("{} is a {}; expected points to build a graph from", arguments.input,
                              kind_name(kind)));
}

// What the process with the most points needs besides what one machine with its points would: the
// engine, the blocks of others that pass by, and the neighbors that are found there and sent home
// (shared_neighbors).
std::uint64_t more_memory(const ProblemShape& share, Index k) {
  return kEngineMemory + byte_count(share.samples * share.features, 3 * sizeof(float)) +
         byte_count(share.samples * k, 32.0);
}

int run(const Session& session, GraphArguments& arguments) {
  const bool speaks = session.rank() == 0;
  refuse_options(arguments);
  const NeighborGraphOptions options = app::neighbor_options(arguments);
  arguments.load.format = app::input_format(arguments.format, arguments.input);
  arguments.common.threads = threads_of(session, arguments.common.threads);
  agree(session, [&] {
    if (speaks) app::check_graph_files(arguments);
  });
  expect_kind(kind_of(session, arguments.input, arguments.load), arguments);
  if (arguments.parts > 0) return partition_graph(session, arguments);
  Context context{.threads = arguments.common.threads,
                  .seed = arguments.common.seed,
                  .memory = app::allowed_memory(arguments.memory)};
  context.memory = least_memory(session, context.memory);
  app::ProgressBar bar(speaks ? arguments.common.verbosity : app::Verbosity::quiet,
                       arguments.common.json || !speaks);
  Dataset at_first;
  SharedPoints points;
  {
    const app::ReadingWatch watch(bar, arguments.input);
    points = read_points(session.comm(), arguments.input, arguments.load, 0, arguments.common.seed,
                         &at_first);
  }
  bar.clear();  // notes follow
  for (const std::string& text : points.notes) app::note(text);
  const Layout layout = points.layout;
  const Index features = points.rows.cols();
  app::GraphReport report{.data = app::describe_points(points.name, layout->size(), features,
                                                       points.labels, points.labeled),
                          .options = options,
                          .memory = context.memory,
                          .output = arguments.output};
  agree(session, [&] {
    const ProblemShape share{.samples = std::max<Index>(layout->most(), 1), .features = features};
    report.planned = app::check_neighbors(share, options, context, more_memory(share, options.k));
  });
  context.cancel = app::interrupt_token();
  if (speaks) context.progress = [&](const Progress& progress) { bar.update(progress); };

  const auto start = std::chrono::steady_clock::now();
  SharedNeighborGraph found =
      shared_neighbor_graph(layout, SharedMatrix(std::move(points.rows)), options, context);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  bar.clear();
  report.length_scale = found.edges.length_scale;
  report.copies = layout->size() - found.places.layout->size();
  found.places = {};
  SharedGraph graph;
  static_cast<SharedSamples&>(graph) = std::move(static_cast<SharedSamples&>(points));
  graph.rows = std::move(found.weights);
  graph.entries =
      static_cast<std::int64_t>(sum_over(layout.get(), static_cast<double>(graph.rows.entries())));
  save_graph(graph, at_first, arguments.output);

  const GraphStatistics statistics = shared_statistics(graph);
  const Index labeled = graph.labeled;
  const json engine = engine_json(session, context.threads);
  const std::unique_ptr<EngineProblem> problem = graph_problem(std::move(graph));
  const json document = problem_json(*problem);
  if (speaks && arguments.common.json) {
    json whole = app::graph_json(report, document);
    whole["engine"] = engine;
    app::print_report(arguments.output, app::json_text(whole) + "\n");
  } else if (speaks && arguments.common.verbosity != app::Verbosity::quiet) {
    app::print_graph_report(report, app::graph_fields(statistics, labeled));
  }
  return app::kDone;
}

}  // namespace

app::Command add_graph(CLI::App& application, const Session& session) {
  auto arguments = std::make_shared<GraphArguments>();
  CLI::App* command =
      application.add_subcommand("graph", "Build the nearest-neighbor graph of points");
  app::add_graph_options(*command, *arguments);
  return {command, [arguments, &session] { return run(session, *arguments); }};
}

}  // namespace stkr::petsc
