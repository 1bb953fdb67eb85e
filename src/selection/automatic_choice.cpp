#include "selection/automatic_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "estimator/gram_spectrum.hpp"
#include "linop/saved_state.hpp"
#include "selection/plan_selection.hpp"
#include "selection/saved_scores.hpp"

namespace stkr {
namespace {

// Fits with less of the weight of the best one hardly change predictions.
constexpr double kLeastWeight = 0.1;
constexpr double kForPoisson = 1.0;        // see kForNeighborGraphs
constexpr double kRidgeOfFewLabels = 1.0;  // between fitting the labels and Poisson learning

const StkrSpec& method_of(const Specification& spec) { return std::get<StkrSpec>(spec.method); }

// The labeled samples of all processes.
std::vector<Index> all_labeled(const Labels& labels, const SharedRows* rows) {
  std::vector<Index> labeled = labeled_indices(labels);
  if (!rows) return labeled;
  for (Index& sample : labeled) sample += rows->first();
  return rows->joined(labeled);
}

// About kMostDeciding labels, spread evenly over the classes or numbers; at least one of each
// class.
Labels labels_that_decide(const Labels& labels, const SharedRows* rows) {
  const std::vector<Index> labeled = all_labeled(labels, rows);
  if (labeled.size() <= kMostDeciding) return labels;
  std::vector<Index> order(labeled.size()), code;
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<Index>(k);
  if (const auto* classes = std::get_if<ClassLabels>(&labels)) {
    for (const Index i : labeled_indices(labels)) code.push_back(classes->code[i]);
    if (rows) code = rows->joined(code);
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return code[a] < code[b]; });
  }
  std::vector<char> chosen(order.size(), 0);
  for (std::size_t k = 0; k < kMostDeciding; ++k) chosen[k * order.size() / kMostDeciding] = 1;
  std::size_t first = 0;  // of a class
  while (first < code.size()) {
    std::size_t end = first, found = 0;
    for (; end < order.size() && code[order[end]] == code[order[first]]; ++end) {
      found += chosen[end] != 0;
    }
    if (found == 0) chosen[first] = 1;
    first = end;
  }
  std::vector<Index> some;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (chosen[k]) some.push_back(labeled[order[k]]);
  }
  Labels result = labels;
  keep_only(result, local_samples(rows, some));
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
      terms.push_back({*method_of(with).transform});
    }
    before = &point;
    const double weight = rounded(share * best.scale / point.scale);
    AverageTerm& term = terms.back();
    term.parts.push_back({point.point.ridge, weight});
    if (term.left_out.size() == 0) {
      term.left_out = Matrix::Zero(point.left_out.rows(), point.left_out.cols());
    }
    term.left_out += weight * point.left_out;
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
  // labeled samples there is no structure to learn from. Class mass needs positive scores.
  const bool poisson = gram.knows_components() && gram.known_eigenspace()->eigenvalue() > 0.0 &&
                       gram.size() >= 2 * labels;
  if (!method.transform && method.automatic && poisson && !spec.decision.class_mass) {
    method.transform = SpectralTransform::poisson();
    if (std::holds_alternative<std::monostate>(method.ridge)) {
      method.ridge = RelativeRidge{kRidgeOfFewLabels};
    }
  }
  return spec;
}

}  // namespace

AutomaticChoice::AutomaticChoice(const Labels& labels, const Specification& spec,
                                 const Context& context, const SharedRows* rows)
    : context_(context),
      deciding_(labels_that_decide(labels, rows)),
      targets_(encode_targets(deciding_, spec.decision, rows)),
      kernel_open_(stkr::kernel_open(spec)),
      all_labels_(all_labeled(labels, rows).size() <= kMostDeciding),
      // Averages and closed-form scores do not know sample weights.
      weighted_(spec.sample_weights.size() > 0 || spec.measure == Measure::degree),
      choosing_(!weighted_ && can_leave_out(targets_)) {}

std::string AutomaticChoice::not_left_out() const {
  return fmt::format("{}", fmt::join(classes_with_one_label(targets_), ", "));
}

std::string AutomaticChoice::why_fixed() const {
  return weighted_ ? "default with sample weights" : "fixed: too few labels to leave one out";
}

void AutomaticChoice::score(Contestant& one) const {
  const GramOperator& gram = *one.prepared.gram;
  if (method_of(one.candidate.spec).learned) {
    one.learned = learn_transform(gram, targets_, {}, context_.inner());
    one.score = one.learned->log_evidence + one.candidate.preference;
    return;
  }
  if (!choosing_ || gram.root_weights()) return;
  SavedState* saved = context_.saved;
  const std::string name = saved ? saved->next_name("scores") : "";
  if (auto found = saved ? saved->find(name, {}) : std::nullopt) {
    one.scored = scored_gram_of(std::move(*found), name);
    one.score = one.scored->score() + one.candidate.preference;
    return;
  }
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
  if (!saved || !saved->due()) return;
  const std::vector<Matrix> blocks = blocks_of(*one.scored);
  saved->save(name, std::vector<ConstMatrixRef>(blocks.begin(), blocks.end()), {});
}

Specification AutomaticChoice::chosen(const Contestant& one) const {
  const Specification& spec = one.candidate.spec;
  if (one.learned) return with_learned_transform(spec, *one.learned);
  if (!one.scored)
    return choosing_ ? spec : fixed_choice(*one.prepared.gram, targets_.y.rows(), spec);
  const Grid grid = grid_of(one);
  const ScoredPoint& best = one.scored->points[one.scored->best()];
  Specification result = specification_of(best.point, grid, one.scored->largest_eigenvalue, spec);
  // An average has no single s, which an embedding is scaled by, and is solved directly.
  if (spec.embedding > 0 || !all_labels_ || best.point.beta > 0.0 ||
      method_of(spec).solver != StkrSolver::automatic) {
    return result;
  }
  std::vector<AverageTerm> terms = average_of(*one.scored, grid, spec);
  if (terms.size() == 1 && terms.front().parts.size() == 1) return result;
  auto& method = std::get<StkrSpec>(result.method);
  method.transform.reset();
  method.ridge = {};
  method.average = std::move(terms);
  return result;
}

TriedAutomatically AutomaticChoice::report(const Contestant& one) const {
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

std::string AutomaticChoice::scored_by(const Contestant& one) const {
  if (one.learned) return "marginal likelihood of the labels";
  if (!one.scored) return "";
  return regression() ? "log likelihood of the numbers left out"
                      : "log likelihood of the labels left out";
}

Grid AutomaticChoice::grid_of(const Contestant& one) const {
  return *automatic_grid(one.candidate.spec, regression(), one.scored->largest_eigenvalue);
}

}  // namespace stkr
