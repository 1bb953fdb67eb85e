#include "fit_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimator/kernel_parts.hpp"
#include "solver/nystrom_preconditioner.hpp"
#include "stkr/estimator/kernel_pca.hpp"
#include "stkr/solver/eigenpairs.hpp"
#include "estimator/ridge_unit.hpp"

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

// Steps of conjugate gradients by the bound √κ/2·ln(2/tolerance), for Q = ρ(S) with the spectrum of
// S in [-1, 1] or [0, 1]. Deflation and clustered eigenvalues reduce them.
double inner_steps(const ProblemShape& shape, const Recipe& recipe) {
  std::vector<double> xi{1.0, -std::min(recipe.eta.value_or(0.99), 1.0 - 1e-9)};
  if (recipe.transform == "reciprocal") xi = recipe.coefficients;
  const double lower = may_be_indefinite(shape.kind, recipe) ? -1.0 : 0.0;
  double least = HUGE_VAL, most = 0.0;
  for (int k = 0; k <= 100; ++k) {
    const double lambda = lower + (1.0 - lower) * k / 100.0;
    double rho = 0.0;
    for (std::size_t p = xi.size(); p-- > 0;) rho = rho * lambda + xi[p];
    least = std::min(least, std::abs(rho));
    most = std::max(most, std::abs(rho));
  }
  const double kappa = least > 0.0 ? most / least : 1e12;
  const double tolerance = std::max(0.01 * recipe.tolerance, 1e-14);
  const double limit = std::max(10.0 * recipe.max_iterations, 2000.0);
  return std::min(limit, 2.0 + std::ceil(0.5 * std::sqrt(kappa) * std::log(2.0 / tolerance)));
}

ActionCost action_cost(const ProblemShape& shape, const Recipe& recipe, Index scratch) {
  const double n = static_cast<double>(shape.samples);
  const double power = recipe.power.value_or(2.0);
  ActionCost cost;
  if (recipe.method == Method::kernel_ridge) return cost;
  const bool propagation = recipe.method == Method::label_propagation;
  const std::string& name = recipe.transform;
  if (propagation || name.empty() || name == "inverse-laplacian" || name == "reciprocal") {
    if (sparse_entries(shape, recipe) == 0 && shape.samples <= recipe.execution.factorize_below) {
      cost.preparing =
          static_cast<double>(std::max<std::size_t>(recipe.coefficients.size(), 2) - 1);
      cost.blocks = 4;
      cost.system = whole(8.0 * n * n);
      cost.making = whole((4.0 + static_cast<double>(scratch)) * 8.0 * n * n);
    } else {
      cost.products = inner_steps(shape, recipe);
      cost.blocks = 8;  // B, rest, x, r, p, Ap, one polynomial step, the result
    }
  } else if (name == "truncation") {
    const Index d = recipe.dimension.value_or(1);
    cost.preparing = 200.0;
    cost.system = whole(8.0 * n * static_cast<double>(d));
    cost.making = eigenpair_memory(shape, recipe, d, recipe.execution.factorize_below).most;
  } else if (name == "polynomial") {
    cost.products = static_cast<double>(std::max<std::size_t>(recipe.coefficients.size(), 1) - 1);
  } else if (name == "power" && power == std::floor(power)) {
    cost.products = power - 1.0;
  } else {
    // Chebyshev: e^(tλ) needs a little more than t terms, a kink as many as are allowed.
    cost.products = name == "diffusion" ? recipe.time.value_or(1.0) + 20.0 : 500.0;
    cost.blocks = 5;
    // Few samples are diagonalized if that does not converge.
    if (name != "diffusion" && shape.samples <= recipe.execution.factorize_below) {
      cost.system = whole(8.0 * n * n);
      cost.making = whole((4.0 + static_cast<double>(scratch)) * 8.0 * n * n);
    }
  }
  return cost;
}

// One way to fit, with all settings fixed: tracks every phase that may have the peak memory.
class FitCost {
 public:
  FitCost(const ProblemShape& shape, const Recipe& recipe, System system, const Context& context)
      : shape_(shape),
        recipe_(recipe),
        system_(system),
        gram_(gram_memory(shape, recipe)),
        action_(action_cost(shape, recipe, gram_.scratch)),
        program_(program_memory(shape, context.threads)) {}

