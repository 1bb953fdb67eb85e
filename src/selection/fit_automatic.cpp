#include "stkr/selection/fit_automatic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimator/gram_spectrum.hpp"
#include "selection/automatic_candidates.hpp"
#include "selection/plan_selection.hpp"
#include "selection/scored_gram.hpp"
#include "specification/kernel_parts.hpp"
#include "stkr/error.hpp"
#include "stkr/plan/plan.hpp"
#include "stkr/selection/learned_transform.hpp"
#include "stkr/specification/kernel_names.hpp"

namespace stkr {
namespace {

// Every label costs a column of every product: with more of them, some decide.
constexpr std::size_t kMostLabels = 300;
// Fits with less of the weight of the best one hardly change predictions.
constexpr double kLeastWeight = 0.1;
constexpr double kForPoisson = 1.0;  // see kForNeighborGraphs
constexpr double kRidgeOfFewLabels = 0.01;
// A component without labels counts as large from this share of the samples.
constexpr double kLargeComponent = 0.05;
constexpr Index kMostNeighbors = 80;
constexpr Index kMostKept = 3000;  // points whose kernel values are kept: at most 36 MB

// One candidate with its gram and, unless the choice is fixed, its scores.
struct Contestant {
  AutomaticCandidate candidate{};
  Execution execution{};
  PreparedGram prepared{};
  ProblemShape shape{};
  std::uint64_t planned_bytes = 0;
  std::optional<ScoredGram> scored{};
  std::optional<LearnedTransform> learned{};
  double score = -std::numeric_limits<double>::infinity();
};

const StkrSpec& method_of(const Specification& spec) { return std::get<StkrSpec>(spec.method); }

// At most kMostLabels labels, spread evenly over the classes or numbers.
Labels labels_that_decide(const Labels& labels) {
  std::vector<Index> labeled = labeled_indices(labels);
  if (labeled.size() <= kMostLabels) return labels;
  if (const auto* classes = std::get_if<ClassLabels>(&labels)) {
    std::stable_sort(labeled.begin(), labeled.end(),
                     [&](Index a, Index b) { return classes->code[a] < classes->code[b]; });
  }
  std::vector<Index> some;
  for (std::size_t k = 0; k < kMostLabels; ++k) {
    some.push_back(labeled[k * labeled.size() / kMostLabels]);
  }
  Labels result = labels;
  keep_only(result, some);
  return result;
}

std::string describe_point(const ScoredPoint& point, const Grid& grid) {
  return fmt::format("{}, {} {:g}", describe(point.point, grid),
                     point.point.beta > 0.0 ? "beta" : "ridge",
                     point.point.beta > 0.0 ? point.point.beta : point.point.ridge);
}

bool same_transform(const GridPoint& a, const GridPoint& b) {
  return a.family == b.family && a.parameter == b.parameter;
}

// Four digits, so that the options that repeat the fit stay readable.
double rounded(double weight) { return std::stod(fmt::format("{:.4g}", weight)); }

// The average over the points of a gram, weighted by exp(score); classes are averaged in units of
// their own scale.
std::vector<AverageTerm> average_of(const ScoredGram& scored, const Grid& grid,
                                    const Specification& spec) {
  const ScoredPoint& best = scored.points[scored.best()];
  std::vector<AverageTerm> terms;
  const ScoredPoint* before = nullptr;
  for (const ScoredPoint& point : scored.points) {
    const double share = std::exp(point.score - best.score);
    if (share < kLeastWeight || !(point.scale > 0.0)) continue;
    if (!before || !same_transform(before->point, point.point)) {
      const Specification with =
          specification_of(point.point, grid, scored.largest_eigenvalue, spec);
      terms.push_back({*method_of(with).transform, {}, {}});
    }
    before = &point;
    const double weight = rounded(share * best.scale / point.scale);
    AverageTerm& term = terms.back();
    term.parts.push_back({point.point.ridge, weight});
    if (point.alpha.size() == 0) continue;
    if (term.alpha.size() == 0) term.alpha = Matrix::Zero(point.alpha.rows(), point.alpha.cols());
    term.alpha += weight * point.alpha;
  }
  return terms;
}

// The transform and the ridge if labels cannot choose them.
Specification fixed_choice(const GramOperator& gram, Index labels, Specification spec) {
  auto& method = std::get<StkrSpec>(spec.method);
  // A dense kernel may have components that only rounding connects, and with fewer unlabeled than
  // labeled samples there is no structure to learn from.
  const bool poisson = gram.knows_components() && gram.known_eigenspace()->eigenvalue() > 0.0 &&
                       gram.size() >= 2 * labels;
  if (!method.transform && method.automatic && poisson) {
    method.transform = SpectralTransform::poisson();
    if (std::holds_alternative<std::monostate>(method.ridge)) {
      method.ridge = RelativeRidge{kRidgeOfFewLabels};
    }
  }
  return spec;
}

// fit_model chooses the ridge of numbers by itself, and just one.
bool only_ridge_of_numbers(const Labels& labels, const Specification& spec) {
  const StkrSpec& method = method_of(spec);
  return std::holds_alternative<TargetValues>(labels) && !kernel_open(spec) && !method.learned &&
         (method.transform || !method.automatic);
}

// One run of fit_automatic.
class Automatic {
 public:
  Automatic(const Labels& labels, const Specification& spec, const Context& context)
      : context_(context),
        deciding_(labels_that_decide(labels)),
        targets_(encode_targets(deciding_, spec.decision)),
        all_labels_(labeled_indices(labels).size() <= kMostLabels),
        kernel_open_(spec.kernel.get_if<AutomaticKernelSpec>() != nullptr),
        // Averages and closed-form scores do not know sample weights.
        weighted_(spec.sample_weights.size() > 0 || spec.measure == Measure::degree),
        choosing_(!weighted_ && can_leave_out(targets_)) {}

