#include "stkr/explain/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "estimator/kernel_pca.hpp"
#include "explain/alternatives.hpp"
#include "explain/centered_smoothness.hpp"
#include "explain/closed_fit.hpp"
#include "explain/data_bounds.hpp"
#include "explain/explained_problem.hpp"
#include "explain/kernel_facts.hpp"
#include "explain/label_curve.hpp"
#include "explain/sample_curve.hpp"
#include "explain/transform_advice.hpp"
#include "explain/verdict.hpp"
#include "runtime/progress_counter.hpp"
#include "specification/kernel_parts.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

constexpr Index kDivisions = 10;  // of the labels, for their curve
constexpr Index kFewestScored = 6;

class Explainer {
 public:
  Explainer(const Dataset& dataset, const Specification& spec, const ExplainOptions& options,
            const Context& context)
      : dataset_(dataset),
        options_(options),
        context_(context),
        counter_(context.progress, "explaining", 7),
        spec_(spec) {
    result_.classes = std::holds_alternative<ClassLabels>(dataset.labels);
    result_.graph = dataset.kind() == DatasetKind::graph;
    result_.labels = static_cast<Index>(labeled_indices(dataset.labels).size());
  }

  Explanation run() {
    const auto start = std::chrono::steady_clock::now();
    select();
    step();
    choose_labels();
    prepare();
    step();
    explain_kernel();
    step();
    if (problem_.targets.labeled.empty()) return finished(start);
    attempt("energy of the labels", [&] { find_energy(); });
    attempt("suggested fit", [&] { suggest_fit(); });
    step();
    if (!suggested_) return finished(start);
    attempt("comparison", [&] { compare(); });
    step();
    if (options_.curves) {
      attempt("learning curves", [&] { draw_curves(); });
      step();
      attempt("cross-fit estimate", [&] { cross_fit_suggestion(); });
    }
    attempt("bounds", [&] { find_bounds(); });
    return finished(start);
  }

 private:
  template <class Part>
  void attempt(const char* name, Part&& part) {
    try {
      part();
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& error) {
      result_.missing.emplace_back(name, error.what());
    }
  }

  void step() {
    context_.check_cancelled();
    counter_.add();
  }

  Explanation finished(std::chrono::steady_clock::time_point start) {
    result_.verdict = verdict_of(result_);
    result_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(result_);
  }

  // The full selection, which also chooses the kernel. Labels that no fit can use leave the kernel
  // that a fit without a choice would use.
  void select() {
    Specification asked = spec_;
    asked.keep_system = asked.leave_one_out = true;
    Context inner = context_.inner();
    try {
      Dataset copy = dataset_;
      AutomaticFit fit = fit_automatic(copy, asked, inner);
      spec_ = fit.spec;
      result_.tried = fit.tried;
      result_.selected = fit.spec;
      problem_.gram = fit.fitted.system->gram;
      if (fit.fitted.diagnostics) left_out_ = fit.fitted.diagnostics->left_out;
      fitted_ = fit.fitted.model.fitted();
      for (const Choice& choice : fit.fitted.choices) {
        if (choice.what == "kernel") result_.kernel.description = choice.value;
      }
    } catch (const MemoryError&) {
      throw;
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& error) {
      result_.missing.emplace_back("everything about labels", error.what());
      spec_ = planned_specification(dataset_, spec_);
    }
    spec_.keep_system = spec_.leave_one_out = spec_.diagnostics = false;
  }

  // Fits take an N × n block: a random part of many labels has to do.
  void choose_labels() {
    labels_ = dataset_.labels;
    const std::vector<Index> labeled = labeled_indices(labels_);
    const auto count = static_cast<Index>(labeled.size());
    positions_.resize(labeled.size());
    std::iota(positions_.begin(), positions_.end(), Index{0});
    if (count > options_.most_labels) {
      positions_ = Random(context_.seed).sample(count, options_.most_labels);
      std::vector<Index> kept;
      for (const Index k : positions_) kept.push_back(labeled[static_cast<std::size_t>(k)]);
      keep_only(labels_, kept);
      result_.notes.push_back(fmt::format("fits use {} of the {} labels, drawn at random",
                                          options_.most_labels, count));
    }
    result_.labels_used = static_cast<Index>(positions_.size());
  }

  void prepare() {
    part_ = dataset_;
    part_.labels = labels_;
    if (!result_.selected) {
      PreparedGram prepared = prepare_alone();
      result_.kernel.description = prepared.description;
      problem_.gram = std::move(prepared.gram);
    }
    if (!problem_.gram->sparse() && dataset_.size() > options_.most_samples) {
      const Index labels = result_.labels_used;
      std::vector<Index> samples =
          labeled_and_some(part_, options_.most_samples - labels, context_.seed);
      part_ = subset(part_, samples);
      result_.notes.push_back(
          fmt::format("the kernel is not sparse: {} of {} samples, drawn at random, are analyzed",
                      samples.size(), dataset_.size()));
      problem_.gram = nullptr;
    }
    std::vector<Index> all(static_cast<std::size_t>(part_.size()));
    std::iota(all.begin(), all.end(), Index{0});
    if (!result_.selected) {
      if (!problem_.gram) problem_.gram = prepare_alone().gram;
    } else if (!problem_.gram) {
      problem_ = problem_of(part_, all, spec_, context_);
    } else {
      problem_.samples = all;
      problem_.targets = encode_targets(part_.labels, spec_.decision);
    }
  }

