#include "reproduction/reproduce.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <new>
#include <set>

#include "reproduction/paper_graph.hpp"
#include "reproduction/seed_warnings.hpp"
#include "reproduction/work_clock.hpp"
#include "stkr/error.hpp"
#include "stkr/version.hpp"

namespace stkr {
namespace {

// Increase this whenever the numbers of an experiment change within one version: earlier results
// are then not reused.
constexpr int kResultsRevision = 1;

class Run {
 public:
  Run(const ReproduceOptions& options, Checkpoint* checkpoint, const Context& context)
      : options_(options), checkpoint_(checkpoint), context_(context) {
    for (const Exhibit exhibit : options.exhibits) {
      plan_.push_back(wanted_cells(exhibit, options.methods));
      result_.exhibits.push_back({exhibit});
    }
  }

  Reproduction all(const std::filesystem::path& folder,
                   const std::vector<const PaperDataset*>& datasets) {
    const auto start = std::chrono::steady_clock::now();
    if (checkpoint_ && !options_.fresh) {
      for (const std::string& warning : checkpoint_->warnings()) warn(warning);
    }
    const std::vector<Experiment> wanted = experiments();
    for (const PaperDataset* dataset : datasets) {
      for (const Experiment& experiment : wanted) clock_.plan(*dataset, experiment);
    }
    for (const PaperDataset* dataset : datasets) {
      try {
        one(*dataset, load_paper_graph(paper_graph_path(folder, *dataset), *dataset), wanted);
      } catch (const DataError& error) {
        context_.check_cancelled();
        fail(*dataset, error.what());
        for (const Experiment& experiment : wanted) clock_.skip(*dataset, experiment);
      }
    }
    for (const std::string& warning : seed_warnings_.texts(options_.seeds.size())) warn(warning);
    result_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(result_);
  }

 private:
  using Results = std::map<std::string, ExperimentResult>;  // by experiment_key

  Experiment experiment_of(const ExhibitCell& cell, std::uint64_t seed) const {
    Experiment experiment = experiment_for(cell, seed);
    experiment.solver = options_.solver;
    experiment.no_evidence = options_.no_evidence;
    return experiment;
  }

  // The experiments that all tables and figures need for one data set, by seed, without duplicates.
  std::vector<Experiment> experiments() const {
    std::vector<Experiment> result;
    for (const std::uint64_t seed : options_.seeds) {
      const auto of_seed = static_cast<std::ptrdiff_t>(result.size());
      for (const std::vector<ExhibitCell>& cells : plan_) {
        for (const ExhibitCell& cell : cells) {
          const Experiment experiment = experiment_of(cell, seed);
          if (std::find(result.begin() + of_seed, result.end(), experiment) == result.end()) {
            result.push_back(experiment);
          }
        }
      }
    }
    return result;
  }

