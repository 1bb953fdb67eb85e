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

const std::map<std::string, DuplicateEdges> kDuplicates{{"max", DuplicateEdges::largest},
                                                        {"sum", DuplicateEdges::sum},
                                                        {"error", DuplicateEdges::error}};

template <class T>
std::vector<std::string> keys(const std::map<std::string, T>& map) {
  std::vector<std::string> names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

// How tables (.csv, .tsv) become points.
void add_table_options(CLI::App& command, LoadOptions& options) {
  const std::string group = "Tables";
  command
      .add_option("--id", options.id,
                  "Column with the ids of samples, which predictions list; no feature (default: "
                  "id, index, or an unnamed first column; none: no column)")
      ->check(not_empty())
      ->option_text("COLUMN")
      ->group(group);
  command.add_option("--drop", options.drop, "Columns to leave out")
      ->delimiter(',')
      ->option_text("COLUMN,...")
      ->group(group);
  command
      .add_option("--categorical", options.categorical,
                  "Columns of numbers that are categories, like those of text: one feature of 0 or "
                  "1 per value")
      ->delimiter(',')
      ->option_text("COLUMN,...")
      ->group(group);
  command
      .add_option_function<std::string>(
          "--missing",
          [&options](const std::string& list) { options.missing = CLI::detail::split(list, ','); },
          "Marks of missing cells, exactly as written, instead of NA, N/A, <NA>, #N/A, None, nan "
          "and null; empty cells are always missing")
      ->option_text("MARK,...")
      ->group(group);
  command
      .add_option_function<std::string>(
          "--impute", [&options](const std::string&) { options.impute = true; },
          "median: fill missing features with the median of their column (default: an error)")
      ->check(CLI::IsMember({"median"}))
      ->option_text("median")
      ->group(group);
  command
      .add_flag("--standardize", options.standardize,
                "Points of any format: give every feature mean 0 and standard deviation 1; the "
                "model does the same with new samples")
      ->group(group);
  command
      .add_flag_callback(
          "--header", [&options] { options.header = true; }, "The first line names the columns")
      ->group(group);
  CLI::Option* none = command.add_flag_callback(
      "--no-header", [&options] { options.header = false; },
      "The first line is a sample; columns are numbered from 0");
  none->group(group)->excludes(command.get_option("--header"));
}

}  // namespace

void add_duplicates_option(CLI::App& command, DuplicateEdges& duplicates) {
  command
      .add_option_function<std::string>(
          "--duplicates",
          [&duplicates](const std::string& name) { duplicates = kDuplicates.at(name); },
          "Edge lists and GraphML: an edge that is listed several times has the max (default) or "
          "the sum of its weights, or is an error")
      ->check(CLI::IsMember(keys(kDuplicates)))
      ->option_text("RULE")
      ->group("Data");
}

void add_load_options(CLI::App& command, LoadOptions& options) {
  const std::string group = "Data";
  command
      .add_option("--labels", options.labels,
                  "Array or column with the labels, or a .npy/.csv/.txt file; unlabeled: "
                  "class -1, an empty cell, NA, NaN (default: labels, label, class, target or y)")
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
      ->transform(one_of(keys(kTasks)))
      ->option_text("TASK")
      ->group(group);
  command
      .add_option_function<std::string>(
          "--kind", [&options](const std::string& name) { options.kind = kKinds.at(name); },
          "Read an ambiguous file as points, graph or (precomputed) kernel")
      ->transform(one_of(keys(kKinds)))
      ->option_text("KIND")
      ->group(group);
  add_table_options(command, options);
  command
      .add_flag("--symmetrize", options.symmetrize,
                "Treat the edges of a directed graph as undirected")
      ->group(group);
  add_duplicates_option(command, options.duplicates);
  command
      .add_option("--key", options.key,
                  "AnnData: the graph in obsp (default: connectivities) or the points in obsm "
                  "(default: X_pca)")
      ->check(not_empty())
      ->option_text("KEY")
      ->group(group);
  command
      .add_option("--features", options.features_file,
                  "Graphs: node features, as points in any format, one row per node, or node "
                  "attributes of a GraphML file, A,B,..., or a key in obsm of AnnData (default: "
                  "those in the graph's .npz, if a kernel uses them)")
      ->check(not_empty())
      ->option_text("FILE")
      ->group(group);
}

}  // namespace stkr::app
