#include "plan/fit_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimator/gram_spectrum.hpp"
#include "estimator/kernel_pca.hpp"
#include "estimator/solve_cost.hpp"
#include "plan/gram_cost.hpp"
#include "runtime/byte_count.hpp"

namespace stkr {
namespace {

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

// One way to fit, with all settings fixed: tracks every phase that may have the peak memory.
class FitCost {
 public:
  FitCost(const ProblemShape& shape, const Specification& spec, const Execution& execution,
          const Context& context)
      : shape_(shape),
        spec_(spec),
        execution_(execution),
        gram_(gram_memory(shape, spec, execution)),
        solve_(solve_shape(shape, spec, gram_)),
        transform_(transform_of(spec.method)),
        action_(action_cost(solve_, transform_, execution)),
        ridge_(ridge_strategy()),
        program_(program_memory(shape, context.threads)) {}

  Strategy strategy() {
    result_.name = fmt::format("{}, {}", describe_gram(shape_, spec_, execution_),
                               kernel_pca() ? "eigenvectors"
                               : ridge_     ? ridge_->describe()
                                            : "iterative");
    result_.execution = execution_;
    result_.work.pairs = neighbor_pairs(shape_, spec_);
    if (action_.system > 0) result_.work.algebra += cube(shape_.samples);
    MemoryUse reading{"reading", program_};
    reading.samples = shape_.reading;
    consider(reading);
    MemoryUse preparing = held("preparing");
    preparing.gram += gram_.preparing;
    consider(preparing);
    MemoryUse making = held("solving");
    making.system = action_.system + action_.making;
    making.blocks = blocks(4, 1);  // Lanczos
    consider(making);
    solve();
    coefficients();
    // Kernel PCA already has its embedding.
    if (spec_.embedding > 0 && !kernel_pca()) eigenpairs(spec_.embedding);
    if (spec_.diagnostics) eigenpairs(kReportedEigenvalues);
    // The gram is freed except for what places new samples; c, f̂ and the predictions remain.
    MemoryUse ending{"ending", program_};
    if (shape_.kind == DatasetKind::points) ending.samples = gram_.samples;
    ending.gram = byte_count(shape_.samples, 48.0);
    ending.model = blocks(shape_.outputs, 3);
    if (spec_.embedding > 0)
      ending.model += blocks(kernel_pca() ? dimension() : spec_.embedding, 1);
    consider(ending);
    return std::move(result_);
  }

 private:
  static double cube(Index size) { return std::pow(static_cast<double>(size), 3); }
  bool kernel_pca() const { return std::holds_alternative<KernelPcaSpec>(spec_.method); }
  const LabelPropagationSpec* propagation() const {
    return std::get_if<LabelPropagationSpec>(&spec_.method);
  }

  // The strategy that the fit will choose, as far as it is known without computing the spectrum.
  std::optional<RidgeStrategy> ridge_strategy() const {
    if (kernel_pca() || propagation()) return std::nullopt;
    RidgeTraits traits{
        .labels = shape_.labeled,
        .outputs = shape_.outputs,
        .sparse = solve_.entries > 0,
        .semidefinite = !solve_.indefinite,
        .inverse_laplacian = std::holds_alternative<InverseLaplacianTransform>(transform_.form()),
        .linear = is_linear(transform_),
        .max_iterations = solve_.max_iterations,
        .most_direct = execution_.most_direct};
    if (const auto* stkr = std::get_if<StkrSpec>(&spec_.method)) traits.solver = stkr->solver;
    return choose_ridge_strategy(traits);
  }

  std::uint64_t blocks(Index columns, Index count) const {
    return block_byte_count(shape_.samples, static_cast<double>(columns),
                            static_cast<double>(count));
  }
  Index dimension() const {
    const Index unlabeled = std::max<Index>(shape_.samples - shape_.labeled, 1);
    // The shape does not tell the kind of labels: regression has the larger default.
    return std::get<KernelPcaSpec>(spec_.method)
        .dimension.value_or(
            default_dimension(unlabeled, shape_.labeled, shape_.outputs, /*numbers=*/true));
  }

