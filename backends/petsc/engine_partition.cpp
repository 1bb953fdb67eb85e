#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "console.hpp"
#include "data_summary.hpp"
#include "engine_commands.hpp"
#include "engine_graph.hpp"
#include "engine_problem.hpp"
#include "json_text.hpp"
#include "partition.hpp"
#include "plan/process_plan.hpp"
#include "plan/run_cost.hpp"
#include "runtime/byte_count.hpp"
#include "runtime/memory.hpp"
#include "shared_graph_file.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {
namespace {

using app::GraphArguments;
using nlohmann::json;

// The process with the most entries: the graph, its pattern for PETSc, the graphs that PTScotch
// makes of it, and the entries that move. The first process: names and numbers of all nodes.
std::uint64_t needed_memory(const SharedGraph& graph) {
  const RowLayout& layout = *graph.layout;
  Matrix most = Matrix::Constant(1, 1, static_cast<double>(graph.rows.entries()));
  layout.largest(most);
  const std::uint64_t names =
      std::max<std::uint64_t>(graph.id_bytes, byte_count(layout.size(), 160.0));
  return kEngineMemory + program_memory({.samples = layout.most()}) +
         byte_count(static_cast<Index>(most(0, 0)), 100.0) + byte_count(layout.most(), 200.0) +
         byte_count(layout.size(), 80.0) + names;
}

struct Outcome {
  std::string data, output;
  std::int64_t entries = 0;
  double seconds = 0.0;
  std::uint64_t planned = 0, memory = 0;
};

json outcome_json(const Outcome& outcome, const Partition& partition, json graph) {
  const auto ends = [](const auto& values) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    return json{{"least", *least}, {"most", *most}};
  };
  return {{"output", outcome.output},
          {"parts", partition.rows.size()},
          {"nodes_of_parts", ends(partition.rows)},
          {"work_of_parts", ends(partition.work)},
          {"entries_between_parts", partition.between},
          {"seconds", outcome.seconds},
          {"planned_bytes", outcome.planned},
          {"graph", std::move(graph)}};
}

void print_outcome(const Outcome& outcome, const Partition& partition) {
  const auto [least, most] = std::minmax_element(partition.rows.begin(), partition.rows.end());
  const double share = outcome.entries > 0 ? 100.0 * static_cast<double>(partition.between) /
                                                 static_cast<double>(outcome.entries)
                                           : 0.0;
  app::print_report(
      outcome.output,
      app::format_fields({{"data", outcome.data},
                          {"parts", fmt::format("{} of {} to {} nodes, {:.2f} s",
                                                partition.rows.size(), app::with_commas(*least),
                                                app::with_commas(*most), outcome.seconds)},
                          {"between parts", fmt::format("{} of {} entries ({:.1f}%)",
                                                        app::with_commas(partition.between),
                                                        app::with_commas(outcome.entries), share)},
                          {"memory", fmt::format("about {} of {}", format_bytes(outcome.planned),
                                                 format_bytes(outcome.memory))},
                          {"written", outcome.output}}));
}

}  // namespace

int partition_graph(const Session& session, const GraphArguments& arguments) {
  const bool speaks = session.rank() == 0;
  LoadOptions load = arguments.load;
  load.node_features = true;  // which the file keeps
  Outcome outcome;
  outcome.output = arguments.output;
  outcome.memory = least_memory(session, app::allowed_memory(arguments.memory));
  Dataset nodes;
  SharedGraph graph =
      read_graph(session.comm(), arguments.input, load, 0, arguments.common.seed, &nodes);
  for (const std::string& text : graph.notes) app::note(text);
  outcome.entries = graph.entries;
  outcome.data = app::describe_graph(graph.name, graph.layout->size(), graph.entries, graph.labels,
                                     graph.labeled);
  outcome.planned = needed_memory(graph);
  if (outcome.planned > outcome.memory) {
    throw MemoryError(fmt::format(
        "partitioning needs about {} in a process, but the memory budget is {}; use more "
        "processes, or raise it (--memory)",
        format_bytes(outcome.planned), format_bytes(outcome.memory)));
  }
  const auto start = std::chrono::steady_clock::now();
  const Partition partition = partitioned(graph.layout, graph.rows, arguments.parts);
  SharedGraph numbered = renumbered(graph, partition);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  graph.rows = {};
  save_graph(numbered, renumbered(std::move(nodes), *graph.layout, partition), arguments.output);
  const json engine = engine_json(session, arguments.common.threads);
  if (speaks && arguments.common.json) {
    json data{{"name", graph.name},
              {"source", graph.source},
              {"kind", kind_name(DatasetKind::graph)},
              {"samples", graph.layout->size()},
              {"entries", graph.entries},
              {"labeled", graph.labeled}};
    json document = outcome_json(outcome, partition, std::move(data));
    document["engine"] = engine;
    app::print_report(outcome.output, app::json_text(document) + "\n");
  } else if (speaks && arguments.common.verbosity != app::Verbosity::quiet) {
    print_outcome(outcome, partition);
  }
  return app::kDone;
}

}  // namespace stkr::petsc
