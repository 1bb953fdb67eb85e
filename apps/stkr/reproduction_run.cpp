#include "reproduction_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <new>
#include <optional>
#include <set>

#include "cli.hpp"
#include "console.hpp"
#include "interrupt.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"

namespace stkr::app {

std::vector<Exhibit> exhibits_of(const ReproduceArguments& arguments) {
  const auto has = [](const std::vector<std::string>& names, const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<Exhibit> exhibits;
  if (has(arguments.tables, "accuracy")) exhibits.push_back(Exhibit::accuracy_table);
  if (has(arguments.tables, "p-test")) exhibits.push_back(Exhibit::p_test_table);
  if (has(arguments.figures, "p")) exhibits.push_back(Exhibit::power_figure);
  if (has(arguments.figures, "eta")) exhibits.push_back(Exhibit::eta_figure);
  if (exhibits.empty()) exhibits.push_back(Exhibit::accuracy_table);
  return exhibits;
}

namespace {

// --methods selects rows of the tables; a figure shows one method.
std::vector<ExhibitCell> wanted_cells(Exhibit exhibit, const std::vector<std::string>& methods) {
  std::vector<ExhibitCell> cells = exhibit_cells(exhibit);
  if (methods.empty() || is_figure(exhibit)) return cells;
  std::erase_if(cells, [&](const ExhibitCell& cell) {
    return std::find(methods.begin(), methods.end(), to_string(cell.method)) == methods.end();
  });
  if (cells.empty()) {
    throw CLI::ValidationError("--methods", fmt::format("{} has no row for {}", to_string(exhibit),
                                                        fmt::join(methods, ", ")));
  }
  return cells;
}

// The row names of the paper's tables; powers serve both SP-poly and KRR.
const char* row_name(const Experiment& experiment) {
  switch (experiment.family) {
    case Family::label_propagation:
      return "LP";
    case Family::inverse_laplacian:
      return "SP-Lap";
    case Family::top_d:
      return experiment.reached ? "SP-topd-reached" : "SP-topd";
    default:
      return "SP-poly";
  }
}

// Estimates the remaining time: the work of an experiment is estimated from the size of the graph,
// the time per unit of work is measured for each family.
class WorkClock {
 public:
  static double work(const PaperDataset& dataset, const Experiment& experiment) {
    const auto entries = static_cast<double>(dataset.edges + dataset.nodes);
    const auto labels = static_cast<double>(dataset.train);
    const auto classes = static_cast<double>(dataset.classes);
    switch (experiment.family) {
      case Family::label_propagation:
        return 32.0 * classes * entries;
      case Family::inverse_laplacian:
        return experiment.solver == PaperSolver::richardson ? 3000.0 * classes * entries
                                                            : 40.0 * labels * entries;
      case Family::top_d:
        return 50000.0 * entries;
      default:
        return 8.0 * labels * entries;
    }
  }

  void plan(double work, Family family) { left_[family] += work; }
  void finish(double work, Family family, double seconds) {
    left_[family] -= work;
    work_[family] += work;
    seconds_[family] += seconds;
  }
  void skip(double work, Family family) { left_[family] -= work; }

  double seconds_left() const {  // negative: no measurement yet
    double all_work = 0.0, all_seconds = 0.0, result = 0.0;
    for (const auto& [family, work] : work_) {
      all_work += work;
      all_seconds += seconds_.at(family);
    }
    if (all_work <= 0.0) return -1.0;
    for (const auto& [family, left] : left_) {
      const auto known = work_.find(family);
      const double rate =
          known != work_.end() ? seconds_.at(family) / known->second : all_seconds / all_work;
      result += std::max(left, 0.0) * rate;
    }
    return result;
  }

 private:
  std::map<Family, double> left_, work_, seconds_;
};

// Merges warnings that differ only in the seed and in numbers: a hundred seeds say hardly more than
// the first.
class SeedWarnings {
 public:
  void add(std::string_view dataset, const std::string& warning, std::uint64_t seed) {
    const std::string text = fmt::format("{}: {}", dataset, warning);
    std::string pattern;
    for (const char c : text) {
      const bool digit = c >= '0' && c <= '9';
      if (!digit || pattern.empty() || pattern.back() != '#') pattern += digit ? '#' : c;
    }
    Alike& alike = alike_[pattern];
    if (alike.first.empty()) alike.first = text;
    alike.other_numbers |= text != alike.first;
    alike.seeds.insert(seed);
  }

  std::vector<std::string> take(int of) const {
    std::vector<std::string> texts;
    for (const auto& [pattern, alike] : alike_) {
      const auto count = static_cast<int>(alike.seeds.size());
      const std::string where =
          count == of ? "every seed"
          : count > kMostListed
              ? fmt::format("{} of {} seeds", count, of)
              : fmt::format("seed{} {}", count > 1 ? "s" : "", fmt::join(alike.seeds, ", "));
      texts.push_back(fmt::format("{} ({}{})", alike.first, where,
                                  alike.other_numbers ? "; the numbers vary" : ""));
    }
    return texts;
  }

 private:
  struct Alike {
    std::string first;
    bool other_numbers = false;
    std::set<std::uint64_t> seeds;
  };
  static constexpr int kMostListed = 10;
  std::map<std::string, Alike> alike_;  // by the text without its numbers
};

class Run {
 public:
  Run(const ReproduceArguments& arguments, Reproduction& reproduction, Checkpoint& checkpoint)
      : arguments_(arguments),
        reproduction_(reproduction),
        checkpoint_(checkpoint),
        bar_(1.0, !arguments.json) {
    for (const Exhibit exhibit : exhibits_of(arguments)) {
      plan_.emplace_back(exhibit, wanted_cells(exhibit, arguments.methods));
      reproduction_.exhibits.push_back({exhibit, {}});
    }
  }

  void all(const std::vector<const PaperDataset*>& datasets, const std::filesystem::path& folder) {
    if (!arguments_.fresh) {
      for (const std::string& warning : checkpoint_.warnings()) warn(warning);
    }
    for (const PaperDataset* dataset : datasets) {
      for (const Experiment& experiment : experiments()) {
        clock_.plan(WorkClock::work(*dataset, experiment), experiment.family);
      }
    }
    for (const PaperDataset* dataset : datasets) {
      try {
        one(*dataset, load_paper_graph(paper_graph_path(folder, *dataset), *dataset));
      } catch (const DataError& error) {
        if (interrupt_token().stop_requested()) throw Cancelled("interrupted");
        fail(*dataset, error.what());
        for (const Experiment& experiment : experiments()) {
          clock_.skip(WorkClock::work(*dataset, experiment), experiment.family);
        }
      }
    }
    bar_.clear();
    for (const std::string& warning : seed_warnings_.take(arguments_.seeds)) warn(warning);
  }

  bool out_of_memory() const { return out_of_memory_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Results = std::map<std::string, ExperimentResult>;  // by experiment_key

  Experiment experiment_of(const ExhibitCell& cell, std::uint64_t seed) const {
    Experiment experiment = experiment_for(cell, seed);
    experiment.solver = reproduction_.solver;
    experiment.no_evidence = reproduction_.no_evidence;
    return experiment;
  }

  // The experiments that all tables and figures need for one data set, by seed, without duplicates.
  std::vector<Experiment> experiments() const {
    std::vector<Experiment> result;
    for (int seed = 0; seed < arguments_.seeds; ++seed) {
      const auto of_seed = static_cast<std::ptrdiff_t>(result.size());
      for (const auto& [exhibit, cells] : plan_) {
        for (const ExhibitCell& cell : cells) {
          const Experiment experiment = experiment_of(cell, static_cast<std::uint64_t>(seed));
          if (std::find(result.begin() + of_seed, result.end(), experiment) == result.end()) {
            result.push_back(experiment);
          }
        }
      }
    }
    return result;
  }

  void one(const PaperDataset& dataset, const PaperGraph& graph) {
    for (const std::string& warning : graph.warnings) warn(warning);
    Results results;
    const std::vector<Experiment> wanted = experiments();
    const auto stored_name = [&](const Experiment& experiment) {
      return fmt::format("{} {} {}", dataset.name, graph.fingerprint, experiment_key(experiment));
    };
    std::vector<Experiment> missing;
    for (const Experiment& experiment : wanted) {
      std::optional<ExperimentResult> found = stored(stored_name(experiment));
      if (!found) {
        missing.push_back(experiment);
        continue;
      }
      results[experiment_key(experiment)] = std::move(*found);
      clock_.skip(WorkClock::work(dataset, experiment), experiment.family);
      ++reproduction_.resumed;
    }
    while (!missing.empty()) {
      // Families of one split run together and share work.
      std::vector<Experiment> group{missing.front()};
      missing.erase(missing.begin());
      std::erase_if(missing, [&](const Experiment& other) {
        const bool joins = std::all_of(group.begin(), group.end(), [&](const Experiment& member) {
          return share_a_split(member, other);
        });
        if (joins) group.push_back(other);
        return joins;
      });
      const auto give_up = [&](const std::string& reason) {
        for (const Experiment& experiment : group) {
          clock_.skip(WorkClock::work(dataset, experiment), experiment.family);
        }
        fail(dataset, reason, &group.front());
      };
      try {
        const std::vector<ExperimentResult> done = run(dataset, graph.dataset, group);
        for (std::size_t k = 0; k < group.size(); ++k) {
          checkpoint_.store(stored_name(group[k]), experiment_json(done[k]));
          clock_.finish(WorkClock::work(dataset, group[k]), group[k].family, done[k].seconds);
          results[experiment_key(group[k])] = done[k];
          ++reproduction_.computed;
        }
      } catch (const Cancelled&) {
        bar_.clear();
        throw;
      } catch (const WriteError&) {
        throw;
      } catch (const Error& error) {
        give_up(error.what());
      } catch (const std::bad_alloc&) {
        out_of_memory_ = true;
        give_up("out of memory");
      }
    }
    for (const Experiment& experiment : wanted) {
      const auto result = results.find(experiment_key(experiment));
      if (result == results.end()) continue;
      for (const std::string& warning : result->second.warnings) {
        seed_warnings_.add(dataset.name, warning, experiment.seed);
      }
    }
    collect(dataset, results);
  }

  std::optional<ExperimentResult> stored(const std::string& name) {
    const auto found = arguments_.fresh ? std::nullopt : checkpoint_.find(name);
    if (!found) return std::nullopt;
    try {
      return experiment_from_json(*found);
    } catch (const ValueError& error) {
      warn(fmt::format("{}: {}; computing it again", checkpoint_.where(name), error.what()));
      return std::nullopt;
    }
  }

  std::vector<ExperimentResult> run(const PaperDataset& dataset, const Dataset& graph,
                                    const std::vector<Experiment>& group) {
    const Experiment& first = group.front();
    const std::string methods =
        group.size() == 1 ? row_name(first) : fmt::format("{} methods", group.size());
    const std::string what =
        fmt::format("{:<31}", fmt::format("{} seed {}/{} {} ({})", dataset.name, first.seed + 1,
                                          arguments_.seeds, methods, to_string(first.setting)[0]));
    const auto show = [&] {
      const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
      const double left = clock_.seconds_left();
      bar_.show(what, left < 0.0 ? 0.0 : elapsed / (elapsed + left), left);
    };
    show();
    Context context{.threads = arguments_.threads, .cancel = interrupt_token()};
    context.progress = [&](const Progress&) { show(); };
    return run_experiments(graph, dataset, group, context);
  }

  // Means over the seeds for every cell of every table and figure.
  void collect(const PaperDataset& dataset, const Results& results) {
    for (std::size_t e = 0; e < plan_.size(); ++e) {
      const auto& [exhibit, cells] = plan_[e];
      for (const ExhibitCell& cell : cells) {
        std::vector<double> accuracies;
        std::vector<GridScore> choices;
        double seconds = 0.0;
        for (int seed = 0; seed < arguments_.seeds; ++seed) {
          const auto result =
              results.find(experiment_key(experiment_of(cell, static_cast<std::uint64_t>(seed))));
          if (result == results.end()) continue;
          const auto choice = choice_for(cell, result->second);
          if (!choice) continue;
          accuracies.push_back(100.0 * choice->test.value());
          choices.push_back(*choice);
          seconds += result->second.seconds;
        }
        if (accuracies.empty()) continue;
        const auto count = static_cast<double>(accuracies.size());
        reproduction_.exhibits[e].cells.push_back(
            {&dataset, cell, compare(accuracies, paper_value(dataset.name, exhibit, cell)),
             seconds / count, std::move(choices)});
      }
    }
  }

  void warn(const std::string& warning) {
    bar_.clear();
    app::warn(warning);
    reproduction_.warnings.push_back(warning);
  }

  // Reports the same reason once, with the first experiment that it stopped.
  void fail(const PaperDataset& dataset, const std::string& reason,
            const Experiment* experiment = nullptr) {
    const std::string message = fmt::format("{}: {}", dataset.name, reason);
    if (!failed_.insert(message).second) return;
    reproduction_.failures.push_back(
        !experiment ? message
                    : fmt::format("{} (first in {} {}, p_test {:g}, seed {})", message,
                                  to_string(experiment->setting), to_string(experiment->family),
                                  experiment->p_test, experiment->seed));
  }

  const ReproduceArguments& arguments_;
  Reproduction& reproduction_;
  Checkpoint& checkpoint_;
  std::vector<std::pair<Exhibit, std::vector<ExhibitCell>>> plan_;
  ProgressBar bar_;
  WorkClock clock_;
  SeedWarnings seed_warnings_;
  std::set<std::string> failed_;
  bool out_of_memory_ = false;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

bool run_exhibits(const ReproduceArguments& arguments,
                  const std::vector<const PaperDataset*>& datasets,
                  const std::filesystem::path& folder, Checkpoint& checkpoint,
                  Reproduction& reproduction) {
  Run run(arguments, reproduction, checkpoint);
  run.all(datasets, folder);
  return run.out_of_memory();
}

}  // namespace stkr::app
