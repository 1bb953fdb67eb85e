#include "estimator/solve_cost.hpp"

#include <algorithm>
#include <cmath>

#include "estimator/ridge_unit.hpp"
#include "estimator/spectral_action.hpp"
#include "runtime/byte_count.hpp"
#include "transform/action_parts.hpp"

namespace stkr {
namespace {

std::uint64_t blocks(const SolveShape& shape, Index columns, Index count) {
  return block_byte_count(shape.samples, static_cast<double>(columns), static_cast<double>(count));
}

// Steps of conjugate gradients by the bound √κ/2·ln(2/tolerance), for Q = ρ(S) with the spectrum
// of S in [-1, 1] or [0, 1]. Deflation and clustered eigenvalues reduce them.
double inner_steps(const SolveShape& shape, const ReciprocalTransform& reciprocal) {
  const double lower = shape.indefinite ? -1.0 : 0.0;
  double least = HUGE_VAL, most = 0.0;
  for (int k = 0; k <= 100; ++k) {
    const double rho = std::abs(reciprocal.rho(lower + (1.0 - lower) * k / 100.0));
    least = std::min(least, rho);
    most = std::max(most, rho);
  }
  const double kappa = least > 0.0 ? most / least : 1e12;
  const double steps = 2.0 + std::ceil(0.5 * std::sqrt(std::min(kappa, 1e18)) *
                                       std::log(2.0 / inner_tolerance(shape.tolerance)));
  return std::min<double>(inner_iterations(shape.max_iterations), steps);
}

SolveCost explicit_system_cost(const SolveShape& shape, StkrSolver solver, bool linear,
                               const ActionCost& action, const Execution& execution) {
  SolveCost cost;
  const double copies = solver == StkrSolver::diagonalize ? 6.0 : 3.0;
  cost.system = block_byte_count(shape.labels, static_cast<double>(shape.labels), copies);
  cost.blocks = blocks(shape, 4, 1);  // Lanczos
  if (linear) return cost;            // the kernel's own block
  const auto column = std::max<Index>(8 * shape.samples, 1);
  const Index at_once = std::clamp<Index>(static_cast<Index>(execution.block_bytes) / column, 1,
                                          std::max<Index>(shape.labels, 1));
  const auto columns = static_cast<double>(at_once);
  cost.blocks = blocks(shape, at_once, action.blocks + shape.scratch);
  cost.products.push_back(
      {std::ceil(static_cast<double>(shape.labels) / columns) * action.products, columns});
  return cost;
}

// Of conjugate gradients: three n × rank blocks, and the columns of its sketch over all samples.
void add_preconditioner(const SolveShape& shape, const ActionCost& action,
                        const Execution& execution, SolveCost& cost) {
  const Index labels = std::max<Index>(shape.labels, 1);
  const NystromOptions nystrom =
      ridge_preconditioner_options(labels, shape.samples, shape.outputs_at_once(execution),
                                   shape.tolerance, execution.block_bytes);
  const Index rank = std::min(labels, nystrom.most_rank);
  cost.system += block_byte_count(labels, static_cast<double>(rank), 3.0);
  cost.blocks = std::max(cost.blocks, blocks(shape, std::min(rank, nystrom.at_once),
                                             action.blocks + 1 + shape.scratch));
}

SolveCost iterative_system_cost(const SolveShape& shape, StkrSolver solver, bool inverse_laplacian,
                                const ActionCost& action, const Execution& execution) {
  const Index at_once = shape.outputs_at_once(execution);
  const auto columns = static_cast<double>(at_once);
  const double batches = shape.batches(execution);
  const double steps =
      std::max(20.0, std::ceil(static_cast<double>(shape.labels) / std::max(1.0, columns)));
  const double most = shape.max_iterations;
  SolveCost cost;
  if (solver == StkrSolver::richardson) {
    cost.blocks = blocks(shape, shape.outputs, 8 + shape.scratch);
    cost.products.push_back({most, static_cast<double>(shape.outputs)});
  } else if (solver == StkrSolver::minres && inverse_laplacian) {
    // The system of Algorithm 2: one product per step.
    cost.blocks =
        std::max(blocks(shape, at_once, 11 + shape.scratch), blocks(shape, 16, 2 + shape.scratch));
    cost.products.push_back({batches * std::min(most, 20.0 * steps), columns});
  } else {
    cost.blocks = blocks(shape, at_once, action.blocks + 1 + shape.scratch);
    add_preconditioner(shape, action, execution, cost);
    cost.products.push_back({batches * std::min(most, steps) * (action.products + 1.0), columns});
  }
  return cost;
}

}  // namespace

Index SolveShape::outputs_at_once(const Execution& execution) const {
  const Index most = execution.outputs_at_once;
  return most > 0 ? std::min(most, outputs) : outputs;
}

double SolveShape::batches(const Execution& execution) const {
  return std::ceil(static_cast<double>(outputs) / static_cast<double>(outputs_at_once(execution)));
}

double diffusion_products(double time) { return time + 40.0; }

ActionCost action_cost(const SolveShape& shape, const SpectralTransform& transform,
                       const Execution& execution) {
  if (const auto parts = action_parts(transform); parts.size() > 1) {
    ActionCost total{.blocks = 0};
    for (const TransformTerm& part : parts) {
      const ActionCost one = action_cost(shape, part.transform, execution);
      total.products += one.products;
      total.preparing += one.preparing;
      total.blocks = std::max(total.blocks, one.blocks);
      total.making = std::max(total.making, one.making);
      total.system += one.system;
    }
    total.blocks += 2;  // the sums of the parts
    return total;
  }
  const auto n = static_cast<double>(shape.samples);
  const bool few = shape.samples <= execution.factorize_below;
  ActionCost cost;
  const auto dense = [&] {
    cost.system = block_byte_count(shape.samples, n);
    cost.making = block_byte_count(shape.samples, n, 4.0 + static_cast<double>(shape.scratch));
  };
  if (const auto reciprocal = transform.reciprocal_form()) {
    if (shape.entries == 0 && few) {
      cost.preparing =
          static_cast<double>(std::max<std::size_t>(reciprocal->coefficients.size(), 2) - 1);
      cost.blocks = 4;
      dense();
    } else {
      cost.products = inner_steps(shape, *reciprocal);
      cost.blocks = 8;  // B, rest, x, r, p, Ap, one polynomial step, the result
    }
  } else if (const auto* poisson = std::get_if<PoissonTransform>(&transform.form())) {
    // The gap below the leading eigenvalue decides; as for an inverse Laplacian near the limit.
    const double eta = std::min(poisson->eta, 0.999);
    cost.products =
        inner_steps(shape, *SpectralTransform::inverse_laplacian(eta).reciprocal_form());
    cost.blocks = 9;  // as above, and the projected B
  } else if (const auto* top = std::get_if<TruncationTransform>(&transform.form())) {
    cost.preparing = 200.0;
    cost.system = blocks(shape, top->dimension, 1);
    cost.making = eigenvector_memory(shape, top->dimension, execution.factorize_below).most;
  } else if (const auto polynomial = transform.polynomial_coefficients()) {
    cost.products = static_cast<double>(polynomial->size()) - 1.0;
  } else {
    // A kink needs as many Chebyshev terms as are allowed.
    const auto* diffusion = std::get_if<DiffusionTransform>(&transform.form());
    cost.products = diffusion ? diffusion_products(diffusion->time) : 500.0;
    cost.blocks = 5;
    // Few samples are diagonalized if that does not converge.
    if (!diffusion && few) dense();
  }
  return cost;
}

SolveCost attempt_cost(const SolveShape& shape, const RidgeStrategy::Attempt& attempt,
                       const SpectralTransform& transform, const ActionCost& action,
                       const Execution& execution) {
  if (attempt.forms_system()) {
    return explicit_system_cost(shape, attempt.solver, is_linear(transform), action, execution);
  }
  const bool inverse_laplacian =
      std::holds_alternative<InverseLaplacianTransform>(transform.form());
  return iterative_system_cost(shape, attempt.solver, inverse_laplacian, action, execution);
}

SolveCost ridge_unit_cost(const SolveShape& shape, const ActionCost& action,
                          const Execution& execution) {
  const auto labels = static_cast<Index>(unit_labels(shape.labels).size());
  const Index most = execution.outputs_at_once;
  SolveCost cost;
  cost.blocks =
      blocks(shape, most > 0 ? std::min(most, labels) : labels, action.blocks + shape.scratch);
  cost.products.push_back({action.products + 1.0, static_cast<double>(labels)});
  return cost;
}

SolveCost propagation_cost(const SolveShape& shape, double steps, const ActionCost& action,
                           const Execution& execution) {
  const Index at_once = shape.outputs_at_once(execution);
  SolveCost cost;
  cost.blocks = blocks(shape, at_once, action.blocks + 1 + shape.scratch);
  cost.products.push_back({shape.batches(execution) * steps, static_cast<double>(at_once)});
  return cost;
}

SolveCost coefficient_cost(const SolveShape& shape, const ActionCost& action,
                           const Execution& execution) {
  return propagation_cost(shape, action.products + 1.0, action, execution);
}

EigenpairMemory eigenvector_memory(const SolveShape& shape, Index dimension, Index dense_below) {
  const bool sparse = shape.entries > 0;
  EigenpairMemory memory = eigenpair_memory(shape.samples, dimension,
                                            sparse ? EigenpairOptions{}.dense_below : dense_below);
  if (sparse) {  // the block of S over some samples, and the block over their large components
    const std::uint64_t copies = byte_count(shape.entries, 24.0) + byte_count(shape.samples, 32.0);
    memory.most += copies;
    memory.expected += copies;
  }
  return memory;
}

}  // namespace stkr
