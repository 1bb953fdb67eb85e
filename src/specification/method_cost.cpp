#include "specification/method_cost.hpp"

#include <algorithm>
#include <cmath>

#include "estimator/gram_spectrum.hpp"
#include "estimator/kernel_pca.hpp"
#include "runtime/byte_count.hpp"
#include "specification/kernel_parts.hpp"

namespace stkr {
namespace {

constexpr double kEigenpairProducts = 200.0;

// s of a method, with η = 0.99 if that is chosen from the data. Kernel ridge regression has s(λ) =
// λ.
SpectralTransform transform_of(const MethodSpec& method) {
  if (std::holds_alternative<KernelRidgeSpec>(method)) return SpectralTransform::power(1);
  if (const auto* propagation = std::get_if<LabelPropagationSpec>(&method)) {
    return SpectralTransform::inverse_laplacian(propagation->eta.value_or(0.99));
  }
  const auto* stkr = std::get_if<StkrSpec>(&method);
  return stkr && stkr->transform ? *stkr->transform : SpectralTransform::inverse_laplacian(0.99);
}

SolveShape solve_shape(const ProblemShape& shape, const Specification& spec, const GramCost& gram) {
  SolveShape solve{.samples = shape.samples,
                   .labels = shape.labeled,
                   .outputs = shape.outputs,
                   .entries = gram.entries,
                   .scratch = gram.scratch,
                   .indefinite = may_be_indefinite(shape.kind, spec)};
  if (const RidgeSpec* ridge = ridge_of(spec.method)) {
    solve.relative_ridge = !std::holds_alternative<PaperBeta>(*ridge);
  }
  std::visit(
      [&](const auto& method) {
        if constexpr (requires { method.tolerance; }) {
          solve.tolerance = method.tolerance;
          solve.max_iterations = method.max_iterations;
        }
      },
      spec.method);
  return solve;
}

class MethodSteps {
 public:
  MethodSteps(const ProblemShape& shape, const Specification& spec, const GramCost& gram,
              const Execution& execution)
      : spec_(spec),
        execution_(execution),
        shape_(solve_shape(shape, spec, gram)),
        transform_(transform_of(spec.method)),
        action_(action_cost(shape_, transform_, execution)) {}

  MethodCost all() {
    SolveCost making{.blocks = blocks(4, 1),  // Lanczos
                     .system = action_.making,
                     .algebra = action_.system > 0 ? cube(shape_.samples) : 0.0};
    making.products.push_back({action_.preparing, static_cast<double>(shape_.samples)});
    take(making);
    const auto* pca = std::get_if<KernelPcaSpec>(&spec_.method);
    if (pca) {
      eigenvectors(dimension(*pca));
    } else if (const auto* propagation = std::get_if<LabelPropagationSpec>(&spec_.method)) {
      const double steps = propagation->iterations > 0 ? propagation->iterations : action_.products;
      cost_.solver = "iterative";
      take(propagation_cost(shape_, steps, action_, execution_), earlier_batches());
    } else {
      ridge_system();
    }
    coefficients();
    // Kernel PCA already has its embedding.
    if (spec_.embedding > 0 && !pca) eigenpairs(spec_.embedding);
    if (spec_.diagnostics) eigenpairs(kReportedEigenvalues);
    cost_.model = results();
    if (spec_.embedding > 0) cost_.model += blocks(pca ? dimension(*pca) : spec_.embedding, 1);
    return std::move(cost_);
  }

 private:
  static double cube(Index size) { return std::pow(static_cast<double>(size), 3); }
  std::uint64_t blocks(Index columns, Index count) const {
    return block_byte_count(shape_.samples, static_cast<double>(columns),
                            static_cast<double>(count));
  }
  // c, f̂ and the predictions.
  std::uint64_t results() const { return blocks(shape_.outputs, 3); }
  // The results of earlier batches of outputs.
  std::uint64_t earlier_batches() const {
    return shape_.outputs_at_once(execution_) < shape_.outputs ? blocks(shape_.outputs, 1) : 0;
  }
  Index dimension(const KernelPcaSpec& pca) const {
    const Index unlabeled = std::max<Index>(shape_.samples - shape_.labels, 1);
    // The shape does not tell the kind of labels: regression has the larger default.
    return pca.dimension.value_or(
        default_dimension(unlabeled, shape_.labels, shape_.outputs, /*numbers=*/true));
  }

  // A step that runs beside the action.
  void take(SolveCost step, std::uint64_t model = 0) {
    step.system += action_.system;
    step.model = model;
    cost_.steps.push_back(std::move(step));
  }

  // The strategy that the fit will choose, as far as it is known without computing the spectrum.
  void ridge_system() {
    RidgeTraits traits{
        .labels = shape_.labels,
        .outputs = shape_.outputs,
        .sparse = shape_.entries > 0,
        .semidefinite = !shape_.indefinite,
        .inverse_laplacian = std::holds_alternative<InverseLaplacianTransform>(transform_.form()),
        .linear = is_linear(transform_),
        .max_iterations = shape_.max_iterations,
        .most_direct = execution_.most_direct};
    if (const auto* stkr = std::get_if<StkrSpec>(&spec_.method)) traits.solver = stkr->solver;
    const RidgeStrategy strategy = choose_ridge_strategy(traits);
    cost_.solver = strategy.describe();
    attempt(strategy.first, /*retry=*/false);
    if (strategy.second) attempt(*strategy.second, /*retry=*/true);
  }

  void attempt(const RidgeStrategy::Attempt& one, bool retry) {
    if (!one.forms_system() && shape_.relative_ridge) {
      take(ridge_unit_cost(shape_, action_, execution_));
    }
    SolveCost step = attempt_cost(shape_, one, transform_, action_, execution_);
    step.retry = retry;
    if (one.forms_system()) step.algebra = cube(shape_.labels);
    take(std::move(step), one.forms_system() ? 0 : earlier_batches());
  }

  void eigenvectors(Index d) {
    cost_.solver = "eigenvectors";
    const EigenpairMemory pairs = eigenvector_memory(shape_, d, execution_.diagonalize_below);
    const std::uint64_t vectors = blocks(d, 4 + shape_.scratch);
    take({.blocks = std::max(pairs.most, vectors), .retry = true});
    take({.blocks = std::max(pairs.expected, vectors),
          .products = {{kEigenpairProducts, static_cast<double>(d)}}});
  }

  // c = g(S) E α, then f̂ = N S c without the action.
  void coefficients() {
    take(coefficient_cost(shape_, action_, execution_),
         blocks(shape_.outputs, 1) + earlier_batches());
    cost_.steps.push_back(
        {.blocks = blocks(shape_.outputs_at_once(execution_) + 1, 2 + shape_.scratch),
         .model = results()});
  }

  void eigenpairs(Index count) {
    const Index most = std::min(count, shape_.samples);
    cost_.steps.push_back(
        {.blocks = eigenvector_memory(shape_, most, EigenpairOptions{}.dense_below).most,
         .model = results(),
         .products = {{kEigenpairProducts, static_cast<double>(count)}}});
  }

  const Specification& spec_;
  const Execution& execution_;
  SolveShape shape_;
  SpectralTransform transform_;
  ActionCost action_;
  MethodCost cost_;
};

}  // namespace

MethodCost method_cost(const ProblemShape& shape, const Specification& spec, const GramCost& gram,
                       const Execution& execution) {
  return MethodSteps(shape, spec, gram, execution).all();
}

}  // namespace stkr
