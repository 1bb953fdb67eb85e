#include "specification/method_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "runtime/suggestion.hpp"
#include "specification/kernel_names.hpp"
#include "stkr/error.hpp"
#include "transform/transform_names.hpp"
#include "transform/transform_text.hpp"

namespace stkr {
namespace {

constexpr std::array kSolvers{StkrSolver::automatic,   StkrSolver::direct,
                              StkrSolver::cg,          StkrSolver::minres,
                              StkrSolver::diagonalize, StkrSolver::richardson};

// In the order of MethodSpec and of transform_names().
enum class Method { stkr, kernel_pca, kernel_ridge, label_propagation };
enum class Form {
  power,
  polynomial,
  inverse_laplacian,
  reciprocal,
  diffusion,
  truncation,
  poisson,
  smooth_step,
  learned,
  written,  // as text, with all parameters; not a name
  average   // likewise, of several fits
};

template <class Value>
Value value_of(const std::string& name, const std::vector<std::string>& names, const char* what) {
  const std::string known = known_name(name, names, what);
  return static_cast<Value>(std::find(names.begin(), names.end(), known) - names.begin());
}

std::string called(Form form) {
  return "transform " + transform_names()[static_cast<std::size_t>(form)];
}
std::string name_of(Method method) { return method_names()[static_cast<std::size_t>(method)]; }
std::string called(Method method) { return "method " + name_of(method); }

Form named_form(const std::string& name) {
  if (name == kThroughPairs) {
    throw ParameterError(fmt::format(
        "transform {0} needs pairs of lambda and s: write {0}(0.1:0.01, 1:1)", kThroughPairs));
  }
  return value_of<Form>(name, transform_names(), "transform");
}

// The transform that is named or implied.
Form form_of(const MethodOptions& options) {
  if (is_average_text(options.transform)) return Form::average;
  if (is_transform_text(options.transform)) return Form::written;
  if (!options.transform.empty()) return named_form(options.transform);
  if (options.dimension) return Form::truncation;
  if (options.time) return Form::diffusion;
  return options.power ? Form::power : Form::inverse_laplacian;
}

// Throws OptionError for options that the method or the transform does not have.
void check_options(const MethodOptions& options, Method method) {
  const bool stkr = method == Method::stkr, pca = method == Method::kernel_pca,
             propagation = method == Method::label_propagation;
  const auto require = [](bool applies, bool given, const char* option, const std::string& to) {
    if (given && !applies) throw OptionError(option, "applies only to " + to);
  };
  require(stkr, !options.transform.empty(), "transform", called(Method::stkr));
  const auto is = [&](Form form) { return stkr && form_of(options) == form; };
  const auto both = [](const auto& a, const auto& b) { return called(a) + " and " + called(b); };
  require(is(Form::power), options.power.has_value(), "power", called(Form::power));
  require(is(Form::diffusion), options.time.has_value(), "time", called(Form::diffusion));
  const bool top_d = is(Form::truncation) || pca;
  const std::string of_top_d = both(Form::truncation, Method::kernel_pca);
  require(top_d, options.dimension.has_value(), "d", of_top_d);
  require(top_d, options.literal_top_d, "literal-top-d", of_top_d);
  require(is(Form::inverse_laplacian) || is(Form::poisson) || propagation, options.eta.has_value(),
          "eta",
          fmt::format("{}, {} and {}", called(Form::inverse_laplacian), called(Form::poisson),
                      called(Method::label_propagation)));
  require(is(Form::polynomial) || is(Form::reciprocal), !options.coefficients.empty(),
          "coefficients", both(Form::polynomial, Form::reciprocal));
  require(is(Form::reciprocal), options.r.has_value(), "r", called(Form::reciprocal));
  const std::string with_ridge = "methods other than " + name_of(Method::label_propagation);
  require(!propagation, options.beta.has_value(), "beta", with_ridge);
  require(!propagation, options.ridge.has_value(), "ridge", with_ridge);
  require(propagation, options.iterations.has_value(), "iterations",
          called(Method::label_propagation));
  require(stkr, !options.solver.empty(), "solver", called(Method::stkr));
  const std::string with_tolerance = "methods other than " + name_of(Method::kernel_pca);
  require(!pca, options.tolerance.has_value(), "tolerance", with_tolerance);
  require(!pca, options.max_iterations.has_value(), "max-iterations", with_tolerance);
  require(stkr && options.solver == to_string(StkrSolver::richardson),
          options.step_size.has_value(), "step-size",
          fmt::format("solver {}", to_string(StkrSolver::richardson)));
}

SpectralTransform transform_of(const MethodOptions& options, Form form) {
  const auto needed = [&](const auto& value, const char* what) {
    if (!value) throw ParameterError(fmt::format("{} needs {}", called(form), what));
    return *value;
  };
  const auto coefficients = [&] {
    if (options.coefficients.empty()) {
      throw ParameterError(fmt::format("{} needs coefficients", called(form)));
    }
    return options.coefficients;
  };
  switch (form) {
    case Form::power:
      return SpectralTransform::power(needed(options.power, "a power p"));
    case Form::polynomial:
      return SpectralTransform::polynomial(coefficients());
    case Form::inverse_laplacian:
      return SpectralTransform::inverse_laplacian(needed(options.eta, "eta"));
    case Form::reciprocal:
      return SpectralTransform::reciprocal(coefficients(), options.r.value_or(1));
    case Form::diffusion:
      return SpectralTransform::diffusion(needed(options.time, "a time t"));
    case Form::poisson:
      return SpectralTransform::poisson(options.eta.value_or(1.0));
    case Form::smooth_step:
      throw ParameterError(fmt::format("{} needs a position: write {}(0.5)", called(form),
                                       transform_name(TransformKind::smooth_step)));
    case Form::written:
      return transform_from_text(options.transform);
    case Form::truncation:
    case Form::average:
    case Form::learned:
      break;
  }
  return SpectralTransform::truncation(needed(options.dimension, "a dimension d"));
}

RidgeSpec ridge_spec(const MethodOptions& options) {
  if (options.ridge && options.beta) {
    throw ParameterError("ridge and beta both set the ridge; give one of them");
  }
  if (options.beta) return PaperBeta{*options.beta};
  if (options.ridge) return RelativeRidge{*options.ridge};
  return {};
}

// Consecutive fits with the same transform share their system.
std::vector<AverageTerm> average_of(const std::string& text) {
  std::vector<AverageTerm> terms;
  for (WrittenFit& fit : average_from_text(text)) {
    if (terms.empty() || to_text(terms.back().transform) != to_text(fit.transform)) {
      terms.push_back({std::move(fit.transform)});
    }
    terms.back().parts.push_back({fit.ridge, fit.weight});
  }
  return terms;
}

std::string average_text(const std::vector<AverageTerm>& terms) {
  std::vector<WrittenFit> fits;
  for (const AverageTerm& term : terms) {
    for (const AverageTerm::Part& part : term.parts) {
      fits.push_back({part.weight, term.transform, part.ridge});
    }
  }
  return to_text(fits);
}

StkrSpec stkr_spec(const MethodOptions& options) {
  StkrSpec spec{.ridge = ridge_spec(options), .literal_top_d = options.literal_top_d};
  const Form form = form_of(options);
  spec.learned = form == Form::learned;
  // A named transform without η is the default one, not a choice by data.
  spec.automatic = options.transform.empty() && form == Form::inverse_laplacian;
  if (form == Form::average) spec.average = average_of(options.transform);
  // Without η, the inverse Laplacian is the default transform.
  if (!spec.learned && form != Form::average && (form != Form::inverse_laplacian || options.eta)) {
    spec.transform = transform_of(options, form);
  }
  if (!options.solver.empty()) {
    spec.solver = kSolvers[value_of<std::size_t>(options.solver, solver_names(), "solver")];
  }
  if (options.step_size) spec.step_size = *options.step_size;
  return spec;
}

MethodSpec method_called(Method method, const MethodOptions& options) {
  switch (method) {
    case Method::stkr:
      return stkr_spec(options);
    case Method::kernel_pca:
      return KernelPcaSpec{options.dimension, ridge_spec(options), options.pca_of_all,
                           options.literal_top_d};
    case Method::kernel_ridge:
      return KernelRidgeSpec{.ridge = ridge_spec(options)};
    case Method::label_propagation:
      break;
  }
  return LabelPropagationSpec{.eta = options.eta, .iterations = options.iterations.value_or(0)};
}

void add_parameters(const SpectralTransform& transform, MethodOptions& options) {
  const SpectralTransform::Form& form = transform.form();
  const bool written = std::holds_alternative<SmoothStepTransform>(form) ||
                       std::holds_alternative<SumTransform>(form);
  options.transform = written ? to_text(transform) : transform.name();
  if (const auto* t = std::get_if<PowerTransform>(&form)) options.power = t->exponent;
  if (const auto* t = std::get_if<PolynomialTransform>(&form)) {
    options.coefficients = t->coefficients;
  }
  if (const auto* t = std::get_if<InverseLaplacianTransform>(&form)) options.eta = t->eta;
  if (const auto* t = std::get_if<ReciprocalTransform>(&form)) {
    options.coefficients = t->coefficients;
    options.r = t->r;
  }
  if (const auto* t = std::get_if<DiffusionTransform>(&form)) options.time = t->time;
  if (const auto* t = std::get_if<TruncationTransform>(&form)) options.dimension = t->dimension;
  if (const auto* t = std::get_if<PoissonTransform>(&form)) options.eta = t->eta;
}

}  // namespace

MethodSpec method_spec(const MethodOptions& options) {
  const Method method = options.method.empty()
                            ? Method::stkr
                            : value_of<Method>(options.method, method_names(), "method");
  check_options(options, method);
  MethodSpec spec = method_called(method, options);
  std::visit(
      [&](auto& one) {
        if constexpr (requires { one.tolerance; }) {
          if (options.tolerance) one.tolerance = *options.tolerance;
          if (options.max_iterations) one.max_iterations = *options.max_iterations;
        }
      },
      spec);
  check_method(spec);
  return spec;
}

MethodOptions options_of(const MethodSpec& method) {
  MethodOptions options;
  options.method = name_of(method);
  if (const auto* stkr = std::get_if<StkrSpec>(&method)) {
    if (stkr->learned) options.transform = kLearnedTransform;
    if (stkr->transform) add_parameters(*stkr->transform, options);
    if (!stkr->average.empty()) options.transform = average_text(stkr->average);
    if (stkr->solver != StkrSolver::automatic) options.solver = to_string(stkr->solver);
    if (stkr->step_size > 0.0) options.step_size = stkr->step_size;
    options.literal_top_d = stkr->literal_top_d;
  } else if (const auto* pca = std::get_if<KernelPcaSpec>(&method)) {
    options.dimension = pca->dimension;
    options.literal_top_d = pca->literal_top_d;
    options.pca_of_all = pca->all_samples;
  } else if (const auto* propagation = std::get_if<LabelPropagationSpec>(&method)) {
    options.eta = propagation->eta;
    if (propagation->iterations > 0) options.iterations = propagation->iterations;
  }
  if (const RidgeSpec* ridge = ridge_of(method)) {
    if (const auto* relative = std::get_if<RelativeRidge>(ridge)) options.ridge = relative->value;
    if (const auto* beta = std::get_if<PaperBeta>(ridge)) options.beta = beta->value;
  }
  return options;
}

std::string name_of(const MethodSpec& method) {
  return name_of(static_cast<Method>(method.index()));
}

const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names{"stkr", "kernel-pca", "kernel-ridge",
                                              "label-propagation"};
  return names;
}

const std::vector<std::string>& transform_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all(kTransformNames.begin(), kTransformNames.end());
    all.emplace_back(kLearnedTransform);
    return all;
  }();
  return names;
}

void check_transform_name(const std::string& name) {
  if (is_average_text(name)) {
    average_from_text(name);
  } else if (is_transform_text(name)) {
    transform_from_text(name);
  } else {
    named_form(name);
  }
}

std::vector<std::string> solver_names() {
  std::vector<std::string> names;
  for (const StkrSolver solver : kSolvers) names.emplace_back(to_string(solver));
  return names;
}

}  // namespace stkr