  Strategy strategy() {
    Strategy result;
    result.name = fmt::format("{}, {}", describe_gram(shape_, recipe_),
                              system_ == System::explicit_one && tries_first()
                                  ? "iterative, else explicit system"
                              : system_ == System::explicit_one ? "explicit system"
                              : system_ == System::iterative    ? "iterative"
                                                                : "eigenvectors");
    result.execution = recipe_.execution;
    result.single_precision = recipe_.single_precision;
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
    // Kernel PCA already has its embedding.
    if (recipe_.embedding > 0 && recipe_.method != Method::kernel_pca) {
      MemoryUse embedding = held("solving");
      embedding.blocks =
          eigenpair_memory(shape_, recipe_, recipe_.embedding, EigenpairOptions{}.dense_below).most;
      embedding.model = fitting.model;
      consider(embedding);
      add(200.0, static_cast<double>(recipe_.embedding), result.work);
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
  std::uint64_t blocks(Index columns, Index count) const {
    return whole(8.0 * static_cast<double>(shape_.samples) * static_cast<double>(columns) *
                 static_cast<double>(count));
  }
  Index dimension() const {
    const Index unlabeled = std::max<Index>(shape_.samples - shape_.labeled, 1);
    // The shape does not tell the kind of labels: regression has the larger default.
    return recipe_.dimension.value_or(
        default_dimension(unlabeled, shape_.labeled, shape_.outputs, /*numbers=*/true));
  }
  // The coefficients of an embedding, if one is requested.
  std::uint64_t embedding_kept() const {
    if (recipe_.embedding == 0) return 0;
    return blocks(recipe_.method == Method::kernel_pca ? dimension() : recipe_.embedding, 1);
  }
  Index outputs_at_once() const {
    const Index most = recipe_.execution.outputs_at_once;
    return most > 0 ? std::min(most, shape_.outputs) : shape_.outputs;
  }
  Index labels_at_once() const {
    const auto column = std::max<Index>(8 * shape_.samples, 1);
    return std::clamp<Index>(static_cast<Index>(recipe_.execution.block_bytes) / column, 1,
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
    add_products(shape_, recipe_, products, columns, work);
  }

  void solve(Work& work) {
    const auto outputs = static_cast<double>(shape_.outputs);
    if (gram_.scratch > 0) add(1.0, 1.0, work);  // degrees or means
    add(action_.preparing, static_cast<double>(shape_.samples), work);
    MemoryUse use = held("solving");
    use.system = action_.system;
    if (system_ == System::eigenvectors) {
      const Index d = dimension();
      const EigenpairMemory pairs =
          eigenpair_memory(shape_, recipe_, d, recipe_.execution.diagonalize_below);
      use.blocks = std::max(pairs.most, blocks(d, 4 + gram_.scratch));
      consider(use, /*expected=*/false);
      use.blocks = std::max(pairs.expected, blocks(d, 4 + gram_.scratch));
      add(200.0, static_cast<double>(d), work);
    } else if (system_ == System::explicit_one) {
      explicit_system(use, work);
    } else {
      iterative_system(use, work);
    }
    consider(use, system_ != System::explicit_one || !tries_first());
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

  void explicit_system(MemoryUse& use, Work& work) {
    const double copies = recipe_.solver == StkrSolver::diagonalize ? 6.0 : 3.0;
    use.system += whole(8.0 * copies * square(shape_.labeled));
    // Kernel ridge regression uses the kernel's own n × n block.
    if (recipe_.method == Method::kernel_ridge) return;
    const Index at_once = labels_at_once();
    use.blocks = blocks(at_once, action_.blocks + gram_.scratch);
    const double batches =
        std::ceil(static_cast<double>(shape_.labeled) / static_cast<double>(at_once));
    add(batches * action_.products, static_cast<double>(at_once), work);
    if (!tries_first()) return;
    MemoryUse first = held("solving");
    first.system = action_.system;
    iterative_system(first, work);
    consider(first);
  }

  void iterative_system(MemoryUse& use, Work& work) {
    const Index at_once = outputs_at_once();
    const double batches =
        std::ceil(static_cast<double>(shape_.outputs) / static_cast<double>(at_once));
    const auto columns = static_cast<double>(at_once);
    use.blocks = blocks(at_once, action_.blocks + 1 + gram_.scratch);
    if (at_once < shape_.outputs) use.model = blocks(shape_.outputs, 1);
    if (!recipe_.beta && recipe_.method == Method::stkr) {
      // The unit of the ridge needs a few columns (estimator/ridge_unit).
      const Index labels = static_cast<Index>(unit_labels(shape_.labeled).size());
      const Index most = recipe_.execution.outputs_at_once;
      const Index width = most > 0 ? std::min(most, labels) : labels;
      MemoryUse unit = held("solving");
      unit.system = action_.system;
      unit.blocks = blocks(width, action_.blocks + gram_.scratch);
      consider(unit);
      add(action_.products + 1.0, static_cast<double>(labels), work);
    }
    if (recipe_.method == Method::label_propagation) {
      const double steps = recipe_.iterations > 0 ? recipe_.iterations : action_.products;
      add(batches * steps, columns, work);
      return;
    }
    const double labels_per_output = static_cast<double>(shape_.labeled) / std::max(1.0, columns);
    const double steps =
        std::min<double>(recipe_.max_iterations, std::max(20.0, std::ceil(labels_per_output)));
    if (recipe_.solver == StkrSolver::richardson) {
      use.blocks = blocks(shape_.outputs, 8 + gram_.scratch);
      add(recipe_.max_iterations, static_cast<double>(shape_.outputs), work);
    } else if (through_theta()) {
      use.blocks = std::max(blocks(at_once, 11 + gram_.scratch), blocks(16, 2 + gram_.scratch));
      add(batches * std::min<double>(recipe_.max_iterations, 20.0 * steps), columns, work);
    } else {
      preconditioner(use);
      add(batches * steps * (action_.products + 1.0), columns, work);
    }
  }

  // Whether solve_automatically tries an iterative solver before it forms the explicit system.
  bool tries_first() const {
    return recipe_.method == Method::stkr && recipe_.solver == StkrSolver::automatic &&
           ((shape_.labeled > 300 && shape_.labeled > 40 * shape_.outputs) ||
            (through_theta() && sparse_entries(shape_, recipe_) > 0 &&
             shape_.labeled > 4 * shape_.outputs));
  }

  // The symmetric system of Algorithm 2, one product per step: see solve_automatically.
  bool through_theta() const {
    return recipe_.method == Method::stkr &&
           (recipe_.transform.empty() || recipe_.transform == "inverse-laplacian") &&
           (recipe_.solver == StkrSolver::minres ||
            (recipe_.solver == StkrSolver::automatic &&
             (may_be_indefinite(shape_.kind, recipe_) || sparse_entries(shape_, recipe_) > 0)));
  }

  // Of conjugate gradients: three n × rank blocks, and the columns of its sketch over all samples.
  void preconditioner(MemoryUse& use) const {
    const NystromOptions nystrom;
    const auto values = static_cast<Index>(recipe_.execution.block_bytes / sizeof(double));
    const Index labels = std::max<Index>(shape_.labeled, 1);
    const Index rank =
        std::min(labels, std::clamp<Index>(values / labels, nystrom.rank, nystrom.most_rank));
    const Index width =
        std::min(rank, std::max(values / std::max<Index>(shape_.samples, 1), nystrom.rank));
    use.system += whole(3.0 * 8.0 * static_cast<double>(labels) * static_cast<double>(rank));
    use.blocks = std::max(use.blocks, blocks(width, action_.blocks + 1 + gram_.scratch));
  }

  const ProblemShape& shape_;
  const Recipe& recipe_;
  System system_;
  GramMemory gram_;
  ActionCost action_;
  std::uint64_t program_;
  MemoryUse peak_;
  std::uint64_t expected_ = 0;
};

}  // namespace

Strategy fit_strategy(const ProblemShape& shape, const Recipe& recipe, System system,
                      const Context& context) {
  return FitCost(shape, recipe, system, context).strategy();
}

}  // namespace stkr
