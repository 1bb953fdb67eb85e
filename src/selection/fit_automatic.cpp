#include "stkr/selection/fit_automatic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include "model/label_warnings.hpp"
#include "runtime/progress_counter.hpp"
#include "selection/automatic_candidates.hpp"
#include "selection/automatic_choice.hpp"
#include "selection/known_labels.hpp"
#include "specification/kernel_names.hpp"
#include "specification/kernel_parts.hpp"
#include "stkr/error.hpp"
#include "stkr/plan/plan.hpp"

namespace stkr {
namespace {

// A component without labels counts as large from this share of the samples.
constexpr double kLargeComponent = 0.05;
constexpr Index kMostNeighbors = 80;
constexpr Index kMostKept = 3000;  // points whose kernel values are kept: at most 36 MB

using SmoothedSquares = std::shared_ptr<const std::map<Index, Vector>>;

// fit_model chooses the ridge of numbers by itself, and just one.
bool only_ridge_of_numbers(const Labels& labels, const Specification& spec) {
  const StkrSpec& method = std::get<StkrSpec>(spec.method);
  return std::holds_alternative<TargetValues>(labels) && !kernel_open(spec) && !method.learned &&
         (method.transform || !method.automatic);
}

Contestant prepared(Dataset& dataset, const AutomaticCandidate& candidate, const Context& context,
                    const SmoothedSquares& squares = {}) {
  Contestant one{.candidate = candidate};
  one.shape = shape_of(dataset);
  const Plan plan = plan_fit(one.shape, candidate.spec, context);
  one.execution = chosen_execution(plan);
  one.planned_bytes = plan.strategies[*plan.chosen].expected;
  // A few values are kept: many products follow, and λ₁ alone takes dozens.
  if (dataset.size() <= kMostKept) one.execution.tiles = Tiles::kept;
  one.execution.smoothed_squares = squares;
  one.prepared = prepare_gram(dataset, candidate.spec, one.execution, context.inner());
  if (context.memory > 0) {
    one.prepared.choices.push_back({"memory", describe_choice(plan), plan.why});
  }
  return one;
}

// Whether a component without a label has so many samples that more neighbors should join it.
bool leaves_out_much(const GramOperator& gram, const std::vector<Index>& labeled) {
  const std::optional<LabelReach> reach = label_reach(gram, labeled);
  if (!reach) return false;
  for (Index c = 0; c < reach->components(); ++c) {
    if (!reach->labeled[c] &&
        static_cast<double>(reach->size[c]) > kLargeComponent * static_cast<double>(gram.size())) {
      return true;
    }
  }
  return false;
}

// What the candidates' smoothed features share.
SmoothedSquares squares_for(const Dataset& dataset,
                            const std::vector<AutomaticCandidate>& candidates,
                            const Context& context) {
  std::vector<Index> steps;
  for (const AutomaticCandidate& candidate : candidates) {
    for (const AddedKernel& added : candidate.spec.added) {
      if (added.kernel.get_if<PointKernelSpec>()) steps.push_back(added.kernel.smoothing());
    }
  }
  if (!dataset.features || steps.empty()) return {};
  try {
    return std::make_shared<const std::map<Index, Vector>>(
        smoothed_squares(dataset, steps, context.inner()));
  } catch (const ValueError&) {
    return {};  // each candidate says why it is left out
  }
}

// The labeled samples of all processes.
std::vector<Index> labeled_of(const Labels& labels, const SharedRows* rows) {
  const KnownLabels known = known_labels(labels, rows);
  return known.samples(labeled_indices(known.labels));
}

// A neighbor graph gets more neighbors until no large component is without a label.
Contestant connected(AutomaticCandidate candidate, Index samples, const Labels& labels,
                     const std::function<Contestant(const AutomaticCandidate&)>& prepare) {
  while (true) {
    Contestant one = prepare(candidate);
    const GramOperator& gram = *one.prepared.gram;
    auto* graph = candidate.spec.kernel.get_if<NeighborGraphSpec>();
    if (!graph || !graph->neighbors || 2 * *graph->neighbors >= samples ||
        *graph->neighbors >= kMostNeighbors ||
        !leaves_out_much(gram, labeled_of(labels, gram.shared_rows()))) {
      return one;
    }
    *graph->neighbors *= 2;
    candidate.description = fmt::format("{} (k doubled: a large component had no label)",
                                        describe(candidate.spec.kernel, true));
  }
}

// Adds what was tried to the choices of a fit.
void explain(const std::vector<TriedAutomatically>& tried, const std::string& scored_by,
             const std::string& why_fixed, bool kernel_open, std::vector<Choice>& choices) {
  const auto set = [&](const char* what, const std::string& why) {
    for (Choice& choice : choices) {
      if (choice.what == what) choice.why = why;
    }
  };
  if (scored_by.empty()) {
    set("transform", why_fixed);
    set("ridge", why_fixed);
    if (kernel_open) set("kernel", why_fixed);
    return;
  }
  if (tried.size() > 1 && tried[1].score) {
    set("kernel", fmt::format("best of {} by the {}: {:.2f}; next {}: {:.2f}", tried.size(),
                              scored_by, *tried[0].score, tried[1].kernel, *tried[1].score));
  }
  set("transform", fmt::format("by the same score; best alone: {}", tried[0].best));
  set("ridge", "by the same score");
}

void append(const std::vector<std::string>& more, std::vector<std::string>& all) {
  all.insert(all.end(), more.begin(), more.end());
}

AutomaticFit finished(Contestant winner, const Labels& labels, const AutomaticChoice& choice,
                      std::vector<TriedAutomatically> tried, ModelInfo info,
                      std::vector<std::string> warnings, const Context& context) {
  Specification spec = choice.chosen(winner);
  const std::string scored_by = choice.scored_by(winner);
  const bool winner_scored = winner.scored.has_value();
  const std::uint64_t planned_bytes = winner.planned_bytes;
  if (winner.scored) append(winner.scored->warnings, warnings);
  if (winner.learned) append(winner.learned->warnings, warnings);
  AutomaticFit result{fit_prepared(std::move(winner.prepared), labels, spec, winner.execution,
                                   context, std::move(info)),
                      std::move(spec), std::move(tried), scored_by, planned_bytes};
  for (AverageTerm& term : std::get<StkrSpec>(result.spec.method).average) {
    term.alpha = {};
    term.left_out = {};
  }
  for (std::string& warning : warnings) {
    result.fitted.summary.warnings.push_back(std::move(warning));
  }
  explain(result.tried, scored_by, choice.why_fixed(), choice.kernel_open(), result.fitted.choices);
  if (const std::string alone = choice.not_left_out(); winner_scored && !alone.empty()) {
    result.fitted.choices.push_back({"not left out", alone, "the only label of its class"});
  }
  return result;
}

}  // namespace

Specification planned_specification(const Dataset& dataset, const Specification& spec) {
  return is_open(spec) ? automatic_candidates(dataset, spec, /*all=*/false).front().spec : spec;
}

Specification planned_specification(const ProblemShape& shape, const Specification& spec) {
  Specification planned = spec;
  if (shape.kind == DatasetKind::points && kernel_open(spec) && is_open(spec)) {
    const bool sparse = shape.feature_entries > 0;
    planned.kernel = usual_neighbor_graph(shape.samples, sparse ? 0 : shape.features);
  }
  return planned;
}

AutomaticFit fit_automatic(Dataset& dataset, const Specification& spec, const Context& context) {
  if (!is_open(spec) || only_ridge_of_numbers(dataset.labels, spec))
    return {fit_model(dataset, spec, context), spec, {}, "", 0};
  const AutomaticChoice choice(dataset.labels, spec, context);
  const bool comparing = choice.choosing() || std::get<StkrSpec>(spec.method).learned;
  const std::vector<AutomaticCandidate> candidates =
      automatic_candidates(dataset, spec, comparing, context);
  if (candidates.size() == 1 && !is_open(candidates.front().spec, /*kernel=*/false)) {
    return {
        fit_model(dataset, candidates.front().spec, context), candidates.front().spec, {}, "", 0};
  }
  ModelInfo info = data_info(dataset, spec);
  const std::vector<std::string> doubts = label_warnings(dataset);
  if (candidates.size() == 1 && !candidates.front().spec.kernel.get_if<NeighborGraphSpec>()) {
    // Nothing else needs the samples.
    Contestant only = prepared(dataset, candidates.front(), context);
    choice.score(only);
    std::vector<TriedAutomatically> tried{choice.report(only)};
    return finished(std::move(only), dataset.labels, choice, std::move(tried), std::move(info),
                    doubts, context);
  }
  const SmoothedSquares squares = squares_for(dataset, candidates, context);
  std::optional<Contestant> winner;
  std::vector<TriedAutomatically> tried;
  std::vector<double> scores;
  std::optional<MemoryError> no_memory;
  std::uint64_t planned_bytes = 0;
  ProgressCounter counter(context.progress, "kernels", static_cast<Index>(candidates.size()));
  for (const AutomaticCandidate& candidate : candidates) {
    context.check_cancelled();
    try {
      const bool own = candidate.spec.kernel == spec.kernel;
      const auto prepare = [&](const AutomaticCandidate& next) {
        Dataset copy = dataset;
        return prepared(copy, next, context, squares);
      };
      Contestant one = own || dataset.features
                           ? prepare(candidate)
                           : connected(candidate, dataset.size(), dataset.labels, prepare);
      choice.score(one);
      tried.push_back(choice.report(one));
      scores.push_back(one.score);
      planned_bytes = std::max(planned_bytes, one.planned_bytes);
      if (!winner || one.score > winner->score) winner = std::move(one);
    } catch (const MemoryError& error) {
      no_memory = error;
      tried.push_back({candidate.description, {}, "", error.what()});
      scores.push_back(-std::numeric_limits<double>::infinity());
    } catch (const ValueError& error) {
      if (candidates.size() == 1) throw;
      tried.push_back({candidate.description, {}, "", error.what()});
      scores.push_back(-std::numeric_limits<double>::infinity());
    }
    counter.add();
  }
  if (!winner) {
    if (no_memory) throw *no_memory;
    throw ValueError(fmt::format("no kernel could be used: {}", tried.front().left_out));
  }
  std::vector<std::size_t> order(tried.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  std::vector<TriedAutomatically> ranked;
  for (const std::size_t k : order) ranked.push_back(std::move(tried[k]));
  info.samples = sample_kinds(dataset.kind(), winner->candidate.spec);
  dataset.samples = {};
  winner->planned_bytes = planned_bytes;
  return finished(std::move(*winner), dataset.labels, choice, std::move(ranked), std::move(info),
                  doubts, context);
}

AutomaticFit fit_automatic(PreparedGram prepared, const Labels& labels, const Specification& spec,
                           const Execution& execution, const Context& context, ModelInfo info) {
  if (!is_open(spec) || only_ridge_of_numbers(labels, spec)) {
    return {fit_prepared(std::move(prepared), labels, spec, execution, context, std::move(info)),
            spec,
            {},
            "",
            0};
  }
  const AutomaticChoice choice(labels, spec, context, prepared.gram->shared_rows());
  const std::string description = prepared.description;
  Contestant only{.candidate = {spec, description, 0.0},
                  .execution = execution,
                  .prepared = std::move(prepared)};
  choice.score(only);
  std::vector<TriedAutomatically> tried{choice.report(only)};
  return finished(std::move(only), labels, choice, std::move(tried), std::move(info), {}, context);
}

AutomaticFit fit_automatic(const PrepareGram& prepare, const ProblemShape& whole,
                           const Labels& labels, const Specification& spec,
                           const Execution& execution, const Context& context, ModelInfo info) {
  const auto just = [&](const Specification& named) -> AutomaticFit {
    return {fit_prepared(prepare(named), labels, named, execution, context, std::move(info)),
            named,
            {},
            "",
            0};
  };
  if (!is_open(spec) || only_ridge_of_numbers(labels, spec)) return just(spec);
  std::optional<AutomaticCandidate> only = named_candidate(whole.kind, spec);
  const bool choosing = whole.kind == DatasetKind::points && kernel_open(spec);
  if (choosing) {
    only = only_candidate(whole, std::holds_alternative<TargetValues>(labels), spec);
    if (!only) {
      throw ValueError(
          fmt::format("the kernel of {} points is chosen among several, which need all of them; "
                      "name the kernel",
                      whole.samples));
    }
  }
  if (!is_open(only->spec, /*kernel=*/false)) return just(only->spec);
  const auto prepared = [&](const AutomaticCandidate& candidate) {
    return Contestant{
        .candidate = candidate, .execution = execution, .prepared = prepare(candidate.spec)};
  };
  std::optional<ProgressCounter> counter;  // as of one machine, which counts neighbor graphs
  if (only->spec.kernel.get_if<NeighborGraphSpec>()) {
    counter.emplace(context.progress, "kernels", 1);
  }
  Contestant winner =
      choosing ? connected(*only, whole.samples, labels, prepared) : prepared(*only);
  const AutomaticChoice choice(labels, spec, context, winner.prepared.gram->shared_rows());
  choice.score(winner);
  std::vector<TriedAutomatically> tried{choice.report(winner)};
  if (counter) counter->add();
  return finished(std::move(winner), labels, choice, std::move(tried), std::move(info), {},
                  context);
}

}  // namespace stkr
