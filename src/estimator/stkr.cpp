#include "stkr/estimator/stkr.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>

#include "estimator/evidence.hpp"
#include "estimator/labeled_system.hpp"
#include "estimator/leading_space.hpp"
#include "estimator/linear_solution.hpp"
#include "estimator/poisson_leading.hpp"
#include "estimator/refit.hpp"
#include "estimator/ridge_path.hpp"
#include "estimator/ridge_problem.hpp"
#include "estimator/ridge_solve.hpp"
#include "estimator/ridge_unit.hpp"
#include "estimator/stkr_checks.hpp"
#include "estimator/stkr_prop.hpp"
#include "gram/weighted_gram.hpp"
#include "solver/dense.hpp"
#include "solver/diagonalize.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {

const char* to_string(StkrSolver solver) {
  switch (solver) {
    case StkrSolver::automatic:
      return "automatic";
    case StkrSolver::direct:
      return "direct";
    case StkrSolver::richardson:
      return "richardson";
    case StkrSolver::cg:
      return "cg";
    case StkrSolver::minres:
      return "minres";
    case StkrSolver::diagonalize:
      return "diagonalize";
  }
  return "unknown";
}

namespace {

void check_ridge(const StkrOptions& options) {
  const double value = options.beta.value_or(options.ridge);
  if (!(value > 0.0) || !std::isfinite(value)) {
    throw ParameterError(fmt::format("{} = {}; expected a positive number (1e-2 is usual)",
                                     options.beta ? "beta" : "ridge", value));
  }
}

void check_label_weights(const Vector& weights, std::size_t labels) {
  if (weights.size() > 0 && weights.size() != static_cast<Index>(labels)) {
    throw ShapeError(fmt::format("{} weights for {} labeled samples; expected one per sample",
                                 weights.size(), labels));
  }
  if (!(weights.array() > 0.0).all() || !weights.allFinite()) {
    throw ValueError("weights of labeled samples must be positive and finite");
  }
}

// The explicit n × n system.
struct FormedSystem {
  Matrix g;     // G_{K̂_s,n}; with weights √w K̂_s √w
  double unit;  // of a relative ridge
};

// K̂_s at the labels: with weights, the rows and columns of G divided by √w.
Matrix labeled_kernel(const Matrix& g, const GramOperator& gram, std::span<const Index> labeled) {
  if (!gram.root_weights()) return g;
  const Vector inverse = inverse_or_zero(root_weights_at(gram, labeled));
  return inverse.asDiagonal() * g * inverse.asDiagonal();
}

// Chooses ρ by leave-one-out in the units of y.
double chosen_ridge(const Matrix& kernel, ConstMatrixRef y, const StkrOptions& options) {
  RidgePathOptions path;
  path.constant = options.constant;
  path.label_weights = options.label_weights;
  return ridge_by_leave_one_out(RidgePath(kernel, Matrix(0, y.rows()), y, path), y);
}

SolveResult solve_formed(const FormedSystem& system, const RidgeProblem& problem,
                         const StkrOptions& options, const Context& context) {
  const double shift = static_cast<double>(problem.rhs.rows()) * *options.beta;
  if (options.solver == StkrSolver::diagonalize && problem.shifts.size() == 0) {
    return DiagonalizedSystem(system.g, context.cancel)
        .solve(shift, problem.rhs, solver_options(options));
  }
  Matrix a = system.g;
  if (problem.shifts.size() > 0) {
    a.diagonal() += shift * problem.shifts;
  } else {
    a.diagonal().array() += shift;
  }
  return solve_dense(a, problem.rhs, solver_options(options), context);
}

// A solver of the user sees the system of LabeledSystem, whose unknowns are α/√v.
SolveResult solve_by_own_solver(const GramOperator& gram, const SpectralAction& action,
                                std::span<const Index> labeled, const Matrix& rhs,
                                const StkrOptions& options, const Context& context) {
  const LabeledSystem a(gram, action, {labeled.begin(), labeled.end()}, *options.beta,
                        options.label_weights);
  if (options.label_weights.size() == 0) {
    return options.own_solver(a, rhs, solver_options(options), context);
  }
  const Vector root = options.label_weights.cwiseSqrt();
  SolveResult solved =
      options.own_solver(a, root.asDiagonal() * rhs, solver_options(options), context);
  solved.solution = (root.asDiagonal() * solved.solution).eval();
  return solved;
}

// Labels of the Poisson transform carry weights of their own, see poisson_label_weights.
void use_poisson_labels(const GramOperator& gram, std::span<const Index> labeled,
                        StkrOptions& options) {
  const KnownEigenspace* space = gram.known_eigenspace();
  if (!space) return;  // refused by the action
  const Vector own = poisson_label_weights(*space, labeled, gram.shared_rows());
  options.label_weights =
      options.label_weights.size() > 0 ? options.label_weights.cwiseProduct(own).eval() : own;
}

// Weights change A by a diagonal that only the formed system supports.
void use_formed_system(Index labels, StkrOptions& options) {
  if (options.own_solver) {
    throw ValueError("a solver of your own does not support weights; use automatic or direct");
  }
  if (options.solver == StkrSolver::automatic) options.solver = StkrSolver::direct;
  if (options.solver != StkrSolver::direct && options.solver != StkrSolver::diagonalize) {
    throw ValueError(fmt::format("solver {} does not support weights; use automatic or direct",
                                 to_string(options.solver)));
  }
  if (labels > options.execution.most_direct) {
    throw ValueError(fmt::format(
        "weights need the {} x {} system of the labeled samples, which is limited to {} labels; "
        "use fewer labels",
        labels, labels, options.execution.most_direct));
  }
}

// The paper's β, from either form of the ridge.
void resolve_ridge(const GramOperator& gram, const SpectralAction& action,
                   std::span<const Index> labeled, const double* unit, StkrOptions& options,
                   FitSummary& summary) {
  const auto n = static_cast<Index>(labeled.size());
  if (!options.beta) {
    options.beta = paper_beta(options.ridge, n,
                              unit ? *unit
                                   : ridge_unit(gram, action, labeled, options.tolerance,
                                                options.execution.outputs_at_once));
    summary.ridge = options.ridge;
  } else if (unit) {
    summary.ridge = *options.beta * static_cast<double>(n) / *unit;
  }
  summary.beta = *options.beta;
}

// A matrix that is filled by batches of columns; one batch of all is moved.
class BlockColumns {
 public:
  BlockColumns(Matrix& target, Index rows, Index columns)
      : target_(target), rows_(rows), columns_(columns) {}

