// A solver of your own for the ridge system: here gradient steps with momentum ("heavy ball"), in
// twenty lines. The library forms the products of the system, checks the residual and does the
// rest of the fit.
#include <cstdio>
#include <stkr/dataset/generators.hpp>
#include <stkr/dataset/splits.hpp>
#include <stkr/estimator/decision.hpp>
#include <stkr/estimator/stkr.hpp>
#include <stkr/gram/graph_gram.hpp>
#include <stkr/solver/eigenpairs.hpp>
#include <utility>

// Heavy-ball iteration for a symmetric positive definite A.
stkr::SolveResult heavy_ball(const stkr::LinearOperator& a, stkr::ConstMatrixRef b,
                             const stkr::SolverOptions& options, const stkr::Context& context) {
  const double most = stkr::top_eigenpairs(a, 1, {}, context).values[0];
  const double momentum = 0.9, step = (1.0 + momentum) / most;
  stkr::SolveResult result{stkr::Matrix::Zero(b.rows(), b.cols()), {}};
  stkr::SolveSummary& summary = result.summary;
  summary.solver = "heavy ball";
  summary.reason = stkr::StopReason::max_iterations;
  stkr::Matrix before = result.solution;
  for (; summary.iterations < options.max_iterations; ++summary.iterations) {
    context.check_cancelled();
    const stkr::Matrix residual = b - product(a, result.solution);
    if (residual.norm() <= 0.1 * options.tolerance * b.norm()) {
      summary.reason = stkr::StopReason::converged;
      break;
    }
    const stkr::Matrix next =
        result.solution + step * residual + momentum * (result.solution - before);
    before = std::exchange(result.solution, next);
  }
  return result;
}

int main() {
  const std::vector<stkr::Index> blocks{300, 300};
  stkr::Dataset graph = stkr::stochastic_block_model(blocks, 0.05, 0.005, /*seed=*/1);
  stkr::keep_only(graph.labels,
                  stkr::labeled_per_class(std::get<stkr::ClassLabels>(graph.labels), 10, 2));
  const stkr::EncodedTargets targets = stkr::encode_targets(graph.labels);
  const stkr::GraphGram gram(graph.graph().adjacency,
                             {.normalization = stkr::GraphNormalization::lazy_walk});

  stkr::StkrOptions options{.transform = stkr::SpectralTransform::power(4)};
  const stkr::Fit theirs = stkr::fit_stkr(gram, targets.labeled, targets.y, options);
  options.own_solver = heavy_ball;
  const stkr::Fit own = stkr::fit_stkr(gram, targets.labeled, targets.y, options);
  std::printf("%s: %s after %d steps; differs from %s by %.0e\n", own.summary.solve.solver.c_str(),
              to_string(own.summary.solve.reason), own.summary.solve.iterations,
              theirs.summary.solve.solver.c_str(),
              (own.fitted - theirs.fitted).norm() / theirs.fitted.norm());
}
