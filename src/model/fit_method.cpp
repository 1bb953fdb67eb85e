#include "model/fit_method.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "estimator/gram_spectrum.hpp"
#include "estimator/kernel_pca.hpp"
#include "estimator/label_propagation.hpp"
#include "specification/method_names.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/stkr.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

// For regression with so many labels that the n × n system is not formed to choose the ridge.
constexpr double kRidgeOfManyNumbers = 1e-4;
constexpr Index kMostLeftOut = 2000;  // labels: their n × n system takes seconds
constexpr Index kFewLabels = 500;     // it takes a fraction of a second
constexpr double kDefaultEta = 0.99;  // times 1/λ₁
// Label propagation has no ridge to balance the labels of different classes: near 1/λ₁ the class
// whose labels have the larger degrees dominates a whole component (measured in docs/points.md).
constexpr double kPropagationEta = 0.8;

// One fit: the arguments of fit_method.
class MethodFit {
 public:
  MethodFit(const GramOperator& gram, const EncodedTargets& targets, const Specification& spec,
            const Execution& execution, std::vector<Choice>& choices, const Context& context,
            RefitState* state)
      : gram_(gram),
        targets_(targets),
        spec_(spec),
        execution_(execution),
        choices_(choices),
        context_(context),
        state_(state) {}

  Fit operator()(const StkrSpec& spec) {
    if (!spec.average.empty()) return average(spec);
    if (spec.learned) {
      throw ValueError(
          "the transform is still to be learned from the labels; call fit_automatic "
          "(stkr/selection/fit_automatic.hpp)");
    }
    StkrOptions options;
    std::string why;
    options.transform = spec.transform
                            ? *spec.transform
                            : SpectralTransform::inverse_laplacian(default_eta(kDefaultEta, why));
    options.literal_top_d = spec.literal_top_d;
    options.solver = spec.solver;
    options.step_size = spec.step_size;
    set_iteration(spec, options);
    set_ridge(spec.ridge, options);
    options.leave_one_out = targets_.y.rows() <= kMostLeftOut;
    choices_.push_back({"transform", options.transform.describe(),
                        why.empty() ? "" : "default transform; " + why,
                        numbers_of(&options.transform)});
    Fit fit = with_ridge(
        spec.ridge,
        state_ ? refit_stkr(gram_, targets_.labeled, targets_.y, options, context_, *state_)
               : fit_stkr(gram_, targets_.labeled, targets_.y, options, context_));
    finish({{options.transform, {{fit.summary.ridge, 1.0}}}}, options, fit);
    return fit;
  }

  Fit operator()(const KernelPcaSpec& spec) {
    KernelPcaOptions options;
    const auto labeled = static_cast<Index>(targets_.labeled.size());
    options.dimension = spec.dimension.value_or(default_dimension(
        gram_.size() - (spec.all_samples ? 0 : labeled), labeled, targets_.y.cols(), regression()));
    options.all_samples = spec.all_samples;
    options.literal_top_d = spec.literal_top_d;
    options.fewer_if_not_positive = !spec.dimension;
    options.keep_embedding = spec_.embedding > 0;
    options.execution = execution_;
    set_ridge(spec.ridge, options);
    choices_.push_back({"method",
                        fmt::format("kernel PCA d={}", options.dimension),
                        spec.dimension ? "" : "default d",
                        {{"d", static_cast<double>(options.dimension)}}});
    return with_ridge(spec.ridge,
                      fit_kernel_pca(gram_, targets_.labeled, targets_.y, options, context_));
  }

  Fit operator()(const KernelRidgeSpec& spec) {
    KernelRidgeOptions options;
    set_iteration(spec, options);
    set_ridge(spec.ridge, options);
    choices_.push_back({"method", "kernel ridge regression", ""});
    Fit fit = with_ridge(spec.ridge,
                         fit_kernel_ridge(gram_, targets_.labeled, targets_.y, options, context_));
    StkrOptions same;
    set_iteration(spec, same);
    set_ridge(spec.ridge, same);
    // Its n × n system has been formed, or is small beside the rest.
    const bool cheap = targets_.y.rows() <= kFewLabels;
    finish({{SpectralTransform::power(1), {{fit.summary.ridge, 1.0}}}}, same, fit, cheap);
    return fit;
  }

  Fit operator()(const LabelPropagationSpec& spec) {
    LabelPropagationOptions options;
    std::string why;
    options.eta = spec.eta ? *spec.eta : default_eta(kPropagationEta, why);
    options.iterations = spec.iterations;
    set_iteration(spec, options);
    const SpectralTransform equivalent = SpectralTransform::inverse_laplacian(options.eta);
    choices_.push_back({"method", fmt::format("label propagation eta={:.6g}", options.eta), why,
                        numbers_of(&equivalent)});
    return fit_label_propagation(gram_, targets_.labeled, targets_.y, options, context_);
  }