  MemoryUse held(const char* phase) const {
    MemoryUse use{phase, program_};
    use.samples = gram_.samples;
    use.gram = gram_.gram;
    return use;
  }
  void consider(const MemoryUse& use, bool expected = true) {
    if (use.total() > result_.peak.total()) result_.peak = use;
    if (expected) result_.expected = std::max(result_.expected, use.total());
  }
  void add(double products, double columns) {
    add_products(shape_, spec_, execution_, products, columns, result_.work);
  }
  void take(const SolveCost& cost, std::uint64_t model = 0, bool expected = true) {
    MemoryUse use = held("solving");
    use.system = action_.system + cost.system;
    use.blocks = cost.blocks;
    use.model = model;
    consider(use, expected);
    for (const Products& products : cost.products) add(products.count, products.columns);
  }

  void solve() {
    if (gram_.scratch > 0) add(1.0, 1.0);  // degrees or means
    add(action_.preparing, static_cast<double>(shape_.samples));
    if (kernel_pca()) {
      eigenvectors();
    } else if (propagation()) {
      const double steps =
          propagation()->iterations > 0 ? propagation()->iterations : action_.products;
      take(propagation_cost(solve_, steps, action_, execution_), earlier_batches());
    } else {
      attempt(ridge_->first, /*expected=*/true);
      if (ridge_->second) attempt(*ridge_->second, /*expected=*/false);
    }
  }

  void attempt(const RidgeStrategy::Attempt& one, bool expected) {
    if (!one.forms_system() && solve_.relative_ridge) {
      take(ridge_unit_cost(solve_, action_, execution_));
    }
    take(attempt_cost(solve_, one, transform_, action_, execution_),
         one.forms_system() ? 0 : earlier_batches(), expected);
    if (one.forms_system()) result_.work.algebra += cube(shape_.labeled);
  }

  // The results of earlier batches of outputs.
  std::uint64_t earlier_batches() const {
    return solve_.outputs_at_once(execution_) < shape_.outputs ? blocks(shape_.outputs, 1) : 0;
  }

  void eigenvectors() {
    const Index d = dimension();
    const EigenpairMemory pairs = eigenvector_memory(solve_, d, execution_.diagonalize_below);
    const std::uint64_t vectors = blocks(d, 4 + gram_.scratch);
    take({.blocks = std::max(pairs.most, vectors)}, 0, /*expected=*/false);
    take({.blocks = std::max(pairs.expected, vectors),
          .products = {{200.0, static_cast<double>(d)}}});
  }

  // c = g(S) E α, then f̂ = N S c.
  void coefficients() {
    take(coefficient_cost(solve_, action_, execution_),
         blocks(shape_.outputs, 1) + earlier_batches());
    MemoryUse fitting = held("solving");
    fitting.blocks = blocks(solve_.outputs_at_once(execution_) + 1, 2 + gram_.scratch);
    fitting.model = blocks(shape_.outputs, 3);
    consider(fitting);
  }

  void eigenpairs(Index count) {
    MemoryUse embedding = held("solving");
    embedding.blocks =
        eigenvector_memory(solve_, std::min(count, shape_.samples), EigenpairOptions{}.dense_below)
            .most;
    embedding.model = blocks(shape_.outputs, 3);
    consider(embedding);
    add(200.0, static_cast<double>(count));
  }

  const ProblemShape& shape_;
  const Specification& spec_;
  const Execution& execution_;
  GramMemory gram_;
  SolveShape solve_;
  SpectralTransform transform_;
  ActionCost action_;
  std::optional<RidgeStrategy> ridge_;
  std::uint64_t program_;
  Strategy result_;
};

}  // namespace

Strategy fit_strategy(const ProblemShape& shape, const Specification& spec,
                      const Execution& execution, const Context& context) {
  return FitCost(shape, spec, execution, context).strategy();
}

}  // namespace stkr
