#include "stkr/reproduction/experiment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "stkr/error.hpp"
#include "stkr/reproduction/paper_split.hpp"
#include "stkr/reproduction/richardson_grid.hpp"

namespace stkr {
namespace {

using nlohmann::json;

// The paper's grid without the other families, so that nothing is computed for them.
Grid one_family(const Experiment& experiment) {
  const Grid paper;
  Grid grid = paper;
  grid.powers.clear();
  grid.etas.clear();
  grid.dimensions.clear();
  grid.propagation_etas.clear();
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
  return grid;
}

}  // namespace

const char* to_string(PaperSolver solver) {
  return solver == PaperSolver::exact ? "exact" : "richardson";
}

const char* to_string(NoEvidence no_evidence) {
  return no_evidence == NoEvidence::first_class ? "first-class" : "prior";
}

std::string experiment_key(const Experiment& experiment) {
  return fmt::format("p_test={:g} {} {} [{:.8g}] {} {} seed={}", experiment.p_test,
                     to_string(experiment.setting), to_string(experiment.family),
                     fmt::join(experiment.parameters, " "), to_string(experiment.solver),
                     to_string(experiment.no_evidence), experiment.seed);
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
    result.seconds = document.at("seconds").get<double>();
    result.warnings = document.at("warnings").get<std::vector<std::string>>();
    for (const json& choice : document.at("choices")) {
      GridScore score;
      score.point = {static_cast<Family>(choice.at("family").get<int>()),
                     choice.at("parameter").get<double>(), choice.at("beta").get<double>(),
                     choice.at("iterations").get<int>()};
      score.validation = choice.at("validation").get<double>();
      score.test = choice.at("test").get<double>();
      score.validation_no_evidence = choice.at("validation_no_evidence").get<Index>();
      score.test_no_evidence = choice.at("test_no_evidence").get<Index>();
      result.choices.push_back(score);
    }
    return result;
  } catch (const json::exception& error) {
    throw ValueError(fmt::format("not the result of an experiment: {}", error.what()));
  }
}

ExperimentResult run_experiment(const Dataset& dataset, const PaperDataset& sizes,
                                const Experiment& experiment, int threads,
                                const SolveControl& control) {
  const FourWaySplit split = paper_split(sizes, dataset.size(), experiment.p_test, experiment.seed);
  if (split.test.empty()) {
    throw ValueError(fmt::format("{:g}% of {} nodes leaves no test sample; take a larger graph",
                                 100.0 * experiment.p_test, dataset.size()));
  }
  Recipe recipe;
  recipe.kernel = "symmetric";
  recipe.threads = threads;
  SelectOptions options;
  options.grid = one_family(experiment);
  options.score = Score::accuracy;
  options.no_evidence = experiment.no_evidence;
  options.threads = threads;
  options.control = control;
  const bool iterated =
      experiment.solver == PaperSolver::richardson &&
      (experiment.family == Family::power || experiment.family == Family::inverse_laplacian);
  const Selection selection =
      iterated ? select_by_richardson(dataset, recipe, split, experiment.setting, options)
               : select_by_split(dataset, recipe, split, experiment.setting, options);
  // A solver that was stopped half-way leaves scores that mean nothing.
  if (control.cancel.stop_requested()) throw Cancelled("stopped by the caller");
  ExperimentResult result;
  result.warnings = selection.warnings;
  for (const FamilyCost& cost : selection.costs) result.seconds += cost.seconds;
  for (const double parameter : experiment.parameters) {
    const auto best =
        selection.best([&](const GridPoint& point) { return point.parameter == parameter; });
    if (best) result.choices.push_back(selection.scores[*best]);
  }
  return result;
}

}  // namespace stkr