  void one(const PaperDataset& dataset, const PaperGraph& graph,
           const std::vector<Experiment>& wanted) {
    for (const std::string& warning : graph.warnings) warn(warning);
    Results results;
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
      clock_.skip(dataset, experiment);
      ++result_.resumed;
    }
    // Families of one split run together and share work.
    for (const std::vector<Experiment>& group : groups_by_split(missing)) {
      try {
        const std::vector<ExperimentResult> done = run(dataset, graph.dataset, group);
        for (std::size_t k = 0; k < group.size(); ++k) {
          if (checkpoint_) checkpoint_->store(stored_name(group[k]), experiment_json(done[k]));
          clock_.finish(dataset, group[k], done[k].seconds);
          results[experiment_key(group[k])] = done[k];
          ++result_.computed;
        }
      } catch (const Cancelled&) {
        throw;
      } catch (const WriteError&) {
        throw;
      } catch (const Error& error) {
        give_up(dataset, group, error.what());
      } catch (const std::bad_alloc&) {
        result_.out_of_memory = true;
        give_up(dataset, group, "out of memory");
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
    if (!checkpoint_ || options_.fresh) return std::nullopt;
    const auto found = checkpoint_->find(name);
    if (!found) return std::nullopt;
    try {
      return experiment_from_json(*found);
    } catch (const ValueError& error) {
      warn(fmt::format("{}: {}; computing it again", checkpoint_->where(name), error.what()));
      return std::nullopt;
    }
  }

  std::vector<ExperimentResult> run(const PaperDataset& dataset, const Dataset& graph,
                                    const std::vector<Experiment>& group) {
    const auto show = [&] {
      if (!options_.watch) return;
      options_.watch({dataset, group, result_.computed + result_.resumed, clock_.seconds_left()});
    };
    show();
    Context context = context_;
    context.progress = [&](const Progress&) { show(); };
    return run_experiments(graph, dataset, group, context);
  }

  // Means over the seeds for every cell of every table and figure.
  void collect(const PaperDataset& dataset, const Results& results) {
    for (std::size_t e = 0; e < plan_.size(); ++e) {
      ReproducedExhibit& exhibit = result_.exhibits[e];
      for (const ExhibitCell& cell : plan_[e]) {
        std::vector<double> accuracies;
        std::vector<GridScore> choices;
        double seconds = 0.0;
        for (const std::uint64_t seed : options_.seeds) {
          const auto result = results.find(experiment_key(experiment_of(cell, seed)));
          if (result == results.end()) continue;
          const auto choice = choice_for(cell, result->second);
          if (!choice) continue;
          accuracies.push_back(100.0 * choice->test.value());
          choices.push_back(*choice);
          seconds += result->second.seconds;
        }
        if (accuracies.empty()) continue;
        const auto count = static_cast<double>(accuracies.size());
        exhibit.cells.push_back(
            {&dataset, cell, compare(accuracies, paper_value(dataset.name, exhibit.exhibit, cell)),
             seconds / count, std::move(choices)});
      }
    }
  }

  void warn(const std::string& warning) {
    if (options_.warn) options_.warn(warning);
    result_.warnings.push_back(warning);
  }

  void give_up(const PaperDataset& dataset, const std::vector<Experiment>& group,
               const std::string& reason) {
    for (const Experiment& experiment : group) clock_.skip(dataset, experiment);
    fail(dataset, reason, &group.front());
  }

  // Reports the same reason once, with the first experiment that it stopped.
  void fail(const PaperDataset& dataset, const std::string& reason,
            const Experiment* experiment = nullptr) {
    const std::string message = fmt::format("{}: {}", dataset.name, reason);
    if (!failed_.insert(message).second) return;
    result_.failures.push_back(
        !experiment ? message
                    : fmt::format("{} (first in {} {}, p_test {:g}, seed {})", message,
                                  to_string(experiment->setting), to_string(experiment->family),
                                  experiment->p_test, experiment->seed));
  }

  const ReproduceOptions& options_;
  Checkpoint* checkpoint_;
  const Context& context_;
  std::vector<std::vector<ExhibitCell>> plan_;  // one per exhibit
  Reproduction result_;
  WorkClock clock_;
  SeedWarnings seed_warnings_;
  std::set<std::string> failed_;
};

}  // namespace

std::vector<ExhibitCell> wanted_cells(Exhibit exhibit, const std::vector<PaperMethod>& methods) {
  std::vector<ExhibitCell> cells = exhibit_cells(exhibit);
  if (methods.empty() || is_figure(exhibit)) return cells;
  std::erase_if(cells, [&](const ExhibitCell& cell) {
    return std::find(methods.begin(), methods.end(), cell.method) == methods.end();
  });
  if (cells.empty()) {
    std::vector<std::string> names;
    for (const PaperMethod method : methods) names.emplace_back(to_string(method));
    throw ValueError(
        fmt::format("{} has no row for {}", to_string(exhibit), fmt::join(names, ", ")));
  }
  return cells;
}

std::string reproduction_run_key() {
  return fmt::format("stkr {} reproduce {}", kVersion, kResultsRevision);
}

Reproduction reproduce(const std::filesystem::path& folder,
                       const std::vector<const PaperDataset*>& datasets,
                       const ReproduceOptions& options, Checkpoint* checkpoint,
                       const Context& context) {
  return Run(options, checkpoint, context).all(folder, datasets);
}

}  // namespace stkr