  bool choosing() const { return choosing_; }
  bool kernel_open() const { return kernel_open_; }
  std::string why_fixed() const {
    return weighted_ ? "default with sample weights" : "fixed: too few labels to leave one out";
  }

  void score(Contestant& one) const {
    const GramOperator& gram = *one.prepared.gram;
    if (method_of(one.candidate.spec).learned) {
      one.learned = learn_transform(gram, targets_, {}, context_.inner());
      one.score = one.learned->log_evidence + one.candidate.preference;
      return;
    }
    if (!choosing_ || gram.root_weights()) return;
    // λ₁ takes many products, and only η is in its units.
    double largest = 1.0;
    std::optional<Grid> grid = automatic_grid(one.candidate.spec, regression(), largest);
    if (!grid || !grid->etas.empty() || !grid->poisson_etas.empty()) {
      largest = largest_eigenvalue(gram, context_.inner());
      grid = automatic_grid(one.candidate.spec, regression(), largest);
    }
    if (!grid) return;
    // With fewer unlabeled than labeled samples there is no structure to learn from.
    const bool given = method_of(one.candidate.spec).transform.has_value();
    if (!given && gram.size() < 2 * targets_.y.rows()) grid->poisson_etas.clear();
    Context inner = context_;
    inner.saved = nullptr;
    Execution execution = one.execution;
    if (context_.memory > 0 && one.shape.samples > 0) {
      ProblemShape shape = one.shape;
      shape.labeled = targets_.y.rows();
      const Plan plan = plan_selection(shape, one.candidate.spec, *grid, {.scored = 256}, context_);
      if (!plan.chosen) return;  // the fit itself fits
      execution.block_bytes = chosen_execution(plan).block_bytes;
      one.planned_bytes = std::max(one.planned_bytes, plan.strategies[*plan.chosen].expected);
    }
    one.scored = score_gram(gram, targets_, *grid, largest, execution, inner);
    for (ScoredPoint& point : one.scored->points) {
      if (point.point.family == Family::poisson) point.score += kForPoisson;
    }
    one.score = one.scored->score() + one.candidate.preference;
  }

  // The specification of a contestant with nothing open.
  Specification chosen(const Contestant& one) const {
    const Specification& spec = one.candidate.spec;
    if (one.learned) return with_learned_transform(spec, *one.learned);
    if (!one.scored)
      return choosing_ ? spec : fixed_choice(*one.prepared.gram, targets_.y.rows(), spec);
    const Grid grid = grid_of(one);
    const ScoredPoint& best = one.scored->points[one.scored->best()];
    Specification result = specification_of(best.point, grid, one.scored->largest_eigenvalue, spec);
    // An average has no single s, which an embedding is scaled by.
    if (spec.embedding > 0 || !all_labels_ || best.point.beta > 0.0) return result;
    std::vector<AverageTerm> terms = average_of(*one.scored, grid, spec);
    if (terms.size() == 1 && terms.front().parts.size() == 1) return result;
    auto& method = std::get<StkrSpec>(result.method);
    method.transform.reset();
    method.ridge = {};
    method.average = std::move(terms);
    return result;
  }

  TriedAutomatically report(const Contestant& one) const {
    TriedAutomatically tried{one.candidate.description};
    if (one.learned) {
      tried.score = one.score;
      tried.best =
          fmt::format("{}, ridge {:g}", one.learned->transform.describe(), one.learned->ridge);
    }
    if (one.scored) {
      tried.score = one.score;
      tried.best = describe_point(one.scored->points[one.scored->best()], grid_of(one));
    }
    return tried;
  }

  std::string scored_by(const Contestant& one) const {
    if (one.learned) return "marginal likelihood of the labels";
    if (!one.scored) return "";
    return regression() ? "log likelihood of the numbers left out"
                        : "log likelihood of the labels left out";
  }

 private:
  bool regression() const { return std::holds_alternative<TargetDecision>(targets_.decision); }
  Grid grid_of(const Contestant& one) const {
    return *automatic_grid(one.candidate.spec, regression(), one.scored->largest_eigenvalue);
  }

