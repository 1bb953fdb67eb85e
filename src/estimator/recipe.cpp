#include "stkr/estimator/recipe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "estimator/answer_tally.hpp"
#include "estimator/gram_spectrum.hpp"
#include "estimator/kernel_parts.hpp"
#include "format/crc64.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/kernel_pca.hpp"
#include "stkr/estimator/label_propagation.hpp"
#include "stkr/estimator/plan.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/version.hpp"

namespace stkr {
namespace {

// For regression with so many labels that the n × n system is not formed to choose the ridge.
constexpr double kRidgeOfManyNumbers = 1e-4;
constexpr double kDefaultEta = 0.99;  // times 1/λ₁
// Label propagation has no ridge to balance the labels of different classes: near 1/λ₁ the class
// whose labels have the larger degrees dominates a whole component (measured in docs/points.md).
constexpr double kPropagationEta = 0.8;

void check_solver_options(const Recipe& recipe) {
  if (!(recipe.tolerance > 0.0)) {
    throw ValueError(fmt::format("tolerance = {}; expected a positive number (1e-8 is usual)",
                                 recipe.tolerance));
  }
  if (recipe.max_iterations < 1) {
    throw ValueError(fmt::format("max-iterations = {}; expected 1 or more", recipe.max_iterations));
  }
  if (!(recipe.step_size >= 0.0)) {
    throw ValueError(
        fmt::format("step-size = {}; expected a positive number, or 0 to derive it "
                    "from the spectrum",
                    recipe.step_size));
  }
}

[[noreturn]] void missing(const std::string& transform, const char* what) {
  throw ValueError(fmt::format("transform {} needs {}", transform, what));
}

template <class T>
T require(const std::optional<T>& value, const char* transform, const char* what) {
  if (!value) missing(transform, what);
  return *value;
}

double choose_eta(const GramOperator& gram, const Recipe& recipe, const Context& context,
                  std::string& why) {
  if (recipe.eta) return *recipe.eta;
  const double share = recipe.method == Method::label_propagation ? kPropagationEta : kDefaultEta;
  const double largest = largest_eigenvalue(gram, context);
  why = fmt::format("eta = {}/lambda_1, lambda_1 = {:.4g}", share, largest);
  return share / largest;
}

SpectralTransform choose_transform(const GramOperator& gram, const Recipe& recipe,
                                   const Context& context, std::string& why) {
  const std::string& name = recipe.transform;
  if (name.empty() || name == "inverse-laplacian") {
    const double eta = choose_eta(gram, recipe, context, why);
    if (name.empty()) why = why.empty() ? "default transform" : "default transform; " + why;
    return SpectralTransform::inverse_laplacian(eta);
  }
  if (name == "power") return SpectralTransform::power(require(recipe.power, "power", "a power p"));
  if (name == "polynomial" || name == "reciprocal") {
    if (recipe.coefficients.empty()) missing(name, "coefficients");
    return name == "polynomial" ? SpectralTransform::polynomial(recipe.coefficients)
                                : SpectralTransform::reciprocal(recipe.coefficients, recipe.r);
  }
  if (name == "diffusion") {
    return SpectralTransform::diffusion(require(recipe.time, "diffusion", "a time t"));
  }
  if (name == "truncation") {
    return SpectralTransform::truncation(require(recipe.dimension, "truncation", "a dimension d"));
  }
  if (name == "function") {
    if (!recipe.function) missing(name, "a function s");
    return SpectralTransform::callable(recipe.function_name, recipe.function);
  }
  throw ValueError(fmt::format(
      "transform '{}' is unknown; expected inverse-laplacian, power, polynomial, reciprocal, "
      "diffusion or truncation",
      name));
}

// "class mass  a x1.21, b x0.83"
Choice class_mass_choice(const ClassDecision& decision) {
  std::string value;
  constexpr Index kShown = 12;
  for (Index c = 0; c < std::min(kShown, decision.factors.size()); ++c) {
    value += fmt::format("{}{} x{:.3g}", c > 0 ? ", " : "", decision.names[c], decision.factors[c]);
  }
  if (decision.factors.size() > kShown) value += ", ...";
  return {"class mass", std::move(value), ""};
}

}  // namespace

const char* to_string(Method method) {
  switch (method) {
    case Method::stkr:
      return "stkr";
    case Method::kernel_pca:
      return "kernel-pca";
    case Method::kernel_ridge:
      return "kernel-ridge";
    case Method::label_propagation:
      return "label-propagation";
  }
  return "unknown";
}

namespace {

// Settings shared by the methods with a ridge.
template <class Options>
void set_ridge(const EncodedTargets& targets, const Recipe& recipe, Options& options) {
  if (recipe.ridge && recipe.beta) {
    throw ValueError("ridge and beta both set the ridge; give one of them");
  }
  const bool numbers = std::holds_alternative<TargetDecision>(targets.decision);
  options.beta = recipe.beta;
  options.choose_ridge = numbers && !recipe.ridge && !recipe.beta;
  options.ridge = recipe.ridge.value_or(numbers ? kRidgeOfManyNumbers : kDefaultRidge);
  options.constant = targets.constant;
  if (recipe.sample_weights.size() > 0) {
    options.label_weights = gather_rows(recipe.sample_weights, targets.labeled);
    if (!(options.label_weights.minCoeff() > 0.0)) {
      throw ValueError("a labeled sample has weight 0; remove its label");
    }
    options.label_weights /= options.label_weights.mean();
  }
}

Choice ridge_choice(const Recipe& recipe, const FitSummary& summary) {
  if (recipe.beta) return {"beta", fmt::format("{:g}", *recipe.beta), ""};
  const char* why = summary.ridge_chosen ? "chosen by leave-one-out squared error"
                    : recipe.ridge       ? ""
                                         : "default";
  return {"ridge",
          fmt::format("{:g} of the mean diagonal, beta = {:.3g}", summary.ridge, summary.beta),
          why};
}

}  // namespace

std::string fingerprint(const Dataset& dataset, bool features) {
  Crc64 crc;
  const auto add = [&](const auto* data, std::size_t count) {
    crc.update(std::as_bytes(std::span(data, count)));
  };
  std::visit(
      [&](const auto& samples) {
        if constexpr (requires { samples.adjacency; }) {
          add(samples.adjacency.row_start.data(), samples.adjacency.row_start.size());
          add(samples.adjacency.column.data(), samples.adjacency.column.size());
          add(samples.adjacency.value.data(), samples.adjacency.value.size());
        } else {
          crc.update(samples.values.bytes());
        }
      },
      dataset.samples);
  if (features && dataset.features) {
    crc.update(dataset.features->values.bytes());
  }
  if (const auto* classes = std::get_if<ClassLabels>(&dataset.labels)) {
    add(classes->code.data(), classes->code.size());
  } else if (const auto* targets = std::get_if<TargetValues>(&dataset.labels)) {
    add(targets->values.data(), static_cast<std::size_t>(targets->values.size()));
  }
  return fmt::format("crc64:{:016x}", crc.value());
}

Fit fit_recipe(const GramOperator& gram, const EncodedTargets& targets, const Recipe& recipe,
               std::vector<Choice>& choices, const Context& context) {
  check_solver_options(recipe);
  if (recipe.method == Method::label_propagation) {
    LabelPropagationOptions options;
    std::string why;
    options.eta = choose_eta(gram, recipe, context, why);
    options.iterations = recipe.iterations;
    options.tolerance = recipe.tolerance;
    options.max_iterations = recipe.max_iterations;
    options.execution = recipe.execution;
    choices.push_back({"method", fmt::format("label propagation eta={:.6g}", options.eta), why});
    return fit_label_propagation(gram, targets.labeled, targets.y, options, context);
  }
  Fit fit;
  if (recipe.method == Method::kernel_pca) {
    KernelPcaOptions options;
    const Index unlabeled =
        gram.size() - (recipe.pca_of_all ? 0 : static_cast<Index>(targets.labeled.size()));
    options.dimension = recipe.dimension.value_or(
        default_dimension(unlabeled, static_cast<Index>(targets.labeled.size()), targets.y.cols(),
                          std::holds_alternative<TargetDecision>(targets.decision)));
    options.all_samples = recipe.pca_of_all;
    options.literal_top_d = recipe.literal_top_d;
    options.fewer_if_not_positive = !recipe.dimension;
    options.keep_embedding = recipe.embedding > 0;
    set_ridge(targets, recipe, options);
    options.execution = recipe.execution;
    choices.push_back({"method", fmt::format("kernel PCA d={}", options.dimension),
                       recipe.dimension ? "" : "default d"});
    fit = fit_kernel_pca(gram, targets.labeled, targets.y, options, context);
  } else if (recipe.method == Method::kernel_ridge) {
    choices.push_back({"method", "kernel ridge regression", ""});
    KernelRidgeOptions options;
    options.tolerance = recipe.tolerance;
    options.max_iterations = recipe.max_iterations;
    set_ridge(targets, recipe, options);
    options.execution = recipe.execution;
    fit = fit_kernel_ridge(gram, targets.labeled, targets.y, options, context);
  } else {
    StkrOptions options;
    std::string why;
    options.transform = choose_transform(gram, recipe, context, why);
    options.literal_top_d = recipe.literal_top_d;
    options.solver = recipe.solver;
    options.tolerance = recipe.tolerance;
    options.max_iterations = recipe.max_iterations;
    options.step_size = recipe.step_size;
    set_ridge(targets, recipe, options);
    options.execution = recipe.execution;
    choices.push_back({"transform", options.transform.describe(), why});
    fit = fit_stkr(gram, targets.labeled, targets.y, options, context);
  }
  choices.push_back(ridge_choice(recipe, fit.summary));
  return fit;
}

namespace {

// Warnings about the predictions for the unlabeled samples.
std::vector<std::string> answer_warnings(const Model& model, const EncodedTargets& targets) {
  constexpr Index kPart = 4096;
  std::vector<char> labeled(static_cast<std::size_t>(model.size()), 0);
  for (const Index i : targets.labeled) labeled[i] = 1;
  AnswerTally tally;
  for (Index first = 0; first < model.size(); first += kPart) {
    const Index count = std::min(kPart, model.size() - first);
    const Predictions part = model.predict(first, count);
    for (Index i = 0; i < count; ++i) {
      if (labeled[first + i]) continue;
      if (part.class_index.empty()) {
        tally.add(1, part.evidence[i] ? 0 : 1);
      } else {
        tally.add(part.evidence[i] ? part.class_index[i] : Index{-1});
      }
    }
  }
  return tally.warnings("unlabeled samples", targets.decision);
}

}  // namespace

RecipeResult fit_prepared(PreparedGram prepared, const Labels& labels, const Recipe& recipe,
                          const Context& context, ModelInfo info) {
  EncodedTargets targets = encode_targets(labels, recipe.intercept, recipe.decision);
  Fit fit = fit_recipe(*prepared.gram, targets, recipe, prepared.choices, context);
  if (recipe.decision.class_mass) {
    const std::vector<Index> unlabeled = unlabeled_samples(prepared.gram->size(), targets.labeled);
    const std::vector<char> evidence = fit.evidence.of_known(0, fit.fitted);
    std::vector<char> heard;
    for (const Index i : unlabeled) heard.push_back(evidence[i]);
    targets.decision =
        with_class_mass(std::move(targets.decision), gather_rows(fit.fitted, unlabeled), heard);
    if (unlabeled.empty()) {
      fit.summary.warnings.push_back(
          "class-mass normalization has no effect because every sample is labeled");
    }
    prepared.choices.push_back(class_mass_choice(std::get<ClassDecision>(targets.decision)));
  }
  targets.decision = with_constant(std::move(targets.decision), fit.constant);
  info.version = kVersion;
  info.method = fit.summary.method;
  info.transform = fit.summary.transform;
  info.kernel = prepared.description;
  info.solver = fit.summary.solve.solver;
  info.stop_reason = to_string(fit.summary.solve.reason);
  info.residual = fit.summary.solve.worst_residual();
  info.iterations = fit.summary.solve.iterations;
  info.beta = fit.summary.beta;
  info.labeled = static_cast<Index>(targets.labeled.size());
  FitSummary summary = fit.summary;
  std::optional<LabelReach> reach = label_reach(*prepared.gram, targets.labeled);
  std::optional<SpectralEmbedding> embedding = std::move(fit.embedding);
  if (recipe.embedding > 0 && !embedding) {
    embedding = spectral_embedding(*prepared.gram, recipe.embedding, context);
  }
  Model model(prepared.gram->cross_kernel(), std::move(fit), targets.decision, std::move(info));
  for (std::string& warning : answer_warnings(model, targets)) {
    summary.warnings.push_back(std::move(warning));
  }
  return {std::move(model), std::move(summary), std::move(prepared.choices), std::move(reach),
          std::move(embedding)};
}

RecipeResult fit_model(Dataset& dataset, const Recipe& asked, const Context& context) {
  const Plan plan = plan_fit(shape_of(dataset), asked, context);
  const Recipe recipe = carried_out(plan, asked);
  // Invalid labels are rejected before the gram is built.
  encode_targets(dataset.labels, recipe.intercept, recipe.decision);
  ModelInfo info;
  info.data_fingerprint = fingerprint(dataset, !recipe.added.empty());
  info.samples = sample_kinds(dataset.kind(), recipe);
  if (dataset.kind() == DatasetKind::points) info.feature_names = dataset.points().feature_names;
  if (dataset.features) info.feature_names = dataset.features->feature_names;
  if (auto* graph = std::get_if<Graph>(&dataset.samples)) {
    info.node_names = std::move(graph->node_names);
  }
  PreparedGram prepared = prepare_gram(dataset, recipe, context);
  if (context.memory > 0) prepared.choices.push_back(choice_of(plan));
  return fit_prepared(std::move(prepared), dataset.labels, recipe, context, std::move(info));
}

}  // namespace stkr