  void set(Index first, Matrix part) {
    if (part.cols() == columns_) {
      target_ = std::move(part);
      return;
    }
    if (target_.size() == 0) target_.resize(rows_, columns_);
    target_.middleCols(first, part.cols()) = part;
  }

 private:
  Matrix& target_;
  Index rows_, columns_;
};

Fit fit_with(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef given,
             const StkrOptions& asked, const Context& context, RefitState* state) {
  const auto start = std::chrono::steady_clock::now();
  check_labeled(gram, labeled, given);
  check_ridge(asked);
  check_label_weights(asked.label_weights, labeled.size());
  StkrOptions options = asked;
  const auto n = static_cast<Index>(labeled.size());
  const auto size = static_cast<double>(gram.size());
  const SharedRows* rows = gram.shared_rows();
  const Index local = gram.local_size();
  ActionOptions action_options;
  action_options.tolerance = inner_tolerance(options.tolerance);
  action_options.max_iterations = inner_iterations(options.max_iterations);
  action_options.dense_below = options.execution.factorize_below;
  if (options.literal_top_d) {
    action_options.top_d = TopD::literal;
  } else if (std::holds_alternative<TruncationTransform>(options.transform.form())) {
    action_options.truncation_samples = samples_that_labels_reach(gram, labeled);
  }
  const bool poisson = std::holds_alternative<PoissonTransform>(options.transform.form());
  const bool weighted = gram.root_weights() || options.label_weights.size() > 0;
  Matrix centered;
  if (poisson) {
    action_options.kept_groups =
        groups_of_equal_labels(gram.known_eigenspace(), labeled, given, rows);
    use_poisson_labels(gram, labeled, options);
    if (!options.constant) centered = given.rowwise() - given.colwise().mean();
  }
  const ConstMatrixRef y = centered.size() > 0 ? ConstMatrixRef(centered) : given;
  // An action that depends on the labels does not serve others.
  const bool by_labels =
      poisson || std::holds_alternative<TruncationTransform>(options.transform.form());
  std::shared_ptr<const SpectralAction> kept = state && !by_labels ? state->action : nullptr;
  if (!kept) {
    kept = std::make_shared<const SpectralAction>(gram, options.transform, action_options, context);
  }
  const SpectralAction& action = *kept;
  const long products_before = action.products();
  const RidgeProblem problem = ridge_problem(gram, labeled, y, options);
  const Index outputs = problem.rhs.cols();

  Fit fit;
  fit.summary.method = "stkr";
  fit.summary.transform = options.transform.describe();
  describe_fit(gram, action, options, context, fit.summary);
  if (weighted) use_formed_system(n, options);
  const RidgeStrategy strategy =
      choose_ridge_strategy(ridge_traits(gram, action, n, outputs, options));
  std::optional<FormedSystem> system;
  if (!options.own_solver && strategy.forms_system()) {
    system.emplace();
    system->g =
        transformed_gram(gram, action, labeled, options.execution.block_bytes, context.saved);
    const Matrix kernel = labeled_kernel(system->g, gram, labeled);
    system->unit = ridge_unit(kernel);
    if (options.choose_ridge && n > 2) {
      options.ridge = chosen_ridge(kernel, y, options);
      fit.summary.ridge_chosen = true;
    }
  }
  resolve_ridge(gram, action, labeled, system ? &system->unit : nullptr, options, fit.summary);
  if (options.leave_one_out && system && !gram.root_weights() && n > 1) {
    fit.left_out = leave_one_out(system->g, *options.beta, given,
                                 {.constant = options.constant,
                                  .centered = poisson,
                                  .label_weights = options.label_weights});
  }

  const auto polynomial = options.transform.polynomial_coefficients();
  const auto reciprocal = options.transform.reciprocal_form();
  Matrix known;         // c with f̂ = N·S c at the samples
  ResidentBlock theta;  // close to it
  const bool iterated = options.solver == StkrSolver::richardson && (polynomial || reciprocal);
  if (iterated) {
    PropagationOptions propagation;
    static_cast<SolverOptions&>(propagation) = solver_options(options);
    propagation.step_size = options.step_size;
    const PropagationProblem as_printed{gram, labeled, problem.rhs, *options.beta};
    Propagation result = polynomial
                             ? propagate_polynomial(as_printed, *polynomial, propagation, context)
                             : propagate_reciprocal(as_printed, *reciprocal,
                                                    action.spectrum().bounds, propagation, context);
    fit.alpha = std::move(result.alpha);
    known = std::move(result.coefficients);
    fit.summary.solve = std::move(result.summary);
  } else if (system || options.own_solver) {
    SolveResult solved =
        system ? solve_formed(*system, problem, options, context)
               : solve_by_own_solver(gram, action, labeled, problem.rhs, options, context);
    fit.alpha = std::move(solved.solution);
    fit.summary.solve = std::move(solved.summary);
  } else {
    const RidgeStart from = state ? RidgeStart{&state->alpha, &state->theta} : RidgeStart{};
    RidgeSolution solved =
        solve_ridge_system(strategy, gram, action, labeled, problem.rhs, from, options, context);
    fit.alpha = std::move(solved.alpha);
    fit.summary.solve = std::move(solved.summary);
    theta = std::move(solved.theta);
  }
  if (state) *state = {kept, fit.alpha, {}};
  // The other solvers notice in the next product; Richardson has its own products.
  if (fit.summary.solve.reason == StopReason::cancelled) throw Cancelled("stopped by the caller");
  if (options.constant) {
    fit.constant = free_constant(problem, fit.alpha);
    fit.alpha = without_constant(fit.alpha, fit.constant);
    if (iterated) known = without_constant(known, fit.constant);
    if (!theta.empty()) {
      theta = ResidentBlock::of(gram, without_constant(std::move(theta).to_host(), fit.constant));
    }
  }
  // c = q(S) E α for new samples and g(S) E α for the known ones, f̂ = G_K c = N S c, and which
  // samples labels reach in one step
  const bool self = gram.self_term() != 0.0;
  const bool ask_reach = gram.nonnegative() && !gram.sparse();
  Matrix first_step;
  BlockColumns coefficients(fit.coefficients, local, y.cols()), fitted(fit.fitted, local, y.cols());
  BlockColumns knowns(known, local, y.cols());
  for_batches(y.cols(), options.execution.outputs_at_once, [&](Index first, Index count) {
    const Matrix alpha = fit.alpha.middleCols(first, count);
    ResidentPair c;
    if (self || !iterated) {
      c = action.apply_pair(ResidentBlock::scattered(gram, alpha, labeled),
                            theta.columns() == count ? &theta : nullptr);
      theta = {};
      if (self) coefficients.set(first, std::move(c.fresh).to_host());
    }
    if (iterated) c.known = ResidentBlock::of(gram, known.middleCols(first, count));
    if (ask_reach && first == 0) {
      Matrix block(local, count + 1);
      block.leftCols(count) = c.known.host_rows();
      block.col(count) = scatter_samples(rows, Matrix::Ones(n, 1), labeled, gram.size());
      const Matrix s_block = product(gram, block);
      fitted.set(first, size * s_block.leftCols(count));
      first_step = s_block.rightCols(1);
    } else {
      fitted.set(first, product(gram, c.known, size).to_host());
    }
    if (!iterated) knowns.set(first, std::move(c.known).to_host());
  });
  if (!action.inner().converged()) {
    // The outer residual was measured with an inexact operator, so it does not count.
    fit.summary.solve.reason = action.inner().reason;
    fit.summary.solve.message =
        fmt::format("inner {} (residual {:.1e}): {}", action.inner().solver,
                    action.inner().worst_residual(), action.inner().message);
  }
  if (state) state->theta = known;
  if (!self) fit.coefficients = std::move(known);
  if (options.solver != StkrSolver::richardson) {
    const Matrix rhs = options.constant ? without_constant(problem.rhs, fit.constant) : problem.rhs;
    judge_residual(rows, labeled, rhs, problem.shifts, options, fit);
  }
  judge_approximation(action, gram.size(), n, options, fit.summary);
  if (const Vector* root = gram.root_weights()) {
    // Back to the units of y: f̂/√w at the samples, α√w at the labels.
    fit.fitted = inverse_or_zero(*root).asDiagonal() * fit.fitted;
    fit.alpha = (root_weights_at(gram, labeled).asDiagonal() * fit.alpha).eval();
  }
  fit.evidence = evidence_of(gram, labeled, reach_steps(options.transform), fit.fitted,
                             ask_reach ? &first_step : nullptr);
  if (fit.evidence.by_reach) {
    fit.evidence.floor = floor_by_reach(action.truncation() != nullptr, options.constant || poisson,
                                        evidence_floor(gather_samples(rows, fit.fitted, labeled)));
  }
  fit.summary.products = action.products() - products_before + fit.summary.solve.products + 1;
  fit.summary.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return fit;
}

}  // namespace

Fit fit_stkr(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y,
             const StkrOptions& options, const Context& context) {
  return fit_with(gram, labeled, y, options, context, nullptr);
}

Fit refit_stkr(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y,
               const StkrOptions& options, const Context& context, RefitState& state) {
  return fit_with(gram, labeled, y, options, context, &state);
}

Fit fit_kernel_ridge(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y,
                     const KernelRidgeOptions& options, const Context& context) {
  StkrOptions stkr;
  stkr.transform = SpectralTransform::power(1);
  stkr.ridge = options.ridge;
  stkr.beta = options.beta;
  stkr.choose_ridge = options.choose_ridge;
  stkr.constant = options.constant;
  stkr.label_weights = options.label_weights;
  stkr.tolerance = options.tolerance;
  stkr.max_iterations = options.max_iterations;
  stkr.execution = options.execution;
  Fit fit = fit_stkr(gram, labeled, y, stkr, context);
  fit.summary.method = "kernel-ridge";
  return fit;
}

}  // namespace stkr
