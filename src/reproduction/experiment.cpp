#include "reproduction/experiment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "reproduction/paper_split.hpp"
#include "reproduction/richardson_grid.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

using nlohmann::json;

// Returns whether the paper's iterations replace the exact solves.
bool iterated(const Experiment& experiment) {
  return experiment.solver == PaperSolver::richardson &&
         (experiment.family == Family::power || experiment.family == Family::inverse_laplacian);
}

// The paper's grid without families. Only families that are added to it are computed.
Grid empty_grid() {
  Grid grid = with_paper_betas();
  grid.powers.clear();
  grid.etas.clear();
  grid.dimensions.clear();
  grid.propagation_etas.clear();
  return grid;
}

void add_family(const Experiment& experiment, Grid& grid) {
  const std::vector<double>& parameters = experiment.parameters;
  switch (experiment.family) {
    case Family::power:
      grid.powers = parameters;
      break;
    case Family::inverse_laplacian:
      grid.etas = parameters;
      break;
    case Family::top_d:
      grid.dimensions.assign(parameters.begin(), parameters.end());
      break;
    case Family::label_propagation:
      grid.propagation_etas = parameters;
      break;
    default:
      throw ValueError(fmt::format("run_experiment: {} is not one of the paper's families",
                                   to_string(experiment.family)));
  }
}

ExperimentResult result_of(const Experiment& experiment, const Selection& selection) {
  ExperimentResult result;
  result.warnings = selection.warnings;
  for (const FamilyCost& cost : selection.costs) {
    if (cost.family == experiment.family) result.seconds += cost.seconds;
  }
  for (const double parameter : experiment.parameters) {
    const auto best = selection.best([&](const GridPoint& point) {
      return point.family == experiment.family && point.parameter == parameter;
    });
    if (best) result.choices.push_back(selection.scores[*best]);
  }
  return result;
}

// Checks the content of experiment_json, because a line of a file may contain anything.
double number_from(const json& object, const char* name) {
  const json& value = object.at(name);
  if (!value.is_number()) throw ValueError(fmt::format("{} is not a number", name));
  return value.get<double>();
}

double accuracy_from(const json& object, const char* name) {
  const double value = number_from(object, name);
  if (!(value >= 0.0 && value <= 1.0)) {
    throw ValueError(fmt::format("{} = {} is not an accuracy", name, value));
  }
  return value;
}

int count_from(const json& object, const char* name) {
  const json& value = object.at(name);
  if (!value.is_number_integer() || value < 0 || value > std::numeric_limits<int>::max()) {
    throw ValueError(fmt::format("{} is not a count", name));
  }
  return value.get<int>();
}

GridScore score_from(const json& choice) {
  const int family = count_from(choice, "family");
  if (family > static_cast<int>(Family::label_propagation)) {
    throw ValueError(fmt::format("family {} is unknown", family));
  }
  GridScore score;
  score.point = {static_cast<Family>(family), number_from(choice, "parameter"),
                 number_from(choice, "beta"), count_from(choice, "iterations")};
  score.validation = accuracy_from(choice, "validation");
  score.test = accuracy_from(choice, "test");
  score.validation_no_evidence = count_from(choice, "validation_no_evidence");
  score.test_no_evidence = count_from(choice, "test_no_evidence");
  return score;
}

}  // namespace

const char* to_string(PaperSolver solver) {
  return solver == PaperSolver::exact ? "exact" : "richardson";
}

const char* to_string(NoEvidence no_evidence) {
  return no_evidence == NoEvidence::first_class ? "first-class" : "prior";
}

std::string experiment_key(const Experiment& experiment) {
  return fmt::format("p_test={:g} {} {}{} [{:.8g}] {} {} seed={}", experiment.p_test,
                     to_string(experiment.setting), to_string(experiment.family),
                     experiment.reached ? " reached" : "", fmt::join(experiment.parameters, " "),
                     to_string(experiment.solver), to_string(experiment.no_evidence),
                     experiment.seed);
}

