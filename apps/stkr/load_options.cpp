#include "load_options.hpp"

#include <map>

#include "cli.hpp"
#include "command.hpp"

namespace stkr::app {
namespace {

const std::map<std::string, Task> kTasks{{"automatic", Task::automatic},
                                         {"classification", Task::classification},
                                         {"regression", Task::regression}};

const std::map<std::string, DatasetKind> kKinds{{"points", DatasetKind::points},
                                                {"graph", DatasetKind::graph},
                                                {"kernel", DatasetKind::kernel}};

template <class T>
std::vector<std::string> keys(const std::map<std::string, T>& map) {
  std::vector<std::string> names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

}  // namespace

void add_load_options(CLI::App& command, LoadOptions& options) {
  const std::string group = "Data";
  command
      .add_option("--labels", options.labels,
                  "Array or column with the labels, or a .npy/.csv/.txt file; unlabeled: "
                  "class -1, an empty cell, NaN (default: labels, label, class, target or y)")
      ->check(not_empty())
      ->option_text("NAME")
      ->group(group);
  command
      .add_option("--labeled", options.labeled,
                  "Indices of labeled samples, from 0: an array of the file (or one row of it, "
                  "'labeled_10[3]') or a .npy/.txt file. Overrides the -1 convention")
      ->check(not_empty())
      ->option_text("INDEX")
      ->group(group);
  command
      .add_flag_callback(
          "--minus-one-is-class", [&options] { options.minus_one_is_unlabeled = false; },
          "-1 is an ordinary class, not a mark for unlabeled samples")
      ->group(group);
  command
      .add_option_function<std::string>(
          "--task", [&options](const std::string& name) { options.task = kTasks.at(name); },
          "classification or regression (default: whole numbers and text are classes)")
      ->check(CLI::IsMember(keys(kTasks)))
      ->option_text("TASK")
      ->group(group);
  command
      .add_option_function<std::string>(
          "--kind", [&options](const std::string& name) { options.kind = kKinds.at(name); },
          "Read an ambiguous file as points, graph or (precomputed) kernel")
      ->check(CLI::IsMember(keys(kKinds)))
      ->option_text("KIND")
      ->group(group);
  command
      .add_flag("--symmetrize", options.symmetrize,
                "Treat the edges of a directed graph as undirected")
      ->group(group);
  command
      .add_option("--features", options.features_file,
                  "Graphs: node features, as points in any format, one row per node (default: "
                  "those in the graph's .npz, if a kernel uses them)")
      ->check(not_empty())
      ->option_text("FILE")
      ->group(group);
}

}  // namespace stkr::app