 private:
  Fit average(const StkrSpec& spec) {
    StkrOptions options;
    set_iteration(spec, options);
    set_ridge({}, options);
    Fit fit = fit_average(gram_, targets_.labeled, targets_.y, spec.average, options, context_);
    double least = spec.average.front().parts.front().ridge, most = least;
    for (const AverageTerm& term : spec.average) {
      for (const AverageTerm::Part& part : term.parts) {
        least = std::min(least, part.ridge);
        most = std::max(most, part.ridge);
      }
    }
    finish(spec.average, options, fit);
    choices_.push_back(
        {"transform", fit.summary.transform, "",
         numbers_of(spec.average.size() == 1 ? &spec.average.front().transform : nullptr)});
    choices_.push_back(
        {"ridge", fmt::format("{:g} to {:g} of the mean diagonal", least, most), ""});
    return fit;
  }

  // Says what was solved, and leaves every label out: if that is requested, or comes with the fit.
  void finish(const std::vector<AverageTerm>& terms, const StkrOptions& options, Fit& fit,
              bool leave_out = false) {
    const Index labels = targets_.y.rows();
    if (options.label_weights.size() > 0 || gram_.root_weights() || options.literal_top_d ||
        !(terms.front().parts.front().ridge > 0.0)) {
      return;
    }
    for (const AverageTerm& term : terms) fit.terms.push_back({term.transform, term.parts});
    if (!(leave_out || spec_.diagnostics || spec_.leave_one_out) || fit.left_out.rows() > 0 ||
        labels < 2 || labels > std::min(kMostLeftOut, options.execution.most_direct)) {
      return;
    }
    fit.left_out =
        leave_one_out(gram_, targets_.labeled, targets_.y, terms, options, context_.inner());
  }

  bool regression() const { return std::holds_alternative<TargetDecision>(targets_.decision); }

  // The parameter of s, if it is one transform, and λ₁ as far as it is known.
  std::vector<std::pair<std::string, double>> numbers_of(const SpectralTransform* s) const {
    std::vector<std::pair<std::string, double>> numbers;
    if (s != nullptr) {
      const MethodOptions options = options_of(StkrSpec{.transform = *s});
      const auto add = [&](const char* name, const auto& value) {
        if (value) numbers.emplace_back(name, static_cast<double>(*value));
      };
      add("eta", options.eta);
      add("power", options.power);
      add("time", options.time);
      add("d", options.dimension);
    }
    const KnownEigenspace* space = gram_.known_eigenspace();
    if (space && space->dimension() > 0 && space->eigenvalue() == gram_.bounds().upper) {
      numbers.emplace_back("lambda-1", space->eigenvalue());
    } else if (largest_) {
      numbers.emplace_back("lambda-1", *largest_);
    }
    return numbers;
  }

  double default_eta(double share, std::string& why) {
    const double largest = largest_eigenvalue(gram_, context_);
    largest_ = largest;
    why = fmt::format("eta = {}/lambda_1, lambda_1 = {:.4g}", share, largest);
    return share / largest;
  }

  template <class Spec, class Options>
  void set_iteration(const Spec& spec, Options& options) const {
    options.tolerance = spec.tolerance;
    options.max_iterations = spec.max_iterations;
    options.execution = execution_;
  }

  template <class Options>
  void set_ridge(const RidgeSpec& ridge, Options& options) const {
    if (const auto* beta = std::get_if<PaperBeta>(&ridge)) options.beta = beta->value;
    const auto* relative = std::get_if<RelativeRidge>(&ridge);
    options.ridge = relative ? relative->value : regression() ? kRidgeOfManyNumbers : kDefaultRidge;
    options.choose_ridge = regression() && std::holds_alternative<std::monostate>(ridge);
    options.constant = targets_.constant;
    if (spec_.sample_weights.size() == 0) return;
    options.label_weights = gather_rows(spec_.sample_weights, targets_.labeled);
    if (!(options.label_weights.minCoeff() > 0.0)) {
      throw ValueError("a labeled sample has weight 0; remove its label");
    }
    options.label_weights /= options.label_weights.mean();
  }

  // Adds the ridge to the choices.
  Fit with_ridge(const RidgeSpec& ridge, Fit fit) {
    if (const auto* beta = std::get_if<PaperBeta>(&ridge)) {
      choices_.push_back({"beta", fmt::format("{:g}", beta->value), ""});
      return fit;
    }
    const FitSummary& summary = fit.summary;
    const char* why = summary.ridge_chosen ? "chosen by leave-one-out squared error"
                      : std::holds_alternative<RelativeRidge>(ridge) ? ""
                                                                     : "default";
    choices_.push_back(
        {"ridge",
         fmt::format("{:g} of the mean diagonal, beta = {:.3g}", summary.ridge, summary.beta),
         why});
    return fit;
  }

  const GramOperator& gram_;
  const EncodedTargets& targets_;
  const Specification& spec_;
  const Execution& execution_;
  std::vector<Choice>& choices_;
  const Context& context_;
  RefitState* state_;
  std::optional<double> largest_{};  // λ₁, if it was computed
};

}  // namespace

Fit fit_method(const GramOperator& gram, const EncodedTargets& targets, const Specification& spec,
               const Execution& execution, std::vector<Choice>& choices, const Context& context,
               RefitState* state) {
  check_method(spec.method);
  return std::visit(MethodFit(gram, targets, spec, execution, choices, context, state),
                    spec.method);
}

}  // namespace stkr