std::string experiment_json(const ExperimentResult& result) {
  json document{{"seconds", result.seconds}, {"warnings", result.warnings}};
  document["choices"] = json::array();
  for (const GridScore& score : result.choices) {
    document["choices"].push_back({{"family", static_cast<int>(score.point.family)},
                                   {"parameter", score.point.parameter},
                                   {"beta", score.point.beta},
                                   {"iterations", score.point.iterations},
                                   {"validation", score.validation},
                                   {"test", score.test.value()},
                                   {"validation_no_evidence", score.validation_no_evidence},
                                   {"test_no_evidence", score.test_no_evidence}});
  }
  return document.dump();
}

ExperimentResult experiment_from_json(const std::string& text) {
  try {
    const json document = json::parse(text);
    ExperimentResult result;
    result.seconds = number_from(document, "seconds");
    result.warnings = document.at("warnings").get<std::vector<std::string>>();
    if (!document.at("choices").is_array()) throw ValueError("choices is not a list");
    for (const json& choice : document["choices"]) result.choices.push_back(score_from(choice));
    return result;
  } catch (const json::exception& error) {
    throw ValueError(fmt::format("not the result of an experiment: {}", error.what()));
  } catch (const ValueError& error) {
    throw ValueError(fmt::format("not the result of an experiment: {}", error.what()));
  }
}

bool share_a_split(const Experiment& a, const Experiment& b) {
  return a.p_test == b.p_test && a.seed == b.seed && a.setting == b.setting &&
         a.solver == b.solver && a.no_evidence == b.no_evidence && a.reached == b.reached &&
         a.family != b.family && iterated(a) == iterated(b);
}

std::vector<std::vector<Experiment>> groups_by_split(const std::vector<Experiment>& experiments) {
  std::vector<std::vector<Experiment>> groups;
  for (const Experiment& experiment : experiments) {
    const auto joins = [&](const std::vector<Experiment>& group) {
      return std::all_of(group.begin(), group.end(), [&](const Experiment& member) {
        return share_a_split(member, experiment);
      });
    };
    const auto found = std::find_if(groups.begin(), groups.end(), joins);
    (found == groups.end() ? groups.emplace_back() : *found).push_back(experiment);
  }
  return groups;
}

ExperimentResult run_experiment(const Dataset& dataset, const PaperDataset& sizes,
                                const Experiment& experiment, const Context& context) {
  return run_experiments(dataset, sizes, {experiment}, context).front();
}

std::vector<ExperimentResult> run_experiments(const Dataset& dataset, const PaperDataset& sizes,
                                              const std::vector<Experiment>& experiments,
                                              const Context& context) {
  if (experiments.empty()) return {};
  const Experiment& first = experiments.front();
  const FourWaySplit split = paper_split(sizes, dataset.size(), first.p_test, first.seed);
  if (split.test.empty()) {
    throw ValueError(fmt::format("{:g}% of {} nodes leaves no test samples; use a larger graph",
                                 100.0 * first.p_test, dataset.size()));
  }
  Specification spec;
  spec.kernel = GraphKernelSpec{GraphNormalization::symmetric};
  SelectOptions options;
  options.grid = empty_grid();
  for (const Experiment& experiment : experiments) {
    if (&experiment != &first && !share_a_split(first, experiment)) {
      throw ValueError("run_experiments: the experiments do not share a split");
    }
    if (experiment.reached && experiment.family != Family::top_d) {
      throw ValueError(
          fmt::format("run_experiments: {} does not support `reached`; only kernel PCA does",
                      to_string(experiment.family)));
    }
    add_family(experiment, options.grid);
  }
  options.literal_top_d = !first.reached;
  options.ties_by_grid_order = true;
  options.score = Score::accuracy;
  options.no_evidence = first.no_evidence;
  const Selection selection =
      iterated(first) ? select_by_richardson(dataset, spec, split, first.setting, options, context)
                      : select_by_split(dataset, spec, split, first.setting, options, context);
  // The scores of a canceled solver are meaningless.
  context.check_cancelled();
  std::vector<ExperimentResult> results;
  for (const Experiment& experiment : experiments) {
    results.push_back(result_of(experiment, selection));
  }
  return results;
}

}  // namespace stkr
