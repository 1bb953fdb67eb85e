#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli.hpp"
#include "command.hpp"
#include "console.hpp"
#include "data_summary.hpp"
#include "dataset/convert_to_parts.hpp"
#include "dataset/save_dataset.hpp"
#include "file_roles.hpp"
#include "format/file_format.hpp"
#include "interrupt.hpp"
#include "json_text.hpp"
#include "load_options.hpp"
#include "specification_options.hpp"
#include "standard_input.hpp"
#include "standard_streams.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/load_dataset.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "table_summary.hpp"

namespace stkr::app {
namespace {

using nlohmann::json;

int run_list(const CommonOptions& common) {
  std::vector<std::vector<std::string>> rows{{"name", "kind", "samples", "classes", "what"}};
  json document = json::array();
  for (const ShippedInfo& info : shipped_datasets()) {
    rows.push_back({info.name, std::string(kind_name(info.kind)), with_commas(info.samples),
                    std::to_string(info.classes), info.description});
    document.push_back({{"name", info.name},
                        {"kind", kind_name(info.kind)},
                        {"samples", info.samples},
                        {"features", info.features},
                        {"entries", info.entries},
                        {"classes", info.classes},
                        {"description", info.description},
                        {"source", info.source},
                        {"license", info.license}});
  }
  if (common.json) {
    fmt::print("{}\n", json_text(document));
    return kDone;
  }
  fmt::print("{}\n", format_table(rows));
  for (const ShippedInfo& info : shipped_datasets()) {
    fmt::print("{}: {} ({})\n", info.name, info.source, info.license);
  }
  fmt::print(
      "\nUse a name wherever a file is expected: stkr fit digits -o model.npz --per-class 10\n"
      "To generate more: stkr data make --help\n");
  return kDone;
}

struct InfoArguments {
  std::string input;
  LoadOptions load;
  CommonOptions common;
};

std::optional<Dataset> load_or_explain(const InfoArguments& arguments, bool table,
                                       std::string& problem) {
  try {
    return load_dataset(arguments.input, arguments.load);
  } catch (const DataError& error) {
    if (!table) throw;
    problem = error.what();
    return std::nullopt;
  }
}

int report_refused(const InfoArguments& arguments, const TableProfile& table,
                   const std::string& problem) {
  if (arguments.common.json) {
    fmt::print("{}\n", json_text({{"source", arguments.input},
                                  {"samples", table.rows},
                                  {"columns", columns_json(table)},
                                  {"notes", table.notes},
                                  {"problem", problem}}));
    return kDone;
  }
  fmt::print("{}\n", describe_columns(table));
  std::vector<std::pair<std::string, std::string>> fields{
      {"lines", with_commas(table.rows)}, {"source", arguments.input}, {"problem", problem}};
  for (const std::string& note : table.notes) fields.emplace_back("note", note);
  fmt::print("{}", format_fields(fields));
  return kDone;
}

int run_info(InfoArguments& arguments) {
  const EndsAtOnce on_interrupt;
  arguments.input = input_path(arguments.input);
  // The columns of a table are shown even if it is refused.
  std::string problem;
  const std::optional<TableProfile> table = table_columns(arguments.input, arguments.load, problem);
  const std::optional<Dataset> loaded = load_or_explain(arguments, table.has_value(), problem);
  if (!loaded) return report_refused(arguments, *table, problem);
  const Dataset& dataset = *loaded;
  const json info = dataset_json(dataset);
  if (arguments.common.json) {
    json document = info;
    if (table) document["columns"] = columns_json(*table);
    document["notes"] = dataset.notes;
    fmt::print("{}\n", json_text(document));
    return kDone;
  }
  if (table) fmt::print("{}\n", describe_columns(*table));
  std::vector<std::pair<std::string, std::string>> fields{{"data", describe_dataset(dataset)},
                                                          {"source", dataset.source}};
  if (!dataset.label_source.empty()) fields.emplace_back("labels", dataset.label_source);
  if (std::holds_alternative<std::monostate>(dataset.truth)) {
    fields.emplace_back("labels",
                        "none; name them with " + label_choices(dataset.label_candidates));
  }
  if (!dataset.ids.empty()) fields.emplace_back("ids", "column " + dataset.id_column);
  if (dataset.kind() == DatasetKind::graph) {
    for (auto& field : graph_fields(dataset)) fields.push_back(std::move(field));
  }
  if (info.contains("classes")) {
    std::vector<std::string> counts;
    for (const json& entry : info["classes"]) {
      if (counts.size() == 20) {
        counts.push_back("...");
        break;
      }
      counts.push_back(
          fmt::format("{}: {}", entry["name"].get<std::string>(), entry["labeled"].get<Index>()));
    }
    fields.emplace_back("classes", fmt::format("{}", fmt::join(counts, ", ")));
  }
  if (const auto* targets = std::get_if<TargetValues>(&dataset.labels)) {
    fields.emplace_back("targets", fmt::format("{}", fmt::join(targets->names, ", ")));
  }
  for (const std::string& note : dataset.notes) fields.emplace_back("note", note);
  fmt::print("{}", format_fields(fields));
  return kDone;
}

void report_written(const Dataset& dataset, const std::vector<std::string>& notes,
                    const std::string& output, const CommonOptions& common) {
  if (common.json) {
    json document = dataset_json(dataset);
    document["output"] = output;
    document["notes"] = notes;
    print_report(output, json_text(document) + "\n");
    return;
  }
  if (common.verbosity == Verbosity::quiet) return;
  std::vector<std::pair<std::string, std::string>> fields{{"data", describe_dataset(dataset)},
                                                          {"written", output}};
  for (const std::string& note : notes) fields.emplace_back("note", note);
  print_report(output, format_fields(fields));
}

struct ConvertArguments : InfoArguments {
  std::string output;
  FormatOptions format;
  Index parts = 0;
};

int run_convert_to_parts(const ConvertArguments& arguments, const LoadOptions& load) {
  if (!arguments.format.output.empty()) {
    throw CLI::ValidationError("--parts", "parts have one format; omit --format");
  }
  const ConvertedParts done =
      convert_to_parts(arguments.input, load, arguments.parts, arguments.output);
  const Dataset& dataset = done.dataset;
  const auto labeled = static_cast<Index>(labeled_indices(dataset.labels).size());
  if (arguments.common.json) {
    print_report(arguments.output, json_text({{"name", dataset.name},
                                              {"source", dataset.source},
                                              {"kind", kind_name(DatasetKind::graph)},
                                              {"samples", dataset.size()},
                                              {"entries", done.entries},
                                              {"labeled", labeled},
                                              {"output", arguments.output},
                                              {"notes", done.notes}}) +
                                       "\n");
    return kDone;
  }
  if (arguments.common.verbosity == Verbosity::quiet) return kDone;
  std::vector<std::pair<std::string, std::string>> fields{
      {"data", describe_graph(dataset.name, dataset.size(), done.entries, dataset.labels, labeled)},
      {"written", arguments.output}};
  for (const std::string& note : done.notes) fields.emplace_back("note", note);
  print_report(arguments.output, format_fields(fields));
  return kDone;
}

int run_convert(ConvertArguments& arguments) {
  const EndsAtOnce on_interrupt;
  arguments.input = input_path(arguments.input);
  if (arguments.parts > 0) {
    LoadOptions load = arguments.load;
    load.format = input_format(arguments.format, arguments.input);
    return run_convert_to_parts(arguments, load);
  }
  arguments.output = output_path(arguments.output);
  const std::string& format = arguments.format.output;
  FileRoles files;
  files.reads_dataset(arguments.input, arguments.load);
  files.writes_dataset("OUTPUT", arguments.output, format);
  files.check();
  LoadOptions load = arguments.load;
  load.format = input_format(arguments.format, arguments.input);
  load.node_features = (format.empty() ? format_for_writing(arguments.output)
                                       : format_from_name(format)) == FileFormat::npz;
  const Dataset dataset = load_dataset(arguments.input, load);
  std::vector<std::string> notes = dataset.notes;
  for (std::string& note : save_dataset(arguments.output, dataset, format)) {
    notes.push_back(std::move(note));
  }
  report_written(dataset, notes, arguments.output, arguments.common);
  return kDone;
}

struct MakeArguments {
  std::string generator;
  std::string output;
  Index samples = 1000;
  double noise = 0.1;
  double factor = 0.5;
  int classes = 0;
  std::vector<Index> blocks{250, 250, 250, 250};
  double p_in = 0.05;
  double p_out = 0.005;
  Index features = 0;
  Index per_class = 0;
  std::string format;
  CommonOptions common;
};

int run_make(MakeArguments& arguments) {
  const EndsAtOnce on_interrupt;
  arguments.output = output_path(arguments.output);
  FileRoles files;
  files.writes_dataset("--output", arguments.output, arguments.format);
  files.check();
  const std::uint64_t seed = arguments.common.seed;
  Dataset dataset = [&] {
    if (arguments.generator == "two-moons") {
      return two_moons(arguments.samples, arguments.noise, seed);
    }
    if (arguments.generator == "circles") {
      return circles(arguments.samples, arguments.noise, arguments.factor, seed);
    }
    if (arguments.generator == "swiss-roll") {
      return swiss_roll(arguments.samples, arguments.noise, seed, arguments.classes);
    }
    if (arguments.features > 0) {
      return attributed_block_model(arguments.blocks, arguments.p_in, arguments.p_out,
                                    arguments.features, arguments.noise, seed);
    }
    return stochastic_block_model(arguments.blocks, arguments.p_in, arguments.p_out, seed);
  }();
  if (arguments.per_class > 0) {
    const auto* classes = std::get_if<ClassLabels>(&dataset.labels);
    if (!classes)
      throw ParameterError("--per-class needs classes; for swiss-roll also give --classes");
    keep_only(dataset.labels, labeled_per_class(*classes, arguments.per_class, seed));
  }
  report_written(dataset, save_dataset(arguments.output, dataset, arguments.format),
                 arguments.output, arguments.common);
  return kDone;
}

}  // namespace

Command add_data_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("data", "List, inspect, convert and make data sets");
  command->require_subcommand(1);

