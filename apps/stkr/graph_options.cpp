#include "graph_options.hpp"

#include "cli.hpp"
#include "console.hpp"
#include "engine.hpp"
#include "file_roles.hpp"
#include "load_options.hpp"
#include "specification_options.hpp"

namespace stkr::app {

NeighborGraphOptions neighbor_options(const GraphArguments& arguments) {
  NeighborGraphOptions options = arguments.graph;
  options.weight = edge_weight_from_name(arguments.weight);
  options.rule = edge_rule_from_name(arguments.rule);
  if (options.length_scale && options.weight != EdgeWeight::heat) {
    throw CLI::ValidationError("--length-scale", "applies only with --edge-weight heat");
  }
  return options;
}

void check_graph_files(const GraphArguments& arguments) {
  FileRoles files;
  files.reads_dataset(arguments.input, arguments.load);
  files.writes_dataset("--output", arguments.output, arguments.format.output);
  files.check();
}

void add_graph_options(CLI::App& command, GraphArguments& arguments) {
  command
      .add_option("INPUT", arguments.input,
                  "Points in any format that fit reads, or a shipped data set; with --partition, a "
                  "graph")
      ->required()
      ->check(not_empty())
      ->option_text(" ");
  command
      .add_option("-o,--output", arguments.output,
                  "Graph file to write: .npz (with the labels), .mtx or .tsv (required)")
      ->required()
      ->check(not_empty())
      ->option_text("GRAPH");
  const std::string group = "Graph";
  command
      .add_option("-k,--neighbors,--neighbours", arguments.graph.k,
                  "Neighbors of each point (default: 10)")
      ->check(at_least(1))
      ->option_text("K")
      ->group(group);
  command
      .add_option("--edge-weight", arguments.weight,
                  "self-tuning (default): exp(-d^2/(s s')), s the distance to the 7th neighbor; "
                  "binary: 1; heat: exp(-d^2/(2 l^2)); cosine: of the angle")
      ->transform(one_of(edge_weight_names()))
      ->option_text("NAME")
      ->group(group);
  command
      .add_option("--edges", arguments.rule,
                  "either (default: one point is a neighbor of the other) or mutual (both are)")
      ->transform(one_of({"either", "mutual"}))
      ->option_text("RULE")
      ->group(group);
  command
      .add_option("--length-scale", arguments.graph.length_scale,
                  "heat: l (default: the median distance to the k-th neighbor)")
      ->check(positive())
      ->group(group);
  command
      .add_option("--recall", arguments.graph.recall,
                  "Share of the true neighbors to find; below 1 the search is approximate and "
                  "faster (default: 1, exact)")
      ->check(CLI::Range(1e-6, 1.0))
      ->option_text("SHARE")
      ->group(group);
  command
      .add_option("--principal-components", arguments.graph.components,
                  "Search in the N leading principal components of the points (default: in all "
                  "features)")
      ->check(at_least(1))
      ->option_text("N")
      ->group(group);
  command
      .add_option(
          "--partition", arguments.parts,
          "INPUT is a graph: number its nodes by P parts with few edges between them, so that "
          "processes exchange less (with --engine petsc)")
      ->check(at_least(1))
      ->excludes("--neighbors", "--edge-weight", "--edges", "--length-scale", "--recall",
                 "--principal-components")
      ->option_text("P")
      ->group(group);
  add_format_options(command, arguments.format, "npz, mtx or tsv");
  add_load_options(command, arguments.load);
  add_memory_option(command, arguments.memory);
  add_engine_option(command);
  add_common_options(command, arguments.common);
  command.footer(
      "Examples:\n"
      "  stkr graph digits -o digits_graph.npz -k 10\n"
      "  stkr graph points.npy -o graph.mtx --edges mutual --edge-weight binary\n"
      "  stkr graph points.npz -o graph.npz --recall 0.98\n"
      "To learn on such a graph and predict new points, fit the points themselves:\n"
      "  stkr fit digits -o model.npz --per-class 10 --kernel knn");
}

}  // namespace stkr::app
