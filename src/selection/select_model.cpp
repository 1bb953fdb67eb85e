#include "stkr/selection/select_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>

#include "selection/known_labels.hpp"
#include "selection/plan_selection.hpp"
#include "selection/select_kernels.hpp"
#include "selection/split_problem.hpp"
#include "specification/host_parts.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

Plan plan_for(const Dataset& dataset, const Specification& spec, const ValidationSpec& validation,
              const Grid& grid, const Context& context) {
  ProblemShape shape = shape_of(dataset);
  Validation scored;
  if (const auto& split = validation.split) {
    shape.labeled = static_cast<Index>(split->train.size());
    scored = {validation.settings, static_cast<Index>(split->val.size() + split->test.size())};
  }
  return plan_selection(shape, spec, grid, scored, context);
}

std::vector<std::pair<Setting, Selection>> run(const Dataset& dataset,
                                               const std::vector<KernelCandidate>& candidates,
                                               const ValidationSpec& validation,
                                               const SelectOptions& options,
                                               const Context& context) {
  if (!validation.split && !validation.own_folds.empty()) {
    return {{Setting::transductive,
             select_kernels_by_folds(dataset, candidates, validation.own_folds, options, context)}};
  }
  if (!validation.split) {
    return {{Setting::transductive,
             validation.folds > 0
                 ? select_kernels_by_folds(dataset, candidates, validation.folds, options, context)
                 : select_kernels_by_leave_one_out(dataset, candidates, options, context)}};
  }
  if (validation.settings.size() == 1) {
    const Setting setting = validation.settings.front();
    return {{setting, select_kernels_by_split(dataset, candidates, *validation.split, setting,
                                              options, context)}};
  }
  std::vector<Selection> both =
      select_kernels_by_split(dataset, candidates, *validation.split, options, context);
  return {{Setting::transductive, std::move(both[0])}, {Setting::inductive, std::move(both[1])}};
}

std::vector<Index> validated_samples(const ValidationSpec& validation, const Labels& labels) {
  if (validation.split) return validation.split->val;
  if (validation.own_folds.empty()) return labeled_indices(labels);
  std::vector<Index> samples;
  for (const Fold& fold : validation.own_folds) {
    samples.insert(samples.end(), fold.held_out.begin(), fold.held_out.end());
  }
  std::sort(samples.begin(), samples.end());
  return samples;
}

// Kernels that the device does not compute, once each.
void warn_of_host_parts(const Dataset& dataset, const Device& device, ModelSelection& result) {
  std::set<std::string> texts;
  for (const KernelCandidate& candidate : result.candidates) {
    texts.insert(left_to_host(shape_of(dataset), candidate.spec, device));
  }
  texts.erase("");
  for (auto& [setting, selection] : result.selections) {
    selection.warnings.insert(selection.warnings.end(), texts.begin(), texts.end());
  }
}

// Without any point there is nothing to choose from.
void check_any(const std::pair<Setting, Selection>& first, const Grid& grid) {
  const auto& [setting, selection] = first;
  if (selection.best()) return;
  throw ValueError(fmt::format("no grid point could be fitted{}{}",
                               selection.warnings.empty() ? "" : ": " + selection.warnings.back(),
                               setting == Setting::inductive && !grid.propagation_etas.empty()
                                   ? "; label propagation predicts only in the transductive setting"
                                   : ""));
}

}  // namespace

Specification ModelSelection::specification(const Selection& selection, std::size_t place) const {
  const GridScore& score = selection.scores.at(place);
  return specification_of(score.point, grid, selection.largest_eigenvalue(score.point),
                          candidates[score.point.kernel].spec, score.beta, literal_top_d);
}