  auto list_common = std::make_shared<CommonOptions>();
  CLI::App* list = command->add_subcommand("list", "List the data sets that ship with stkr");
  add_common_options(*list, *list_common);

  auto info_arguments = std::make_shared<InfoArguments>();
  CLI::App* info = command->add_subcommand("info", "Describe the contents of a file");
  info->add_option("INPUT", info_arguments->input, "A data file or the name of a shipped data set")
      ->required()
      ->check(not_empty())
      ->option_text(" ");
  add_load_options(*info, info_arguments->load);
  add_input_format(*info, info_arguments->load.format);
  add_common_options(*info, info_arguments->common);

  auto convert_arguments = std::make_shared<ConvertArguments>();
  CLI::App* convert = command->add_subcommand("convert", "Convert a file to another format");
  convert
      ->add_option("INPUT", convert_arguments->input,
                   "A data file or the name of a shipped data set")
      ->required()
      ->check(not_empty())
      ->option_text(" ");
  convert
      ->add_option("-o,--output,OUTPUT", convert_arguments->output,
                   "Format by extension: .npz, .npy, .mtx, .csv, .tsv (edge list), .svmlight")
      ->required()
      ->check(not_empty())
      ->option_text(" ");
  convert
      ->add_option("--parts", convert_arguments->parts,
                   "Write a graph to a folder OUTPUT of N parts, for --engine petsc")
      ->check(at_least(1))
      ->option_text("N");
  add_format_options(*convert, convert_arguments->format, "npz, npy, mtx, csv, tsv, svmlight");
  add_load_options(*convert, convert_arguments->load);
  add_common_options(*convert, convert_arguments->common);

