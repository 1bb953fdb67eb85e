#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "blas_threads.hpp"
#include "cli.hpp"
#include "command.hpp"
#include "console.hpp"
#include "file_roles.hpp"
#include "format/atomic_file.hpp"
#include "interrupt.hpp"
#include "json_text.hpp"
#include "reproduction/paper_graph.hpp"
#include "reproduction_report.hpp"
#include "runtime/parallel.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"
#include "theory_run.hpp"

namespace stkr::app {
namespace {

struct ReproduceArguments {
  std::vector<std::string> tables;
  std::vector<std::string> figures;
  std::vector<std::string> datasets;
  std::vector<std::string> methods;
  int seeds = 10;
  std::string data;
  std::string solver = "exact";
  std::string no_evidence = "first-class";
  std::string checkpoint = "stkr-reproduce.jsonl";
  bool fresh = false;
  std::string html;
  std::string plot;
  bool json = false;
  Verbosity verbosity = Verbosity::normal;
  int threads = 0;
  Device device{};
  TheoryArguments theory;
};

// The requested tables and figures; by default the accuracy table.
std::vector<Exhibit> exhibits_of(const ReproduceArguments& arguments) {
  std::set<Exhibit> requested;
  for (const std::string& name : arguments.tables) requested.insert(exhibit_named("table " + name));
  for (const std::string& name : arguments.figures) {
    requested.insert(exhibit_named("figure " + name));
  }
  std::vector<Exhibit> exhibits(requested.begin(), requested.end());
  if (exhibits.empty()) exhibits.push_back(Exhibit::accuracy_table);
  return exhibits;
}

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
                                                  ReproductionReport& reproduction) {
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

// Checks before any work whether there are figures to draw.
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

void write_figures(const std::string& plot, const ReproductionReport& reproduction) {
  for (auto [name, svg] : reproduction_figures(reproduction)) {
    // In a separate file its ink is black, so it needs a white background.
    const std::size_t style = svg.find("style=\"");
    if (style != std::string::npos) svg.insert(style + 7, "background:#fff;");
    write_atomically(figure_path(plot, name),
                     [&, &text = svg](FileSink& sink) { sink.write(text); });
  }
}

ReproduceOptions options_of(const ReproduceArguments& arguments) {
  ReproduceOptions options;
  options.exhibits = exhibits_of(arguments);
  for (const std::string& name : arguments.methods) options.methods.push_back(paper_method(name));
  options.seeds.resize(static_cast<std::size_t>(arguments.seeds));
  std::iota(options.seeds.begin(), options.seeds.end(), 0);
  if (arguments.solver == "richardson") options.solver = PaperSolver::richardson;
  if (arguments.no_evidence == "prior") options.no_evidence = NoEvidence::prior;
  options.fresh = arguments.fresh;
  try {
    for (const Exhibit exhibit : options.exhibits) wanted_cells(exhibit, options.methods);
  } catch (const ValueError& error) {
    throw CLI::ValidationError("--methods", error.what());
  }
  return options;
}

// The row names of the paper's tables; powers serve both SP-poly and KRR.
const char* row_name(const Experiment& experiment) {
  switch (experiment.family) {
    case Family::label_propagation:
      return to_string(PaperMethod::label_propagation);
    case Family::inverse_laplacian:
      return to_string(PaperMethod::laplacian);
    case Family::top_d:
      return to_string(experiment.reached ? PaperMethod::top_d_reached : PaperMethod::top_d);
    default:
      return to_string(PaperMethod::polynomial);
  }
}

std::string what_runs(const ReproduceProgress& progress, int seeds) {
  const Experiment& first = progress.running.front();
  std::string methods = fmt::format("{} methods", progress.running.size());
  if (progress.running.size() == 1) methods = row_name(first);
  return fmt::format(
      "{:<31}", fmt::format("{} seed {}/{} {} ({})", progress.dataset.name, first.seed + 1, seeds,
                            methods, to_string(first.setting)[0]));
}

// The theory has data of its own. Not CLI::Option::excludes, which would list all of them in the
// help.
void check_theory(const CLI::App& command) {
  for (const char* name : {"--table", "--figure", "--datasets", "--methods", "--seeds", "--data",
                           "--solver", "--no-evidence", "--html", "--checkpoint", "--fresh"}) {
    if (command.count(name) > 0) {
      throw CLI::ValidationError(name, "does not go with --theory, which makes its own data");
    }
  }
}

int run_reproduce(ReproduceArguments& arguments) {
  if (arguments.theory.given) {
    TheoryArguments theory = arguments.theory;
    theory.threads = arguments.threads;
    theory.plot = arguments.plot;
    theory.json = arguments.json;
    theory.verbosity = arguments.verbosity;
    return run_theory(theory);
  }
  ReproductionReport report;
  const std::filesystem::path folder = data_folder(arguments);
  check_pictures(arguments);
  check_files(arguments, folder);
  ReproduceOptions options = options_of(arguments);
  arguments.threads = reserve_blas_buffers(arguments.threads);
  report.solver = options.solver;
  report.no_evidence = options.no_evidence;
  report.seeds = arguments.seeds;
  report.threads = resolve_threads(arguments.threads);
  report.command = command_line(arguments, folder);
  report.checkpoint = arguments.checkpoint;
  const std::vector<const PaperDataset*> datasets = present_datasets(arguments, folder, report);
  for (const std::string& message : report.missing) note(message);
  Checkpoint checkpoint(arguments.checkpoint, reproduction_run_key());
  ProgressBar bar(arguments.verbosity, arguments.json);
  const auto start = std::chrono::steady_clock::now();
  int finished = 0;
  options.watch = [&](const ReproduceProgress& progress) {
    finished = progress.finished;
    const double elapsed =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const double left = progress.seconds_left;
    bar.show(what_runs(progress, arguments.seeds), left < 0.0 ? 0.0 : elapsed / (elapsed + left),
             left);
  };
  options.warn = [&](const std::string& warning) {
    bar.clear();
    warn(warning);
  };
  try {
    std::vector<std::string> absent = std::move(report.failures);
    static_cast<Reproduction&>(report) = reproduce(
        folder, datasets, options, &checkpoint,
        {.threads = arguments.threads, .cancel = interrupt_token(), .device = arguments.device});
    report.failures.insert(report.failures.begin(), absent.begin(), absent.end());
    bar.clear();
  } catch (const Cancelled&) {
    bar.clear();
    say(fmt::format(
        "interrupted; {} finished experiments are saved in {}; run the same command to resume",
        finished, arguments.checkpoint));
    return kInterrupted;
  }
  if (arguments.json) {
    fmt::print("{}\n", json_text(reproduction_json(report), 1));
  } else if (arguments.verbosity != Verbosity::quiet) {
    print_reproduction(report);
  }
  if (!arguments.html.empty()) {
    const std::string page = render_html(reproduction_page(report));
    write_atomically(arguments.html, [&](FileSink& sink) { sink.write(page); });
    if (!arguments.json && arguments.verbosity != Verbosity::quiet)
      fmt::print("page  {}\n", arguments.html);
  }
  if (!arguments.plot.empty()) write_figures(arguments.plot, report);
  if (report.failures.empty()) return kDone;
  std::fflush(stdout);
  for (const std::string& failure : report.failures) {
    say("failed: " + failure);
  }
  return report.out_of_memory ? kOutOfMemory : kBadData;
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
        ->transform(one_of(std::move(allowed)))
        ->option_text("LIST");
  };
  std::vector<std::string> names, rows;
  for (const PaperDataset& dataset : paper_datasets()) names.emplace_back(dataset.name);
  for (const PaperMethod method : kPaperMethods) rows.emplace_back(to_string(method));
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
       rows);
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
      ->transform(one_of({"exact", "richardson"}))
      ->option_text("NAME");
  command
      ->add_option("--no-evidence", arguments->no_evidence,
                   "Prediction for nodes without evidence: first-class (default; the argmax "
                   "over zeros, as in the paper's tables) or prior (the most frequent class)")
      ->transform(one_of({"first-class", "prior"}))
      ->option_text("NAME");
  command->add_option("--html", arguments->html, "Write an HTML page with tables and figures")
      ->check(not_empty())
      ->option_text("FILE");
  command
      ->add_option("--plot", arguments->plot,
                   "Draw the figures as NAME-p-transductive.svg etc., with --theory as "
                   "NAME-estimation.svg etc.")
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
  add_threads_option(*command, arguments->threads);
  add_device_option(*command, arguments->device);
  add_verbosity_options(*command, arguments->verbosity);
  add_theory_options(*command, arguments->theory);
  command->footer(
      "Data sets are .npz files in the layout of shchur/gnn-benchmark (adj_indptr, adj_indices,\n"
      "adj_shape, labels). For a missing one, the command prints where to get it.\n"
      "\n"
      "Examples:\n"
      "  stkr reproduce --data graphs --html page.html\n"
      "  stkr reproduce --data graphs --datasets photo,cora --methods LP,SP-Lap --seeds 3\n"
      "  stkr reproduce --data graphs --table p-test --figure p --figure eta --json\n"
      "  stkr reproduce --data graphs --methods SP-poly --solver richardson\n"
      "  stkr reproduce --theory --plot theory.svg");
  return {command, [arguments, command] {
            if (arguments->theory.given) check_theory(*command);
            return run_reproduce(*arguments);
          }};
}

}  // namespace stkr::app