  PreparedGram prepare_alone() const {
    Dataset copy = part_;
    const Execution execution = chosen_execution(plan_fit(shape_of(copy), spec_, context_));
    return prepare_gram(copy, spec_, execution, context_.inner());
  }

  void explain_kernel() {
    const std::vector<Index> labeled = labeled_indices(part_.labels);
    leading_ = leading_spectrum(*problem_.gram, labeled, options_.eigenvectors, context_.inner());
    std::string description = std::move(result_.kernel.description);
    result_.kernel = kernel_facts(*problem_.gram, labeled, leading_, context_.inner());
    result_.kernel.description = std::move(description);
    result_.kernel.samples = dataset_.size();
    if (leading_.values.size() == 0) {
      throw ValueError(
          "explain: the kernel has no positive eigenvalue, so there is nothing to explain");
    }
  }

  // Labels that are not the only ones of their class: without those, their class is unknown.
  void find_scored() {
    const EncodedTargets& targets = problem_.targets;
    const Eigen::RowVectorXd counts = targets.y.colwise().sum();
    for (Index i = 0; i < targets.y.rows(); ++i) {
      Index own = 0;
      targets.y.row(i).maxCoeff(&own);
      if (!result_.classes || counts[own] > 1.5) scored_.push_back(i);
    }
    const auto alone = targets.y.rows() - static_cast<Index>(scored_.size());
    if (alone > 0 && static_cast<Index>(scored_.size()) < kFewestScored) {
      result_.energy.unknown = fmt::format(
          "{} of {} labels have another of their class, without which a label cannot be left out; "
          "at least {} such labels are needed",
          scored_.size(), targets.y.rows(), kFewestScored);
      return;
    }
    if (alone > 0) {
      result_.notes.push_back(fmt::format(
          "{} labels are the only ones of their class and cannot be left out: errors are those of "
          "the other {}",
          alone, scored_.size()));
    }
  }

  void find_energy() {
    find_scored();
    std::vector<Index> rows;
    for (const Index i : problem_.targets.labeled) {
      const auto found = std::lower_bound(leading_.samples.begin(), leading_.samples.end(), i);
      rows.push_back(found - leading_.samples.begin());
    }
    if (result_.energy.unknown.empty()) {
      result_.energy =
          label_energy(leading_.values, gather_rows(leading_.vectors, rows),
                       static_cast<Index>(leading_.samples.size()), problem_.targets.y);
    }
    if (!result_.energy.unknown.empty()) {
      result_.missing.emplace_back("energy of the labels", result_.energy.unknown);
    }
    result_.advice = advise_transform(result_.energy, leading_.values, result_.kernel.density);
    variance_ = label_variance(problem_.targets.y);
  }

  void suggest_fit() {
    if (result_.advice.candidates.empty()) throw ValueError(result_.advice.unknown);
    SuggestedFit fit;
    fit.transform = result_.advice.candidates.front().transform;
    LabeledBlocks blocks =
        transformed_blocks_of(problem_.gram, problem_.targets, fit.transform, context_.inner());
    suggested_.emplace(std::move(blocks.g), problem_.targets, std::nullopt);
    values_ = blocks.known * suggested_->alpha();
    fit.ridge = suggested_->ridge();
    fit.beta = suggested_->beta();
    Vector transformed = leading_.values;
    for (double& value : transformed) value = fit.transform(value);
    fit.decay = decay_of(transformed);
    fit.effective_dimension = directions(suggested_->g(), fit.beta);
    fit.norm_squared =
        suggested_->alpha().cwiseProduct(suggested_->g() * suggested_->alpha()).sum();
    fit.mean_square = values_.squaredNorm() / static_cast<double>(values_.rows());
    const Vector miss = (problem_.targets.y - suggested_->left_out()).rowwise().norm();
    fit.noise = std::sqrt(miss.squaredNorm() / static_cast<double>(miss.size()));
    fit.largest_miss = miss.maxCoeff();
    fit.spec = spec_;
    fit.spec.method =
        StkrSpec{.transform = fit.transform, .automatic = false, .ridge = RelativeRidge{fit.ridge}};
    result_.suggestion = std::move(fit);
    attempt("smoothness", [&] { find_smoothness(); });
  }

  // Tr G (G + nβ I)⁻¹ = n - nβ Tr (G + nβ I)⁻¹
  static double directions(const Matrix& g, double beta) {
    const auto n = static_cast<double>(g.rows());
    const LinearSolution solution = linear_solution(g, n * beta);
    return n - n * beta * solution.inverse.trace();
  }

