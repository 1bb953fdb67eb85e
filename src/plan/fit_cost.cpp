#include "plan/fit_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimator/kernel_pca.hpp"
#include "estimator/ridge_strategy.hpp"
#include "estimator/ridge_unit.hpp"
#include "estimator/spectral_action.hpp"
#include "plan/gram_cost.hpp"
#include "specification/kernel_parts.hpp"
#include "stkr/solver/eigenpairs.hpp"

namespace stkr {
namespace {

// Cost of g(S) B for a block of columns.
struct ActionCost {
  double products = 0.0;     // for one block
  double preparing = 0.0;    // products, once
  Index blocks = 3;          // N × columns: B, the result and intermediates
  std::uint64_t system = 0;  // a factor of Q or eigenvectors, while the action lives
  std::uint64_t making = 0;  // in addition, while building it
};

double square(Index n) { return static_cast<double>(n) * static_cast<double>(n); }

std::uint64_t whole(double bytes) { return static_cast<std::uint64_t>(std::max(bytes, 0.0)); }

// The settings of a method's iterative solvers.
struct Iteration {
  double tolerance = 1e-8;
  int max_iterations = 1000;
};

Iteration iteration_of(const MethodSpec& method) {
  return std::visit(
      [](const auto& spec) -> Iteration {
        if constexpr (requires { spec.tolerance; }) return {spec.tolerance, spec.max_iterations};
        return {};
      },
      method);
}

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
        transform_(transform_of(spec.method)),
        iteration_(iteration_of(spec.method)),
        indefinite_(may_be_indefinite(shape.kind, spec)),
        sparse_(sparse_entries(shape, spec) > 0),
        gram_(gram_memory(shape, spec, execution)),
        action_(action_cost()),
        ridge_(ridge_strategy()),
        program_(program_memory(shape, context.threads)) {}

  Strategy strategy() {
    Strategy result;
    result.name = fmt::format("{}, {}", describe_gram(shape_, spec_, execution_),
                              kernel_pca() ? "eigenvectors"
                              : ridge_     ? ridge_->describe()
                                           : "iterative");
    result.execution = execution_;
    MemoryUse reading{"reading", program_};
    reading.samples = shape_.reading;
    consider(reading);
    MemoryUse preparing = held("preparing");
    preparing.gram += gram_.preparing;
    preparing.blocks = 0;
    consider(preparing);
    MemoryUse making = held("solving");
    making.system = action_.system + action_.making;
    consider(making);
    solve(result.work);
    // f̂ = N S c
    MemoryUse fitting = held("solving");
    fitting.blocks = blocks(outputs_at_once() + 1, 2 + gram_.scratch);
    fitting.model = blocks(shape_.outputs, 3);
    consider(fitting);
    if (spec_.embedding > 0 && !kernel_pca()) {  // kernel PCA already has its embedding
      MemoryUse embedding = held("solving");
      embedding.blocks =
          eigenpair_memory(shape_, spec_, spec_.embedding, EigenpairOptions{}.dense_below).most;
      embedding.model = fitting.model;
      consider(embedding);
      add(200.0, static_cast<double>(spec_.embedding), result.work);
    }
    // The gram is freed except for what places new samples; c, f̂ and the predictions remain.
    MemoryUse ending{"ending", program_};
    if (shape_.kind == DatasetKind::points) ending.samples = gram_.samples;
    ending.gram = whole(48.0 * static_cast<double>(shape_.samples));
    ending.model = blocks(shape_.outputs, 3) + embedding_kept();
    consider(ending);
    result.peak = peak_;
    result.expected = expected_;
    return result;
  }