  const Context& context_;
  Labels deciding_;
  EncodedTargets targets_;
  bool all_labels_;
  bool kernel_open_;
  bool weighted_;
  bool choosing_;
};

Contestant prepared(Dataset& dataset, const AutomaticCandidate& candidate, const Context& context) {
  Contestant one{.candidate = candidate};
  one.shape = shape_of(dataset);
  const Plan plan = plan_fit(one.shape, candidate.spec, context);
  one.execution = chosen_execution(plan);
  one.planned_bytes = plan.strategies[*plan.chosen].expected;
  // A few values are kept: many products follow, and λ₁ alone takes dozens.
  if (dataset.size() <= kMostKept) one.execution.tiles = Tiles::kept;
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

// A neighbor graph gets more neighbors until no large component is without a label.
Contestant connected(const Dataset& dataset, AutomaticCandidate candidate, const Context& context) {
  const std::vector<Index> labeled = labeled_indices(dataset.labels);
  while (true) {
    Dataset copy = dataset;
    Contestant one = prepared(copy, candidate, context);
    auto* graph = candidate.spec.kernel.get_if<NeighborGraphSpec>();
    if (!graph || !graph->neighbors || 2 * *graph->neighbors >= dataset.size() ||
        *graph->neighbors >= kMostNeighbors || !leaves_out_much(*one.prepared.gram, labeled)) {
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

AutomaticFit finished(Contestant winner, const Labels& labels, const Automatic& automatic,
                      std::vector<TriedAutomatically> tried, ModelInfo info,
                      const Context& context) {
  Specification spec = automatic.chosen(winner);
  const std::string scored_by = automatic.scored_by(winner);
  const std::uint64_t planned_bytes = winner.planned_bytes;
  std::vector<std::string> warnings = winner.scored    ? winner.scored->warnings
                                      : winner.learned ? winner.learned->warnings
                                                       : std::vector<std::string>{};
  AutomaticFit result{fit_prepared(std::move(winner.prepared), labels, spec, winner.execution,
                                   context, std::move(info)),
                      std::move(spec), std::move(tried), scored_by, planned_bytes};
  for (AverageTerm& term : std::get<StkrSpec>(result.spec.method).average) term.alpha = {};
  for (std::string& warning : warnings) {
    result.fitted.summary.warnings.push_back(std::move(warning));
  }
  explain(result.tried, scored_by, automatic.why_fixed(), automatic.kernel_open(),
          result.fitted.choices);
  return result;
}

}  // namespace

Specification planned_specification(const Dataset& dataset, const Specification& spec) {
  return is_open(spec) ? automatic_candidates(dataset, spec).front().spec : spec;
}

Specification planned_specification(const ProblemShape& shape, const Specification& spec) {
  Specification planned = spec;
  if (shape.kind == DatasetKind::points && kernel_open(spec) && is_open(spec)) {
    planned.kernel = NeighborGraphSpec{.neighbors = usual_neighbors(shape.samples)};
  }
  return planned;
}

AutomaticFit fit_automatic(Dataset& dataset, const Specification& spec, const Context& context) {
  if (!is_open(spec) || only_ridge_of_numbers(dataset.labels, spec))
    return {fit_model(dataset, spec, context), spec, {}, "", 0};
  const Automatic automatic(dataset.labels, spec, context);
  std::vector<AutomaticCandidate> candidates = automatic_candidates(dataset, spec, context);
  if (candidates.size() == 1 && !is_open(candidates.front().spec, /*kernel=*/false)) {
    return {
        fit_model(dataset, candidates.front().spec, context), candidates.front().spec, {}, "", 0};
  }
  if (!automatic.choosing() && !method_of(spec).learned) candidates.resize(1);
  ModelInfo info = data_info(dataset, spec);
  if (candidates.size() == 1 && !candidates.front().spec.kernel.get_if<NeighborGraphSpec>()) {
    // Nothing else needs the samples.
    Contestant only = prepared(dataset, candidates.front(), context);
    automatic.score(only);
    std::vector<TriedAutomatically> tried{automatic.report(only)};
    return finished(std::move(only), dataset.labels, automatic, std::move(tried), std::move(info),
                    context);
  }
  std::optional<Contestant> winner;
  std::vector<TriedAutomatically> tried;
  std::vector<double> scores;
  std::optional<MemoryError> no_memory;
  std::uint64_t planned_bytes = 0;
  for (const AutomaticCandidate& candidate : candidates) {
    context.check_cancelled();
    try {
      const bool own = candidate.spec.kernel == spec.kernel;
      Dataset copy = dataset;
      Contestant one =
          own ? prepared(copy, candidate, context) : connected(dataset, candidate, context);
      automatic.score(one);
      tried.push_back(automatic.report(one));
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
  return finished(std::move(*winner), dataset.labels, automatic, std::move(ranked), std::move(info),
                  context);
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
  const Automatic automatic(labels, spec, context);
  const std::string description = prepared.description;
  Contestant only{.candidate = {spec, description, 0.0},
                  .execution = execution,
                  .prepared = std::move(prepared)};
  automatic.score(only);
  std::vector<TriedAutomatically> tried{automatic.report(only)};
  return finished(std::move(only), labels, automatic, std::move(tried), std::move(info), context);
}

}  // namespace stkr
