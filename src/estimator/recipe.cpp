#include "stkr/estimator/recipe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "stkr/dataset/crc64.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/kernel_pca.hpp"
#include "stkr/estimator/label_propagation.hpp"
#include "stkr/estimator/spectral_action.hpp"
#include "stkr/version.hpp"

namespace stkr {
namespace {

constexpr double kDefaultBeta = 1e-2;
constexpr double kDefaultEta = 0.99;  // times 1/λ₁
constexpr Index kDefaultDimension = 128;

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
        fmt::format("step-size = {}; expected a positive number, or 0 for a bound "
                    "from the spectrum",
                    recipe.step_size));
  }
}

// λ₁ of S: known for graphs and normalised kernels, else by Lanczos.
double largest_eigenvalue(const GramOperator& gram, const Recipe& recipe) {
  const KnownEigenspace* space = gram.known_eigenspace();
  if (space && space->dimension() > 0 && space->eigenvalue() == gram.bounds().upper) {
    return space->eigenvalue();
  }
  return estimated_spectrum(gram, recipe.seed, recipe.threads, recipe.control.cancel).largest;
}

template <class T>
T require(const std::optional<T>& value, const char* transform, const char* option) {
  if (!value) throw ValueError(fmt::format("transform {} needs {}", transform, option));
  return *value;
}

double choose_eta(const GramOperator& gram, const Recipe& recipe, std::string& why) {
  if (recipe.eta) return *recipe.eta;
  const double largest = largest_eigenvalue(gram, recipe);
  if (!(largest > 0.0)) {
    throw ValueError(
        "the kernel is zero on these samples (no edges, or points too far apart for its length "
        "scale): there is nothing to learn from");
  }
  why = fmt::format("eta = {}/lambda_1, lambda_1 = {:.4g}", kDefaultEta, largest);
  return kDefaultEta / largest;
}

SpectralTransform choose_transform(const GramOperator& gram, const Recipe& recipe,
                                   std::string& why) {
  const std::string& name = recipe.transform;
  if (name.empty() || name == "inverse-laplacian") {
    const double eta = choose_eta(gram, recipe, why);
    if (name.empty()) why = why.empty() ? "default transform" : "default transform; " + why;
    return SpectralTransform::inverse_laplacian(eta);
  }
  if (name == "power") return SpectralTransform::power(require(recipe.power, "power", "--power"));
  if (name == "polynomial" || name == "reciprocal") {
    if (recipe.coefficients.empty()) {
      throw ValueError(fmt::format("transform {} needs --coefficients", name));
    }
    return name == "polynomial" ? SpectralTransform::polynomial(recipe.coefficients)
                                : SpectralTransform::reciprocal(recipe.coefficients, recipe.r);
  }
  if (name == "diffusion") {
    return SpectralTransform::diffusion(require(recipe.time, "diffusion", "--time"));
  }
  if (name == "truncation") {
    return SpectralTransform::truncation(require(recipe.dimension, "truncation", "--d"));
  }
  throw ValueError(fmt::format(
      "transform '{}' is unknown; expected inverse-laplacian, power, polynomial, reciprocal, "
      "diffusion or truncation",
      name));
}

// A checksum of what a model was fitted on, so that two models can be told apart.
std::string fingerprint(const Dataset& dataset) {
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
          add(samples.values.data(), static_cast<std::size_t>(samples.values.size()));
        }
      },
      dataset.samples);
  if (const auto* classes = std::get_if<ClassLabels>(&dataset.labels)) {
    add(classes->code.data(), classes->code.size());
  } else if (const auto* targets = std::get_if<TargetValues>(&dataset.labels)) {
    add(targets->values.data(), static_cast<std::size_t>(targets->values.size()));
  }
  return fmt::format("crc64:{:016x}", crc.value());
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

Fit fit_recipe(const GramOperator& gram, const EncodedTargets& targets, const Recipe& recipe,
               std::vector<Choice>& choices) {
  check_solver_options(recipe);
  const double beta = recipe.beta.value_or(kDefaultBeta);
  const Choice beta_choice{"beta", fmt::format("{:g}", beta), recipe.beta ? "" : "default"};
  if (recipe.method == Method::label_propagation) {
    LabelPropagationOptions options;
    std::string why;
    options.eta = choose_eta(gram, recipe, why);
    options.iterations = recipe.iterations;
    options.tolerance = recipe.tolerance;
    options.max_iterations = recipe.max_iterations;
    options.seed = recipe.seed;
    options.threads = recipe.threads;
    options.control = recipe.control;
    choices.push_back({"method", fmt::format("label propagation eta={:.6g}", options.eta), why});
    return fit_label_propagation(gram, targets.labeled, targets.y, options);
  }
  if (recipe.method == Method::kernel_pca) {
    KernelPcaOptions options;
    const Index unlabeled = gram.size() - static_cast<Index>(targets.labeled.size());
    options.dimension =
        recipe.dimension.value_or(std::clamp<Index>(unlabeled / 8, 1, kDefaultDimension));
    options.beta = beta;
    options.seed = recipe.seed;
    options.threads = recipe.threads;
    options.control = recipe.control;
    choices.push_back({"method", fmt::format("kernel PCA d={}", options.dimension),
                       recipe.dimension ? "" : "default d"});
    choices.push_back(beta_choice);
    return fit_kernel_pca(gram, targets.labeled, targets.y, options);
  }
  if (recipe.method == Method::kernel_ridge) {
    choices.push_back({"method", "kernel ridge regression", ""});
    choices.push_back(beta_choice);
    return fit_kernel_ridge(gram, targets.labeled, targets.y,
                            {.beta = beta, .threads = recipe.threads});
  }
  StkrOptions options;
  std::string why;
  options.transform = choose_transform(gram, recipe, why);
  options.beta = beta;
  options.solver = recipe.solver;
  options.tolerance = recipe.tolerance;
  options.max_iterations = recipe.max_iterations;
  options.step_size = recipe.step_size;
  options.seed = recipe.seed;
  options.threads = recipe.threads;
  options.control = recipe.control;
  choices.push_back({"transform", options.transform.describe(), why});
  choices.push_back(beta_choice);
  return fit_stkr(gram, targets.labeled, targets.y, options);
}

RecipeResult fit_model(Dataset& dataset, const Recipe& recipe) {
  const EncodedTargets targets = encode_targets(dataset.labels, recipe.intercept);
  ModelInfo info;
  info.data_fingerprint = fingerprint(dataset);
  info.samples = kind_name(dataset.kind());
  if (dataset.kind() == DatasetKind::points) info.feature_names = dataset.points().feature_names;
  PreparedGram prepared = prepare_gram(dataset, recipe);
  Fit fit = fit_recipe(*prepared.gram, targets, recipe, prepared.choices);
  info.version = kVersion;
  info.method = fit.summary.method;
  info.transform = fit.summary.transform;
  info.kernel = prepared.description;
  info.solver = fit.summary.solve.solver;
  info.stop_reason = to_string(fit.summary.solve.reason);
  info.residual = fit.summary.solve.worst_residual();
  info.iterations = fit.summary.solve.iterations;
  info.beta = recipe.beta.value_or(kDefaultBeta);
  info.labeled = static_cast<Index>(targets.labeled.size());
  FitSummary summary = fit.summary;
  return {Model(std::move(*prepared.gram).into_cross_kernel(), std::move(fit), targets.decision,
                std::move(info)),
          std::move(summary), std::move(prepared.choices)};
}

}  // namespace stkr