  auto make_arguments = std::make_shared<MakeArguments>();
  CLI::App* make = command->add_subcommand("make", "Generate a data set");
  make->add_option("GENERATOR", make_arguments->generator,
                   "two-moons, circles, swiss-roll (points) or block-model (graph)")
      ->required()
      ->transform(one_of({"two-moons", "circles", "swiss-roll", "block-model"}))
      ->option_text(" ");
  make->add_option("-o,--output", make_arguments->output,
                   "File to write, format by extension (required)")
      ->required()
      ->check(not_empty())
      ->option_text("FILE");
  make->add_option("--format", make_arguments->format,
                   "Format of the output if its extension does not say: csv, npz, ...")
      ->option_text("NAME");
  make->add_option("--samples", make_arguments->samples, "Points to draw")
      ->check(at_least(1))
      ->capture_default_str();
  make->add_option("--noise", make_arguments->noise, "Standard deviation of the noise")
      ->check(number("0 or more", [](double noise) { return noise >= 0.0 && noise < 1e308; }))
      ->capture_default_str();
  make->add_option("--factor", make_arguments->factor, "circles: radius of the inner circle")
      ->check(number("a number between 0 and 1", [](double r) { return r > 0.0 && r < 1.0; }))
      ->capture_default_str();
  make->add_option("--classes", make_arguments->classes,
                   "swiss-roll: divide the angle into N classes (default: regression)")
      ->check(at_least(0));
  make->add_option("--blocks", make_arguments->blocks,
                   "block-model: nodes in each block (default: 250,250,250,250)")
      ->delimiter(',')
      ->check(at_least(1))
      ->option_text("N,N,...");
  const CLI::Validator share =
      number("a number from 0 to 1", [](double p) { return p >= 0.0 && p <= 1.0; });
  make->add_option("--p-in", make_arguments->p_in, "block-model: edge probability within a block")
      ->check(share)
      ->capture_default_str();
  make->add_option("--p-out", make_arguments->p_out, "block-model: edge probability across blocks")
      ->check(share)
      ->capture_default_str();
  make->add_option("--features", make_arguments->features,
                   "block-model: N features per node, with --noise. Blocks form rows and "
                   "columns: the graph distinguishes rows, the features columns")
      ->check(at_least(1))
      ->option_text("N");
  make->add_option("--per-class", make_arguments->per_class,
                   "Keep N labels per class and hide the rest")
      ->check(at_least(1))
      ->option_text("N");
  add_common_options(*make, make_arguments->common);

  return {command, [=]() -> int {
            if (list->parsed()) return run_list(*list_common);
            if (info->parsed()) return run_info(*info_arguments);
            if (convert->parsed()) return run_convert(*convert_arguments);
            return run_make(*make_arguments);
          }};
}

}  // namespace stkr::app