 private:
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
        .sparse = sparse_,
        .semidefinite = !indefinite_,
        .inverse_laplacian = std::holds_alternative<InverseLaplacianTransform>(transform_.form()),
        .max_iterations = iteration_.max_iterations,
        .most_direct = execution_.most_direct};
    if (const auto* stkr = std::get_if<StkrSpec>(&spec_.method)) {
      traits.solver = stkr->solver;
    } else {  // see fit_kernel_ridge
      traits.solver = shape_.labeled <= execution_.most_direct ? StkrSolver::direct
                      : indefinite_                            ? StkrSolver::minres
                                                               : StkrSolver::cg;
    }
    return choose_ridge_strategy(traits);
  }

  std::uint64_t blocks(Index columns, Index count) const {
    return whole(8.0 * static_cast<double>(shape_.samples) * static_cast<double>(columns) *
                 static_cast<double>(count));
  }
  Index dimension() const {
    const Index unlabeled = std::max<Index>(shape_.samples - shape_.labeled, 1);
    // The shape does not tell the kind of labels: regression has the larger default.
    return std::get<KernelPcaSpec>(spec_.method)
        .dimension.value_or(
            default_dimension(unlabeled, shape_.labeled, shape_.outputs, /*numbers=*/true));
  }
  // The coefficients of an embedding, if one is requested.
  std::uint64_t embedding_kept() const {
    if (spec_.embedding == 0) return 0;
    return blocks(kernel_pca() ? dimension() : spec_.embedding, 1);
  }
  Index outputs_at_once() const {
    const Index most = execution_.outputs_at_once;
    return most > 0 ? std::min(most, shape_.outputs) : shape_.outputs;
  }
  Index labels_at_once() const {
    const auto column = std::max<Index>(8 * shape_.samples, 1);
    return std::clamp<Index>(static_cast<Index>(execution_.block_bytes) / column, 1,
                             std::max<Index>(shape_.labeled, 1));
  }

  MemoryUse held(const char* phase) const {
    MemoryUse use{phase, program_};
    use.samples = gram_.samples;
    use.gram = gram_.gram;
    use.blocks = blocks(4, 1);  // Lanczos
    return use;
  }
  void consider(const MemoryUse& use, bool expected = true) {
    if (use.total() > peak_.total()) peak_ = use;
    if (expected) expected_ = std::max(expected_, use.total());
  }
  void add(double products, double columns, Work& work) const {
    add_products(shape_, spec_, execution_, products, columns, work);
  }

  // Steps of conjugate gradients by the bound √κ/2·ln(2/tolerance), for Q = ρ(S) with the spectrum
  // of S in [-1, 1] or [0, 1]. Deflation and clustered eigenvalues reduce them.
  double inner_steps(const ReciprocalTransform& reciprocal) const {
    const double lower = indefinite_ ? -1.0 : 0.0;
    double least = HUGE_VAL, most = 0.0;
    for (int k = 0; k <= 100; ++k) {
      const double rho = std::abs(reciprocal.rho(lower + (1.0 - lower) * k / 100.0));
      least = std::min(least, rho);
      most = std::max(most, rho);
    }
    const double kappa = least > 0.0 ? most / least : 1e12;
    const double steps = 2.0 + std::ceil(0.5 * std::sqrt(std::min(kappa, 1e18)) *
                                         std::log(2.0 / inner_tolerance(iteration_.tolerance)));
    return std::min<double>(inner_iterations(iteration_.max_iterations), steps);
  }

  ActionCost action_cost() const {
    const double n = static_cast<double>(shape_.samples);
    const bool few = shape_.samples <= execution_.factorize_below;
    ActionCost cost;
    const auto dense = [&] {
      cost.system = whole(8.0 * n * n);
      cost.making = whole((4.0 + static_cast<double>(gram_.scratch)) * 8.0 * n * n);
    };
    if (const auto reciprocal = transform_.reciprocal_form()) {
      if (!sparse_ && few) {
        cost.preparing =
            static_cast<double>(std::max<std::size_t>(reciprocal->coefficients.size(), 2) - 1);
        cost.blocks = 4;
        dense();
      } else {
        cost.products = inner_steps(*reciprocal);
        cost.blocks = 8;  // B, rest, x, r, p, Ap, one polynomial step, the result
      }
    } else if (const auto* top = std::get_if<TruncationTransform>(&transform_.form())) {
      cost.preparing = 200.0;
      cost.system = whole(8.0 * n * static_cast<double>(top->dimension));
      cost.making =
          eigenpair_memory(shape_, spec_, top->dimension, execution_.factorize_below).most;
    } else if (const auto polynomial = transform_.polynomial_coefficients()) {
      cost.products = static_cast<double>(polynomial->size()) - 1.0;
    } else {
      // Chebyshev: e^(tλ) needs a little more than t terms, a kink as many as are allowed.
      const auto* diffusion = std::get_if<DiffusionTransform>(&transform_.form());
      cost.products = diffusion ? diffusion->time + 20.0 : 500.0;
      cost.blocks = 5;
      // Few samples are diagonalized if that does not converge.
      if (!diffusion && few) dense();
    }
    return cost;
  }

  void solve(Work& work) {
    const auto outputs = static_cast<double>(shape_.outputs);
    if (gram_.scratch > 0) add(1.0, 1.0, work);  // degrees or means
    add(action_.preparing, static_cast<double>(shape_.samples), work);
    if (kernel_pca()) {
      eigenvectors(work);
    } else if (propagation()) {
      propagate(work);
    } else {
      attempt(ridge_->first, /*expected=*/true, work);
      if (ridge_->second) attempt(*ridge_->second, /*expected=*/false, work);
    }
    // c = g(S) E α
    const Index at_once = outputs_at_once();
    MemoryUse ending = held("solving");
    ending.system = action_.system;
    ending.blocks = blocks(at_once, action_.blocks + 1 + gram_.scratch);
    ending.model = blocks(shape_.outputs, at_once < shape_.outputs ? 2 : 1);
    consider(ending);
    const double batches = std::ceil(outputs / static_cast<double>(at_once));
    add(batches * (action_.products + 1.0), static_cast<double>(at_once), work);
  }

  void eigenvectors(Work& work) {
    const Index d = dimension();
    const EigenpairMemory pairs = eigenpair_memory(shape_, spec_, d, execution_.diagonalize_below);
    MemoryUse use = held("solving");
    use.blocks = std::max(pairs.most, blocks(d, 4 + gram_.scratch));
    consider(use, /*expected=*/false);
    use.blocks = std::max(pairs.expected, blocks(d, 4 + gram_.scratch));
    consider(use);
    add(200.0, static_cast<double>(d), work);
  }

  void propagate(Work& work) {
    consider(iterating());
    const double steps =
        propagation()->iterations > 0 ? propagation()->iterations : action_.products;
    add(batches() * steps, static_cast<double>(outputs_at_once()), work);
  }

  void attempt(const RidgeStrategy::Attempt& one, bool expected, Work& work) {
    if (one.forms_system()) {
      explicit_system(one.solver, expected, work);
    } else {
      iterative_system(one, expected, work);
    }
  }

  void explicit_system(StkrSolver solver, bool expected, Work& work) {
    MemoryUse use = held("solving");
    const double copies = solver == StkrSolver::diagonalize ? 6.0 : 3.0;
    use.system = action_.system + whole(8.0 * copies * square(shape_.labeled));
    // Kernel ridge regression uses the kernel's own n × n block.
    if (!std::holds_alternative<KernelRidgeSpec>(spec_.method)) {
      const Index at_once = labels_at_once();
      use.blocks = blocks(at_once, action_.blocks + gram_.scratch);
      const double parts =
          std::ceil(static_cast<double>(shape_.labeled) / static_cast<double>(at_once));
      add(parts * action_.products, static_cast<double>(at_once), work);
    }
    consider(use, expected);
  }

  double batches() const {
    return std::ceil(static_cast<double>(shape_.outputs) / static_cast<double>(outputs_at_once()));
  }
  MemoryUse iterating() const {
    MemoryUse use = held("solving");
    use.system = action_.system;
    use.blocks = blocks(outputs_at_once(), action_.blocks + 1 + gram_.scratch);
    if (outputs_at_once() < shape_.outputs) use.model = blocks(shape_.outputs, 1);
    return use;
  }

  void iterative_system(const RidgeStrategy::Attempt& one, bool expected, Work& work) {
    const Index at_once = outputs_at_once();
    const auto columns = static_cast<double>(at_once);
    MemoryUse use = iterating();
    if (!std::holds_alternative<PaperBeta>(*ridge_of(spec_.method))) ridge_unit_cost(work);
    const double labels_per_output = static_cast<double>(shape_.labeled) / std::max(1.0, columns);
    const double steps = std::max(20.0, std::ceil(labels_per_output));
    const double most = iteration_.max_iterations;
    if (one.solver == StkrSolver::richardson) {
      use.blocks = blocks(shape_.outputs, 8 + gram_.scratch);
      add(most, static_cast<double>(shape_.outputs), work);
    } else if (one.solver == StkrSolver::minres &&
               std::holds_alternative<InverseLaplacianTransform>(transform_.form())) {
      // The system of Algorithm 2: one product per step.
      use.blocks = std::max(blocks(at_once, 11 + gram_.scratch), blocks(16, 2 + gram_.scratch));
      add(batches() * std::min(most, 20.0 * steps), columns, work);
    } else {
      preconditioner(use);
      add(batches() * std::min(most, steps) * (action_.products + 1.0), columns, work);
    }
    consider(use, expected);
  }

  // The unit of the ridge needs a few columns (estimator/ridge_unit).
  void ridge_unit_cost(Work& work) {
    const Index labels = static_cast<Index>(unit_labels(shape_.labeled).size());
    const Index most = execution_.outputs_at_once;
    MemoryUse unit = held("solving");
    unit.system = action_.system;
    unit.blocks =
        blocks(most > 0 ? std::min(most, labels) : labels, action_.blocks + gram_.scratch);
    consider(unit);
    add(action_.products + 1.0, static_cast<double>(labels), work);
  }

  // Of conjugate gradients: three n × rank blocks, and the columns of its sketch over all samples.
  void preconditioner(MemoryUse& use) const {
    const Index labels = std::max<Index>(shape_.labeled, 1);
    const NystromOptions nystrom = ridge_preconditioner_options(
        labels, shape_.samples, outputs_at_once(), iteration_.tolerance, execution_.block_bytes);
    const Index rank = std::min(labels, nystrom.most_rank);
    use.system += whole(3.0 * 8.0 * static_cast<double>(labels) * static_cast<double>(rank));
    use.blocks = std::max(
        use.blocks, blocks(std::min(rank, nystrom.at_once), action_.blocks + 1 + gram_.scratch));
  }

  const ProblemShape& shape_;
  const Specification& spec_;
  const Execution& execution_;
  SpectralTransform transform_;
  Iteration iteration_;
  bool indefinite_;
  bool sparse_;
  GramMemory gram_;
  ActionCost action_;
  std::optional<RidgeStrategy> ridge_;
  std::uint64_t program_;
  MemoryUse peak_;
  std::uint64_t expected_ = 0;
};

}  // namespace

Strategy fit_strategy(const ProblemShape& shape, const Specification& spec,
                      const Execution& execution, const Context& context) {
  return FitCost(shape, spec, execution, context).strategy();
}

}  // namespace stkr