namespace {

// Runs the selections of `result`, warns about choices that know little, and checks that there is
// something to choose from.
template <class Run>
ModelSelection completed(ModelSelection result, const Labels& labels, const SelectOptions& options,
                         Run&& run_all) {
  const auto start = std::chrono::steady_clock::now();
  result.grid = options.grid;
  result.literal_top_d = options.literal_top_d;
  result.truth = labels;
  result.validated = validated_samples(result.validation, labels);
  result.selections = run_all(result);
  for (auto& [setting, selection] : result.selections) {
    for (std::string& warning : selection.warnings_of_best(result.truth, result.validated)) {
      selection.warnings.push_back(std::move(warning));
    }
  }
  check_any(result.selections.front(), options.grid);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace

ModelSelection select_model(const Dataset& dataset, const Specification& spec,
                            const KernelGrid& kernels, const ValidationSpec& validation,
                            const SelectOptions& options, const Context& context) {
  ModelSelection planned{.validation = validation,
                         .plan = plan_for(dataset, spec, validation, options.grid, context),
                         .candidates = kernel_candidates(kernels, spec, dataset.kind())};
  SelectOptions with = options;
  with.execution = chosen_execution(planned.plan);
  with.decision = spec.decision;
  ModelSelection result =
      completed(std::move(planned), dataset.labels, options, [&](const ModelSelection& chosen) {
        return run(dataset, chosen.candidates, validation, with, context);
      });
  warn_of_host_parts(dataset, context.device, result);
  return result;
}

ModelSelection select_model(const GramOperator& gram, const Labels& labels,
                            const Specification& spec, const ValidationSpec& validation,
                            const SelectOptions& options, const Context& context) {
  if (validation.split) {
    throw ValueError("a split needs samples, but got a gram; use folds or leave-one-out instead");
  }
  SelectOptions with = options;
  with.decision = spec.decision;
  return completed({.validation = validation, .candidates = {{spec, {}}}}, labels, options,
                   [&](const ModelSelection&) {
                     std::vector<std::pair<Setting, Selection>> all;
                     all.emplace_back(
                         Setting::transductive,
                         !validation.own_folds.empty()
                             ? select_by_folds(gram, labels, validation.own_folds, with, context)
                         : validation.folds > 0
                             ? select_by_folds(gram, labels, validation.folds, with, context)
                             : select_by_leave_one_out(gram, labels, with, context));
                     return all;
                   });
}

ModelSelection select_model(const GramOfKernel& gram_of, DatasetKind kind, const Labels& labels,
                            const SharedRows* rows, const Specification& spec,
                            const KernelGrid& kernels, const ValidationSpec& validation,
                            const SelectOptions& options, const Context& context) {
  const bool split = validation.split.has_value();
  if (split && validation.settings != std::vector<Setting>{Setting::transductive}) {
    throw ValueError("the inductive setting of a split needs samples, but got grams");
  }
  SelectOptions with = options;
  with.decision = spec.decision;
  const auto select = [&](const Specification& kernel, const SelectOptions& own,
                          const Context& own_context) {
    const GramOperator& gram = gram_of(kernel);
    if (split) return select_by_split(gram, labels, *validation.split, own, own_context);
    return validation.folds > 0 ? select_by_folds(gram, labels, validation.folds, own, own_context)
                                : select_by_leave_one_out(gram, labels, own, own_context);
  };
  ModelSelection planned{.validation = validation,
                         .candidates = kernel_candidates(kernels, spec, kind)};
  Labels known;
  if (split) {
    KnownSplit scored = known_split(labels, *validation.split, rows);
    known = std::move(scored.labels.labels);
    planned.validation.split = std::move(scored.split);
  } else {
    known = known_labels(labels, rows).labels;
  }
  return completed(std::move(planned), known, options, [&](const ModelSelection& chosen) {
    const char* name = split                  ? to_string(Setting::transductive)
                       : validation.folds > 0 ? "folds"
                                              : "leave-one-out";
    std::vector<std::pair<Setting, Selection>> all;
    all.emplace_back(Setting::transductive,
                     select_kernels(name, chosen.candidates, select, with, context));
    return all;
  });
}

FittedModel fit_selected(const ModelSelection& selection, Dataset dataset, const Context& context) {
  const auto& [setting, scores] = selection.selections.front();
  if (const auto& split = selection.validation.split) {
    keep_only(dataset.labels, split->train);
    if (setting == Setting::inductive) dataset = subset(dataset, visible_samples(*split));
  }
  return fit_model(dataset, selection.specification(scores, *scores.best()), context);
}

}  // namespace stkr