  void find_smoothness() {
    Index widest = 0;
    (values_.rowwise() - values_.colwise().mean()).colwise().squaredNorm().maxCoeff(&widest);
    const double scales[] = {1.0, 2.0, 4.0, 8.0};
    result_.suggestion->smoothness =
        centered_smoothness(*problem_.gram, values_.col(widest), scales,
                            {.max_steps = 100, .tolerance = 1e-4}, context_.inner());
  }

  void add_compared(const char* name, const Vector& errors, std::optional<double> hidden) {
    const MeanError own = mean_error(errors(scored_)),
                    more = mean_error((errors - errors_)(scored_));
    result_.compared.push_back(
        {name, own.mean, own.standard_error, more.mean, more.standard_error, hidden});
  }

  void compare() {
    const EncodedTargets& targets = problem_.targets;
    errors_ = label_errors(suggested_->left_out(), targets, variance_);
    add_compared(kSuggestedFit, errors_, hidden(values_, suggested_->constant()));
    if (left_out_ && part_.size() == dataset_.size()) {
      Matrix f = gather_rows(left_out_->scores, positions_);
      if (const auto* numbers = std::get_if<TargetDecision>(&targets.decision)) {
        f.rowwise() -= numbers->mean.transpose();
      }
      add_compared(result_.tried.empty() ? kGivenFit : kSelectedFit,
                   label_errors(f, targets, variance_), hidden(fitted_, {}));
    }
    if (!left_out_) {
      result_.missing.emplace_back(result_.tried.empty() ? kGivenFit : kSelectedFit,
                                   "its labels cannot be left out in closed form");
    }
    add_compared(kLabelsAlone,
                 errors_of_labels_alone(part_, problem_, variance_, scored_, context_),
                 std::nullopt);
    add_compared(kNoFit, label_errors(answers_without_fit(targets), targets, variance_),
                 std::nullopt);
  }

  std::optional<double> hidden(const Matrix& f, const Vector& constant) const {
    return hidden_error(part_.truth, labeled_indices(dataset_.labels), f, constant);
  }

  void draw_curves() {
    Random random(context_.seed);
    const SuggestedFit& fit = *result_.suggestion;
    result_.with_labels = label_curve(suggested_->g(), problem_.targets, fit.ridge, errors_,
                                      variance_, scored_, kDivisions, random);
    result_.with_samples =
        sample_curve(part_, fit.spec, fit.transform, leading_.values[0], fit.ridge, errors_,
                     variance_, scored_, options_.draws, context_);
  }

  void cross_fit_suggestion() {
    Specification spec = result_.suggestion->spec;
    std::get<StkrSpec>(spec.method).ridge = PaperBeta{result_.suggestion->beta};
    const Index samples = part_.size();
    const PartFit fit = [&](std::span<const Index> chosen) {
      Dataset some = subset(part_, chosen);
      const Execution execution = chosen_execution(plan_fit(shape_of(some), spec, context_));
      PreparedGram prepared = prepare_gram(some, spec, execution, context_.inner());
      std::get<StkrSpec>(spec.method).transform = transform_for(
          *prepared.gram, result_.suggestion->transform, leading_.values[0], context_);
      const FittedModel fitted =
          fit_prepared(std::move(prepared), some.labels, spec, execution, context_.inner());
      const std::vector<Index> others = unlabeled_samples(samples, chosen);
      Matrix values(samples, fitted.model.outputs());
      values(std::vector<Index>(chosen.begin(), chosen.end()), Eigen::all) =
          fitted.model.predict().scores;
      values(others, Eigen::all) =
          fitted.model.predict(as_new_samples(part_, spec, others, chosen)).scores;
      return values;
    };
    result_.cross_fit = cross_fit(samples, problem_.targets.labeled, fit, {}, context_);
    result_.cross_fit->mean = {};
    result_.cross_fit->parts.clear();
  }

  void find_bounds() {
    const Matrix& y = problem_.targets.y;
    const Index n = y.rows();
    const Index d = default_dimension(part_.size() - n, n, y.cols(), !result_.classes);
    result_.bounds =
        data_bounds(result_.kernel, result_.energy, *result_.suggestion, n,
                    y.squaredNorm() / static_cast<double>(n), d, options_.delta, result_.missing);
  }

  const Dataset& dataset_;
  const ExplainOptions& options_;
  const Context& context_;
  ProgressCounter counter_;
  Specification spec_;  // as given, then with nothing open
  Explanation result_{};
  Labels labels_{};
  std::vector<Index> positions_{};  // of the labels that are used among all
  Dataset part_{};                  // the samples and labels that are analyzed
  ExplainedProblem problem_{};
  LeadingSpectrum leading_{};
  std::optional<Predictions> left_out_{};  // of the selection
  Matrix fitted_{};                        // likewise
  std::optional<ClosedFit> suggested_{};
  Matrix values_{};              // f̂ of the suggestion at the analyzed samples
  Vector errors_{};              // of each label, by the suggestion
  std::vector<Index> scored_{};  // labels that can be left out
  double variance_ = 0.0;
};

}  // namespace

Explanation explain(const Dataset& dataset, const Specification& spec,
                    const ExplainOptions& options, const Context& context) {
  return Explainer(dataset, spec, options, context).run();
}

}  // namespace stkr
