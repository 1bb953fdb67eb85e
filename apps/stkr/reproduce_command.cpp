#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "blas_threads.hpp"
#include "cli.hpp"
#include "command.hpp"
#include "file_roles.hpp"
#include "format/atomic_file.hpp"
#include "gnuplot.hpp"
#include "json_text.hpp"
#include "reproduction_report.hpp"
#include "reproduction_run.hpp"
#include "runtime/parallel.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"
#include "stkr/version.hpp"

namespace stkr::app {
namespace {

// Increase this whenever the numbers of an experiment change within one version: earlier results
// are then not reused.
constexpr int kResultsRevision = 1;

std::filesystem::path data_folder(const ReproduceArguments& arguments) {
  std::filesystem::path folder = arguments.data;
  if (folder.empty()) {
    const char* variable = std::getenv("STKR_DATA");
    if (variable == nullptr || *variable == '\0') {
      throw DataError(
          "no data: give the folder with the graphs (cora.npz, photo.npz, ...) by --data DIR or by "
          "the environment variable STKR_DATA");
    }
    folder = variable;
  }
  if (!std::filesystem::is_directory(folder)) {
    throw DataError(fmt::format("{}: not a folder; expected one with cora.npz, photo.npz, ...",
                                folder.string()));
  }
  return folder;
}

// The data sets to run, in the paper's order. A missing data set is a failure if it was requested
// by name, otherwise a note.
std::vector<const PaperDataset*> present_datasets(const ReproduceArguments& arguments,
                                                  const std::filesystem::path& folder,
                                                  Reproduction& reproduction) {
  const std::set<std::string, std::less<>> wanted(arguments.datasets.begin(),
                                                  arguments.datasets.end());
  std::vector<const PaperDataset*> present;
  for (const PaperDataset& dataset : paper_datasets()) {
    if (!wanted.empty() && wanted.find(dataset.name) == wanted.end()) continue;
    const std::filesystem::path path = paper_graph_path(folder, dataset);
    if (std::filesystem::exists(path)) {
      present.push_back(&dataset);
      continue;
    }
    const std::string message = fmt::format("{}: {} not found; get it from {}", dataset.name,
                                            path.string(), dataset.source);
    (wanted.empty() ? reproduction.missing : reproduction.failures).push_back(message);
  }
  if (present.empty() && wanted.empty()) {
    throw DataError(
        fmt::format("{}: contains none of the paper's data sets; expected files like these:\n  {}",
                    folder.string(), fmt::join(reproduction.missing, "\n  ")));
  }
  return present;
}

// The command that repeats the run, without options that have their defaults.
std::string command_line(const ReproduceArguments& arguments, const std::filesystem::path& folder) {
  std::string text = "stkr reproduce";
  for (const std::string& name : arguments.tables) text += " --table " + name;
  for (const std::string& name : arguments.figures) text += " --figure " + name;
  if (!arguments.datasets.empty()) {
    text += fmt::format(" --datasets {}", fmt::join(arguments.datasets, ","));
  }
  if (!arguments.methods.empty()) {
    text += fmt::format(" --methods {}", fmt::join(arguments.methods, ","));
  }
  text += fmt::format(" --seeds {} --data {}", arguments.seeds, folder.string());
  if (arguments.solver != "exact") text += " --solver " + arguments.solver;
  if (arguments.no_evidence != "first-class") text += " --no-evidence " + arguments.no_evidence;
  return text;
}

// Checks before any work whether there are figures to draw and gnuplot to draw them.
void check_pictures(const ReproduceArguments& arguments) {
  const auto exhibits = exhibits_of(arguments);
  const bool figures = std::any_of(exhibits.begin(), exhibits.end(), is_figure);
  if (!arguments.plot.empty()) {
    if (!arguments.plot.ends_with(".svg")) {
      throw CLI::ValidationError("--plot", "expected a name that ends in .svg");
    }
    if (!figures)
      throw CLI::ValidationError("--plot", "no figure requested; give --figure p or eta");
  }
  if (figures && !(arguments.html.empty() && arguments.plot.empty()) && !gnuplot_available()) {
    throw WriteError(
        "--html and --plot draw figures with gnuplot, which was not found; install gnuplot");
  }
}

// NAME.svg becomes NAME-p-transductive.svg etc.
std::string figure_path(const std::string& plot, const std::string& figure) {
  return fmt::format("{}-{}.svg", plot.substr(0, plot.size() - std::strlen(".svg")), figure);
}

void check_files(const ReproduceArguments& arguments, const std::filesystem::path& folder) {
  FileRoles files;
  for (const PaperDataset& dataset : paper_datasets()) {
    files.reads("--data", paper_graph_path(folder, dataset).string());
  }
  files.appends("--checkpoint", arguments.checkpoint);
  files.writes("--html", arguments.html);
  if (!arguments.plot.empty()) {
    for (const std::string& figure : figure_names(exhibits_of(arguments))) {
      files.writes("--plot", figure_path(arguments.plot, figure));
    }
  }
  files.check();
}

void write_figures(const std::string& plot, const Reproduction& reproduction) {
  for (auto [name, svg] : reproduction_figures(reproduction)) {
    // In a separate file its ink is black, so it needs a white background.
    const std::size_t style = svg.find("style=\"");
    if (style != std::string::npos) svg.insert(style + 7, "background:#fff;");
    write_atomically(figure_path(plot, name),
                     [&, &text = svg](FileSink& sink) { sink.write(text); });
  }
}

int run_reproduce(ReproduceArguments& arguments) {
  Reproduction reproduction;
  const std::filesystem::path folder = data_folder(arguments);
  check_pictures(arguments);
  check_files(arguments, folder);
  arguments.threads = reserve_blas_buffers(arguments.threads);
  reproduction.solver = arguments.solver == "exact" ? PaperSolver::exact : PaperSolver::richardson;
  reproduction.no_evidence =
      arguments.no_evidence == "prior" ? NoEvidence::prior : NoEvidence::first_class;
  reproduction.seeds = arguments.seeds;
  reproduction.threads = resolve_threads(arguments.threads);
  reproduction.command = command_line(arguments, folder);
  reproduction.checkpoint = arguments.checkpoint;
  const std::vector<const PaperDataset*> datasets =
      present_datasets(arguments, folder, reproduction);
  for (const std::string& message : reproduction.missing) note(message);
  Checkpoint checkpoint(arguments.checkpoint,
                        fmt::format("stkr {} reproduce {}", kVersion, kResultsRevision));
  const auto start = std::chrono::steady_clock::now();
  bool out_of_memory = false;
  try {
    out_of_memory = run_exhibits(arguments, datasets, folder, checkpoint, reproduction);
  } catch (const Cancelled&) {
    say(fmt::format(
        "interrupted; {} finished experiments are saved in {}; run the same command to resume",
        reproduction.computed + reproduction.resumed, arguments.checkpoint));
    return kInterrupted;
  }
  reproduction.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (arguments.json) {
    fmt::print("{}\n", json_text(reproduction_json(reproduction), 1));
  } else {
    print_reproduction(reproduction);
  }
  if (!arguments.html.empty()) {
    const std::string page = render_html(reproduction_page(reproduction));
    write_atomically(arguments.html, [&](FileSink& sink) { sink.write(page); });
    if (!arguments.json) fmt::print("page  {}\n", arguments.html);
  }
  if (!arguments.plot.empty()) write_figures(arguments.plot, reproduction);
  if (reproduction.failures.empty()) return kDone;
  std::fflush(stdout);
  for (const std::string& failure : reproduction.failures) {
    say("failed: " + failure);
  }
  return out_of_memory ? kOutOfMemory : kBadData;
}

}  // namespace

Command add_reproduce_command(CLI::App& app) {
  auto arguments = std::make_shared<ReproduceArguments>();
  CLI::App* command = app.add_subcommand(
      "reproduce", "Run the paper's experiments and compare with its tables and figures");
  const auto list = [&](const char* name, std::vector<std::string>& values, const char* text,
                        std::vector<std::string> allowed) {
    return command->add_option(name, values, text)
        ->delimiter(',')
        ->check(CLI::IsMember(std::move(allowed)))
        ->option_text("LIST");
  };
  std::vector<std::string> names;
  for (const PaperDataset& dataset : paper_datasets()) names.emplace_back(dataset.name);
  list("--table", arguments->tables,
       "accuracy: all methods, transductive and inductive; p-test: inductive, by share of test "
       "nodes (default: accuracy)",
       {"accuracy", "p-test"});
  list("--figure", arguments->figures,
       "p: accuracy over the power p; eta: accuracy over eta of the inverse Laplacian",
       {"p", "eta"});
  list("--datasets", arguments->datasets,
       "Data sets: cs, citeseer, computers, cora, corafull, dblp, photo, physics, pubmed (default: "
       "all that are present)",
       names);
  list("--methods", arguments->methods,
       "Rows of the tables: LP, SP-Lap, SP-poly, SP-topd, SP-topd-reached, KRR (default: all)",
       {"LP", "SP-Lap", "SP-poly", "SP-topd", "SP-topd-reached", "KRR"});
  command->add_option("--seeds", arguments->seeds, "Random splits, seeds 0 to N-1 (default: 10)")
      ->check(at_least(1))
      ->option_text("N");
  command
      ->add_option("--data", arguments->data,
                   "Folder with one NAME.npz per data set (default: the environment variable "
                   "STKR_DATA)")
      ->check(not_empty())
      ->option_text("DIR");
  command
      ->add_option("--solver", arguments->solver,
                   "exact (default), or richardson: the paper's Algorithms 1 and 2 stopped after "
                   "T = 1, 2, 4, ..., 32 steps")
      ->check(CLI::IsMember({"exact", "richardson"}))
      ->option_text("NAME");
  command
      ->add_option("--no-evidence", arguments->no_evidence,
                   "Prediction for nodes without evidence: first-class (default; the argmax "
                   "over zeros, as in the paper's tables) or prior (the most frequent class)")
      ->check(CLI::IsMember({"first-class", "prior"}))
      ->option_text("NAME");
  command
      ->add_option("--html", arguments->html,
                   "Write an HTML page with tables and figures (figures need gnuplot)")
      ->check(not_empty())
      ->option_text("FILE");
  command
      ->add_option("--plot", arguments->plot,
                   "Draw the figures as NAME-p-transductive.svg etc. (needs gnuplot)")
      ->check(not_empty())
      ->option_text("NAME.svg");
  command
      ->add_option("--checkpoint", arguments->checkpoint,
                   "Save finished experiments here and reuse them "
                   "(default: stkr-reproduce.jsonl)")
      ->check(not_empty())
      ->option_text("FILE");
  command->add_flag("--fresh", arguments->fresh, "Ignore the checkpoint and run everything again");
  command->add_flag("--json", arguments->json, "Print one JSON document on stdout instead of text");
  command
      ->add_option("--threads", arguments->threads,
                   "Threads to use (default: OMP_NUM_THREADS, else one per available core)")
      ->check(CLI::Range(1, 4096))
      ->option_text("N");
  command->footer(
      "Data sets are .npz files in the layout of shchur/gnn-benchmark (adj_indptr, adj_indices,\n"
      "adj_shape, labels). For a missing one, the command prints where to get it.\n"
      "\n"
      "Examples:\n"
      "  stkr reproduce --data graphs --html page.html\n"
      "  stkr reproduce --data graphs --datasets photo,cora --methods LP,SP-Lap --seeds 3\n"
      "  stkr reproduce --data graphs --table p-test --figure p --figure eta --json\n"
      "  stkr reproduce --data graphs --methods SP-poly --solver richardson");
  return {command, [arguments] { return run_reproduce(*arguments); }};
}

}  // namespace stkr::app
